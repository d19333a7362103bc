"""The compiled twin of :func:`metaeval.kernels.flipped.count_hybrids`; tests hold them equal."""

from __future__ import annotations

import numpy as np

from metaeval.kernels.compiled import compiled
from metaeval.kernels.flipped import Counts, Floats, Index

CHUNK = 256
"""Draws at a time, so that the sums of one hybrid stay in the first-level cache."""


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
