"""``metaeval sentinel list``, ``train`` and ``score``."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from metaeval.cli import options
from metaeval.cli.progress import progress_bar
from metaeval.cli.sentinel_data import TRAINED, Added, Train, TrainPair, View, training_data, with_sentinels
from metaeval.errors import InputError

if TYPE_CHECKING:
    from metaeval.probes.sentinel.examples import Examples
    from metaeval.probes.sentinel.neural.network import TransformerRegressor
    from metaeval.probes.sentinel.views import View as ViewName


def list_sentinels(as_json: options.Json = False) -> None:
    """The sentinels there are."""
    from metaeval.probes.sentinel.base import declared
    from metaeval.probes.sentinel.perturbed import TWIN
    from metaeval.report.text_table import Column, lay_out

    said = {name: cls.about for name, cls in declared().items()}
    said[f"{TWIN}NAME"] = "the metric NAME with noise that inverts no order"
    if as_json:
        described = [{"sentinel": name, "about": about} for name, about in said.items()]
        typer.echo(json.dumps(described, indent=1, ensure_ascii=False))
        return
    typer.echo(lay_out([Column("sentinel", list(said)), Column("", list(said.values()))]))


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
    start: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER|NAME",
            help="A transformer sentinel to train further: direct assessments first, then MQM.",
        ),
    ] = None,
    learning_rate: Annotated[float, typer.Option(help="Of a transformer.")] = 1e-6,
    epochs: Annotated[int, typer.Option(help="Of a transformer.")] = 1,
    held_out: Annotated[
        Path | None, typer.Option(metavar="DATA2", help="Of a transformer: data for stopping early.")
    ] = None,
    patience: Annotated[
        int,
        typer.Option(min=1, help="With --held-out: stop after so many checks without a lower loss there."),
    ] = 3,
    check_every: Annotated[int, typer.Option(min=1, help="Steps between two checks and checkpoints.")] = 500,
    seed: options.Seed = 0,
    pair: options.Pair = None,
    from_format: options.Format = None,
    human: options.Human = None,
    reference: options.Reference = None,
) -> None:
    """Train a sentinel on DATA (any data with human scores, raw MQM, or WMT's DA CSV) and save it."""
    if not out.absolute().parent.is_dir():
        raise InputError("cannot be written: there is no such folder", path=out.parent)
    if encoder is not None and start is not None:
        raise typer.BadParameter("a model to train further has its encoder", param_hint="--encoder")
    embedded = encoder is None and start is None
    for given, option in ((checkpoint, "--checkpoint"), (held_out, "--held-out")):
        if embedded and given is not None:
            raise typer.BadParameter("is for a transformer: --encoder or --start", param_hint=option)
    _check_target(out, embedded)
    examples = _examples(data, view, pair, from_format, human, reference)
    if embedded:
        from metaeval.probes.sentinel.ridge import Ridge

        with progress_bar() as progress:
            model = Ridge.fit(examples, progress=progress)
        model.save(out)
    else:
        from metaeval.probes.sentinel.neural import libraries, training
        from metaeval.probes.sentinel.neural.recipe import Recipe

        libraries.without_progress_bars()
        begun = None if start is None else _transformer(start)
        recipe = replace(
            Recipe(encoder=encoder or "") if begun is None else begun.recipe,
            learning_rate=learning_rate,
            epochs=epochs,
            patience=0 if held_out is None else patience,
            check_every=check_every,
            seed=seed,
        )
        watched = None if held_out is None else _examples(held_out, view, pair, None, human, reference)
        with progress_bar() as progress:
            trained = training.train(
                examples, recipe, start=begun, held_out=watched, checkpoint=checkpoint, progress=progress
            )
        trained.model.save(out)
    typer.echo(f"{out}: trained on {len(examples):,} texts ({view})")


def _check_target(out: Path, embedded: bool) -> None:
    """Before hours of training, not after."""
    from metaeval.probes.sentinel import ridge_file
    from metaeval.probes.sentinel.neural import storage

    (ridge_file if embedded else storage).check_target(out)


def _examples(
    data: Path,
    view: ViewName,
    pair: str | None,
    from_format: str | None,
    human: str | None,
    reference: str | None,
) -> Examples:
    from metaeval.probes.sentinel.da import is_da, read_da
    from metaeval.probes.sentinel.examples import examples_of

    if from_format is None and is_da(data):
        return read_da(data, view, pairs=None if pair is None else [pair])
    return examples_of(options.load(data, pair, from_format), view, human=human, reference=reference)


def _transformer(named: str) -> TransformerRegressor:
    from metaeval.probes.sentinel.adding import load_model
    from metaeval.probes.sentinel.neural.network import TransformerRegressor

    model = load_model(named)
    if not isinstance(model, TransformerRegressor):
        raise InputError("is no transformer, and cannot be trained further", path=named)
    return model


def score(
    data: options.Data,
    out: Annotated[Path, typer.Option(metavar="BUNDLE", help="Where to write DATA with its scores.")],
    model: Annotated[
        list[str] | None,
        typer.Option(
            metavar="VIEW=FILE",
            help="A saved sentinel, or a published one: src=src.npz, src=sapienzanlp/sentinel-src-mqm. "
            "May be repeated.",
        ),
    ] = None,
    add: Added = TRAINED,
    train: Train = None,
    train_pair: TrainPair = None,
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
        if train is not None:
            raise typer.BadParameter("a saved sentinel is trained already", param_hint="--train")
        with progress_bar() as progress:
            scored = with_saved(evalset, _saved(model), reference=reference, progress=progress)
    else:
        other = training_data(train, pair, train_pair)
        scored = with_sentinels(evalset, add, other, human, reference, seed, lacking=1.0)
    if not scored.sentinels:
        raise InputError("no sentinel could be scored, and nothing is written", path=data)
    write_bundle(scored.evalset, out)
    typer.echo(f"{out}: added {', '.join(sentinel.key for sentinel in scored.sentinels)}")


def _saved(model: list[str]) -> dict[str, str]:
    """The saved sentinels by their views."""
    saved: dict[str, str] = {}
    for text in model:
        view, named = options.name_and_value(text, "--model")
        if view in saved:
            raise typer.BadParameter(f"there are two of {view}", param_hint="--model")
        saved[view] = named
    if any(_may_be_transformer(Path(named)) for named in saved.values()):
        from metaeval.probes.sentinel.neural import libraries

        libraries.without_progress_bars()
    return saved


def _may_be_transformer(path: Path) -> bool:
    return path.is_dir() or path.suffix == ".ckpt" or not (path.suffix or path.exists())
