"""Leaderboards as TOML files, read strictly: an unknown key is a mistake, and the message names it."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from math import isfinite
from pathlib import Path
from typing import Any, TypeVar, get_args

from metaeval.errors import InputError, choices
from metaeval.leaderboard.definition import Definition, SetSpec, TaskSpec
from metaeval.measures.base import Measure
from metaeval.measures.pairwise import PairwiseAccuracy
from metaeval.measures.registry import parse_measure
from metaeval.paired import Missing

_T = TypeVar("_T")
_REQUIRED: Any = object()


def shipped() -> tuple[str, ...]:
    """The names of the definitions that come with metaeval.

    >>> shipped()
    ('wmt23', 'wmt24', 'wmt25')
    """
    files = (resources.files("metaeval") / "leaderboards").iterdir()
    return tuple(sorted(f.name.removesuffix(".toml") for f in files if f.name.endswith(".toml")))


def find_definition(text: str) -> tuple[Definition, Path | None]:
    """A definition by file or by the name of a shipped one, and the folder that its paths start from.

    >>> definition, root = find_definition("wmt23")
    >>> definition.name, root
    ('WMT 2023 metrics task', None)
    """
    path = Path(text)
    if text in shipped() and not path.is_file():
        source = resources.files("metaeval") / "leaderboards" / f"{text}.toml"
        return parse_definition(source.read_text(encoding="utf-8"), f"{text}.toml"), None
    if path.suffix == ".toml" or path.is_file():
        return read_definition(path), path.parent
    raise InputError(
        f"there is no leaderboard {text!r}", remedy=f"{choices(text, shipped())}. Or name a .toml file"
    )


def read_definition(path: Path) -> Definition:
    """The definition in a file."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError("there is no such file", path=path) from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read: {error}", path=path) from error
    return parse_definition(text, str(path))


def parse_definition(text: str, where: str) -> Definition:
    r"""The definition that ``text`` is; ``where`` names it in messages.

    >>> text = 'name = "mine"\n[sets.zh-en]\npath = "wmt23"\n[[tasks]]\nmeasure = "pa"'
    >>> parse_definition(text, "mine.toml").tasks
    (TaskSpec(measure=pa, sets=('zh-en',), weight=1.0),)
    """
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"is not TOML: {error}", path=where) from error
    top = _Table(table, "", where)
    name = top.take("name", _text)
    about, cites = top.take("about", _text, ""), top.take("cites", _text, "")
    metrics = top.take("metrics", _globs, ())
    defaults = top.take("defaults", _table, {})
    sets = {
        label: _set_spec(_Table({**defaults, **spec}, f"sets.{label}", where))
        for label, spec in top.take("sets", _tables).items()
    }
    tasks = [
        task
        for number, entry in enumerate(top.take("tasks", _list_of_tables), start=1)
        for task in _task_specs(_Table(entry, f"tasks, entry {number}", where), tuple(sets))
    ]
    top.done()
    unused = [label for label in sets if not any(label in task.sets for task in tasks)]
    if unused:
        raise InputError(f"[sets.{unused[0]}]: no task uses it", path=where)
    return Definition(
        name=name, sets=sets, tasks=tuple(tasks), metrics=metrics, about=about, cites=cites, where=where
    )


class _Table:
    """A TOML table whose keys are taken one by one; what is left over at the end is unknown."""

    def __init__(self, table: Mapping[str, Any], name: str, where: str) -> None:
        self.table, self.name, self.where = dict(table), name, where
        self.known: list[str] = []

    def take(self, key: str, parse: Callable[[Any], _T], default: Any = _REQUIRED) -> _T:
        self.known.append(key)
        if key not in self.table:
            if default is _REQUIRED:
                raise self.error(f"there is no key {key!r}")
            chosen: _T = default
            return chosen
        try:
            return parse(self.table.pop(key))
        except ValueError as error:
            raise self.error(f"{key} {error}") from error
        except InputError as error:
            raise self.error(f"{key}: {error}") from error

    def done(self) -> None:
        for key in self.table:
            raise self.error(f"there is no key {key!r}", remedy=choices(key, self.known))

    def error(self, what: str, remedy: str | None = None) -> InputError:
        place = f"[{self.name}]: " if self.name else ""
        return InputError(f"{place}{what}", path=self.where, remedy=remedy)


def _set_spec(table: _Table) -> SetSpec:
    spec = SetSpec(
        path=table.take("path", _text),
        pair=table.take("pair", _text, None),
        format=table.take("format", _text, None),
        human=table.take("human", _text, None),
        reference=table.take("reference", _text, None),
        systems=table.take("systems", _globs, ()),
        exclude=table.take("exclude", _globs, ()),
        outliers=table.take("outliers", _globs, ()),
        human_outputs=table.take("human_outputs", _flag, True),
        domain=table.take("domain", _globs, ()),
        missing=table.take("missing", _missing, "error"),
    )
    table.done()
    return spec


def _task_specs(table: _Table, labels: Sequence[str]) -> list[TaskSpec]:
    """One task a set, or one in all where they are pooled."""
    measure = table.take("measure", _measure)
    sets = table.take("sets", _globs, tuple(labels))
    weight = table.take("weight", _weight, 1.0)
    pooled = table.take("pooled", _flag, False)
    table.done()
    for label in sets:
        if label not in labels:
            raise table.error(f"there is no set {label!r}", remedy=choices(label, labels))
    if len(set(sets)) < len(sets):
        raise table.error("sets names one twice")
    if pooled and not isinstance(measure, PairwiseAccuracy):
        raise table.error(f"{measure} cannot be pooled over sets", remedy="Only pa counts pairs that add up.")
    groups = [sets] if pooled else [(label,) for label in sets]
    return [TaskSpec(measure=measure, sets=group, weight=weight) for group in groups]


def _text(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError(f"is {value!r}, expected text")
    return value


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"is {value!r}, expected true or false")
    return value


def _weight(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not (isfinite(value) and value > 0):
        raise ValueError(f"is {value!r}, expected a number above 0")
    return float(value)


def _globs(value: object) -> tuple[str, ...]:
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not listed or not all(isinstance(v, str) and v for v in listed):
        raise ValueError(f"is {value!r}, expected a list of names")
    return tuple(listed)


def _missing(value: object) -> Missing:
    allowed: tuple[Missing, ...] = get_args(Missing)
    for known in allowed:
        if value == known:
            return known
    raise ValueError(f"is {value!r}, expected error or drop")


def _measure(value: object) -> Measure:
    return parse_measure(_text(value))


def _table(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"is {value!r}, expected a table")
    return value


def _tables(value: object) -> dict[str, dict[str, Any]]:
    found = _table(value)
    if not found:
        raise ValueError("is empty, expected a table for each evaluation set: [sets.NAME]")
    return {name: _table(inner) for name, inner in found.items()}


def _list_of_tables(value: object) -> list[dict[str, Any]]:
    if not isinstance(value, list) or not value:
        raise ValueError(f"is {value!r}, expected one or more [[tasks]]")
    return [_table(entry) for entry in value]
