"""Counting the draws in which one system's flipped sum is at most another's, for hybrids of metrics.

``sums`` are (metrics, columns, draws); ``left`` and ``right`` name the columns that a pair of systems
compares; sums that differ by no more than ``slack`` are equal. All functions add to ``counts``, so that draws
may come in parts. Numpy where there is little to count, compiled loops where there is much.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from metaeval.kernels.flips import Flips
from metaeval.kernels.pvalues import flipped_sums

Floats = NDArray[np.float64]
Index = NDArray[np.intp]
Counts = NDArray[np.int64]

COMPILED_FROM = 500_000
"""Comparisons, a draw of the outer test, from which loading compiled code pays."""
TABLES_FROM = 20_000_000
"""Multiplications from which tables are faster than a matrix product."""


def sums_of_flipped(values: Floats, flips: Flips) -> Floats:
    """What :func:`metaeval.kernels.pvalues.flipped_sums` gives, by look-up where there is much to multiply.

    Eight items at a time, all 256 sums of some of them are made once and then looked up: an addition for
    every eight items and draw. Exact for whole numbers, hence the same. Unlike a matrix product it
    keeps to its own thread, so that several draws can be worked on side by side.
    """
    if values.size * flips.draws < TABLES_FROM:
        return flipped_sums(values, flips)
    from metaeval.kernels.flipped_loops import sums_by_table

    sums = np.empty((len(values), flips.draws))
    sums_by_table(np.ascontiguousarray(values), flips.codes(), sums)
    return sums


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
