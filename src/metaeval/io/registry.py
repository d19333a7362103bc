"""What readers and writers are, and how one is found by name or by looking at the data."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol, TypeVar

from metaeval.errors import InputError, choices
from metaeval.evalset import EvalSet

_T = TypeVar("_T")


class Sniff(Protocol):
    """Whether ``path`` looks like this format; looks at names and first lines only, never raises."""

    def __call__(self, path: Path) -> bool: ...


@dataclass(frozen=True, slots=True)
class Reader:
    """A format: declared once in its module as ``READER``, found and listed from there.

    Readers are asked in order of ``order``: specific formats before general ones.
    """

    name: str
    about: str
    sniff: Sniff
    read: Callable[..., EvalSet]
    """``read(path, *, pair=None)``; ``pair`` names a language pair where the data hold several."""
    order: int = 50
    options: Mapping[str, Callable[[str], Any]] = field(default_factory=dict)
    """Further keyword arguments of ``read`` that text may give, each with how it is parsed."""

    def with_options(self, given: Mapping[str, str]) -> Mapping[str, Any]:
        """Keyword arguments for ``read`` from text."""
        found = {}
        for name, text in given.items():
            if name not in self.options:
                raise InputError(
                    f"the format {self.name} has no option {name!r}", remedy=choices(name, self.options)
                )
            try:
                found[name] = self.options[name](text)
            except ValueError as error:
                raise InputError(f"{name}={text} is not possible: {error}") from error
        return found


@cache
def readers() -> Mapping[str, Reader]:
    """Every reader, by name, in the order in which they are asked."""
    ordered = sorted(_declared("READER", Reader), key=lambda r: (r.order, r.name))
    return MappingProxyType({reader.name: reader for reader in ordered})


def read(
    path: str | Path,
    *,
    pair: str | None = None,
    format: str | None = None,
    options: Mapping[str, str] | None = None,
) -> EvalSet:
    """The EvalSet that a file or folder holds; the format is recognised unless named.

    ``options`` are the reader's own, as text: ``{"weights": "unbabel"}`` for MQM annotations.
    """
    place = Path(path)
    reader = _reader(place, format)
    return reader.read(place, pair=pair, **reader.with_options(options or {}))


def _reader(place: Path, format: str | None) -> Reader:
    if format is not None:
        if format not in readers():
            raise InputError(f"there is no format {format!r}", remedy=choices(format, readers()))
        return readers()[format]
    if not place.exists():
        raise InputError("there is no such file or folder", path=place)
    for reader in readers().values():
        if reader.sniff(place):
            return reader
    known = "; ".join(f"{reader.name} ({reader.about})" for reader in readers().values())
    raise InputError(
        "the format is not recognised", path=place, remedy=f"Known: {known}. Name one with --from."
    )


@dataclass(frozen=True, slots=True)
class Writer:
    """A format that can be written: declared in its module as ``WRITER``."""

    name: str
    about: str
    write: Callable[[EvalSet, Path], None]
    """Writes the set to a path: all of it or nothing, and never over something else."""
    suffixes: tuple[str, ...] = ()
    """The endings of file names that mean this format."""
    loses: Callable[[EvalSet], tuple[str, ...]] = field(default=lambda evalset: ())
    """What of a set the format cannot hold, for people."""


@cache
def writers() -> Mapping[str, Writer]:
    """Every writer, by name."""
    return MappingProxyType({writer.name: writer for writer in _declared("WRITER", Writer)})


def choose_writer(path: str | Path, format: str | None = None) -> Writer:
    """The writer asked for, or the one that the ending of ``path`` means; a bundle without an ending."""
    if format is not None:
        if format not in writers():
            raise InputError(f"there is no format {format!r} to write", remedy=choices(format, writers()))
        return writers()[format]
    suffix = Path(path).suffix.lower()
    for writer in writers().values():
        if suffix in writer.suffixes:
            return writer
    return writers()["bundle"]


def _declared(attribute: str, kind: type[_T]) -> Iterator[_T]:
    package = importlib.import_module("metaeval.io")
    for module in pkgutil.iter_modules(package.__path__):
        found = getattr(importlib.import_module(f"metaeval.io.{module.name}"), attribute, None)
        if isinstance(found, kind):
            yield found
