"""Files of transformer sentinels: JSON and safetensors, so that loading one runs no code."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from metaeval.errors import InputError
from metaeval.probes.sentinel.neural.libraries import load, load_arrays
from metaeval.probes.sentinel.neural.network import TransformerRegressor
from metaeval.probes.sentinel.neural.recipe import Recipe

KIND = "metaeval sentinel, transformer 1"
DESCRIPTION = "sentinel.json"
"""The file that makes a folder a sentinel."""


def save_model(model: TransformerRegressor, path: Path) -> None:
    """Write the folder beside itself first: an interrupt leaves the old one whole.

    Only a sentinel is replaced; any other folder or file of that name is left alone.
    """
    with _replacing(path) as fresh:
        _write_model(model, fresh)


def check_target(path: Path) -> None:
    """Refuse a folder that writing a sentinel would destroy."""
    if not path.exists() or (path.is_dir() and not any(path.iterdir())):
        return
    if not path.is_dir() or not (path / DESCRIPTION).is_file():
        raise InputError(
            "exists, and is no transformer sentinel; it is left alone",
            path=path,
            remedy="Remove it, or choose another name.",
        )


def load_model(path: Path) -> TransformerRegressor:
    """What :func:`save_model` or :func:`save_checkpoint` wrote."""
    recipe = _recipe(path, _read(path / DESCRIPTION))
    model = TransformerRegressor.new(recipe, weights=path)
    head = load_arrays(path / "head.safetensors", device=model.device)
    try:
        model.head.load_state_dict(head)
    except RuntimeError as error:
        raise InputError("the head does not fit the recipe", path=path / "head.safetensors") from error
    return model


def save_checkpoint(model: TransformerRegressor, optimizer: Any, state: dict[str, Any], path: Path) -> None:
    """The model, what the optimizer remembers, and how far training is."""
    remembered = {
        f"{number}.{name}": value.detach().contiguous().reshape(value.shape)
        for number, values in optimizer.state_dict()["state"].items()
        for name, value in values.items()
    }
    with _replacing(path) as fresh:
        _write_model(model, fresh)
        load("safetensors.torch").save_file(remembered, str(fresh / "optimizer.safetensors"))
        (fresh / "state.json").write_text(json.dumps(state), encoding="utf-8")


def load_checkpoint(path: Path) -> tuple[TransformerRegressor, dict[int, dict[str, Any]], dict[str, Any]]:
    """The model, the optimizer's memory by weight, and the state of training."""
    model, state = load_model(path), _read(path / "state.json")
    remembered: dict[int, dict[str, Any]] = {}
    file = path / "optimizer.safetensors"
    for key, value in load_arrays(file).items():
        number, _, name = key.partition(".")
        if not number.isdecimal():
            raise InputError("is not the memory of an optimizer", path=file)
        remembered.setdefault(int(number), {})[name] = value
    return model, remembered, state


def _write_model(model: TransformerRegressor, folder: Path) -> None:
    (folder / "encoder").mkdir()
    model.encoder.save_pretrained(str(folder / "encoder"))
    model.tokenizer.save_pretrained(str(folder / "encoder"))
    weights = {name: value.contiguous() for name, value in model.head.state_dict().items()}
    load("safetensors.torch").save_file(weights, str(folder / "head.safetensors"))
    text = json.dumps({"kind": KIND, "recipe": model.described()}, indent=1)
    (folder / DESCRIPTION).write_text(text, encoding="utf-8")


@contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """A new folder beside the path, which takes its place once it is whole."""
    check_target(path)
    try:
        with TemporaryDirectory(prefix=path.name + ".", dir=path.absolute().parent) as aside:
            fresh, old = Path(aside) / "new", Path(aside) / "old"
            fresh.mkdir()
            yield fresh
            try:
                if path.exists():
                    path.rename(old)
                fresh.rename(path)
            except BaseException:
                if old.exists():
                    old.rename(path)
                raise
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", path=path) from error


def _read(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=file) from error
    except ValueError as error:
        raise InputError("is not JSON", path=file) from error
    if not isinstance(found, dict):
        raise InputError("is not a JSON object", path=file)
    return found


def _recipe(path: Path, found: dict[str, Any]) -> Recipe:
    if found.get("kind") != KIND:
        what = f"found {found.get('kind')!r}, expected {KIND!r}"
        raise InputError(what, path=path / DESCRIPTION, remedy="Train it again.")
    try:
        given = dict(found["recipe"])
        return Recipe(**{**given, "hidden": tuple(given["hidden"])})
    except (KeyError, TypeError, ValueError) as error:
        raise InputError("holds no recipe", path=path / DESCRIPTION) from error
