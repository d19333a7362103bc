"""``metaeval score``: adds the scores of metrics to a data set."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from metaeval.cli import options
from metaeval.cli.progress import progress_bar


def score(
    data: options.Data,
    out: Annotated[Path, typer.Option("--out", help="What to write; must not exist.")],
    scorer: Annotated[
        list[str],
        typer.Option("--scorer", "-s", help="Scorer, as `metaeval scorers` lists them. May be repeated."),
    ],
    to: Annotated[
        str | None, typer.Option(help="bundle, mtme, or long. Default: by the ending of OUT, else bundle.")
    ] = None,
    reference: Annotated[
        str | None, typer.Option(help="References to compare with, comma-separated. Default: every one.")
    ] = None,
    pair: options.Pair = None,
    from_format: options.Format = None,
    systems: options.Systems = None,
    natural: Annotated[
        bool, typer.Option("--natural", help="Keep error rates as they are: lower is better.")
    ] = False,
    replace: Annotated[
        bool, typer.Option("--replace", help="Take the place of scores of the same name.")
    ] = False,
    skip_unnamed: Annotated[
        bool, typer.Option("--skip-unnamed", help="Transcripts: leave out rows that name no utterance.")
    ] = False,
    cache: Annotated[
        Path | None, typer.Option(help="Folder of the cache. Default: in the user's cache folder.")
    ] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Neither read nor keep scores.")] = False,
    jobs: Annotated[int, typer.Option(min=1, help="Processes; the numbers do not depend on it.")] = 1,
    json: options.Json = False,
) -> None:
    """Score the outputs of DATA; what was scored before is not scored again, after an interrupt either."""
    from contextlib import nullcontext

    from metaeval import scorable
    from metaeval.errors import InputError
    from metaeval.io.registry import choose_writer
    from metaeval.report import scoring
    from metaeval.scorers.cache import Cache, default_folder
    from metaeval.scorers.run import Workshop

    writer = choose_writer(out, to)
    if out.exists():  # said before the work, not after it
        raise InputError("already exists", path=out, remedy="Remove it, or choose another name.")
    known = scorable.read_scorable(data, pair=pair, format=from_format, skip_unnamed=skip_unnamed)
    with progress_bar() as progress, nullcontext() if no_cache else Cache(cache or default_folder()) as kept:
        scored = scorable.score_any(
            known,
            scorer,
            references=reference,
            systems=systems,
            natural=natural,
            replace=replace,
            workshop=Workshop(kept, jobs, progress),
        )
    writer.write(scored.evalset, out)
    losses = writer.loses(scored.evalset)
    if json:
        typer.echo(scoring.as_json(scored, out=str(out), lost=losses))
        return
    typer.echo(scoring.as_text(scored))
    typer.echo(f"{out}: {scored.evalset!r}, as {writer.about}")
    for lost in losses:
        typer.echo(f"  ! not in it: {lost}", err=True)
