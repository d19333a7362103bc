"""``metaeval leaderboard``: several data sets and measures, and the weighted average over them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, cast

import typer

from metaeval.cli import options
from metaeval.cli.progress import progress_bar
from metaeval.cli.rank import Bootstrap, Convention, Format, Missing, Test


def leaderboard(
    definition: Annotated[
        str,
        typer.Argument(
            metavar="FILE.toml|NAME", help="A definition, or the name of one: wmt23, wmt24, wmt25."
        ),
    ],
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="ROOT", help="Folder that paths start from: mt-metrics-eval-v2. Default: FILE's."
        ),
    ] = None,
    pairs: Annotated[
        str | None, typer.Option(help="Only these language pairs or sets, by name or glob, comma-separated.")
    ] = None,
    metrics: options.Metrics = None,
    missing: Annotated[
        Missing | None, typer.Option(help="Cells where a metric has no score. Default: as the file says.")
    ] = None,
    borda: Annotated[
        bool, typer.Option("--borda", help="Rank by Borda count, the average beside it.")
    ] = False,
    test: Annotated[Test, typer.Option(help="Significance test between metrics.")] = Test.perm_inputs,
    draws: Annotated[int, typer.Option(min=1, help="Permutations, and bootstrap samples.")] = 1000,
    seed: options.Seed = 0,
    alpha: Annotated[float, typer.Option(min=0.0001, max=0.5, help="Level of tests and intervals.")] = 0.05,
    bootstrap: Annotated[
        Bootstrap | None,
        typer.Option(help="What intervals resample. Default: inputs, or nothing with --test none."),
    ] = None,
    convention: Annotated[
        Convention, typer.Option(help="p is (count+1)/(draws+1), or WMT's count/draws.")
    ] = Convention.unbiased,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
    jobs: Annotated[int, typer.Option(help="Processes or threads; the numbers do not depend on it.")] = 1,
) -> None:
    """Average several tasks into one ranking, with the tasks beside it."""
    from dataclasses import replace

    from metaeval.errors import InputError
    from metaeval.leaderboard import find_definition, run
    from metaeval.report.leaderboard import render
    from metaeval.significance.plan import Plan

    chosen, beside = find_definition(definition)
    root = data or beside
    if root is None:
        raise InputError(
            f"{definition} does not say where its data are",
            remedy="Name the mt-metrics-eval folder: --data mt-metrics-eval-v2 (see metaeval fetch)",
        )
    if pairs is not None:
        chosen = chosen.only(pairs)
    if metrics is not None:
        chosen = replace(chosen, metrics=tuple(part.strip() for part in metrics.split(",")))
    default_bootstrap = "none" if test is Test.none else "inputs"
    plan = Plan(
        test=test.value,
        draws=draws,
        seed=seed,
        alpha=alpha,
        bootstrap=bootstrap.value if bootstrap else cast(Literal["none", "inputs"], default_bootstrap),
        convention=convention.value,
        jobs=jobs,
    )
    with progress_bar() as progress:
        board = run(
            chosen,
            root,
            plan=plan,
            missing=missing.value if missing else None,
            with_borda=borda,
            progress=progress,
        )
    typer.echo(render(board, format.value))
