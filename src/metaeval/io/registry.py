"""What a reader is, and how one is found by name or by looking at the data."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from metaeval.errors import InputError, choices
from metaeval.evalset import EvalSet


class Read(Protocol):
    """Reads what ``path`` holds; ``pair`` names a language pair where the data hold several."""

    def __call__(self, path: Path, *, pair: str | None = None) -> EvalSet: ...


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
    read: Read
    order: int = 50


@cache
def readers() -> Mapping[str, Reader]:
    """Every reader, by name, in the order in which they are asked."""
    package = importlib.import_module("metaeval.io")
    found = []
    for module in pkgutil.iter_modules(package.__path__):
        declared = getattr(importlib.import_module(f"metaeval.io.{module.name}"), "READER", None)
        if isinstance(declared, Reader):
            found.append(declared)
    return MappingProxyType({r.name: r for r in sorted(found, key=lambda r: (r.order, r.name))})


def read(path: str | Path, *, pair: str | None = None, format: str | None = None) -> EvalSet:
    """The EvalSet that a file or folder holds; the format is recognised unless named."""
    place = Path(path)
    if format is not None:
        if format not in readers():
            raise InputError(f"there is no format {format!r}", remedy=choices(format, readers()))
        return readers()[format].read(place, pair=pair)
    if not place.exists():
        raise InputError("there is no such file or folder", path=place)
    for reader in readers().values():
        if reader.sniff(place):
            return reader.read(place, pair=pair)
    known = "; ".join(f"{reader.name} ({reader.about})" for reader in readers().values())
    raise InputError(
        "the format is not recognised", path=place, remedy=f"Known: {known}. Name one with --from."
    )
