"""Things that are declared once and then called by name: measures, scorers, perturbations.

Each is a frozen dataclass whose parameters are fields made by :func:`param`. It prints as
``name(parameter=value)``, defaults left out, and what it prints parses back to an equal value.
"""

from __future__ import annotations

import importlib
import pkgutil
from abc import ABC
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

from metaeval.errors import InputError, choices


def param(default: Any, *, parse: Callable[[str], Any], about: str) -> Any:
    """A parameter: a dataclass field that knows how it is read from text."""
    return field(default=default, kw_only=True, metadata={"parse": parse, "about": about})


@dataclass(frozen=True, repr=False)
class Declared(ABC):
    """A value that prints as its name with the parameters that are not at their defaults."""

    name: ClassVar[str]

    def __str__(self) -> str:
        return call(
            self.name, {n: getattr(self, n) for n, d in defaults(type(self)).items() if getattr(self, n) != d}
        )

    def __repr__(self) -> str:
        return str(self)


def defaults(cls: type[Declared]) -> dict[str, Any]:
    """The parameters of a declared class with their defaults."""
    return {f.name: f.default for f in fields(cls) if "parse" in f.metadata}


def call(name: str, parameters: dict[str, Any]) -> str:
    """A name with parameters as text.

    >>> call("acc_eq", {"epsilon": 0.5, "relative": True}), call("pa", {})
    ('acc_eq(epsilon=0.5,relative=yes)', 'pa')
    """
    given = [f"{key}={show(value)}" for key, value in parameters.items()]
    return name + (f"({','.join(given)})" if given else "")


def parse_parameters(cls: type[Declared], inside: str) -> dict[str, Any]:
    """What ``parameter=value, ...`` says, each value read as its parameter declares."""
    known = {f.name: f.metadata["parse"] for f in fields(cls) if "parse" in f.metadata}
    given: dict[str, Any] = {}
    for part in filter(None, (p.strip() for p in inside.split(","))):
        key, equals, value = (p.strip() for p in part.partition("="))
        if not equals or key not in known or key in given:
            found = f"{key!r} twice" if key in given else f"no parameter {part!r}"
            raise InputError(f"{cls.name} has {found}", remedy=choices(key, known))
        try:
            given[key] = known[key](value)
        except ValueError as error:
            raise InputError(f"{cls.name}: {key}={value} is not possible: {error}") from error
    return given


def about(cls: type[Declared]) -> str:
    """The first line of what a class says of itself."""
    return (cls.__doc__ or "").strip().partition("\n")[0]


def import_all(package: str) -> None:
    """Imports every module of a package, so that what they declare is known."""
    for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
        importlib.import_module(f"{package}.{module.name}")


def show(value: object) -> str:
    """A parameter as text: 25.0 is printed 25, other floats so that they read back the same.

    >>> show(25.0), show(0.1), show("best"), show(True)
    ('25', '0.1', 'best', 'yes')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    return str(value)


def switch(text: str) -> bool:
    """A parameter that is on or off.

    >>> switch("yes"), switch("false")
    (True, False)
    """
    folded = text.strip().casefold()
    if folded not in {"yes", "no", "true", "false"}:
        raise ValueError("expected yes or no")
    return folded in {"yes", "true"}
