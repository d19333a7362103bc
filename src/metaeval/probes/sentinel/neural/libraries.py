"""The libraries of the extra ``neural``, or the message that says how to get them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from metaeval.errors import MissingExtra


def load(name: str) -> Any:
    """``torch``, ``transformers`` or ``safetensors.torch``."""
    try:
        return import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise MissingExtra(package, extra="neural", needed_for="a transformer sentinel") from error


def without_progress_bars() -> None:
    """Keep transformers from drawing its own; for a command line, which shows one of ours on a terminal."""
    load("transformers").utils.logging.disable_progress_bar()
