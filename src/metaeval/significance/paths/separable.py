"""Measures that average groups, where the groups themselves are exchanged: one matrix product.

By item under PERM-INPUTS, by system under PERM-SYSTEMS. A group's statistic then moves as a whole, whatever
the statistic is, and a calibrated epsilon moves with it in its metric's own units.
"""

from __future__ import annotations

import numpy as np

from metaeval.measures.base import Measure, SegmentMeasure, ratio
from metaeval.measures.groups import Groups
from metaeval.scores import FloatArray
from metaeval.significance.grid import on_grid
from metaeval.significance.paths.base import BoolArray, Exchange, IntArray, Path, Resample, Task
from metaeval.significance.paths.sums import hybrid_sums

_GROUPING: dict[Exchange | Resample, str] = {
    "items": "item",
    "inputs": "item",
    "systems": "system",
}


class Separable(Path):
    """Contributions are the groups' values, 0 where undefined, beside a count of those defined.

    O(cells) once, O(draws x groups x metrics) for the product, O(draws x metrics^2) for all pairs.
    """

    name = "separable"

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        measure, paired = task.measure, task.paired
        if not isinstance(measure, SegmentMeasure):
            raise TypeError(f"{measure} has no groups")
        groups = Groups.of(paired.human, measure.grouping)
        values = np.empty((len(groups), len(task.outcomes)))
        for m, (outcome, scores) in enumerate(zip(task.outcomes, paired.scores, strict=True)):
            values[:, m] = measure.held(outcome).group_values(groups, groups.flat(scores))
        first = groups.cells[groups.offsets[:-1]]
        items = len(paired.items)
        self.unit = first % items if measure.grouping == "item" else first // items
        self.defined = (~np.isnan(values)).astype(np.float64)
        self.values = on_grid(np.where(np.isnan(values), 0.0, values), terms=len(groups))

    @classmethod
    def accepts(cls, measure: Measure, exchange: Exchange) -> bool:
        return _groups_are(measure, exchange)

    @classmethod
    def resamples(cls, measure: Measure, what: Resample) -> bool:
        return _groups_are(measure, what)

    def swapped(self, masks: BoolArray, wanted: BoolArray | None = None) -> FloatArray:
        exchanged = masks[:, self.unit].astype(np.float64)
        sums = hybrid_sums(self.values.sum(axis=0), exchanged @ self.values)
        if self.defined.all():
            return sums / max(len(self.unit), 1)
        return ratio(sums, hybrid_sums(self.defined.sum(axis=0), exchanged @ self.defined))

    def resampled(self, items: IntArray, systems: IntArray) -> FloatArray:
        by_item = isinstance(self.task.measure, SegmentMeasure) and self.task.measure.grouping == "item"
        weights = (items if by_item else systems)[:, self.unit].astype(np.float64)
        return ratio(weights @ self.values, weights @ self.defined)


def _groups_are(measure: Measure, what: Exchange | Resample) -> bool:
    return (
        isinstance(measure, SegmentMeasure) and measure.averaged and _GROUPING.get(what) == measure.grouping
    )


PATH = Separable
