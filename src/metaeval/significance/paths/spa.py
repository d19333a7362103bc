"""Soft pairwise accuracy: a permutation test whose statistic is itself made of permutation tests.

The inner p-values compare sums over flipped items. In the hybrid of metrics i and j these sums are those of i
over the flipped items that stay, plus those of j over the flipped items that are exchanged: two terms that
each belong to one metric. One product a draw therefore serves all pairs of metrics, and a pair costs only the
comparison of its sums. The humans' p-values do not change.
"""

from __future__ import annotations

import numpy as np

from metaeval.kernels.flipped import count_across, count_hybrids, count_own, sums_of_flipped
from metaeval.kernels.flips import Flips
from metaeval.kernels.pvalues import FixedPoint, SystemPairs, permutation_p
from metaeval.measures.base import Measure
from metaeval.measures.pairwise import SoftPairwiseAccuracy
from metaeval.scores import FloatArray
from metaeval.significance.paths.base import BoolArray, Exchange, IntArray, Path, Resample, Task
from metaeval.significance.paths.spa_sample import SystemSample, cells_of
from metaeval.significance.scaling import Scaling

SUMS = 2**23
"""Sums held at a time: metrics x columns x inner draws, 64 MB."""
COUNTS = 2**23
"""Counts held at a time: outer draws x metrics^2 x pairs of systems, 64 MB."""


class SpaByPermutation(Path):
    """Nested permutations: the p-values are exactly those of the measure on the hybrids.

    Items: O(draws x inner draws x (metrics systems items / 2 + metrics^2 systems^2 / 2)). Cells twice the
    products; systems only a table of p-values. Where systems have different items, up to as many times
    more products as there are systems.
    """

    name = "spa"

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        if not isinstance(task.measure, SoftPairwiseAccuracy):
            raise TypeError(f"{task.measure} is not soft pairwise accuracy")
        paired = task.paired
        self.measure = task.measure
        self.rated = np.asarray(~np.isnan(paired.human))
        self.pairs = SystemPairs.of(self.rated)
        self.flips = Flips.of(len(paired.items), self.measure.draws, self.measure.seed)
        self.human, _ = permutation_p(paired.human[None], self.pairs, self.flips)
        scaled = FixedPoint.of(Scaling.of(paired.scores, task.standardise).apply(paired.scores))
        self.slack, self.columns = scaled.slack, self.pairs.columns(scaled.values)

    @classmethod
    def accepts(cls, measure: Measure, exchange: Exchange) -> bool:
        permuted = isinstance(measure, SoftPairwiseAccuracy) and measure.method == "perm"
        return permuted and exchange != "pairs"

    @classmethod
    def resamples(cls, measure: Measure, what: Resample) -> bool:
        permuted = isinstance(measure, SoftPairwiseAccuracy) and measure.method == "perm"
        return permuted and SystemSample.possible(measure, what)

    def swapped(self, masks: BoolArray, wanted: BoolArray | None = None) -> FloatArray:
        metrics = len(self.columns)
        chosen = np.ones((metrics, metrics), dtype=np.bool_) if wanted is None else wanted
        if self.task.exchange == "systems":
            return self._looked_up(masks)
        step = max(1, COUNTS // max(1, metrics**2 * len(self.pairs)))
        values = np.empty((len(masks), metrics, metrics))
        for start in range(0, len(masks), step):
            p = self._counts(masks[start : start + step], chosen) / self.flips.draws
            values[start : start + step] = self.measure.from_p_values(self.human[0], p, self.pairs)
        return values

    def _counts(self, masks: BoolArray, wanted: BoolArray) -> IntArray:
        """Inner draws that count, by outer draw, metric that keeps, metric that gives, pair of systems."""
        pairs, metrics = self.pairs, len(self.columns)
        counts = np.zeros((len(masks), metrics, metrics, len(pairs)), dtype=np.int64)
        for flips in self.flips.parts(SUMS // max(1, self.columns.shape[0] * self.columns.shape[1])):
            whole = self._sums(self.columns, flips)
            for mask, count in zip(masks, counts, strict=True):
                taken = self._exchanged(mask, flips)
                count_hybrids(whole - taken, taken, pairs.left, pairs.right, self.slack, wanted, count)
        return counts

    def _exchanged(self, mask: BoolArray, flips: Flips) -> FloatArray:
        """Sums over the flipped items that are exchanged; of whole items, only those are multiplied."""
        if self.task.exchange == "items":
            return self._sums(np.compress(mask, self.columns, axis=2), flips.take(mask))
        cells = cells_of(mask, self.rated)[self.pairs.system]
        return self._sums(np.where(cells, self.columns, 0.0), flips)

    @staticmethod
    def _sums(columns: FloatArray, flips: Flips) -> FloatArray:
        metrics, count, items = columns.shape
        flat = sums_of_flipped(columns.reshape(metrics * count, items), flips)
        return flat.reshape(metrics, count, flips.draws)

    def _looked_up(self, masks: BoolArray) -> FloatArray:
        """Whole systems: a p-value depends only on which metric each of the two has its scores from."""
        pairs, metrics = self.pairs, len(self.columns)
        counts = np.zeros((metrics, metrics, len(pairs)), dtype=np.int64)
        for flips in self.flips.parts(SUMS // max(1, self.columns.shape[0] * self.columns.shape[1])):
            sums = self._sums(self.columns, flips)
            count_across(sums, pairs.left, pairs.right, self.slack, counts)
        sample = SystemSample(self.measure, pairs, self.rated)
        return sample.exchanged(masks, counts / self.flips.draws, self.human[0])

    def resampled(self, items: IntArray, systems: IntArray) -> FloatArray:
        """Each copy of an item is flipped on its own, as in a test set that has the item twice.

        Were the copies of an item flipped together, the null would be wider than that of a test
        set of this size, p-values nearer to one half, and intervals away from the value.
        """
        human = FixedPoint.of(self.task.paired.human)
        columns = np.concatenate([self.pairs.columns(human.values)[None], self.columns])
        slack = np.concatenate([[human.slack], np.full(len(self.columns), self.slack)])
        sample = SystemSample(self.measure, self.pairs, self.rated)
        values = np.empty((len(items), len(self.columns)))
        for d, (times, copies) in enumerate(zip(items, systems, strict=True)):
            p = self._resampled_p(columns, slack, np.repeat(np.arange(len(times)), times))
            values[d] = sample.value(p[0], p[1:], times, copies)
        return values

    def _resampled_p(self, columns: FloatArray, slack: FloatArray, drawn: IntArray) -> FloatArray:
        pairs, inner = self.pairs, self.measure.draws
        flips = Flips.of(len(drawn), inner, self.measure.seed)
        counts = np.zeros((len(columns), len(pairs)), dtype=np.int64)
        for part in flips.parts(SUMS // max(1, columns.shape[0] * columns.shape[1])):
            count_own(self._sums(columns[:, :, drawn], part), pairs.left, pairs.right, slack, counts)
        return counts / flips.draws


PATH = SpaByPermutation
