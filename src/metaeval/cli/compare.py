"""``metaeval compare``: is one metric better than another, and where do they part."""

from __future__ import annotations

from typing import Annotated

import typer

from metaeval.cli import options, plans
from metaeval.cli.progress import progress_bar


def compare(
    data: options.Data,
    first: Annotated[str, typer.Argument(metavar="A", help="A metric, by key or name.")],
    second: Annotated[str, typer.Argument(metavar="B", help="Another.")],
    measure: Annotated[
        list[str] | None,
        typer.Option("--measure", "-m", help="Measure; may be repeated. Default: acc_eq(epsilon=best)@item."),
    ] = None,
    pair: options.Pair = None,
    from_format: options.Format = None,
    human: options.Human = None,
    reference: options.Reference = None,
    systems: options.Systems = None,
    exclude: options.Exclude = None,
    domain: options.Domain = None,
    missing: options.Missing = "error",
    test: plans.TestName = "perm-inputs",
    draws: plans.Draws = 1000,
    seed: options.Seed = 0,
    alpha: plans.Alpha = 0.05,
    unit: plans.UnitName = "item",
    bootstrap: plans.BootstrapName = None,
    convention: plans.ConventionName = "unbiased",
    items: Annotated[int, typer.Option(min=0, help="Items to show on which each metric is better.")] = 5,
    as_json: options.Json = False,
    jobs: plans.Jobs = 1,
) -> None:
    """Compare the metrics A and B: by how much, how sure, what would settle it, on which items they part."""
    from metaeval import compare as comparing
    from metaeval.report import compare as report

    plan = plans.make_plan(
        test,
        bootstrap,
        draws=draws,
        seed=seed,
        alpha=alpha,
        unit=unit,
        convention=convention,
        jobs=jobs,
    )
    evalset = options.load(data, pair, from_format)
    with progress_bar() as progress:
        found = comparing.compare(
            evalset,
            first,
            second,
            measure or [comparing.DEFAULT_MEASURE],
            human=human,
            reference=reference,
            systems=systems,
            exclude=exclude,
            domain=domain,
            missing=missing,
            plan=plan,
            shown=items,
            progress=progress,
        )
    typer.echo(report.as_json(found) if as_json else report.as_text(found))
