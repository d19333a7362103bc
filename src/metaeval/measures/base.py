"""What a measure is: a small frozen value that prints, parses back, and evaluates one metric."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal, Self, TypeAlias

import numpy as np

from metaeval.declared import Declared
from metaeval.kernels.corpus import CorpusSums
from metaeval.kernels.pairs import mean_defined
from metaeval.measures.groups import Grouping, Groups
from metaeval.scores import FloatArray

Level: TypeAlias = Literal["segment", "system"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The value of a measure for one metric; NaN where it does not exist."""

    value: float
    epsilon: float | None = None
    """The tie threshold used, for measures that have one."""
    groups_used: int = 1
    groups_undefined: int = 0


@dataclass(frozen=True, repr=False)
class Measure(Declared):
    """How well a metric's scores agree with the human ones.

    A subclass is declared with :func:`metaeval.measures.registry.measure`; its parameters are fields
    made by :func:`metaeval.declared.param`. ``bounds`` is the range that averages over tasks map to [0, 1].
    """

    level: ClassVar[Level]
    formula: ClassVar[str]
    cites: ClassVar[str]
    bounds: ClassVar[tuple[float, float]] = (-1.0, 1.0)

    @abstractmethod
    def evaluate(self, human: FloatArray, metric: FloatArray) -> Outcome:
        """The measure on systems x items matrices that are NaN in the same cells."""

    def evaluate_corpus(self, human: FloatArray, metric: FloatArray, corpus: CorpusSums) -> Outcome:
        """The same where the metric's system scores are ``corpus`` scores; they are nothing to segments."""
        return self.evaluate(human, metric)

    def bind(self, systems: Sequence[str]) -> Self:
        """The measure made ready for matrices with these rows; only one that names a system differs."""
        return self

    def held(self, outcome: Outcome) -> Self:
        """The measure with what it found in the data held fixed; only one that searches differs."""
        return self

    def unit_range(self, value: FloatArray) -> FloatArray:
        """Values mapped to [0, 1] from the measure's own range, as averages over tasks need them."""
        low, high = self.bounds
        return (value - low) / (high - low)


@dataclass(frozen=True, repr=False)
class SegmentMeasure(Measure):
    """A statistic within groups of segments, averaged over the groups where it is defined."""

    level = "segment"
    averaged: ClassVar[bool] = True
    """Whether the value is the mean of the groups' own values, and not one of all groups together."""
    grouping: Grouping = field(kw_only=True)

    @abstractmethod
    def group_values(self, groups: Groups, metric: FloatArray) -> FloatArray:
        """One value a group, NaN where undefined; ``metric`` is flat, in the order of ``groups.human``."""

    def evaluate(self, human: FloatArray, metric: FloatArray) -> Outcome:
        groups = Groups.of(human, self.grouping)
        return average(self.group_values(groups, groups.flat(metric)))

    def __str__(self) -> str:
        return f"{super().__str__()}@{self.grouping}"


@dataclass(frozen=True, repr=False)
class SystemMeasure(Measure):
    """A statistic of the systems' scores, which are means over the cells used unless given as such."""

    level = "system"

    @abstractmethod
    def from_system_scores(self, human: FloatArray, metric: FloatArray) -> FloatArray:
        """The measure on system scores; vectorised: (..., systems) in, (...) out, NaN where undefined."""

    def evaluate(self, human: FloatArray, metric: FloatArray) -> Outcome:
        return self.outcome(self.from_system_scores(system_means(human), system_means(metric)))

    def evaluate_corpus(self, human: FloatArray, metric: FloatArray, corpus: CorpusSums) -> Outcome:
        return self.outcome(self.from_system_scores(system_means(human), corpus.scores()))

    @staticmethod
    def outcome(value: FloatArray) -> Outcome:
        undefined = bool(np.isnan(value))
        return Outcome(float(value), None, 0 if undefined else 1, int(undefined))


def system_means(scores: FloatArray) -> FloatArray:
    """Mean over the items that are not missing, by system: (..., systems, items) to (..., systems)."""
    counts = np.sum(~np.isnan(scores), axis=-1)
    means: FloatArray = ratio(np.nansum(scores, axis=-1), counts.astype(np.float64))
    return means


def average(values: FloatArray) -> Outcome:
    """The mean over groups where a value exists, with the count of the others.

    Correctly rounded, so that metrics with the same values in other groups share a rank.
    """
    used = int((~np.isnan(values)).sum())
    return Outcome(mean_defined(values), None, used, values.size - used)


def ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Division that is NaN, silently, where the denominator is zero.

    >>> ratio(np.array([1.0, 0.0]), np.array([2.0, 0.0]))
    array([0.5, nan])
    """
    shape = np.broadcast_shapes(np.shape(numerator), np.shape(denominator))
    quotient: FloatArray = np.full(shape, np.nan)
    np.divide(numerator, denominator, out=quotient, where=np.asarray(denominator) != 0)
    return quotient
