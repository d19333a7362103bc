"""``metaeval audit``: what is wrong with the way these data evaluate metrics."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from metaeval.cli import options
from metaeval.cli.progress import progress_bar
from metaeval.cli.sentinel_data import TrainPair, training_data


def audit(
    data: options.Data,
    measure: Annotated[
        list[str] | None,
        typer.Option("--measure", "-m", help="Measure to audit. May be repeated. Default: WMT's."),
    ] = None,
    train: Annotated[
        Path | None,
        typer.Option(metavar="DATA2", help="Data to train the sentinels on. Default: out of fold on DATA."),
    ] = None,
    train_pair: TrainPair = None,
    pair: options.Pair = None,
    from_format: options.Format = None,
    human: options.Human = None,
    reference: options.Reference = None,
    metrics: options.Metrics = None,
    systems: options.Systems = None,
    exclude: options.Exclude = None,
    domain: options.Domain = None,
    seed: options.Seed = 0,
    draws: Annotated[int, typer.Option(min=1, help="Bootstrap samples of the intervals.")] = 1000,
    alpha: Annotated[float, typer.Option(min=0.0001, max=0.5, help="Level of tests and intervals.")] = 0.05,
    as_json: options.Json = False,
) -> None:
    """Report what a meta-evaluation on DATA rewards that it should not, most serious first.

    Sentinels that see only the source, only the reference or only the output are added to the metrics; the
    groupings, ties, lengths, references and the number of systems and segments are checked.
    """
    from metaeval.probes.audit.run import audit as run
    from metaeval.report import audit as report

    evalset = options.load(data, pair, from_format)
    training = training_data(train, pair, train_pair)
    with progress_bar() as progress:
        found = run(
            evalset,
            measure,
            train=training,
            human=human,
            reference=reference,
            metrics=metrics,
            systems=systems,
            exclude=exclude,
            domain=domain,
            seed=seed,
            draws=draws,
            alpha=alpha,
            progress=progress,
        )
    typer.echo(report.as_json(found) if as_json else report.as_text(found))
