"""One scale for all metrics, so that their scores can be exchanged."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metaeval.scores import FloatArray


@dataclass(frozen=True, eq=False, slots=True)
class Scaling:
    """Mean and standard deviation of each metric over the cells used; a constant metric keeps its scale."""

    mean: FloatArray
    deviation: FloatArray

    @classmethod
    def of(cls, scores: FloatArray, standardise: bool) -> Scaling:
        """From metrics x systems x items, NaN where a cell is not used."""
        count = len(scores)
        if not standardise:
            return cls(np.zeros(count), np.ones(count))
        flat = scores.reshape(count, -1)
        flat = flat[:, ~np.isnan(flat[0])] if count else flat
        constant = flat.min(axis=1) == flat.max(axis=1)
        mean = np.where(constant, flat[:, 0], flat.mean(axis=1))
        deviation = np.where(constant, 1.0, flat.std(axis=1))
        return cls(mean, np.where(deviation > 0, deviation, 1.0))

    def apply(self, scores: FloatArray) -> FloatArray:
        """z-scores of every metric.

        >>> x = np.array([[[1.0, 3.0]], [[7.0, 7.0]]])
        >>> Scaling.of(x, standardise=True).apply(x).tolist()
        [[[-1.0, 1.0]], [[0.0, 0.0]]]
        """
        scaled: FloatArray = (scores - self.mean[:, None, None]) / self.deviation[:, None, None]
        return scaled

    def onto(self, scores: FloatArray, i: int, *, shift: bool = True) -> FloatArray:
        """All metrics on the scale of metric i, whose own scores stay as they are, bit for bit.

        The same as z-scores up to a linear map, so that an epsilon in the units of metric i applies.
        Without shift only the spread is matched, as ratios of scores demand.
        """
        same = (self.mean == self.mean[i]) & (self.deviation == self.deviation[i])
        factor = np.where(same, 1.0, self.deviation[i] / self.deviation)[:, None, None]
        if not shift:
            return scores * factor
        moved = (scores - self.mean[:, None, None]) * factor + self.mean[i]
        return np.where(same[:, None, None], scores, moved)
