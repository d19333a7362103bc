"""``metaeval rank``: which metric agrees best with the humans, and which differ."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal, cast

import typer

from metaeval.cli import options
from metaeval.cli.progress import progress_bar


class Test(StrEnum):
    perm_inputs = "perm-inputs"
    perm_both = "perm-both"
    perm_systems = "perm-systems"
    perm_pairs = "perm-pairs"
    none = "none"


class Format(StrEnum):
    text = "text"
    json = "json"
    csv = "csv"
    markdown = "markdown"
    latex = "latex"


class Unit(StrEnum):
    item = "item"
    document = "document"


class Missing(StrEnum):
    error = "error"
    drop = "drop"


class Correction(StrEnum):
    none = "none"
    holm = "holm"
    bh = "bh"


class Bootstrap(StrEnum):
    inputs = "inputs"
    systems = "systems"
    both = "both"
    none = "none"


class SystemScores(StrEnum):
    mean = "mean"
    published = "published"


class Convention(StrEnum):
    unbiased = "unbiased"
    wmt = "wmt"


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
    missing: Annotated[
        Missing, typer.Option(help="Rated cells where a metric has no score: an error, or dropped for all.")
    ] = Missing.error,
    common_groups: Annotated[
        bool, typer.Option("--common-groups", help="Only groups where the measure exists for every metric.")
    ] = False,
    test: Annotated[Test, typer.Option(help="Significance test between metrics.")] = Test.perm_inputs,
    draws: Annotated[int, typer.Option(min=1, help="Permutations, and bootstrap samples.")] = 1000,
    seed: options.Seed = 0,
    alpha: Annotated[float, typer.Option(min=0.0001, max=0.5, help="Level of tests and intervals.")] = 0.05,
    unit: Annotated[Unit, typer.Option(help="What PERM-INPUTS and the bootstrap exchange.")] = Unit.item,
    bootstrap: Annotated[
        Bootstrap | None,
        typer.Option(help="What intervals resample. Default: inputs, or nothing with --test none."),
    ] = None,
    correction: Annotated[Correction, typer.Option(help="Correction for many pairs.")] = Correction.none,
    convention: Annotated[
        Convention, typer.Option(help="p is (count+1)/(draws+1), or WMT's count/draws.")
    ] = Convention.unbiased,
    system_scores: Annotated[
        SystemScores, typer.Option(help="Means over the cells used, or metrics' own (with --test none).")
    ] = SystemScores.mean,
    raw: Annotated[
        bool, typer.Option("--raw", help="Swap scores as they are; by default metrics are z-scored first.")
    ] = False,
    two_sided: Annotated[
        bool, typer.Option("--two-sided", help="Test for any difference, not for the observed direction.")
    ] = False,
    early_stop: Annotated[
        bool, typer.Option("--early-stop", help="Stop drawing for a pair once its verdict is certain.")
    ] = False,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
    jobs: Annotated[int, typer.Option(help="Processes or threads; the numbers do not depend on it.")] = 1,
) -> None:
    """Rank the metrics of DATA by agreement with human scores, with intervals and tests."""
    from metaeval import board
    from metaeval.report.formats import render
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
            missing=missing.value,
            common_groups=common_groups,
            plan=plan,
            correction=correction.value,
            system_scores=system_scores.value,
            progress=progress,
        )
    typer.echo(render(ranked, format.value))
