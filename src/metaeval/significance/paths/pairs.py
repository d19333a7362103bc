"""Exchanging what single pairs contribute, as WMT tests calibrated accuracy.

A statistic that is linear in the pair counts is a sum over pairs of what each pair is worth. Metrics exchange
the worth of a pair, be it right or wrong, whatever scores or epsilon made it so. Pairs of one item share
their scores and are not independent: the test rejects equal metrics more than twice as often as it
should. It is there to reproduce published tables.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError
from metaeval.kernels.enumerated import difference, pair_indices
from metaeval.measures.base import Measure
from metaeval.measures.groups import Groups
from metaeval.measures.kendall import PairStatistic
from metaeval.scores import FloatArray
from metaeval.significance.paths.base import BoolArray, Exchange, IntArray, Path, Resample, Task
from metaeval.significance.paths.sums import hybrid_sums

CHUNK_PAIRS = 2**16
"""Pairs whose bits are spread to floats at once: 26 MB for 100 draws."""
MOST_PAIRS = 2**25
"""Pairs up to which a draw fits comfortably: 33 million."""


class Pairs(Path):
    """Integer sums over the pairs of groups of one size: exact in single precision.

    O(draws x pairs x metrics) for the product; memory holds a byte a pair and metric.
    """

    name = "pairs"

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        measure = task.measure
        if not isinstance(measure, PairStatistic) or measure.linear is None:
            raise TypeError(f"{measure} is no sum over pairs")
        groups = Groups.of(task.paired.human, measure.grouping)
        count = int(groups.pairs.sum())
        if count > MOST_PAIRS:
            raise InputError(
                f"perm-pairs draws a bit for each of {count:,} pairs, more than {MOST_PAIRS:,}",
                remedy="Group by item, or use --test perm-inputs, which also holds its level.",
            )
        first, second = pair_indices(groups.offsets)
        worth = np.array(measure.linear, dtype=np.int8)
        self.worth = np.empty((count, len(task.outcomes)), dtype=np.int8)
        for m, (outcome, scores) in enumerate(zip(task.outcomes, task.paired.scores, strict=True)):
            epsilon = outcome.epsilon or 0.0
            flat = groups.flat(scores)
            kinds = kinds_of_pairs(groups.human, flat, first, second, epsilon, measure.relative)
            self.worth[:, m] = worth[kinds]
        used = max(1, int((groups.pairs > 0).sum()))
        self.classes = np.repeat(groups.pairs, groups.pairs)
        self.shares = {int(n): 1.0 / (int(n) * used) for n in np.unique(groups.pairs) if n}

    @classmethod
    def accepts(cls, measure: Measure, exchange: Exchange) -> bool:
        if exchange != "pairs" or not isinstance(measure, PairStatistic) or measure.linear is None:
            return False
        return all(float(weight).is_integer() for weight in measure.linear)

    @classmethod
    def resamples(cls, measure: Measure, what: Resample) -> bool:
        return False

    @property
    def positions(self) -> int:
        return len(self.worth)

    def swapped(self, masks: BoolArray, wanted: BoolArray | None = None) -> FloatArray:
        metrics = self.worth.shape[1]
        values: FloatArray = np.zeros((len(masks), metrics, metrics))
        for size, share in self.shares.items():
            exchanged = np.zeros((len(masks), metrics))
            whole = np.zeros(metrics)
            for chunk in self._chunks(size):
                worth = self.worth[chunk].astype(np.float32)
                exchanged += masks[:, chunk].astype(np.float32) @ worth
                whole += worth.sum(axis=0)
            values += hybrid_sums(whole, exchanged) * share
        return values

    def _chunks(self, size: int) -> Iterator[slice | NDArray[np.intp]]:
        """The pairs of groups with so many pairs, some at a time."""
        if len(self.shares) == 1:
            for start in range(0, len(self.worth), CHUNK_PAIRS):
                yield slice(start, start + CHUNK_PAIRS)
            return
        chosen = np.flatnonzero(self.classes == size)
        for start in range(0, len(chosen), CHUNK_PAIRS):
            yield chosen[start : start + CHUNK_PAIRS]

    def resampled(self, items: IntArray, systems: IntArray) -> FloatArray:
        raise TypeError("pairs are exchanged, never resampled")


def kinds_of_pairs(
    human: FloatArray,
    metric: FloatArray,
    first: IntArray,
    second: IntArray,
    epsilon: float,
    relative: bool,
) -> NDArray[np.intp]:
    """What each pair is: 0 concordant, 1 discordant, 2 tied by humans, 3 by the metric, 4 by both.

    >>> human, metric = np.array([1.0, 2.0, 2.0]), np.array([5.0, 6.0, 6.5])
    >>> kinds_of_pairs(human, metric, np.array([0, 1]), np.array([1, 2]), 0.6, False).tolist()
    [0, 4]
    """
    a, b = metric[first], metric[second]
    tied = difference(np.minimum(a, b), np.maximum(a, b), relative) <= epsilon
    left, right = human[first], human[second]
    by_order = np.where((left < right) == (a < b), 0, 1)
    by_human = np.where(left == right, np.where(tied, 4, 2), np.where(tied, 3, by_order))
    return np.asarray(by_human, dtype=np.intp)


PATH = Pairs
