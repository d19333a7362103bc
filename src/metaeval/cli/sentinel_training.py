"""``metaeval sentinel list``, ``train`` and ``score``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from metaeval.cli import options
from metaeval.cli.progress import progress_bar
from metaeval.cli.sentinel_data import TRAINED, Added, Train, View, with_sentinels


def list_sentinels() -> None:
    """The sentinels there are."""
    from metaeval.probes.sentinel.base import declared
    from metaeval.report.text_table import Column, lay_out

    found = declared()
    typer.echo(lay_out([Column("sentinel", list(found)), Column("", [cls.about for cls in found.values()])]))


def train(
    data: options.Data,
    out: Annotated[Path, typer.Option(metavar="FILE.npz", help="Where to save it; a folder with --encoder.")],
    view: View = "src",
    encoder: Annotated[
        str | None,
        typer.Option(metavar="NAME|FOLDER", help="A transformer. Default: the embedded encoder."),
    ] = None,
    checkpoint: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Of a transformer: go on from here, if it is there.")
    ] = None,
    learning_rate: Annotated[float, typer.Option(help="Of a transformer.")] = 1e-6,
    epochs: Annotated[int, typer.Option(help="Of a transformer.")] = 1,
    seed: options.Seed = 0,
    pair: options.Pair = None,
    from_format: options.Format = None,
    human: options.Human = None,
    reference: options.Reference = None,
) -> None:
    """Train a sentinel on DATA (any data with human scores, raw MQM, or WMT's DA CSV) and save it."""
    from metaeval.probes.sentinel.da import is_da, read_da
    from metaeval.probes.sentinel.examples import examples_of
    from metaeval.probes.sentinel.ridge import Ridge

    if from_format is None and is_da(data):
        examples = read_da(data, view, pairs=None if pair is None else [pair])
    else:
        evalset = options.load(data, pair, from_format)
        examples = examples_of(evalset, view, human=human, reference=reference)
    if encoder is None:
        Ridge.fit(examples).save(out)
    else:
        from metaeval.probes.sentinel.neural import libraries, training
        from metaeval.probes.sentinel.neural.recipe import Recipe

        libraries.without_progress_bars()
        recipe = Recipe(encoder=encoder, learning_rate=learning_rate, epochs=epochs, seed=seed)
        with progress_bar() as progress:
            training.train(examples, recipe, checkpoint=checkpoint, progress=progress).model.save(out)
    typer.echo(f"{out}: trained on {len(examples):,} texts ({view})")


def score(
    data: options.Data,
    out: Annotated[Path, typer.Option(metavar="BUNDLE", help="Where to write DATA with its scores.")],
    model: Annotated[
        list[str] | None,
        typer.Option(metavar="VIEW=FILE", help="A saved sentinel: src=src.npz. May be repeated."),
    ] = None,
    add: Added = TRAINED,
    train: Train = None,
    pair: options.Pair = None,
    from_format: options.Format = None,
    human: options.Human = None,
    reference: options.Reference = None,
    seed: options.Seed = 0,
) -> None:
    """Write DATA with sentinels among its metrics: saved ones, trained on DATA2, or cross-fitted."""
    from metaeval.io.bundle import write_bundle
    from metaeval.probes.sentinel.adding import with_saved

    evalset = options.load(data, pair, from_format)
    if model:
        saved = dict(options.name_and_value(text, "--model") for text in model)
        scored = with_saved(evalset, {view: Path(file) for view, file in saved.items()}, reference=reference)
    else:
        scored = with_sentinels(evalset, add, train, pair, human, reference, seed)
    write_bundle(scored, out)
    named = [key for key in scored.metrics if key not in evalset.metrics]
    typer.echo(f"{out}: added {', '.join(named) or 'nothing'}")
