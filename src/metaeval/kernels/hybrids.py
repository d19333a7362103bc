"""Pearson of the hybrids of all pairs of metrics from their sums, group by group, with numpy.

The compiled twin, with the same signatures, is ``metaeval.kernels.hybrids_compiled``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaeval.scores import FloatArray

FLAT = 1e-6
"""Share of the raw second moment that a variance must keep for one-pass sums to be trusted. Below it, where
little but rounding may be left, or nothing at all, the scores themselves are looked at."""


class Sums(NamedTuple):
    """Sums of x, x^2 and h x over groups of cells, h centred in its group: (draws, groups, 3, metrics)."""

    kept: FloatArray
    """What is left of each metric's sums without what it gives away."""
    masked: FloatArray
    """What each metric gives to others."""


class Cells(NamedTuple):
    """The cells that the sums are of, group after group."""

    scores: FloatArray
    """cells x metrics."""
    human: FloatArray
    """Centred within groups."""
    position: NDArray[np.intp]
    """The bit of a mask that exchanges the cell."""
    offsets: NDArray[np.int64]
    spread: FloatArray
    """Sum of squares of the centred human scores, by group; above 0."""


def add_pearson(
    sums: Sums, cells: Cells, masks: NDArray[np.bool_], total: FloatArray, undefined: FloatArray
) -> None:
    """Adds the r of every group, draw and pair of metrics to ``total``, or one to ``undefined``.

    Both are draws x metrics x metrics. O(draws x groups x metrics^2).
    Oracle: tests/oracles/resampling.py::hybrid_value.
    """
    for g in range(len(cells.spread)):
        first, last = cells.offsets[g], cells.offsets[g + 1]
        x, xx, hx = (sums.kept[:, g, f, :, None] + sums.masked[:, g, f, None, :] for f in range(3))
        variance = xx - x * x / (last - first)
        flat = ~(variance > FLAT * xx)
        r = np.clip(hx / np.sqrt(np.where(flat, 1.0, variance) * cells.spread[g]), -1.0, 1.0)
        if flat.any():
            d, i, j = np.nonzero(flat)
            chosen = masks[d][:, cells.position[first:last]]
            scores = cells.scores[first:last].T
            hybrids = np.where(chosen, scores[j], scores[i])
            r[flat] = pearson_of_rows(hybrids, cells.human[first:last], np.ones(last - first))
        total += np.nan_to_num(r)
        undefined += np.isnan(r)


def add_pooled(sums: Sums, cells: Cells, cross: FloatArray, spread: FloatArray) -> None:
    """Adds n h x and n times the centred square of x of every group: sums over the pairs of each group."""
    for g, size in enumerate(np.diff(cells.offsets)):
        x, xx, hx = (sums.kept[:, g, f, :, None] + sums.masked[:, g, f, None, :] for f in range(3))
        cross += size * hx
        spread += size * xx - x * x


def pearson_of_rows(scores: FloatArray, human: FloatArray, weights: FloatArray) -> FloatArray:
    """Weighted r of each row of scores with the human scores, in two passes; NaN where a side is constant.

    Constant is what has one value among the entries of positive weight, exactly.

    >>> pearson_of_rows(np.array([[1.0, 2.0, 9.0]]), np.array([1.0, 3.0, 0.0]), np.array([1.0, 1.0, 0.0]))
    array([1.])
    """
    scores, human, weights = np.broadcast_arrays(scores, human, weights)
    used = weights > 0
    n = np.maximum(weights.sum(axis=1, keepdims=True), 1)
    centred = []
    constant = np.zeros(len(scores), dtype=np.bool_)
    for side in (scores, human):
        low = np.where(used, side, np.inf).min(axis=1)
        constant |= ~(low < np.where(used, side, -np.inf).max(axis=1))
        centred.append(side - (weights * side).sum(axis=1, keepdims=True) / n)
    x, h = centred
    size = np.sqrt((weights * x * x).sum(axis=1)) * np.sqrt((weights * h * h).sum(axis=1))
    r: FloatArray = np.full(len(scores), np.nan)
    np.divide((weights * x * h).sum(axis=1), size, out=r, where=~constant & (size > 0))
    return np.asarray(np.clip(r, -1.0, 1.0))
