"""Spearman at any grouping under any exchange: hybrids are scanned, not ranked."""

from __future__ import annotations

import numpy as np

from metaeval.kernels.layout import sort_within
from metaeval.measures.base import Measure
from metaeval.measures.groups import Groups
from metaeval.measures.moments import Spearman, ranks
from metaeval.scores import FloatArray
from metaeval.significance.paths.base import BoolArray, Exchange, Task
from metaeval.significance.paths.generic import Generic
from metaeval.significance.paths.moments import positions_of, varying

COMPILED_FROM = 5_000_000
"""Draws x pairs of metrics x cells from which loading compiled code pays; below, hybrids are evaluated."""


class Ranks(Generic):
    """O(cells) for a draw and both hybrids of a pair of metrics; merging the pair costs as much, once."""

    name = "ranks"
    sharing = "threads"
    at_once = 100

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        if not isinstance(task.measure, Spearman):
            raise TypeError(f"{task.measure} is no correlation of ranks")
        self.groups = varying(Groups.of(task.paired.human, task.measure.grouping))
        scaled = self.scale.apply(task.paired.scores)
        self.flat = np.array([self.groups.flat(scores) for scores in scaled])
        self.order = [sort_within(scores, self.groups.offsets) for scores in self.flat]
        human = ranks(self.groups, self.groups.human)
        self.human = human - self.groups.spread((self.groups.sizes - 1) / 2.0)
        self.spread = self.groups.sums(self.human**2)
        self.position = positions_of(task.paired.human, self.groups, task.exchange)

    @classmethod
    def accepts(cls, measure: Measure, exchange: Exchange) -> bool:
        return isinstance(measure, Spearman) and exchange != "pairs"

    @classmethod
    def resamples(cls, measure: Measure, what: object) -> bool:
        return False

    def swapped(self, masks: BoolArray, wanted: BoolArray | None = None) -> FloatArray:
        metrics = len(self.flat)
        if len(masks) * metrics**2 // 2 * self.flat.shape[1] < COMPILED_FROM:
            return super().swapped(masks, wanted)
        from metaeval.kernels.hybrid_ranks import mean_spearman, merged

        own = np.array([outcome.value for outcome in self.task.outcomes])
        values = np.empty((len(masks), metrics, metrics))
        values[:] = own[:, None]
        both = np.empty((len(masks), 2))
        for i in range(metrics):
            for j in range(i):
                if wanted is None or wanted[i, j]:
                    cell, owner, ends = merged(
                        self.flat[i], self.flat[j], self.order[i], self.order[j], self.groups.offsets
                    )
                    mean_spearman(
                        self.human[cell],
                        self.position[cell],
                        owner,
                        ends,
                        self.groups.offsets,
                        self.spread,
                        masks,
                        both,
                    )
                    values[:, i, j], values[:, j, i] = both.T
        return values


PATH = Ranks
