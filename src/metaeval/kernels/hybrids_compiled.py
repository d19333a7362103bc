"""Pearson of the hybrids of all pairs of metrics from their sums, compiled; twin of ``hybrids``."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from metaeval.kernels.compiled import compiled
from metaeval.kernels.hybrids import FLAT, Cells, Sums
from metaeval.scores import FloatArray


def add_pearson(
    sums: Sums, cells: Cells, masks: NDArray[np.bool_], total: FloatArray, undefined: FloatArray
) -> None:
    """As ``hybrids.add_pearson``; about 2 nanoseconds a draw, group and ordered pair of metrics."""
    x, h, position, offsets, spread = cells
    _pearson(sums.kept, sums.masked, x, h, position, offsets, spread, masks, total, undefined)


def add_pooled(sums: Sums, cells: Cells, cross: FloatArray, spread: FloatArray) -> None:
    """As ``hybrids.add_pooled``."""
    _pooled(sums.kept, sums.masked, np.diff(cells.offsets).astype(np.float64), cross, spread)


@compiled
def _pearson(
    kept: FloatArray,
    masked: FloatArray,
    scores: FloatArray,
    human: FloatArray,
    position: NDArray[np.intp],
    offsets: NDArray[np.int64],
    spread: FloatArray,
    masks: NDArray[np.bool_],
    total: FloatArray,
    undefined: FloatArray,
) -> None:
    draws, groups, _, metrics = kept.shape
    for d in range(draws):
        for g in range(groups):
            share = 1.0 / (offsets[g + 1] - offsets[g])
            gx, gxx, ghx = masked[d, g, 0], masked[d, g, 1], masked[d, g, 2]
            for i in range(metrics):
                x, xx, hx = kept[d, g, 0, i], kept[d, g, 1, i], kept[d, g, 2, i]
                row = total[d, i]
                flat = 0
                for j in range(metrics):
                    s, q = x + gx[j], xx + gxx[j]
                    variance = q - s * s * share
                    sound = variance > FLAT * q
                    r = np.divide(hx + ghx[j], math.sqrt((variance if sound else 1.0) * spread[g]))
                    r = min(max(r, -1.0), 1.0)
                    row[j] += r if sound else 0.0
                    flat += 0 if sound else 1
                if flat:
                    for j in range(metrics):
                        s, q = x + gx[j], xx + gxx[j]
                        if not q - s * s * share > FLAT * q:
                            first, last = offsets[g], offsets[g + 1]
                            r = _two_passes(scores, human, position, first, last, spread[g], masks[d], i, j)
                            if math.isnan(r):
                                undefined[d, i, j] += 1.0
                            else:
                                row[j] += r


@compiled
def _two_passes(
    scores: FloatArray,
    human: FloatArray,
    position: NDArray[np.intp],
    first: int,
    last: int,
    spread: float,
    mask: NDArray[np.bool_],
    i: int,
    j: int,
) -> float:
    """r of one hybrid in one group from its scores; NaN where they are all the same."""
    low, high, mean = math.inf, -math.inf, 0.0
    for c in range(first, last):
        value = scores[c, j if mask[position[c]] else i]
        low, high, mean = min(low, value), max(high, value), mean + value
    if not low < high:
        return math.nan
    mean /= last - first
    square, cross = 0.0, 0.0
    for c in range(first, last):
        value = scores[c, j if mask[position[c]] else i] - mean
        square += value * value
        cross += value * human[c]
    if square == 0.0:
        return math.nan
    return min(max(cross / (math.sqrt(square) * math.sqrt(spread)), -1.0), 1.0)


@compiled
def _pooled(
    kept: FloatArray, masked: FloatArray, sizes: FloatArray, cross: FloatArray, spread: FloatArray
) -> None:
    draws, groups, _, metrics = kept.shape
    for d in range(draws):
        for g in range(groups):
            size = sizes[g]
            for i in range(metrics):
                x, xx, hx = kept[d, g, 0, i], kept[d, g, 1, i], kept[d, g, 2, i]
                for j in range(metrics):
                    s = x + masked[d, g, 0, j]
                    cross[d, i, j] += size * (hx + masked[d, g, 2, j])
                    spread[d, i, j] += size * (xx + masked[d, g, 1, j]) - s * s
