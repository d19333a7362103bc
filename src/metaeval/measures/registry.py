"""The grammar of measures: ``name(param=value)@grouping``, and the list of those that exist."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import TypeVar

from metaeval.declared import about, defaults, import_all, parse_parameters, show
from metaeval.errors import InputError, choices
from metaeval.measures.base import Measure, SegmentMeasure
from metaeval.measures.groups import GROUPINGS

_M = TypeVar("_M", bound=type[Measure])
_DECLARED: dict[str, type[Measure]] = {}
_GRAMMAR = re.compile(r"\s*([A-Za-z]\w*)\s*(?:\(([^()]*)\))?\s*(?:@\s*(\w+))?\s*")


def measure(
    name: str, *, formula: str, cites: str, bounds: tuple[float, float] | None = None
) -> Callable[[_M], _M]:
    """Declares a class as the measure called ``name``: everything else follows from the class."""

    def declare(cls: _M) -> _M:
        cls.name, cls.formula, cls.cites = name, formula, cites
        if bounds is not None:
            cls.bounds = bounds
        if name in _DECLARED:
            raise ValueError(f"two measures are called {name}")
        _DECLARED[name] = cls
        dataclasses.dataclass(frozen=True, repr=False)(cls)
        return cls

    return declare


@cache
def measures() -> Mapping[str, type[Measure]]:
    """Every measure by name, in the order of their modules."""
    import_all("metaeval.measures")
    return MappingProxyType(_DECLARED)


def parse_measure(text: str) -> Measure:
    """The measure that ``text`` names; parsing what a measure prints gives an equal measure.

    >>> parse_measure("tau_b@item")
    tau_b@item
    >>> parse_measure("acc_eq( epsilon = best )@item") == parse_measure("acc_eq(epsilon=best)@item")
    True
    """
    match = _GRAMMAR.fullmatch(text)
    if match is None:
        raise InputError(
            f"{text!r} is not a measure", remedy="Write name(param=value)@grouping: acc_eq(epsilon=best)@item"
        )
    name, inside, grouping = match.groups()
    cls = measures().get(name)
    if cls is None:
        raise InputError(f"there is no measure {name!r}", remedy=choices(name, measures()))
    given = parse_parameters(cls, inside or "")
    if issubclass(cls, SegmentMeasure):
        if grouping not in GROUPINGS:
            wanted = ", ".join(f"{name}@{g}" for g in GROUPINGS)
            found = f"no grouping {grouping!r}" if grouping else "needs a grouping"
            raise InputError(f"{name} is measured on segments: {found}", remedy=f"Write one of {wanted}")
        given["grouping"] = grouping
    elif grouping is not None:
        raise InputError(
            f"{name} is measured on systems and has no grouping", remedy=f"Write {name}, without @{grouping}"
        )
    return cls(**given)


def describe_measures() -> list[dict[str, str]]:
    """Each measure's grammar, meaning, formula and source, as declared."""
    described = []
    for name, cls in measures().items():
        parameters = [f"{key}={show(value)}" for key, value in defaults(cls).items()]
        grouping = "@none|item|system" if issubclass(cls, SegmentMeasure) else ""
        described.append(
            {
                "name": name,
                "grammar": name + (f"({', '.join(parameters)})" if parameters else "") + grouping,
                "level": cls.level,
                "about": about(cls),
                "formula": cls.formula,
                "cites": cls.cites,
            }
        )
    return described
