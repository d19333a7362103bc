"""The compiled twins of functions in :mod:`metaeval.kernels.flipped`; tests hold them equal."""

from __future__ import annotations

import numpy as np

from metaeval.kernels.compiled import compiled
from metaeval.kernels.flipped import Counts, Floats, Index
from metaeval.kernels.flips import Bits

CHUNK = 256
"""Draws at a time, so that the sums of one hybrid stay in the first-level cache."""

ROWS = 64
"""Rows of values a table: their sums of eight items take 128 KB."""


@compiled
def sums_by_table(values: Floats, codes: Bits, sums: Floats) -> None:
    """Sums of the flipped items' values, (rows, items) to (rows, draws), eight items a look-up."""
    rows, items = values.shape
    groups, draws = codes.shape
    eight, table, total = np.empty((8, ROWS)), np.zeros((256, ROWS)), np.empty((draws, ROWS))
    for first in range(0, rows, ROWS):
        width = min(ROWS, rows - first)
        total[:] = 0.0
        for g in range(groups):
            eight[:] = 0.0
            for r in range(width):
                for b in range(min(8, items - 8 * g)):
                    eight[b, r] = values[first + r, 8 * g + b]
            for b in range(8):
                for code in range(1 << b):
                    for r in range(ROWS):
                        table[code + (1 << b), r] = table[code, r] + eight[b, r]
            for k in range(draws):
                chosen = np.int64(codes[g, k])
                for r in range(ROWS):
                    total[k, r] += table[chosen, r]
        for r in range(width):
            for k in range(draws):
                sums[first + r, k] = total[k, r]


@compiled
def count_hybrids(
    kept: Floats,
    taken: Floats,
    left: Index,
    right: Index,
    slack: float,
    wanted: np.ndarray[tuple[int, int], np.dtype[np.bool_]],
    counts: Counts,
) -> None:
    """The draws are the inner loop, which the compiler turns into vector instructions."""
    metrics, columns, draws = kept.shape
    sums = np.empty((columns, CHUNK))
    for i in range(metrics):
        for j in range(metrics):
            if not wanted[i, j]:
                continue
            for start in range(0, draws, CHUNK):
                width = min(CHUNK, draws - start)
                for c in range(columns):
                    for k in range(width):
                        sums[c, k] = kept[i, c, start + k] + taken[j, c, start + k]
                for pair in range(len(left)):
                    a, b = sums[left[pair]], sums[right[pair]]
                    count = 0
                    for k in range(width):
                        count += a[k] - b[k] <= slack
                    counts[i, j, pair] += count
