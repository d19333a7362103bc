"""``metaeval stability``: what would the numbers be with fewer systems, or fewer segments."""

from __future__ import annotations

from typing import Annotated

import typer

from metaeval.cli import options
from metaeval.cli.progress import progress_bar


def stability(
    data: options.Data,
    measure: Annotated[
        list[str] | None,
        typer.Option("--measure", "-m", help="Measure; may be repeated. Default: pa and spa(method=normal)."),
    ] = None,
    fewer_systems: Annotated[
        bool | None, typer.Option("--systems/--segments", help="One of the two. Default: both.")
    ] = None,
    sizes: Annotated[
        str | None, typer.Option(help="How many systems, or segments: 4,8,12. Default: a range.")
    ] = None,
    draws: Annotated[int, typer.Option(min=1, help="Subsets, or samples, of each size.")] = 500,
    pair: options.Pair = None,
    from_format: options.Format = None,
    human: options.Human = None,
    reference: options.Reference = None,
    metrics: options.Metrics = None,
    exclude: options.Exclude = None,
    domain: options.Domain = None,
    missing: options.Missing = "error",
    seed: options.Seed = 0,
    as_json: options.Json = False,
) -> None:
    """Show how far measures depend on the systems and segments that happen to be in DATA."""
    from metaeval import stability as studying
    from metaeval.report import stability as report

    evalset = options.load(data, pair, from_format)
    with progress_bar() as progress:
        found = studying.stability(
            evalset,
            measure or studying.DEFAULT_MEASURES,
            fewer_systems=fewer_systems is not False,
            fewer_segments=fewer_systems is not True,
            sizes=options.numbers(sizes, "--sizes"),
            draws=draws,
            seed=seed,
            human=human,
            reference=reference,
            metrics=metrics,
            exclude=exclude,
            domain=domain,
            missing=missing,
            progress=progress,
        )
    typer.echo(report.as_json(found) if as_json else report.as_text(found))
