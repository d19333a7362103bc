"""Libraries that only some people have: imported where they are used, missed with one clear message."""

from __future__ import annotations

import importlib
import importlib.metadata
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from types import ModuleType

from metaeval.errors import MetaevalError, MissingExtra, printable


def library(module: str, *, package: str, extra: str, needed_for: str) -> ModuleType:
    """The module, imported now.

    A package that is there but cannot be imported (one built for another numpy, say) is not missing:
    the message then shows its own error.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != module.partition(".")[0]:
            raise _broken(package, needed_for, error) from error
        raise MissingExtra(package, extra=extra, needed_for=needed_for) from error
    except Exception as error:  # whatever a foreign module raises while it is imported
        raise _broken(package, needed_for, error) from error


@contextmanager
def loading(model: str, *, needed_for: str) -> Iterator[None]:
    """Within it a foreign library loads a model: what it raises becomes one message, for people."""
    try:
        yield
    except MetaevalError:
        raise
    except Exception as error:  # an unknown name, no line to the hub, a damaged file, no permission, ...
        said = printable(f"{type(error).__name__}: {error}")
        raise MetaevalError(
            f"{needed_for} cannot load the model {model!r}:\n    {said}\n"
            "  Name one that can be had, or a folder or file that holds it: metaeval scorers"
        ) from error


@contextmanager
def tokenizing(scorer: str) -> Iterator[None]:
    """Within it a foreign library makes a tokenizer: what that lacks (MeCab, a file) becomes one message."""
    try:
        yield
    except MetaevalError:
        raise
    except Exception as error:  # a missing package or model, no line to where it would be fetched from, ...
        said = printable(" ".join(f"{type(error).__name__}: {error}".split()))
        raise MetaevalError(
            f"{scorer} cannot make its tokenizer:\n    {said}\n"
            "  Install what it asks for, or name another tokenizer: 13a, intl, zh, char"
        ) from error


def _broken(package: str, needed_for: str, error: Exception) -> MetaevalError:
    return MetaevalError(
        f"{needed_for} needs {package}, which is installed and cannot be imported:\n"
        f"    {type(error).__name__}: {error}"
    )


@cache
def version(package: str) -> str:
    """The installed version of a package, for signatures; ``0`` where it is not installed."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "0"
