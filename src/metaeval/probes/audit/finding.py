"""What an audit finds, and how a check is declared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

if TYPE_CHECKING:
    from metaeval.probes.audit.evidence import Evidence

Severity: TypeAlias = Literal["serious", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault: how bad, what it is with its numbers, and what to do."""

    check: str
    severity: Severity
    sentence: str
    remedy: str
    size: float = 0.0
    """Orders findings of one severity, larger first."""
    numbers: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Audit:
    """All findings, most serious first; what was looked at, and what could not be."""

    findings: tuple[Finding, ...]
    checks: tuple[str, ...]
    unchecked: tuple[str, ...]
    signature: Mapping[str, object]

    @property
    def clean(self) -> bool:
        """Whether there is nothing worse than a note."""
        return all(finding.severity == "note" for finding in self.findings)


class CannotTell(Exception):
    """Raised by a check that the data do not allow; its text is the reason."""


Check = Callable[["Evidence"], Iterator[Finding]]
_DECLARED: dict[str, tuple[str, Check]] = {}


def check(name: str, about: str) -> Callable[[Check], Check]:
    """Declares a function as the check called ``name``."""

    def declare(function: Check) -> Check:
        if name in _DECLARED:
            raise ValueError(f"two checks are called {name}")
        _DECLARED[name] = (about, function)
        return function

    return declare


@cache
def checks() -> Mapping[str, tuple[str, Check]]:
    """Every check by name, with what it is about.

    >>> "length" in checks()
    True
    """
    package = import_module("metaeval.probes.audit.checks")
    for module in iter_modules(package.__path__):
        import_module(f"{package.__name__}.{module.name}")
    return MappingProxyType(dict(sorted(_DECLARED.items())))


def ordered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Most serious first; of one severity, the largest first."""
    return tuple(sorted(findings, key=lambda f: (SEVERITIES.index(f.severity), -f.size)))
