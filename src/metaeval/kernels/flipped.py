"""Counting the draws in which one system's flipped sum is at most another's, for hybrids of metrics.

``sums`` are (metrics, columns, draws); ``left`` and ``right`` name the columns that a pair of systems
compares; sums that differ by no more than ``slack`` are equal. All functions add to ``counts``, so that draws
may come in parts. Numpy where there is little to count, compiled loops where there is much.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Index = NDArray[np.intp]
Counts = NDArray[np.int64]

COMPILED_FROM = 20_000_000
"""Comparisons from which loading compiled code pays."""


def count_hybrids(
    kept: Floats,
    taken: Floats,
    left: Index,
    right: Index,
    slack: float,
    wanted: NDArray[np.bool_],
    counts: Counts,
) -> None:
    """[i, j, pair]: draws with left sum <= right sum in the hybrid that has the sums ``kept[i] + taken[j]``.

    O(wanted hybrids x pairs x draws), several a clock cycle.
    """
    if wanted.sum() * len(left) * kept.shape[2] >= COMPILED_FROM:
        from metaeval.kernels.flipped_loops import count_hybrids as loops

        return loops(kept, taken, left, right, slack, wanted, counts)
    keeps, gives = kept[:, left] - kept[:, right], taken[:, left] - taken[:, right]
    for i, j in np.argwhere(wanted):
        counts[i, j] += np.count_nonzero(keeps[i] + gives[j] <= slack, axis=-1)
    return None


def count_across(sums: Floats, left: Index, right: Index, slack: float, counts: Counts) -> None:
    """[i, j, pair]: draws in which the left sum of metric i is at most the right sum of metric j."""
    for i, j in np.ndindex(counts.shape[:2]):
        counts[i, j] += np.count_nonzero(sums[i, left] - sums[j, right] <= slack, axis=-1)


def count_own(sums: Floats, left: Index, right: Index, slack: Floats, counts: Counts) -> None:
    """[i, pair]: draws in which the left sum of metric i is at most its right sum, each with its slack."""
    for i, count in enumerate(counts):
        count += np.count_nonzero(sums[i, left] - sums[i, right] <= slack[i], axis=-1)
