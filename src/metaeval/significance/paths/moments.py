"""Pearson, and Pearson of differences, at any grouping under any exchange: sums of x, x^2 and h x.

These sums are linear in the mask, so masked sums are matrix products, one a group; what is left is to make
an r of every hybrid's sums and to add these up. Sums of h do not change when metrics exchange scores.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from metaeval.kernels import hybrids
from metaeval.kernels.hybrids import Cells, Sums
from metaeval.measures.base import Measure, ratio
from metaeval.measures.groups import Groups
from metaeval.measures.moments import PairwiseDifferencePearson, Pearson
from metaeval.scores import FloatArray
from metaeval.significance.grid import on_grid
from metaeval.significance.paths.base import BoolArray, Exchange, IntArray, Path, Resample, Task
from metaeval.significance.paths.weighted import NOTHING, Samples
from metaeval.significance.scaling import Scaling

CHUNK_ENTRIES = 2**21
"""Masked sums held at once, draws x groups x 3 x metrics: 16 MB, twice."""
COMPILED_FROM = 5_000_000
"""Values of r from which loading compiled code pays."""


class Moments(Path):
    """O(draws x cells x metrics) for the products, O(draws x groups x metrics^2) for the values.

    Streams over groups, so that memory holds 32 MB of sums and draws x metrics^2 values.
    """

    name = "moments"

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        measure, paired = task.measure, task.paired
        if not isinstance(measure, Pearson | PairwiseDifferencePearson):
            raise TypeError(f"{measure} is no function of moments")
        self.measure = measure
        self.pooled = isinstance(measure, PairwiseDifferencePearson)
        scores = Scaling.of(paired.scores, task.standardise).apply(paired.scores)
        groups = Groups.of(paired.human, measure.grouping)
        self.groups = groups if self.pooled else varying(groups)
        at, sizes = self.groups, self.groups.sizes
        self.scores = np.stack([at.flat(one) for one in scores], axis=1)
        self.human = at.human - at.spread(at.sums(at.human) / sizes)
        self.spread = at.sums(self.human**2)
        self.position = positions_of(paired.human, at, task.exchange)
        features = np.stack([self.scores, self.scores**2, self.human[:, None] * self.scores], axis=1)
        self.parts = [
            _by_position(self.position[a:b], features[a:b]) for a, b in pairwise(at.offsets.tolist())
        ]

    @classmethod
    def accepts(cls, measure: Measure, exchange: Exchange) -> bool:
        return isinstance(measure, Pearson | PairwiseDifferencePearson) and exchange != "pairs"

    @classmethod
    def resamples(cls, measure: Measure, what: Resample) -> bool:
        return isinstance(measure, Pearson | PairwiseDifferencePearson)

    def swapped(self, masks: BoolArray, wanted: BoolArray | None = None) -> FloatArray:
        metrics = self.scores.shape[1]
        first: FloatArray = np.zeros((len(masks), metrics, metrics))
        second: FloatArray = np.zeros_like(first)
        work = first.size * len(self.groups)
        add_pooled, add_pearson = hybrids.add_pooled, hybrids.add_pearson
        if work >= COMPILED_FROM:
            from metaeval.kernels import hybrids_compiled

            add_pooled, add_pearson = hybrids_compiled.add_pooled, hybrids_compiled.add_pearson
        for cells, sums in self._chunks(masks):
            if self.pooled:
                add_pooled(sums, cells, first, second)
            else:
                add_pearson(sums, cells, masks, first, second)
        if not self.pooled:
            return ratio(first, len(self.groups) - second)
        sizes = self.groups.sizes.astype(np.float64)
        raw = sizes @ self.groups.sums((self.scores**2).T).T
        second[second <= NOTHING * (raw[:, None] + raw)] = 0.0
        return np.clip(ratio(first, np.sqrt(sizes @ self.spread * second)), -1.0, 1.0)

    def _chunks(self, masks: BoolArray) -> Iterator[tuple[Cells, Sums]]:
        """The sums of a few groups at a time."""
        bits = masks.T.astype(np.float64)
        metrics = self.scores.shape[1]
        step = max(1, CHUNK_ENTRIES // max(1, 3 * metrics * len(masks)))
        for start in range(0, len(self.groups), step):
            parts = self.parts[start : start + step]
            kept = np.empty((len(masks), len(parts), 3, metrics))
            masked = np.empty_like(kept)
            for g, (position, features) in enumerate(parts):
                exchanged = bits[position].T @ features
                masked[:, g] = exchanged.reshape(len(masks), 3, metrics)
                kept[:, g] = (features.sum(axis=0) - exchanged).reshape(len(masks), 3, metrics)
            yield self._cells(start, start + len(parts)), Sums(kept, masked)

    def _cells(self, start: int, stop: int) -> Cells:
        offsets = self.groups.offsets[start : stop + 1]
        inside = slice(offsets[0], offsets[-1])
        return Cells(
            self.scores[inside],
            self.human[inside],
            self.position[inside],
            offsets - offsets[0],
            self.spread[start:stop],
        )

    def resampled(self, items: IntArray, systems: IntArray) -> FloatArray:
        grouping = self.measure.grouping
        samples = Samples(self.groups, grouping, self.human, self.scores, items, systems)
        return samples.pooled() if self.pooled else samples.averaged()


def varying(groups: Groups) -> Groups:
    """The groups in which human scores vary: no other has an r."""
    kept = groups.varies(groups.human)
    inside = np.repeat(kept, groups.sizes)
    offsets = np.concatenate([[0], np.cumsum(groups.sizes[kept])]).astype(np.int64)
    return Groups(groups.human[inside], groups.cells[inside], offsets)


def positions_of(human: FloatArray, groups: Groups, exchange: Exchange) -> IntArray:
    """Which bit of a mask exchanges each cell, in the order of the groups."""
    system, item = np.divmod(groups.cells, human.shape[1])
    if exchange == "items":
        return np.asarray(item)
    if exchange == "systems":
        return np.asarray(system)
    return np.asarray(np.cumsum(~np.isnan(human.ravel()))[groups.cells] - 1)


def _by_position(position: IntArray, features: FloatArray) -> tuple[IntArray, FloatArray]:
    """A group's features summed over cells that are exchanged together, on a grid: flat, features last."""
    at, of = np.unique(position, return_inverse=True)
    flat = features.reshape(len(position), -1)
    if len(at) == len(position):
        summed = np.empty_like(flat)
        summed[of] = flat
    else:
        summed = np.zeros((len(at), flat.shape[1]))
        np.add.at(summed, of, flat)
    return at, on_grid(summed, terms=len(at))


PATH = Moments
