"""Pairwise accuracy: only the order of system scores matters, one comparison a pair of systems."""

from __future__ import annotations

import numpy as np

from metaeval.measures.base import Measure, ratio
from metaeval.measures.pairwise import PairwiseAccuracy
from metaeval.scores import FloatArray
from metaeval.significance.paths.base import Exchange, Resample
from metaeval.significance.paths.system import SystemPath


class Ordering(SystemPath):
    """The system path with the pairs counted one after the other, each over all hybrids of a block.

    O(draws x metrics^2 x systems^2) comparisons, about a nanosecond each.
    """

    name = "ordering"

    @classmethod
    def accepts(cls, measure: Measure, exchange: Exchange) -> bool:
        return isinstance(measure, PairwiseAccuracy) and exchange != "pairs"

    @classmethod
    def resamples(cls, measure: Measure, what: Resample) -> bool:
        return False

    def measured(self, human: FloatArray, means: FloatArray) -> FloatArray:
        first, second = np.triu_indices(means.shape[-1], k=1)
        measure = self.measure
        kept = measure.chosen(first, second) if isinstance(measure, PairwiseAccuracy) else first >= 0
        scores = np.ascontiguousarray(np.moveaxis(means, -1, 0))
        agree = np.zeros(means.shape[:-1], dtype=np.int32)
        for a, b in zip(first[kept], second[kept], strict=True):
            if human[a] > human[b]:
                agree += scores[a] > scores[b]
            elif human[a] < human[b]:
                agree += scores[a] < scores[b]
            else:
                agree += scores[a] == scores[b]
        return ratio(agree.astype(np.float64), np.asarray(kept.sum(), dtype=np.float64))


PATH = Ordering
