"""The libraries of the extra ``neural``, or the message that says how to get them."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from metaeval.errors import InputError, MissingExtra


def load(name: str) -> Any:
    """``torch``, ``transformers`` or ``safetensors.torch``."""
    try:
        return import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise MissingExtra(package, extra="neural", needed_for="a transformer sentinel") from error


def load_arrays(path: Path, *, device: str = "cpu") -> dict[str, Any]:
    """The tensors of a safetensors file."""
    safetensors = load("safetensors.torch")
    damaged: type[Exception] = load("safetensors").SafetensorError
    try:
        arrays: dict[str, Any] = safetensors.load_file(str(path), device=device)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or 'there is no such file'}", path=path) from error
    except damaged as error:
        raise InputError("is damaged", path=path, remedy="Train it again.") from error
    return arrays


def without_progress_bars() -> None:
    """Keep transformers from drawing and telling; for a command line, which shows one bar of ours."""
    logging = load("transformers").utils.logging
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    load("huggingface_hub").logging.set_verbosity_error()
