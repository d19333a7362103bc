"""``metaeval adjust``: what an interfering metric would say if it had not chosen the outputs."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from metaeval.cli import options
from metaeval.cli.progress import progress_bar


class Learner(StrEnum):
    forest = "forest"
    linear = "linear"


def adjust(
    data: options.Data,
    metric: Annotated[str, typer.Option("--metric", "-m", help="The metric that interferes.")],
    systems: Annotated[
        str, typer.Option(help="The systems whose outputs it chose, by name or glob, comma-separated.")
    ],
    training: Annotated[
        str | None, typer.Option(help="Systems to learn from. Default: all others but human references.")
    ] = None,
    features: Annotated[
        str | None, typer.Option(help="Metrics to learn from. Default: all others with that reference.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Write DATA with the adjusted metric; must not exist.")
    ] = None,
    to: Annotated[
        str | None, typer.Option(help="bundle, mtme, or long. Default: by the ending of OUT, else bundle.")
    ] = None,
    pair: options.Pair = None,
    from_format: options.Format = None,
    human: options.Human = None,
    reference: options.Reference = None,
    learner: Annotated[Learner, typer.Option(help="What learns.")] = Learner.forest,
    trees: Annotated[int, typer.Option(min=1, help="Trees of the forest.")] = 1000,
    seed: options.Seed = 0,
    as_json: options.Json = False,
    jobs: Annotated[int, typer.Option(min=1, max=1024, help="Threads; the numbers do not depend on it.")] = 1,
) -> None:
    """Predict --metric for every segment from other metrics, learned where it did not choose the outputs.

    No human score is read for that. Where humans rated the systems, they say whether it helped.
    """
    from metaeval.errors import InputError
    from metaeval.io.registry import choose_writer
    from metaeval.io.staging import is_free
    from metaeval.paired import choose_protocol
    from metaeval.probes.interference import learners
    from metaeval.probes.interference.adjust import mint_adjust
    from metaeval.probes.interference.judge import judge_suspects
    from metaeval.report import interference as report

    writer = None if out is None else choose_writer(out, to)
    if writer is not None and out is not None and writer.name != "mtme" and not is_free(out):
        raise InputError("already exists", path=out, remedy="Remove it, or choose another name.")
    evalset = options.load(data, pair, from_format)
    if human is not None:
        choose_protocol(evalset, human)
    with progress_bar() as progress:
        found = mint_adjust(
            evalset,
            metric,
            suspects=systems,
            training=training,
            features=features,
            reference=reference,
            regressor=learners.learner(learner.value, trees=trees, seed=seed, jobs=jobs, progress=progress),
        )
    judged = judge_suspects(evalset, found, human=human, reference=reference)
    shown = report.adjustment_json if as_json else report.adjustment_text
    joined = found.add_to(evalset)
    if writer is not None and out is not None:
        writer.write(joined, out)
    typer.echo(shown(evalset, found, judged))
    if writer is not None and not as_json:
        typer.echo(f"\n{out}: {joined!r}")
    for lost in () if writer is None else writer.loses(joined):
        typer.echo(f"  ! not in it: {lost}", err=True)
