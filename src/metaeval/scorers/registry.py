"""The list of scorers, and how one is named: ``BLEU``, ``WER(normalise=yes)``."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import TypeVar

from metaeval.declared import about, defaults, import_all, parse_parameters, show
from metaeval.errors import InputError, choices
from metaeval.scorers.base import AnyScorer, Direction, Need, Scorer

_S = TypeVar("_S", bound=type[AnyScorer])
_DECLARED: dict[str, type[AnyScorer]] = {}
_GRAMMAR = re.compile(r"\s*([^\s()=,]+)\s*(?:\((.*)\))?\s*", re.DOTALL)


def scorer(
    name: str,
    *,
    cites: str,
    needs: tuple[Need, ...] = ("reference", "output"),
    direction: Direction = "higher",
    extra: str | None = None,
) -> Callable[[_S], _S]:
    """Declares a class as the scorer called ``name``: everything else follows from the class."""

    def declare(cls: _S) -> _S:
        if name.casefold() in _DECLARED:
            raise ValueError(f"two scorers are called {name}")
        cls.name, cls.cites, cls.needs, cls.direction, cls.extra = name, cites, needs, direction, extra
        _DECLARED[name.casefold()] = cls
        dataclasses.dataclass(frozen=True, repr=False)(cls)
        return cls

    return declare


@cache
def scorers() -> Mapping[str, type[AnyScorer]]:
    """Every scorer by name, in the order of their modules."""
    import_all("metaeval.scorers")
    return MappingProxyType({cls.name: cls for cls in _DECLARED.values()})


def parse_scorer(text: str) -> AnyScorer:
    """The scorer that ``text`` names, whatever its case; parsing what a scorer prints gives it back.

    >>> parse_scorer("bleu(tokenize=zh)")
    BLEU(tokenize=zh)
    >>> parse_scorer("wer(normalise=yes)") == parse_scorer("WER( normalise = true )")
    True
    """
    match = _GRAMMAR.fullmatch(text)
    if match is None:
        raise InputError(f"{text!r} is not a scorer", remedy="Write it like BLEU(tokenize=zh)")
    known = scorers()
    cls = _DECLARED.get(match[1].casefold())
    if cls is None:
        raise InputError(f"there is no scorer {match[1]!r}", remedy=choices(match[1], known, limit=12))
    return cls(**parse_parameters(cls, match[2] or ""))


def parse_text_scorer(text: str) -> Scorer:
    """The scorer of texts that ``text`` names."""
    found = parse_scorer(text)
    if not isinstance(found, Scorer):
        raise InputError(f"{found.name} scores rankings, not texts", remedy="Give it runs and qrels.")
    return found


def describe_scorers() -> list[dict[str, str]]:
    """Each scorer's grammar, direction, needs, extra, meaning and source, as declared."""
    described = []
    for name, cls in scorers().items():
        shown = [f"{key}={show(value)}" for key, value in defaults(cls).items()]
        described.append(
            {
                "name": name,
                "grammar": name + (f"({', '.join(shown)})" if shown else ""),
                "task": cls.task,
                "direction": cls.direction,
                "needs": ", ".join(cls.needs),
                "extra": cls.extra or "",
                "about": about(cls),
                "cites": cls.cites,
            }
        )
    return described
