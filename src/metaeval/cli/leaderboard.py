"""``metaeval leaderboard``: several data sets and measures, and the weighted average over them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from metaeval.cli import options, plans
from metaeval.cli.progress import progress_bar


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
        Literal["error", "drop"] | None,
        typer.Option(help="Cells where a metric has no score. Default: as the file says."),
    ] = None,
    borda: Annotated[
        bool, typer.Option("--borda", help="Rank by Borda count, the average beside it.")
    ] = False,
    test: plans.TestName = "perm-inputs",
    draws: plans.Draws = 1000,
    seed: options.Seed = 0,
    alpha: plans.Alpha = 0.05,
    bootstrap: plans.BootstrapName = None,
    convention: plans.ConventionName = "unbiased",
    format: options.Printed = "text",
    jobs: plans.Jobs = 1,
) -> None:
    """Average several tasks into one ranking, with the tasks beside it."""
    from dataclasses import replace

    from metaeval.errors import InputError
    from metaeval.leaderboard import find_definition, run
    from metaeval.report.leaderboard import render

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
    plan = plans.make_plan(
        test,
        bootstrap,
        draws=draws,
        seed=seed,
        alpha=alpha,
        convention=convention,
        jobs=jobs,
    )
    with progress_bar() as progress:
        board = run(
            chosen,
            root,
            plan=plan,
            missing=missing if missing else None,
            with_borda=borda,
            progress=progress,
        )
    typer.echo(render(board, format))
