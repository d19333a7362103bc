"""Soft pairwise accuracy in closed form: p = Phi(-sum d / sqrt(sum d^2)), both sums linear in what moves.

For the hybrid of metrics i and j, d is that of i where items stay and that of j where they are exchanged. So
are the squares. Two products, of the masks with d and with d^2, serve all pairs of metrics.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from metaeval.kernels.pvalues import FixedPoint, SystemPairs, normal_p, standardised
from metaeval.measures.base import Measure
from metaeval.measures.pairwise import SoftPairwiseAccuracy
from metaeval.scores import FloatArray
from metaeval.significance.paths.base import BoolArray, Exchange, IntArray, Path, Resample, Task
from metaeval.significance.paths.spa_sample import SystemSample
from metaeval.significance.scaling import Scaling

ENTRIES = 2**22
"""Numbers held at a time in each of the tables: 32 MB."""


class SpaInClosedForm(Path):
    """O(draws x items x metrics x pairs of systems) for the products and O(draws x metrics^2 x pairs) after.

    Cells are not exchanged here: two systems then have scores from different metrics in the same item, and
    each pair of metrics needs products of its own.
    """

    name = "spa_normal"

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        if not isinstance(task.measure, SoftPairwiseAccuracy):
            raise TypeError(f"{task.measure} is not soft pairwise accuracy")
        paired = task.paired
        self.measure = task.measure
        self.rated = np.asarray(~np.isnan(paired.human))
        self.pairs = SystemPairs.of(self.rated)
        self.human, _ = normal_p(paired.human[None], self.pairs)
        scaled = Scaling.of(paired.scores, task.standardise).apply(paired.scores)
        self.columns = self.pairs.columns(FixedPoint.of(scaled).values)

    @classmethod
    def accepts(cls, measure: Measure, exchange: Exchange) -> bool:
        return _closed_form(measure) and exchange in ("items", "systems")

    @classmethod
    def resamples(cls, measure: Measure, what: Resample) -> bool:
        return _closed_form(measure) and SystemSample.possible(measure, what)

    def swapped(self, masks: BoolArray, wanted: BoolArray | None = None) -> FloatArray:
        if self.task.exchange == "systems":
            sample = SystemSample(self.measure, self.pairs, self.rated)
            return sample.exchanged(masks, self._table(), self.human[0])
        metrics = len(self.columns)
        step = max(1, ENTRIES // max(1, metrics**2 * len(self.pairs)))
        values = np.empty((len(masks), metrics, metrics))
        for start in range(0, len(masks), step):
            p = self._swapped_p(masks[start : start + step])
            values[start : start + step] = self.measure.from_p_values(self.human[0], p, self.pairs)
        return values

    def _swapped_p(self, masks: BoolArray) -> FloatArray:
        metrics, draws = len(self.columns), len(masks)
        weights = masks.astype(np.float64)
        p = np.empty((draws, metrics, metrics, len(self.pairs)))
        for some, sums in self._sums(self.columns, np.concatenate([weights, 1.0 - weights])):
            taken, kept = sums.take(slice(0, draws), 1), sums.take(slice(draws, None), 2)
            p[..., some] = ndtr(-kept.plus(taken).statistic())
        return p

    def resampled(self, items: IntArray, systems: IntArray) -> FloatArray:
        human = self.pairs.columns(FixedPoint.of(self.task.paired.human).values)
        columns = np.concatenate([human[None], self.columns])
        p = np.empty((len(items), len(columns), len(self.pairs)))
        for some, sums in self._sums(columns, items.astype(np.float64)):
            p[..., some] = ndtr(-sums.statistic())
        sample = SystemSample(self.measure, self.pairs, self.rated)
        moved = zip(p, items, systems, strict=True)
        return np.array([sample.value(q[0], q[1:], times, copies) for q, times, copies in moved])

    def _sums(self, columns: FloatArray, weights: FloatArray) -> Iterator[tuple[slice, Sums]]:
        """Weighted sums of d and d^2, (draws, metrics, pairs), a run of pairs at a time."""
        metrics, _, items = columns.shape
        step = max(1, ENTRIES // (metrics * max(items, 1)))
        for start in range(0, len(self.pairs), step):
            some = slice(start, start + step)
            d = columns[:, self.pairs.left[some]] - columns[:, self.pairs.right[some]]
            yield some, Sums.of(d, weights)

    def _table(self) -> FloatArray:
        """p of a first system as metric i scores it against a second as metric j does: (i, j, pair)."""
        metrics = len(self.columns)
        p = np.empty((metrics, metrics, len(self.pairs)))
        for pair, (left, right) in enumerate(zip(self.pairs.left, self.pairs.right, strict=True)):
            d = self.columns[:, None, left] - self.columns[None, :, right]
            p[..., pair] = ndtr(-standardised(d.sum(axis=-1), np.sum(d * d, axis=-1)))
        return p


@dataclass(frozen=True, eq=False, slots=True)
class Sums:
    """Sums of d and d^2, the squares in two halves, so that every product is exact in any order.

    d is a whole number below 2^e, so a square has up to 2e bits: too many to add. Each half has at most e.
    """

    d: FloatArray
    high: FloatArray
    low: FloatArray
    unit: float

    @classmethod
    def of(cls, d: FloatArray, weights: FloatArray) -> Sums:
        """From whole numbers (metrics, pairs, items) and weights (draws, items)."""
        unit = float(np.ldexp(1.0, int(np.frexp(np.abs(d).max(initial=1.0))[1])))
        squares = d * d
        high = np.rint(squares / unit)
        total, top, rest = (
            np.tensordot(weights, part, axes=(1, 2)) for part in (d, high, squares - high * unit)
        )
        return cls(total, top, rest, unit)

    def take(self, draws: slice, axis: int) -> Sums:
        """Some draws, with an axis of length 1 put in for the other metric of a hybrid."""
        d, high, low = (np.expand_dims(x[draws], axis) for x in (self.d, self.high, self.low))
        return Sums(d, high, low, self.unit)

    def plus(self, other: Sums) -> Sums:
        return Sums(self.d + other.d, self.high + other.high, self.low + other.low, self.unit)

    def statistic(self) -> FloatArray:
        return standardised(self.d, self.high * self.unit + self.low)


def _closed_form(measure: Measure) -> bool:
    return isinstance(measure, SoftPairwiseAccuracy) and measure.method == "normal"


PATH = SpaInClosedForm
