"""Kendall's tau in all variants, and accuracy with ties, at a fixed epsilon: hybrids without sorting them.

Groups small enough that all values of the statistic fit a table are counted 64 draws at a time; in all others
the scores of two metrics are merged once, and a hybrid is a scan of what its mask selects.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaeval.kernels.layout import dense_ranks, sort_within
from metaeval.kernels.lookup import Lookup
from metaeval.kernels.pairs import Integers
from metaeval.measures.base import Measure, ratio
from metaeval.measures.groups import Groups
from metaeval.measures.kendall import PairStatistic
from metaeval.scores import FloatArray
from metaeval.significance.paths.base import BoolArray, Exchange, IntArray, Path, Resample, Task
from metaeval.significance.scaling import Scaling


class TauPath(Path):
    """Values equal those of the measure on every hybrid, in the units and at the epsilon of its first metric.

    By item, n cells in groups of g: O(n g / 128) words of logic and O(n / g) look-ups a hybrid. Otherwise,
    and under the bootstrap, a scan: O(n sqrt(k)) for k human levels, the root a few vector additions.
    """

    name = "tau"

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        if not isinstance(task.measure, PairStatistic):
            raise TypeError(f"{task.measure} is no statistic of pairs")
        self.measure = task.measure
        human = task.paired.human
        self.groups = Groups.of(human, self.measure.grouping)
        self.scores = np.stack([self.groups.flat(scores) for scores in task.paired.scores])
        self.order = [sort_within(scores, self.groups.offsets) for scores in self.scores]
        self.rank, levels = dense_ranks(self.groups.human, self.groups.offsets)
        self.levels = int(levels.max(initial=0))
        self.scale = Scaling.of(task.paired.scores, task.standardise)
        ties = self.groups.tied_pairs(self.groups.human)
        self.lookup = Lookup.of(self.measure.value, self.groups.sizes, ties)

    @classmethod
    def accepts(cls, measure: Measure, exchange: Exchange) -> bool:
        return isinstance(measure, PairStatistic) and not measure.relative and exchange != "pairs"

    @classmethod
    def resamples(cls, measure: Measure, what: Resample) -> bool:
        return isinstance(measure, PairStatistic) and not measure.relative

    def swapped(self, masks: BoolArray, wanted: BoolArray | None = None) -> FloatArray:
        bits = masks[:, self._position()]
        metrics = len(self.scores)
        values = np.full((len(masks), metrics, metrics), np.nan)
        hybrids = self._by_scan if self.lookup is None else self._by_bits
        for i, outcome in enumerate(self.task.outcomes):
            values[:, i, i] = outcome.value
            onto = self.scale.onto(self.task.paired.scores, i)
            for j in range(metrics):
                if i != j and (wanted is None or wanted[i, j]):
                    other = self.groups.flat(onto[j])
                    values[:, i, j] = hybrids(i, j, other, self._epsilon(i), bits)
        return values

    def _position(self) -> Integers:
        """The position of a mask that each cell belongs to."""
        human, cells = self.task.paired.human, self.groups.cells
        if self.task.exchange == "items":
            position = cells % human.shape[1]
        elif self.task.exchange == "systems":
            position = cells // human.shape[1]
        else:
            position = (np.cumsum(~np.isnan(human)) - 1)[cells]
        return np.asarray(position, dtype=np.int64)

    def _epsilon(self, i: int) -> float:
        held = self.measure.held(self.task.outcomes[i]).epsilon
        return self.measure.resolve_epsilon(self.groups, self.scores[i]) if held == "best" else held

    def _by_bits(self, i: int, j: int, other: FloatArray, epsilon: float, bits: BoolArray) -> FloatArray:
        from metaeval.kernels.bitwise import packed, sums_over_groups

        groups, lookup = self.groups, self.lookup
        if lookup is None:
            raise ValueError("there is no table to look values up in")
        total, defined = np.zeros(len(bits)), np.zeros(len(bits), dtype=np.int64)
        sums_over_groups(
            self.scores[i],
            other,
            groups.human,
            groups.offsets,
            packed(bits),
            epsilon,
            lookup.begin,
            lookup.untied,
            lookup.values,
            total,
            defined,
        )
        return ratio(total, defined.astype(np.float64))

    def _by_scan(self, i: int, j: int, other: FloatArray, epsilon: float, bits: BoolArray) -> FloatArray:
        from metaeval.kernels.selected import merged

        offsets = self.groups.offsets
        value, entry = merged(self.scores[i], other, self.order[i], self.order[j], offsets)
        weights = np.ascontiguousarray(np.concatenate([~bits, bits], axis=1)).view(np.uint8)
        statistics = self._scanned(value, entry, 2 * offsets, weights, epsilon)
        return weighted_mean(statistics, np.ones(statistics.shape))

    def _scanned(
        self,
        value: FloatArray,
        entry: Integers,
        offsets: Integers,
        weights: NDArray[np.integer[Any]],
        epsilon: float,
    ) -> FloatArray:
        """The statistic by draw and group."""
        from metaeval.kernels.selected import FIELDS, as_counts, count_selected

        counts = np.zeros((len(weights), len(offsets) - 1, FIELDS), dtype=np.int64)
        rank = self.rank[entry % len(self.rank)]
        count_selected(value, entry, offsets, rank, self.levels, weights, epsilon, counts)
        return self.measure.value(as_counts(counts))

    def resampled(self, items: IntArray, systems: IntArray) -> FloatArray:
        """Copies of a group are groups; copies of a cell within a group are pairs tied by both sides."""
        width = self.task.paired.human.shape[1]
        by_item, by_system = items[:, self.groups.cells % width], systems[:, self.groups.cells // width]
        first = self.groups.offsets[:-1]
        grouping = self.measure.grouping
        copies = {
            "none": np.ones((len(items), len(first)), dtype=np.int64),
            "item": by_item[:, first],
            "system": by_system[:, first],
        }[grouping]
        weights = {"none": by_item * by_system, "item": by_system, "system": by_item}[grouping]
        weights = np.ascontiguousarray(weights)
        values = np.empty((len(items), len(self.scores)))
        for m, order in enumerate(self.order):
            args = self.scores[m][order], order, self.groups.offsets, weights, self._epsilon(m)
            values[:, m] = weighted_mean(self._scanned(*args), copies.astype(np.float64))
        return values


def weighted_mean(values: FloatArray, weights: FloatArray) -> FloatArray:
    """The mean over the last axis of what is not NaN; NaN where nothing is.

    >>> weighted_mean(np.array([[1.0, 2.0, np.nan]]), np.array([[3.0, 1.0, 5.0]]))
    array([1.25])
    """
    defined = ~np.isnan(values)
    return ratio(
        np.sum(np.where(defined, values * weights, 0.0), axis=-1),
        np.sum(np.where(defined, weights, 0.0), axis=-1),
    )


PATH = TauPath
