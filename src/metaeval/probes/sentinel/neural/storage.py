"""Files of transformer sentinels: JSON and safetensors, so that loading one runs no code."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from metaeval.errors import InputError
from metaeval.probes.sentinel.neural.libraries import load
from metaeval.probes.sentinel.neural.network import TransformerRegressor
from metaeval.probes.sentinel.neural.recipe import Recipe

KIND = "metaeval sentinel, transformer 1"


def save_model(model: TransformerRegressor, path: Path) -> None:
    """Write the folder beside itself first: an interrupt leaves the old one whole."""
    fresh = path.with_name(path.name + ".new")
    shutil.rmtree(fresh, ignore_errors=True)
    _write_model(model, fresh)
    _replace(fresh, path)


def load_model(path: Path) -> TransformerRegressor:
    """What :func:`save_model` or :func:`save_checkpoint` wrote."""
    recipe = _recipe(path, _read(path / "sentinel.json"))
    model = TransformerRegressor.new(recipe, weights=path)
    head = load("safetensors.torch").load_file(str(path / "head.safetensors"), device=model.device)
    try:
        model.head.load_state_dict(head)
    except RuntimeError as error:
        raise InputError("the head does not fit the recipe", path=path / "head.safetensors") from error
    return model


def save_checkpoint(model: TransformerRegressor, optimizer: Any, state: dict[str, Any], path: Path) -> None:
    """The model, what the optimizer remembers, and how far training is."""
    fresh = path.with_name(path.name + ".new")
    shutil.rmtree(fresh, ignore_errors=True)
    _write_model(model, fresh)
    remembered = {
        f"{number}.{name}": value.detach().contiguous().reshape(value.shape)
        for number, values in optimizer.state_dict()["state"].items()
        for name, value in values.items()
    }
    load("safetensors.torch").save_file(remembered, str(fresh / "optimizer.safetensors"))
    (fresh / "state.json").write_text(json.dumps(state), encoding="utf-8")
    _replace(fresh, path)


def load_checkpoint(path: Path) -> tuple[TransformerRegressor, dict[int, dict[str, Any]], dict[str, Any]]:
    """The model, the optimizer's memory by weight, and the state of training."""
    model = load_model(path)
    remembered: dict[int, dict[str, Any]] = {}
    file = str(path / "optimizer.safetensors")
    for key, value in load("safetensors.torch").load_file(file).items():
        number, _, name = key.partition(".")
        remembered.setdefault(int(number), {})[name] = value
    return model, remembered, _read(path / "state.json")


def _write_model(model: TransformerRegressor, folder: Path) -> None:
    (folder / "encoder").mkdir(parents=True)
    model.encoder.save_pretrained(str(folder / "encoder"))
    model.tokenizer.save_pretrained(str(folder / "encoder"))
    weights = {name: value.contiguous() for name, value in model.head.state_dict().items()}
    load("safetensors.torch").save_file(weights, str(folder / "head.safetensors"))
    text = json.dumps({"kind": KIND, "recipe": model.described()}, indent=1)
    (folder / "sentinel.json").write_text(text, encoding="utf-8")


def _replace(fresh: Path, path: Path) -> None:
    old = path.with_name(path.name + ".old")
    shutil.rmtree(old, ignore_errors=True)
    if path.exists():
        path.rename(old)
    fresh.rename(path)
    shutil.rmtree(old, ignore_errors=True)


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
        raise InputError(what, path=path / "sentinel.json", remedy="Train it again.")
    try:
        given = dict(found["recipe"])
        return Recipe(**{**given, "hidden": tuple(given["hidden"])})
    except (KeyError, TypeError, ValueError) as error:
        raise InputError("holds no recipe", path=path / "sentinel.json") from error
