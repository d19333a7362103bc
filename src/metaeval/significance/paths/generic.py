"""Any measure: the hybrids and samples are built and evaluated one by one. Right for everything, and slow."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from metaeval.errors import InputError
from metaeval.measures.base import Measure
from metaeval.parallel import Sharing
from metaeval.scores import FloatArray
from metaeval.significance.paths.base import BoolArray, Exchange, IntArray, Path, Resample, Task
from metaeval.significance.scaling import Scaling


class Generic(Path):
    """One evaluation a draw and ordered pair of metrics; draws x metrics for the bootstrap.

    A hybrid of metrics i and j has the scores of i as they are and those of j on the scale of i: equal to
    exchanging z-scores for every measure that has no scale. A measure with an epsilon is evaluated at
    that of metric i, whose units the hybrid is in, calibrated or given; where epsilon is a share of the
    larger score, scores are multiplied but not shifted.
    """

    name = "generic"
    sharing: ClassVar[Sharing] = "processes"
    at_once = 5

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        self.held = [task.measure.held(outcome) for outcome in task.outcomes]
        self.scale = Scaling.of(task.paired.scores, task.standardise)
        self.shift = not getattr(task.measure, "relative", False)

    @classmethod
    def accepts(cls, measure: Measure, exchange: Exchange) -> bool:
        if exchange == "pairs":
            raise InputError(
                f"perm-pairs exchanges what pairs contribute, and {measure} is no sum over pairs",
                remedy="Use --test perm-inputs, which every measure has.",
            )
        return True

    @classmethod
    def resamples(cls, measure: Measure, what: Resample) -> bool:
        return True

    def swapped(self, masks: BoolArray, wanted: BoolArray | None = None) -> FloatArray:
        human, scores = self.task.paired.human, self.task.paired.scores
        metrics = len(scores)
        values = np.full((len(masks), metrics, metrics), np.nan)
        own = np.array([outcome.value for outcome in self.task.outcomes])
        for i, measure in enumerate(self.held):
            others = self.scale.onto(scores, i, shift=self.shift)
            values[:, i, i] = own[i]
            for d, mask in enumerate(masks):
                if not mask.any():
                    values[d, i] = own[i]
                    continue
                there = self._where(mask)
                for j in range(metrics):
                    if i != j and (wanted is None or wanted[i, j]):
                        hybrid = np.where(there, others[j], scores[i])
                        values[d, i, j] = measure.evaluate(human, hybrid).value
        return values

    def _where(self, mask: BoolArray) -> BoolArray:
        """The exchanged cells of the systems x items matrix."""
        human = self.task.paired.human
        if self.task.exchange == "items":
            return np.broadcast_to(mask, human.shape)
        if self.task.exchange == "systems":
            return np.broadcast_to(mask[:, None], human.shape)
        there = np.zeros(human.shape, dtype=np.bool_)
        there[~np.isnan(human)] = mask
        return there

    def resampled(self, items: IntArray, systems: IntArray) -> FloatArray:
        paired = self.task.paired
        values = np.empty((len(items), len(self.held)))
        for d, (of_item, of_system) in enumerate(zip(items, systems, strict=True)):
            drawn = np.ix_(
                np.repeat(np.arange(len(of_system)), of_system), np.repeat(np.arange(len(of_item)), of_item)
            )
            human = paired.human[drawn]
            for m, measure in enumerate(self.held):
                values[d, m] = measure.evaluate(human, paired.scores[m][drawn]).value
        return values


PATH = Generic
