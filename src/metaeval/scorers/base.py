"""What a scorer is: a small frozen value that prints, parses back, and turns texts into scores.

Two ideas carry the package. A scorer first *measures* segments, one row of numbers each, and then reads
its score off the rows; the rows are what is cached. And where rows may be added up (n-gram counts, edits),
the score of a sum is the true corpus score: systems, permutations and halves of test sets are all sums.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np

from metaeval.declared import Declared
from metaeval.scores import FloatArray

Need: TypeAlias = Literal["source", "reference", "output"]
Direction: TypeAlias = Literal["higher", "lower"]
Task: TypeAlias = Literal["text", "ranking"]
Cost: TypeAlias = Literal["counts", "lists", "model", "service"]
"""Counting, word lists or search, a neural model, a service: cheapest first."""


class Segment(NamedTuple):
    """One output with what it is compared to; a text that a scorer does not need may be empty."""

    output: str
    reference: str = ""
    source: str = ""


@dataclass(frozen=True, repr=False)
class AnyScorer(Declared):
    """What is declared of every scorer; its parameters are fields made by :func:`metaeval.declared.param`.

    A subclass is declared with :func:`metaeval.scorers.registry.scorer`.
    """

    task: ClassVar[Task]
    direction: ClassVar[Direction]
    """Which scores are better."""
    needs: ClassVar[tuple[Need, ...]]
    extra: ClassVar[str | None]
    """The extra that brings the library; None where nothing beyond the required packages is used."""
    cites: ClassVar[str]
    cost: ClassVar[Cost] = "counts"

    @property
    def signature(self) -> str:
        """What the numbers depend on, for people and for the cache: parameters and the library's version."""
        return str(self)

    def check(self) -> None:
        """Raises MissingExtra, or says what else is missing, before any work is done."""
        _ = self.signature


@dataclass(frozen=True, repr=False)
class Scorer(AnyScorer):
    """A scorer of texts."""

    task = "text"
    sharing: ClassVar[Literal["processes", "none"]] = "processes"
    """``none`` for what spreads its work itself: a model on a GPU, a service behind an address."""
    batch: ClassVar[int] = 256
    """Segments measured at a time: the unit of progress, of spreading and of resuming."""

    @property
    def measured(self) -> str:
        """What the rows of :meth:`statistics` depend on: scorers that share it share their rows."""
        return self.signature

    @abstractmethod
    def statistics(self, segments: Sequence[Segment]) -> FloatArray:
        """segments x F numbers; what they cost is paid here, once a segment."""

    @abstractmethod
    def segment_scores(self, statistics: FloatArray) -> FloatArray:
        """Scores of segments from their rows: (..., F) in, (...) out; NaN rows give NaN."""

    def score(self, segments: Sequence[Segment]) -> FloatArray:
        """One score a segment."""
        return self.segment_scores(self.statistics(segments))

    @abstractmethod
    def system_score(self, statistics: FloatArray) -> FloatArray:
        """Scores of systems from the rows of their segments: (..., segments, F) in, (...) out.

        Rows of NaN are segments without an output: they are left out; NaN where nothing is left.
        """


@dataclass(frozen=True, repr=False)
class SegmentScorer(Scorer):
    """A scorer of single segments; the score of a system is their mean."""

    def segment_scores(self, statistics: FloatArray) -> FloatArray:
        return statistics[..., 0]

    def system_score(self, statistics: FloatArray) -> FloatArray:
        scores = self.segment_scores(statistics)
        there = ~np.isnan(scores)
        return divide(np.where(there, scores, 0.0).sum(axis=-1), there.sum(axis=-1))


@dataclass(frozen=True, repr=False)
class CorpusScorer(Scorer):
    """A scorer whose rows add up: sufficient statistics. The score of a sum is the corpus score."""

    width: ClassVar[int]
    """How many numbers a row has."""

    @abstractmethod
    def from_statistics(self, sums: FloatArray) -> FloatArray:
        """Corpus scores from summed rows: (..., F) in, (...) out. Vectorised: a permutation test passes
        draws x F at once.
        """

    def segment_scores(self, statistics: FloatArray) -> FloatArray:
        return self.from_statistics(statistics)

    def system_score(self, statistics: FloatArray) -> FloatArray:
        there = np.isfinite(statistics).all(axis=-1, keepdims=True)
        sums = np.where(there, statistics, 0.0).sum(axis=-2)
        return np.where(np.any(there, axis=(-1, -2)), self.from_statistics(sums), np.nan)


def divide(
    numerator: FloatArray, denominator: FloatArray, otherwise: FloatArray | float = np.nan
) -> FloatArray:
    """Division with a value of your choice where the denominator is 0; NaN stays NaN.

    >>> divide(np.array([1.0, 0.0]), np.array([2.0, 0.0]), 0.0)
    array([0.5, 0. ])
    """
    shape = np.broadcast_shapes(np.shape(numerator), np.shape(denominator), np.shape(otherwise))
    quotient: FloatArray = np.full(shape, otherwise, dtype=np.float64)
    np.divide(numerator, denominator, out=quotient, where=np.asarray(denominator) != 0)
    return quotient


def one_of(*names: str) -> Callable[[str], str]:
    """A parameter that takes one of a few names."""

    def parse(text: str) -> str:
        if text not in names:
            raise ValueError(f"expected {' or '.join(names)}")
        return text

    return parse
