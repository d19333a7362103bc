"""``metaeval compare``: is one metric better than another, and where do they part."""

from __future__ import annotations

from typing import Annotated, Literal, cast

import typer

from metaeval.cli import options
from metaeval.cli.progress import progress_bar
from metaeval.cli.rank import Bootstrap, Convention, Missing, Test, Unit


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
    missing: Annotated[
        Missing, typer.Option(help="Rated cells where a metric has no score: an error, or dropped for both.")
    ] = Missing.error,
    test: Annotated[Test, typer.Option(help="Significance test.")] = Test.perm_inputs,
    draws: Annotated[int, typer.Option(min=1, help="Permutations, and bootstrap samples.")] = 1000,
    seed: options.Seed = 0,
    alpha: Annotated[float, typer.Option(min=0.0001, max=0.5, help="Level of tests and intervals.")] = 0.05,
    unit: Annotated[Unit, typer.Option(help="What PERM-INPUTS and the bootstrap exchange.")] = Unit.item,
    bootstrap: Annotated[
        Bootstrap | None,
        typer.Option(help="What intervals resample. Default: inputs, or nothing with --test none."),
    ] = None,
    convention: Annotated[
        Convention, typer.Option(help="p is (count+1)/(draws+1), or WMT's count/draws.")
    ] = Convention.unbiased,
    items: Annotated[int, typer.Option(min=0, help="Items to show on which each metric is better.")] = 5,
    as_json: options.Json = False,
    jobs: Annotated[int, typer.Option(help="Processes or threads; the numbers do not depend on it.")] = 1,
) -> None:
    """Compare the metrics A and B: by how much, how sure, what would settle it, on which items they part."""
    from metaeval import compare as comparing
    from metaeval.report import compare as report
    from metaeval.significance.plan import Plan

    default_bootstrap = "none" if test is Test.none else "inputs"
    plan = Plan(
        test=test.value,
        draws=draws,
        seed=seed,
        alpha=alpha,
        unit=unit.value,
        bootstrap=bootstrap.value if bootstrap else cast(Literal["none", "inputs"], default_bootstrap),
        convention=convention.value,
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
            missing=missing.value,
            plan=plan,
            shown=items,
            progress=progress,
        )
    typer.echo(report.as_json(found) if as_json else report.as_text(found))
