"""What an EvalSet may hold and an mt-metrics-eval folder has no place for: one JSON file beside it.

``metaeval/SRC-TGT.json`` is written only where it is needed. Other tools do not look at it; without it the
folder is a plain one.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TypeAlias

import numpy as np

from metaeval.errors import InputError, choices
from metaeval.io.lines import read_lines
from metaeval.scores import GroupScores

FORMAT, VERSION = "metaeval-mtme-extras", 1

Column: TypeAlias = list[str | None]
Scorer: TypeAlias = list[str | None]
"""Name and reference."""
Groups: TypeAlias = dict[str, dict[str, dict[str, float | None]]]
"""level -> label -> system -> score"""


@dataclass(slots=True)
class Extras:
    """The content of the side file; all of it is optional."""

    pair: str | None = None
    """The true pair, where the files had to be called otherwise."""
    items: list[str] = field(default_factory=list)
    """The ids of the items, where they are not 1 to n or there is no source text."""
    systems: list[str] = field(default_factory=list)
    """Systems that no output names."""
    missing_source: list[int] = field(default_factory=list)
    """Lines, from 1, which are not an empty text but none at all."""
    missing_references: dict[str, list[int]] = field(default_factory=dict)
    missing_outputs: dict[str, list[int]] = field(default_factory=dict)
    item_context: dict[str, Column] = field(default_factory=dict)
    system_context: dict[str, dict[str, str | None]] = field(default_factory=dict)
    ratings: dict[str, dict[str, Column]] = field(default_factory=dict)
    """By rater and system, of raters whose ratings are not ``{"errors": [...]}``."""
    human: dict[str, Scorer] = field(default_factory=dict)
    """Scorers whose file name does not say their name and reference, or that have no file."""
    metrics: dict[str, Scorer] = field(default_factory=dict)
    human_groups: dict[str, Groups] = field(default_factory=dict)
    """By scorer: group scores of other levels or labels than the layout has."""
    metric_groups: dict[str, Groups] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return any(bool(value) or value == "" for value in asdict(self).values())


_TEXT = (str, None)
_GROUPS = {str: {str: {str: (float, None)}}}
_SHAPES: dict[str, object] = {
    "pair": _TEXT,
    "items": [str],
    "systems": [str],
    "missing_source": [int],
    "missing_references": {str: [int]},
    "missing_outputs": {str: [int]},
    "item_context": {str: [_TEXT]},
    "system_context": {str: {str: _TEXT}},
    "ratings": {str: {str: [_TEXT]}},
    "human": {str: [_TEXT]},
    "metrics": {str: [_TEXT]},
    "human_groups": {str: _GROUPS},
    "metric_groups": {str: _GROUPS},
}
"""What each part must look like; see :func:`fits`."""


def to_json(extras: Extras) -> str:
    """The text of the side file; only what there is."""
    said = {name: value for name, value in asdict(extras).items() if value or value == ""}
    return json.dumps({"format": FORMAT, "version": VERSION, **said}, indent=1, ensure_ascii=False)


def read_extras(path: Path) -> Extras:
    """The side file, its shape checked; empty where there is none."""
    if not path.exists():
        return Extras()
    try:
        said = json.loads("\n".join(read_lines(path)))
    except json.JSONDecodeError as error:
        raise _invalid(f"is not valid JSON: {error.msg}", path, error.lineno) from error
    except (ValueError, RecursionError) as error:
        raise _invalid("is not valid JSON", path) from error
    if not isinstance(said, dict) or said.pop("format", None) != FORMAT:
        raise _invalid(f"is not a side file of metaeval: its format is not {FORMAT!r}", path)
    if said.pop("version", None) != VERSION:
        raise InputError(
            f"is not of version {VERSION}", path=path, remedy="Upgrade: pip install --upgrade metaeval"
        )
    for name, value in said.items():
        if name not in _SHAPES:
            raise InputError(f"has an unknown part {name!r}", path=path, remedy=choices(name, _SHAPES))
        if not fits(value, _SHAPES[name]):
            raise _invalid(f"the part {name!r} does not have the expected form", path)
    extras = Extras(**said)
    if any(
        len(scorer) != 2 or not scorer[0] for scorer in (*extras.human.values(), *extras.metrics.values())
    ):
        raise _invalid("a scorer is not a name and a reference", path)
    return extras


def fits(value: object, shape: object) -> bool:
    """Whether JSON has a shape: a type, None, a tuple of alternatives, a list or mapping of one shape.

    >>> fits({"a": [1, None]}, {str: [(float, None)]}), fits({"a": ["1"]}, {str: [float]})
    (True, False)
    """
    if isinstance(shape, tuple):
        return any(fits(value, one) for one in shape)
    if isinstance(shape, list):
        return isinstance(value, list) and all(fits(one, shape[0]) for one in value)
    if isinstance(shape, dict):
        return isinstance(value, dict) and all(fits(one, shape[str]) for one in value.values())
    if shape is float:
        return isinstance(value, int | float) and type(value) is not bool and abs(value) <= sys.float_info.max
    return value is None if shape is None else type(value) is shape


def group_json(group: GroupScores, systems: tuple[str, ...]) -> dict[str, dict[str, float | None]]:
    """Group scores by label and system; None where missing."""
    return {
        label: {s: None if math.isnan(x) else float(x) for s, x in zip(systems, column, strict=True)}
        for label, column in zip(group.labels, group.values.T, strict=True)
    }


def group_scores(said: Mapping[str, Mapping[str, float | None]], systems: tuple[str, ...]) -> GroupScores:
    """The inverse of :func:`group_json`."""
    values = [[_number(of_system.get(system)) for of_system in said.values()] for system in systems]
    return GroupScores(tuple(said), np.array(values).reshape(len(systems), len(said)))


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)


def _invalid(what: str, path: Path, line: int | None = None) -> InputError:
    return InputError(
        what, path=path, line=line, remedy="Write the folder again, or remove this file to do without it."
    )
