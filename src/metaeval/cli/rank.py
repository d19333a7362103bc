"""``metaeval rank``: which metric agrees best with the humans, and which differ."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from metaeval.cli import options, plans
from metaeval.cli.progress import progress_bar


def rank(
    data: options.Data,
    measure: Annotated[
        list[str] | None,
        typer.Option("--measure", "-m", help="Measure, as `metaeval measures` lists them. May be repeated."),
    ] = None,
    pair: options.Pair = None,
    from_format: options.Format = None,
    human: options.Human = None,
    reference: options.Reference = None,
    metrics: options.Metrics = None,
    systems: options.Systems = None,
    exclude: options.Exclude = None,
    domain: options.Domain = None,
    missing: options.Missing = "error",
    common_groups: Annotated[
        bool, typer.Option("--common-groups", help="Only groups where the measure exists for every metric.")
    ] = False,
    test: plans.TestName = "perm-inputs",
    draws: plans.Draws = 1000,
    seed: options.Seed = 0,
    alpha: plans.Alpha = 0.05,
    unit: plans.UnitName = "item",
    bootstrap: plans.BootstrapName = None,
    correction: plans.Correction = "none",
    convention: plans.ConventionName = "unbiased",
    system_scores: Annotated[
        Literal["mean", "corpus", "published"],
        typer.Option(help="Means over the cells used, true corpus scores, or metrics' own (--test none)."),
    ] = "mean",
    raw: Annotated[
        bool, typer.Option("--raw", help="Swap scores as they are; by default metrics are z-scored first.")
    ] = False,
    two_sided: Annotated[
        bool, typer.Option("--two-sided", help="Test for any difference, not for the observed direction.")
    ] = False,
    early_stop: Annotated[
        bool, typer.Option("--early-stop", help="Stop drawing for a pair once its verdict is certain.")
    ] = False,
    format: options.Printed = "text",
    jobs: plans.Jobs = 1,
) -> None:
    """Rank the metrics of DATA by agreement with human scores, with intervals and tests."""
    from metaeval import board
    from metaeval.probes.audit.pointer import pointed
    from metaeval.probes.interference import pointer as interference
    from metaeval.report.formats import render

    plan = plans.make_plan(
        test,
        bootstrap,
        draws=draws,
        seed=seed,
        alpha=alpha,
        unit=unit,
        convention=convention,
        standardise=not raw,
        alternative="two-sided" if two_sided else "greater",
        early_stop=early_stop,
        jobs=jobs,
    )
    evalset = options.load(data, pair, from_format)
    with progress_bar() as progress:
        ranked = board.rank(
            evalset,
            measure,
            human=human,
            reference=reference,
            metrics=metrics,
            systems=systems,
            exclude=exclude,
            domain=domain,
            missing=missing,
            common_groups=common_groups,
            plan=plan,
            correction=correction,
            system_scores=system_scores,
            progress=progress,
        )
    chosen = evalset.select(systems=systems, exclude=exclude, domain=domain)
    ranked = interference.pointed(pointed(ranked, chosen), chosen)
    typer.echo(render(ranked, format))
