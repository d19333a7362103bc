"""``metaeval local``: how accurate metrics are in each context, without any human judgment."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from metaeval.cli import options
from metaeval.cli.progress import progress_bar


class Task(StrEnum):
    mt = "mt"
    asr = "asr"
    ranking = "ranking"


def local(
    data: options.Data,
    task: Annotated[Task | None, typer.Option(help="What the outputs are.")] = None,
    context: Annotated[
        list[str] | None,
        typer.Option(
            "--context",
            "-c",
            help="System, item, a column, or a score (cut into bins); a,b crosses two. May be repeated.",
        ),
    ] = None,
    scorer: Annotated[
        list[str] | None,
        typer.Option("--scorer", "-s", help="Scorer, as `metaeval scorers` lists them. May be repeated."),
    ] = None,
    perturbation: Annotated[
        list[str] | None,
        typer.Option("--perturbation", "-p", help="Perturbation; default: all rules. May be repeated."),
    ] = None,
    draws: Annotated[int, typer.Option(min=1, help="Damaged copies of each output.")] = 4,
    bins: Annotated[int, typer.Option(min=1, help="Bins of a score that is a context.")] = 250,
    human: Annotated[
        str | None, typer.Option(help="Use pairs that these people ordered, and the metrics of DATA.")
    ] = None,
    metrics: options.Metrics = None,
    weight: Annotated[
        str | None, typer.Option(help="Column or score that says how much an output counts within its item.")
    ] = None,
    reference: Annotated[
        str | None,
        typer.Option(
            help="Reference to compare with. Default: the first; with --human that of most metrics."
        ),
    ] = None,
    language: Annotated[
        str | None, typer.Option(help="Language of the outputs: de. Default: as the pair says.")
    ] = None,
    pair: options.Pair = None,
    from_format: options.Format = None,
    systems: options.Systems = None,
    skip_unnamed: Annotated[
        bool, typer.Option("--skip-unnamed", help="Transcripts: leave out rows that name no utterance.")
    ] = False,
    seed: options.Seed = 0,
    alpha: Annotated[float, typer.Option(min=0.0001, max=0.5, help="Level of tests and intervals.")] = 0.05,
    jobs: Annotated[int, typer.Option(min=1, help="Processes; the numbers do not depend on it.")] = 1,
    cache: Annotated[
        Path | None, typer.Option(help="Folder of the cache. Default: in the user's cache folder.")
    ] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Neither read nor keep scores.")] = False,
    json: options.Json = False,
) -> None:
    """Measure how often metrics prefer an output to a damaged copy, in each context of DATA."""
    from contextlib import nullcontext

    from metaeval.errors import InputError
    from metaeval.probes.local.run import Settings, human_accuracy, local_accuracy
    from metaeval.rankings import Rankings
    from metaeval.report.local import as_json, as_text
    from metaeval.scorable import read_scorable
    from metaeval.scorers.cache import Cache, default_folder
    from metaeval.scorers.run import Workshop

    if (task is None) == (human is None):  # neither, or both
        raise typer.BadParameter("give either --task, to damage outputs, or --human", param_hint="--task")
    idle = {"--scorer": scorer, "--perturbation": perturbation, "--language": language}
    if human is not None and (given := [option for option, value in idle.items() if value]):
        raise typer.BadParameter(
            "nothing is scored or damaged with --human; choose metrics of DATA with --metrics",
            param_hint=given[0],
        )
    if task is not None and metrics is not None:
        raise typer.BadParameter(
            "damaged copies have no scores in DATA; choose scorers with --scorer", param_hint="--metrics"
        )
    known = read_scorable(data, pair=pair, format=from_format, skip_unnamed=skip_unnamed)
    with progress_bar() as progress, nullcontext() if no_cache else Cache(cache or default_folder()) as kept:
        settings = Settings(
            perturbations=perturbation,
            contexts=context or (),
            bins=bins,
            draws=draws,
            seed=seed,
            alpha=alpha,
            language=language,
            reference=reference,
            weight=weight,
            systems=systems,
            workshop=Workshop(kept, jobs, progress),
        )
        if task is not None:
            found = local_accuracy(known, task.value, scorer, settings)
        elif isinstance(known, Rankings):
            raise InputError("nobody ordered rankings", remedy="Use --task ranking instead of --human.")
        else:
            found = human_accuracy(known, human or "", metrics=metrics, settings=settings)
    typer.echo(as_json(found) if json else as_text(found))
