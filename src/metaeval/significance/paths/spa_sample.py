"""What soft pairwise accuracy does with whole systems: exchanged between metrics, or drawn several times."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metaeval.kernels.pvalues import SystemPairs
from metaeval.measures.base import Measure, ratio
from metaeval.measures.pairwise import SoftPairwiseAccuracy
from metaeval.scores import FloatArray
from metaeval.significance.paths.base import BoolArray, IntArray, Resample


@dataclass(frozen=True, eq=False, slots=True)
class SystemSample:
    """Equation 1 of Thompson et al. 2024 from p-values, once systems have moved."""

    measure: SoftPairwiseAccuracy
    pairs: SystemPairs
    rated: BoolArray

    @staticmethod
    def possible(measure: Measure, what: Resample) -> bool:
        """Copies of the one system that a measure contains would leave open which of them is meant."""
        named = isinstance(measure, SoftPairwiseAccuracy) and bool(measure.containing)
        return what == "inputs" or not named

    def exchanged(self, masks: BoolArray, table: FloatArray, human: FloatArray) -> FloatArray:
        """Values of hybrids that have whole systems from another metric: (draws, metrics, metrics).

        Args:
            table: [i, j, pair] is p of the first system as metric i scores it against the second as j does.
            human: p by pair.
        """
        own = np.einsum("iip->ip", table)
        values = np.empty((len(masks), len(table), len(table)))
        for d, mask in enumerate(masks):
            first, second = mask[self.pairs.first], mask[self.pairs.second]
            given = np.where(second, table, own[:, None])
            taken = np.where(second, own[None], np.swapaxes(table, 0, 1))
            p = np.where(first, taken, given)
            values[d] = self.measure.from_p_values(human, p, self.pairs)
        return values

    def value(self, human: FloatArray, metrics: FloatArray, items: IntArray, systems: IntArray) -> FloatArray:
        """The value of each metric where items and systems count several times.

        Args:
            human, metrics: p by pair, from the items drawn.
            items, systems: how often each was drawn.

        Two copies of one system are a pair with equal scores, which humans and metrics agree about.
        """
        drawn = items > 0
        pairs = self.pairs
        there = self.measure.chosen(pairs.first, pairs.second)
        there = there & (pairs.used[pairs.left] & drawn).any(axis=1)
        weight = np.where(there, systems[pairs.first] * systems[pairs.second], 0).astype(np.float64)
        copies = (self.rated & drawn).any(axis=1) * systems * (systems - 1) / 2
        among_copies = 0.0 if self.measure.containing else float(copies.sum())
        agreement = (1.0 - np.abs(human - metrics)) @ weight + among_copies
        return ratio(agreement, np.asarray(weight.sum() + among_copies))


def cells_of(mask: BoolArray, rated: BoolArray) -> BoolArray:
    """A mask over the rated cells, row by row, as a matrix systems x items."""
    cells = np.zeros(rated.shape, dtype=np.bool_)
    cells[rated] = mask
    return cells
