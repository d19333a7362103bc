"""One scorer's scores on an evaluation set: by segment, by system, and by group of segments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaeval.corpus import CorpusStatistics
from metaeval.errors import InputError

FloatArray = NDArray[np.float64]

REFERENCE_FREE = "src"
"""The reference name of a metric that reads no reference."""
ALL_REFERENCES = "all"
"""The reference name of a metric that reads every reference there is."""

MAX_SCORE = 1e100
"""Larger scores are refused: sums of their squares would soon be infinite, and no statistic survives that."""


@dataclass(frozen=True, eq=False, slots=True)
class GroupScores:
    """Scores of each system on named groups of items (documents, domains), as somebody published them."""

    labels: tuple[str, ...]
    values: FloatArray
    """systems x labels, NaN where missing."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", frozen_floats(self.values, "group scores"))

    def __reduce__(self) -> tuple[object, ...]:
        return made_again(self)


@dataclass(frozen=True, eq=False, slots=True)
class Scores:
    """What one human protocol or one metric says of every system and item.

    Rows follow the systems and columns the items of the EvalSet that holds the scores; a missing score
    is NaN. Published system and group scores are kept beside the segment scores because they need not be
    their means (corpus BLEU is not).

    >>> Scores("BLEU", "refA", segment=np.array([[30.0, np.nan]])).key
    'BLEU-refA'
    """

    name: str
    reference: str | None = None
    """The references a metric used (``refA``, ``refA.refB``), ``src`` for none, None where not stated."""
    segment: FloatArray | None = None
    system: FloatArray | None = None
    groups: Mapping[str, GroupScores] = field(default_factory=dict)
    """Published scores by level: ``domain``, ``doc``."""
    corpus: CorpusStatistics | None = None
    """What the true corpus score of any items can be made of, where the scorer left it."""

    def __post_init__(self) -> None:
        if not self.name:
            raise InputError("a scorer has an empty name", remedy="Name the metric or protocol.")
        for part in ("segment", "system"):
            values = getattr(self, part)
            if values is not None:
                object.__setattr__(self, part, frozen_floats(values, f"{part} scores of {self.key}"))
        object.__setattr__(self, "groups", MappingProxyType(dict(self.groups)))

    def __reduce__(self) -> tuple[object, ...]:
        return made_again(self)

    @property
    def key(self) -> str:
        """The name that tells variants of one metric apart: ``BLEU-refA``."""
        return self.name if self.reference is None else f"{self.name}-{self.reference}"

    @property
    def reference_free(self) -> bool:
        return self.reference == REFERENCE_FREE

    def take(self, systems: NDArray[np.intp], items: NDArray[np.intp]) -> Scores:
        """The same scores on fewer systems and items; group scores keep only their systems.

        A published system score belongs to all items: it is dropped where items are left out.
        """
        segment, system, groups = self.segment, self.system, dict(self.groups)
        if segment is not None:
            whole = len(items) == segment.shape[1]
            segment = segment[np.ix_(systems, items)]
            system = system if whole else None
            groups = groups if whole else {}
        return Scores(
            self.name,
            self.reference,
            segment,
            None if system is None else system[systems],
            {level: GroupScores(g.labels, g.values[systems]) for level, g in groups.items()},
            None if self.corpus is None else self.corpus.take(systems, items),
        )


def frozen_floats(values: FloatArray, what: str) -> FloatArray:
    """A read-only float64 array; infinite scores are refused, because no statistic survives them."""
    array = np.array(values, dtype=np.float64)
    if np.isinf(array).any():
        raise InputError(f"{what} hold infinite values", remedy="Leave the cell out, or write None.")
    if (np.abs(array) > MAX_SCORE).any():
        raise InputError(f"{what} hold values beyond {MAX_SCORE:g}", remedy="Divide them by a constant.")
    array.flags.writeable = False
    return array


def made_again(value: Any) -> tuple[object, ...]:
    """How to pickle and copy a frozen dataclass with read-only arrays and mappings: build it anew."""
    build: Callable[..., object] = type(value)
    parts = {each.name: _plain(getattr(value, each.name)) for each in fields(value)}
    return partial(build, **parts), ()


def _plain(value: object) -> object:
    return {k: _plain(v) for k, v in value.items()} if isinstance(value, Mapping) else value
