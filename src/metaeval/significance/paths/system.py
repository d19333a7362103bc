"""Measures of system scores: the mean scores of hybrids are linear in the mask."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from metaeval.measures.base import Measure, SystemMeasure, ratio
from metaeval.scores import FloatArray
from metaeval.significance.grid import on_grid, snapped
from metaeval.significance.paths.base import BoolArray, Exchange, IntArray, Path, Resample, Task
from metaeval.significance.paths.sums import hybrid_sums
from metaeval.significance.scaling import Scaling

BLOCK_ENTRIES = 2**18
"""The most draws x metrics^2 x pairs of systems that a measure is given at once: arrays of 2 MB, which
stay in the processor's cache."""


class SystemPath(Path):
    """System sums by matrix product, then the measure itself on all hybrids of a block at once.

    O(draws x cells x metrics) for the products and O(draws x metrics^2 x systems^2) for the measure. Means
    are rounded to 2^-33 of a standard deviation, so that systems whose means are equal tie in every hybrid.
    """

    name = "system"

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        if not isinstance(task.measure, SystemMeasure):
            raise TypeError(f"{task.measure} is not a measure of system scores")
        self.measure = task.measure
        human, scores = task.paired.human, task.paired.scores
        self.rated = ~np.isnan(human)
        self.counts = self.rated.sum(axis=1).astype(np.float64)
        scale = Scaling.of(scores, standardise=True)
        self.spread = scale.deviation
        self.deviation = np.ones(len(scores)) if task.standardise else scale.deviation
        if task.standardise:
            scores = scale.apply(scores)
        metrics, systems, items = scores.shape
        self.shape = (metrics, systems)
        flat = np.where(self.rated, scores, 0.0).reshape(metrics * systems, items).T
        self.scores = on_grid(flat, terms=items)
        own = Scaling.of(human[None], standardise=True).apply(human[None])[0]
        self.human = on_grid(np.where(self.rated, own, 0.0).T, terms=items)

    @classmethod
    def accepts(cls, measure: Measure, exchange: Exchange) -> bool:
        return isinstance(measure, SystemMeasure) and exchange != "pairs"

    @classmethod
    def resamples(cls, measure: Measure, what: Resample) -> bool:
        return isinstance(measure, SystemMeasure)

    def swapped(self, masks: BoolArray, wanted: BoolArray | None = None) -> FloatArray:
        human = snapped(self.human.sum(axis=0) / self.counts)
        whole = self.scores.sum(axis=0).reshape(self.shape)
        masked = self._masked_sums(masks, whole)
        metrics, systems = self.shape
        rows = max(1, BLOCK_ENTRIES // max(1, metrics**2 * systems**2 // 2))
        values = np.empty((len(masks), metrics, metrics))
        for start in range(0, len(masks), rows):
            sums = hybrid_sums(whole, masked[start : start + rows])
            sums /= self.counts * self.deviation[:, None, None]
            values[start : start + rows] = self.measured(human, snapped(sums))
        return values

    def measured(self, human: FloatArray, means: FloatArray) -> FloatArray:
        """The measure on the system scores of all hybrids: (..., systems) to (...)."""
        return self.measure.from_system_scores(human, means)

    def _masked_sums(self, masks: BoolArray, whole: FloatArray) -> FloatArray:
        """Sums over what is exchanged, by draw, metric and system."""
        if self.task.exchange == "systems":
            return np.where(masks[:, None, :], whole, 0.0)
        if self.task.exchange == "items":
            product: FloatArray = masks.astype(np.float64) @ self.scores
            return product.reshape(len(masks), *self.shape)
        masked = np.empty((len(masks), *self.shape))
        by_system = self.scores.reshape(-1, *self.shape)
        begins = np.concatenate([[0], np.cumsum(self.rated.sum(axis=1))])
        for s, (begin, end) in enumerate(pairwise(begins)):
            masked[:, :, s] = masks[:, begin:end].astype(np.float64) @ by_system[self.rated[s], :, s]
        return masked

    def resampled(self, items: IntArray, systems: IntArray) -> FloatArray:
        """A system none of whose items was drawn has no score, and then the draw has no value."""
        weights = items.astype(np.float64)
        counts = weights @ self.rated.T.astype(np.float64)
        human = snapped(ratio(weights @ self.human, counts))
        sums = (weights @ self.scores).reshape(len(items), *self.shape)
        means = snapped(ratio(sums, counts[:, None, :]) / self.deviation[:, None])
        for m, key in enumerate(self.task.paired.keys):
            if key in self.task.paired.corpora:
                exact = self.task.paired.corpora[key].weighted(weights)
                means[:, m] = snapped(exact / self.spread[m])
        copied = np.stack([np.repeat(np.arange(len(row)), row) for row in systems])
        human = np.take_along_axis(human, copied, axis=1)[:, None, :]
        means = np.take_along_axis(means, copied[:, None, :], axis=2)
        values = self.measure.from_system_scores(np.broadcast_to(human, means.shape), means)
        return np.where(np.isnan(means).any(axis=2), np.nan, values)


PATH = SystemPath
