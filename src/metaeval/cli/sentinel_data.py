"""What the commands of ``metaeval sentinel`` share: their options, and data with sentinels added."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from metaeval.cli import options
from metaeval.cli.progress import progress_bar
from metaeval.errors import InputError

if TYPE_CHECKING:
    from metaeval.evalset import EvalSet
    from metaeval.paired import Paired
    from metaeval.probes.sentinel.adding import Added as AddedData

View: TypeAlias = Annotated[
    Literal["src", "ref", "cand"], typer.Option(help="What it sees: the source, the reference, the output.")
]
Added: TypeAlias = Annotated[
    str, typer.Option("--add", help="Sentinels to add, comma-separated; none for those in DATA alone.")
]
Train: TypeAlias = Annotated[
    Path | None, typer.Option(metavar="DATA2", help="Train on these data. Default: out of fold on DATA.")
]
TrainPair: TypeAlias = Annotated[
    str | None, typer.Option(help="Language pair of DATA2, where it is another than DATA's.")
]
TRAINED = "SENTINEL_SRC,SENTINEL_REF,SENTINEL_CAND"


def loaded(
    data: Path,
    pair: str | None,
    from_format: str | None,
    systems: str | None,
    exclude: str | None,
    domain: str | None,
    metrics: str | None,
) -> EvalSet:
    evalset = options.load(data, pair, from_format)
    return evalset.select(systems=systems, exclude=exclude, domain=domain, metrics=metrics)


def training_data(train: Path | None, pair: str | None, train_pair: str | None) -> EvalSet | None:
    """DATA2, of its own language pair or of DATA's."""
    from metaeval.probes.sentinel.da import is_da

    if train is None:
        if train_pair is not None:
            raise typer.BadParameter("says of which pair the data of --train are", param_hint="--train-pair")
        return None
    if is_da(train):
        raise InputError(
            "is a table of direct assessments, which say nothing of systems",
            path=train,
            remedy="Train on it first: metaeval sentinel train, then metaeval sentinel score --model",
        )
    return options.load(train, train_pair or pair, None)


def with_sentinels(
    evalset: EvalSet,
    names: str,
    train: EvalSet | None,
    human: str | None,
    reference: str | None,
    seed: int,
    lacking: float | None = None,
) -> AddedData:
    from metaeval.probes.sentinel.adding import MOST_LACKING, Added, add

    if names.strip() in ("", "none"):
        return Added(evalset, (), ())
    wanted = [name.strip() for name in names.split(",")]
    with progress_bar() as progress:
        added = add(
            evalset,
            wanted,
            train=train,
            human=human,
            reference=reference,
            seed=seed,
            lacking=MOST_LACKING if lacking is None else lacking,
            progress=progress,
        )
    for reason in added.left_out:
        typer.echo(f"metaeval: left out {reason}", err=True)
    return added


def paired_of(evalset: EvalSet, human: str | None, reference: str | None) -> Paired:
    from metaeval.paired import pair_up

    return pair_up(evalset, human=human, reference=reference, missing="drop")
