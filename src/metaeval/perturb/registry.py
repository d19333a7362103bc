"""The list of perturbations, and how one is named: ``removal``, ``item-swapping(pairs=10)``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from types import MappingProxyType
from typing import TypeVar

from metaeval.declared import about, import_all, parse_parameters
from metaeval.errors import InputError, choices
from metaeval.perturb.base import TASKS, AnyPerturbation, Perturbation, Task

_P = TypeVar("_P", bound=type[AnyPerturbation])
_DECLARED: dict[str, type[AnyPerturbation]] = {}
_GRAMMAR = re.compile(r"\s*([^\s()=,]+)\s*(?:\((.*)\))?\s*", re.DOTALL)


def perturbation(name: str, *tasks: Task) -> Callable[[_P], _P]:
    """Declares a class as the perturbation called ``name`` of outputs of these tasks."""

    def declare(cls: _P) -> _P:
        if name in _DECLARED:
            raise ValueError(f"two perturbations are called {name}")
        cls.name, cls.tasks = name, tasks
        _DECLARED[name] = cls
        return cls

    return declare


@cache
def perturbations() -> Mapping[str, type[AnyPerturbation]]:
    """Every perturbation by name, in alphabetical order."""
    import_all("metaeval.perturb")
    return MappingProxyType(dict(sorted(_DECLARED.items())))


def parse_perturbation(text: str) -> Perturbation:
    """The perturbation of texts that ``text`` names."""
    found = parse_any(text)
    if not isinstance(found, Perturbation):
        raise InputError(f"{found.name} perturbs rankings, not texts", remedy="Use it with --task ranking.")
    return found


def parse_any(text: str) -> AnyPerturbation:
    """The perturbation that ``text`` names; parsing what one prints gives it back.

    >>> parse_any("item-swapping( pairs = 5 )")
    item-swapping(pairs=5)
    """
    match = _GRAMMAR.fullmatch(text)
    if match is None:
        raise InputError(f"{text!r} is not a perturbation", remedy="Write name or name(param=value).")
    known = perturbations()
    name = match[1].casefold()
    if name not in known:
        raise InputError(f"there is no perturbation {match[1]!r}", remedy=choices(name, known, limit=20))
    cls = known[name]
    return cls(**parse_parameters(cls, match[2] or ""))


def parse_task(text: str) -> Task:
    """The task of that name."""
    for task in TASKS:
        if task == text:
            return task
    raise InputError(f"there is no task {text!r}", remedy=choices(text, TASKS))


def of_task(task: str, names: Iterable[str] | None = None) -> tuple[AnyPerturbation, ...]:
    """The perturbations named, each checked to be for the task; by default all rules of the task.

    The language model is among the defaults of none: it is asked for by name.
    """
    parse_task(task)
    if names is None:
        return tuple(cls() for cls in perturbations().values() if task in cls.tasks and cls.by_default)
    found = tuple(dict.fromkeys(parse_any(name) for name in names))
    for one in found:
        if task not in one.tasks:
            fitting = [name for name, cls in perturbations().items() if task in cls.tasks]
            raise InputError(
                f"{one.name} is a perturbation for {' and '.join(one.tasks)}, not for {task}",
                remedy=choices(one.name, fitting, limit=20),
            )
    if not found:
        raise InputError("no perturbation is named", remedy="Leave --perturbation out to use all of them.")
    return found


def describe_perturbations() -> list[dict[str, str]]:
    """Each perturbation's name, tasks and meaning, as declared."""
    return [
        {
            "name": name,
            "tasks": ", ".join(cls.tasks),
            "about": about(cls),
        }
        for name, cls in perturbations().items()
    ]
