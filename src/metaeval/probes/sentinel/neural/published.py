"""The checkpoints that Perrella et al. (2024) published: read as arrays and names, never as code.

Such a checkpoint holds ``state_dict`` (``encoder.model.*`` and ``estimator.ff.*``) and
``hyper_parameters``. Its encoder's configuration and tokenizer come from the encoder's own name or folder.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from metaeval.errors import InputError
from metaeval.probes.sentinel.neural.libraries import load
from metaeval.probes.sentinel.neural.network import TransformerRegressor
from metaeval.probes.sentinel.neural.recipe import Recipe

INSIDE = "checkpoints/model.ckpt"
"""Where a published model keeps its checkpoint."""
ENCODER, HEAD = "encoder.model.", "estimator.ff."


def find_checkpoint(named: str | Path) -> Path | None:
    """The checkpoint that a file, a folder or a model's name (``owner/name``) stands for; None if none.

    A name is looked up only where no such path exists, in the cache of transformers or at its hub.
    """
    path = Path(named)
    if path.is_file() and path.suffix == ".ckpt":
        return path
    if path.is_dir():
        return path / INSIDE if (path / INSIDE).is_file() else None
    if path.exists() or path.suffix or path.is_absolute() or len(path.parts) != 2:
        return None
    try:
        return Path(load("transformers.utils").cached_file(str(named), INSIDE))
    except (OSError, ValueError) as error:
        raise InputError(
            f"the model {str(named)!r} cannot be reached: {str(error).partition(chr(10))[0]}",
            remedy=f"Name a folder that holds it, with {INSIDE} inside.",
        ) from error


def load_published(path: Path, *, encoder: str | None = None) -> TransformerRegressor:
    """A published checkpoint as a regressor; ``encoder`` names another place for the encoder's files.

    Reading takes as much memory as the checkpoint's weights twice.
    """
    torch = load("torch")
    try:
        held = torch.load(path, map_location="cpu", weights_only=True, mmap=True)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=path) from error
    except (RuntimeError, pickle.UnpicklingError, EOFError, ValueError) as error:
        raise InputError("is not a checkpoint of weights alone", path=path) from error
    state, given = _parts(path, held)
    paper = Recipe()
    recipe = Recipe(
        encoder=encoder or str(given.get("pretrained_model", paper.encoder)),
        dropout=float(given.get("dropout", paper.dropout)),
        hidden=(len(state[f"{HEAD}0.weight"]), len(state[f"{HEAD}3.weight"])),
    )
    model = TransformerRegressor.new(recipe)
    _fill(path, model.encoder, state, ENCODER)
    _fill(path, model.head, state, HEAD)
    return model


def _parts(path: Path, held: Any) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    state = held.get("state_dict") if isinstance(held, Mapping) else None
    needed = [f"{HEAD}{layer}.weight" for layer in (0, 3, 6)]
    if not isinstance(state, Mapping) or any(name not in state for name in needed):
        raise InputError(f"found no {needed[0]}, expected a published sentinel", path=path)
    given = held.get("hyper_parameters")
    return state, given if isinstance(given, Mapping) else {}


def _fill(path: Path, module: Any, state: Mapping[str, Any], prefix: str) -> None:
    """The weights under a prefix into a module; a pooler, which no sentinel uses, may be missing."""
    mine = {name.removeprefix(prefix): value for name, value in state.items() if name.startswith(prefix)}
    try:
        absent, unknown = module.load_state_dict(mine, strict=False)
    except RuntimeError as error:
        raise InputError(f"the weights {prefix}* do not fit the encoder", path=path) from error
    wrong = [*(name for name in absent if not name.startswith("pooler.")), *unknown]
    wrong = [name for name in wrong if not name.endswith("position_ids")]
    if wrong:
        raise InputError(
            f"the weights {prefix}* do not fit the encoder: {wrong[0]} and {len(wrong) - 1} more", path=path
        )
