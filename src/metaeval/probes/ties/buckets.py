"""How a metric gains by losing groups: its scores in equal-width buckets (figure 3, the NaN problem).

Few buckets make many items' scores equal. Such items have no tau_b and leave the average; they are the hard
ones, so tau_b rises though the metric has only become coarser. acc_eq keeps every item.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from metaeval.errors import InputError
from metaeval.measures.base import Outcome
from metaeval.measures.groups import Grouping
from metaeval.measures.kendall import PairStatistic
from metaeval.paired import Paired
from metaeval.probes.ties.subject import statistic, subject
from metaeval.scores import FloatArray, Scores

SIZES = (2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 100, 200, 500, 1000)


@dataclass(frozen=True, slots=True)
class Coarsened:
    """The statistics of scores in so many buckets; None for the scores as they are."""

    buckets: int | None
    outcomes: tuple[Outcome, ...]


@dataclass(frozen=True, slots=True)
class Bucketing:
    """One metric made coarser step by step, the original first."""

    kind: ClassVar[str] = "buckets"
    metric: Scores
    statistics: tuple[PairStatistic, ...]
    steps: tuple[Coarsened, ...]


def bucketing(
    paired: Paired,
    metric: str,
    grouping: Grouping = "item",
    *,
    sizes: Sequence[int] = SIZES,
    statistics: Sequence[str] = ("tau_b", "acc_eq(epsilon=best)"),
) -> Bucketing:
    """The statistics of a metric's scores in more and more buckets. A table line a step."""
    chosen = subject(paired, metric, grouping)
    which = tuple(statistic(text, grouping) for text in statistics)
    steps = [Coarsened(None, tuple(chosen.outcomes(which)))]
    for size in sizes:
        coarse = chosen.with_scores(in_buckets(chosen.scores, size))
        steps.append(Coarsened(size, tuple(coarse.outcomes(which))))
    return Bucketing(chosen.metric, which, tuple(steps))


def in_buckets(scores: FloatArray, buckets: int) -> FloatArray:
    """The number of the bucket, from 0, among so many of equal width between the extremes.

    >>> in_buckets(np.array([0.0, 0.4, 0.5, 0.9, 1.0]), 2)
    array([0., 0., 1., 1., 1.])
    """
    if buckets < 1:
        raise InputError(f"found {buckets} buckets, expected at least 1")
    low, high = float(scores.min()), float(scores.max())
    if low == high:
        return np.zeros_like(scores)
    return np.minimum(np.floor((scores - low) / (high - low) * buckets), buckets - 1.0)
