"""Declaring a knob: its default, its meaning and what it accepts, in one line.

The declarations return Any, because a dataclass takes a field where its type says a value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field, fields
from typing import Any, ClassVar, Protocol

from metaeval.errors import InputError, printable

Check = Callable[[str, object], None]
UNLIMITED = 10_000_000


class _Dataclass(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Any]]


def whole(
    default: int | None, meaning: str, low: int, high: int = UNLIMITED, *, optional: bool = False
) -> Any:
    """A whole number from ``low`` to ``high``; None too if optional."""

    def check(name: str, value: object) -> None:
        if value is None and optional:
            return
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            _refuse(name, value, f"a whole number from {low:,} to {high:,}")

    return knob(default, meaning, check)


def number(default: float, meaning: str, low: float = -UNLIMITED, high: float = UNLIMITED) -> Any:
    """A finite number from ``low`` to ``high``."""

    def check(name: str, value: object) -> None:
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            _refuse(name, value, f"a number from {low:,g} to {high:,g}")

    return knob(default, meaning, check)


def flag(default: bool, meaning: str) -> Any:
    """True or False."""

    def check(name: str, value: object) -> None:
        if not isinstance(value, bool):
            _refuse(name, value, "True or False")

    return knob(default, meaning, check)


def label(default: str | None, meaning: str) -> Any:
    """A text, or None where that is the default."""

    def check(name: str, value: object) -> None:
        if not (isinstance(value, str) and value) and (value is not None or default is not None):
            _refuse(name, value, "a text")

    return knob(default, meaning, check)


def knob(default: object, meaning: str, check: Check) -> Any:
    """A field of a dataclass that knows its meaning and its check."""
    return field(default=default, metadata={"meaning": meaning, "check": check})


def check_knobs(config: _Dataclass) -> None:
    """Every knob of a configuration against its own check."""
    for each in fields(config):
        each.metadata["check"](each.name, getattr(config, each.name))


def described(config: type[_Dataclass]) -> Iterator[tuple[str, object, str]]:
    """Name, default and meaning of every knob."""
    for each in fields(config):
        yield each.name, each.default, each.metadata["meaning"]


def _refuse(name: str, value: object, expected: str) -> None:
    raise InputError(f"{name} is {printable(repr(value), 60)}, expected {expected}")
