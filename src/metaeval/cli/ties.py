"""``metaeval ties``: what ties do to a meta-evaluation of these data."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from metaeval.cli import options
from metaeval.cli.progress import progress_bar


class Grouping(StrEnum):
    none = "none"
    item = "item"
    system = "system"


def ties(
    data: options.Data,
    grouping: Annotated[
        list[Grouping] | None, typer.Option(help="Pairs of which outputs. May be repeated. Default: item.")
    ] = None,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "--measure", "-m", help="A column of the table, without grouping: tau_eq. May be repeated."
        ),
    ] = None,
    constant: Annotated[bool, typer.Option("--constant", help="Add a metric that ties every pair.")] = False,
    statistics: Annotated[
        bool, typer.Option("--statistics", help="How many pairs humans and metrics tie.")
    ] = False,
    curve: Annotated[
        str | None, typer.Option(metavar="METRIC", help="What each epsilon would give this metric.")
    ] = None,
    buckets: Annotated[
        str | None,
        typer.Option(metavar="METRIC", help="This metric in equal-width buckets: the NaN problem."),
    ] = None,
    where: Annotated[
        str | None, typer.Option(metavar="METRIC", help="At which scores calibration ties pairs.")
    ] = None,
    break_ties: Annotated[
        bool, typer.Option("--break-ties", help="What breaking ties at random changes.")
    ] = False,
    calibrate_on: Annotated[
        Path | None,
        typer.Option(metavar="DATA2", help="Whether epsilon carries over from and to these data."),
    ] = None,
    split: Annotated[
        bool, typer.Option("--split", help="Whether epsilon carries over between halves of the documents.")
    ] = False,
    sample: Annotated[
        float | None, typer.Option(help="How far a search on this share of the pairs is off.")
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Samples, and times that ties are broken.")] = 30,
    pair: options.Pair = None,
    from_format: options.Format = None,
    human: options.Human = None,
    reference: options.Reference = None,
    metrics: options.Metrics = None,
    systems: options.Systems = None,
    exclude: options.Exclude = None,
    domain: options.Domain = None,
    missing: options.Missing = "error",
    seed: options.Seed = 0,
    as_json: options.Json = False,
) -> None:
    """Every statistic of pairs for every metric of DATA, or what ties do to them.

    Without an experiment (--statistics, --curve, --buckets, --where, --break-ties, --calibrate-on, --split,
    --sample) it prints the table of all statistics; with one, only if -m or --constant asks for it.
    """
    from metaeval.errors import InputError
    from metaeval.paired import Paired, pair_up
    from metaeval.probes.ties.questions import Questions, ask
    from metaeval.report import ties as report

    if split and calibrate_on is not None:
        raise InputError("--split and --calibrate-on exclude each other", remedy="Give one of them.")

    def paired_of(path: Path) -> Paired:
        evalset = options.load(path, pair, from_format)
        chosen = evalset.select(systems=systems, exclude=exclude, domain=domain)
        return pair_up(chosen, human=human, reference=reference, metrics=metrics, missing=missing)

    questions = Questions(
        groupings=tuple(g.value for g in grouping or (Grouping.item,)),
        measures=tuple(measure or ()),
        constant=constant,
        statistics=statistics,
        curve=curve,
        buckets=buckets,
        where=where,
        break_ties=break_ties,
        split=split,
        sample=sample,
        repeats=repeats,
        seed=seed,
    )
    paired = paired_of(data)
    other = None if calibrate_on is None else paired_of(calibrate_on)
    with progress_bar() as progress:
        answers = ask(paired, questions, other=other, progress=progress)
    typer.echo(report.as_json(paired, questions, answers) if as_json else report.as_text(paired, answers))
