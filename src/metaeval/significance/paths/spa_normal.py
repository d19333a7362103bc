"""Soft pairwise accuracy in closed form: p = Phi(-sum d / sqrt(sum d^2)), both sums linear in what moves.

For the hybrid of metrics i and j, d is that of i where items stay and that of j where they are exchanged. So
are the squares. Two products, of the masks with d and with d^2, serve all pairs of metrics.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from metaeval.kernels.pvalues import BITS, FixedPoint, SystemPairs, normal_p, standardised
from metaeval.measures.base import Measure
from metaeval.measures.pairwise import SoftPairwiseAccuracy
from metaeval.scores import FloatArray
from metaeval.significance.paths.base import BoolArray, Exchange, IntArray, Path, Resample, Task
from metaeval.significance.paths.spa_sample import SystemSample
from metaeval.significance.scaling import Scaling

ENTRIES = 2**22
"""Numbers held at a time in each table: 32 MB."""
HELD = 2**24
"""Squares kept from one block of draws to the next, 128 MB; where there are more they are made anew."""


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
        fixed = FixedPoint.of(scaled)
        self.columns, self.negligible = self.pairs.columns(fixed.values), fixed.negligible
        few = len(self.columns) * len(self.pairs) * len(paired.items) <= HELD
        self.squares = list(squares_of(self.columns, self.pairs)) if few else None

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
        metrics, pairs = len(self.columns), self.pairs
        weights = masks.astype(np.float64)
        taken = weighted_sums(self.columns, weights)
        kept = self.columns.sum(axis=-1) - taken
        p = np.empty((len(masks), metrics, metrics, len(pairs)))
        for squares in self.squares or squares_of(self.columns, pairs):
            some, taken_squares = squares.some, weighted_sums(squares.values, weights)
            kept_squares = (squares.values.sum(axis=-1) - taken_squares) * squares.unit
            d = across(difference(kept, pairs, some), difference(taken, pairs, some))
            z = standardised(d, across(kept_squares, taken_squares * squares.unit), self.negligible)
            p[..., some] = ndtr(-z)
        return p

    def resampled(self, items: IntArray, systems: IntArray) -> FloatArray:
        human = FixedPoint.of(self.task.paired.human)
        columns = np.concatenate([self.pairs.columns(human.values)[None], self.columns])
        negligible = np.array([human.negligible] + [self.negligible] * len(self.columns))[:, None]
        weights = items.astype(np.float64)
        d = difference(weighted_sums(columns, weights), self.pairs, slice(None))
        p = np.empty(d.shape)
        for squares in squares_of(columns, self.pairs):
            some, total = squares.some, weighted_sums(squares.values, weights) * squares.unit
            p[..., some] = ndtr(-standardised(d[..., some], total, negligible))
        sample = SystemSample(self.measure, self.pairs, self.rated)
        moved = zip(p, items, systems, strict=True)
        return np.array([sample.value(q[0], q[1:], times, copies) for q, times, copies in moved])

    def _table(self) -> FloatArray:
        """p of a first system as metric i scores it against a second as metric j does: (i, j, pair)."""
        metrics = len(self.columns)
        p = np.empty((metrics, metrics, len(self.pairs)))
        for pair, (left, right) in enumerate(zip(self.pairs.left, self.pairs.right, strict=True)):
            d = self.columns[:, None, left] - self.columns[None, :, right]
            p[..., pair] = ndtr(-standardised(d.sum(axis=-1), np.sum(d * d, axis=-1), self.negligible))
        return p


@dataclass(frozen=True, eq=False, slots=True)
class Squares:
    """d^2 of some pairs of systems, rounded so that sums of it are exact in any order."""

    some: slice
    values: FloatArray
    """(metrics, pairs, items), whole numbers."""
    unit: FloatArray
    """(metrics, pairs): what 1 stands for."""


def squares_of(columns: FloatArray, pairs: SystemPairs) -> Iterator[Squares]:
    """All pairs, a run of them at a time. Each pair has the unit that its largest square allows."""
    metrics, _, items = columns.shape
    step = max(1, ENTRIES // (metrics * max(items, 1)))
    for start in range(0, len(pairs), step):
        some = slice(start, start + step)
        squares = (columns[:, pairs.left[some]] - columns[:, pairs.right[some]]) ** 2
        exponent = np.frexp(squares.max(axis=-1))[1] - (BITS - items.bit_length())
        yield Squares(some, np.rint(np.ldexp(squares, -exponent[..., None])), np.ldexp(1.0, exponent))


def weighted_sums(values: FloatArray, weights: FloatArray) -> FloatArray:
    """(metrics, columns, items) and (draws, items) to (draws, metrics, columns), as one product."""
    metrics, columns, items = values.shape
    product: FloatArray = values.reshape(metrics * columns, items) @ weights.T
    return np.ascontiguousarray(product.T).reshape(len(weights), metrics, columns)


def difference(sums: FloatArray, pairs: SystemPairs, some: slice) -> FloatArray:
    """(..., columns) to (..., pairs)."""
    return sums[..., pairs.left[some]] - sums[..., pairs.right[some]]


def across(kept: FloatArray, taken: FloatArray) -> FloatArray:
    """Sums of all hybrids: twice (draws, metrics, pairs) to (draws, metrics, metrics, pairs)."""
    return kept[:, :, None] + taken[:, None, :]


def _closed_form(measure: Measure) -> bool:
    return isinstance(measure, SoftPairwiseAccuracy) and measure.method == "normal"


PATH = SpaInClosedForm
