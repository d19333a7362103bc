"""Every pair written out, with numpy: the plain way, and the fastest while pairs are few.

While the metric does not tie it, a pair is of one of three kinds: tied by the humans (0), concordant (1),
discordant (2). The compiled twin of this module, which never holds the pairs, is ``metaeval.kernels.sweep``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from metaeval.kernels.pairs import Floats, Integers

Ranks: TypeAlias = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Some pairs: how far the metric sets each apart, and its cell in a table of groups and kinds.

    Attributes:
        difference: of the metric's scores.
        cell: 3 * group + kind.
    """

    difference: Floats
    cell: Integers

    def keep(self, which: NDArray[np.bool_]) -> Pairs:
        """Only the pairs marked true."""
        return Pairs(self.difference[which], self.cell[which])


def difference(low: Floats, high: Floats, relative: bool) -> Floats:
    """How far apart two scores are, low <= high; a fraction of the larger magnitude if ``relative``.

    The one definition every count, search and oracle decides ties by. The relative one is written so that,
    rounded as it is, it still never falls as scores of one sign move apart.

    >>> difference(np.array([7.0, -1.0, 0.0]), np.array([10.0, 1.0, 0.0]), relative=True)
    array([0.3, 2. , 0. ])
    """
    if not relative:
        return np.asarray(high - low)
    gap = high - low
    larger = np.maximum(np.abs(low), np.abs(high))
    lower_larger = np.abs(low) > np.abs(high)
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = np.where(lower_larger, high, low) / np.where(lower_larger, low, high)
        return np.where(larger == 0, 0.0, np.where(ratio >= 0.5, gap / larger, 1 - ratio))


def pair_indices(offsets: Integers) -> tuple[Integers, Integers]:
    """All pairs (i, j), i < j, within groups: O(pairs).

    >>> [side.tolist() for side in pair_indices(np.array([0, 3, 3, 5]))]
    [[0, 0, 1, 3], [1, 2, 2, 4]]
    """
    sizes = np.diff(offsets)
    here = np.arange(offsets[-1])
    later = np.repeat(offsets[1:], sizes) - here - 1
    first = np.repeat(here, later)
    begins = np.cumsum(later) - later
    return first, np.arange(len(first)) + np.repeat(here + 1 - begins, later)


def enumerated(rank: Ranks, metric: Floats, offsets: Integers, relative: bool) -> Pairs:
    """All pairs of a layout; O(pairs) time and memory."""
    sizes = np.diff(offsets)
    if len(sizes) and (sizes == sizes[0]).all():  # the same small index for every group
        rank, metric = rank.reshape(len(sizes), -1), metric.reshape(len(sizes), -1)
        first, second = np.triu_indices(int(sizes[0]), 1)
    else:
        first, second = pair_indices(offsets)
    left, right = (np.take(rank, side, axis=-1).ravel() for side in (first, second))
    cell = np.repeat(3 * np.arange(len(sizes)), sizes * (sizes - 1) // 2)
    cell += left < right
    cell += np.left_shift(left > right, 1, dtype=np.int8)
    del left, right  # fresh memory costs more than the arithmetic
    low, high = (np.take(metric, side, axis=-1).ravel() for side in (first, second))
    return Pairs(difference(low, high, relative), cell)


def by_group(pairs: Pairs, groups: int) -> Integers:
    """How many pairs of each kind every group holds: ``[group, kind]``."""
    return np.bincount(pairs.cell, minlength=3 * groups).reshape(groups, 3)


def apart(pairs: Pairs, groups: int, epsilon: float) -> Integers:
    """Pairs of each group and kind that differ by more than epsilon; O(pairs).

    Twin: metaeval.kernels.sweep.apart. Oracle: tests/oracles/ties.py::count_pairs.
    """
    return np.bincount(pairs.cell[pairs.difference > epsilon], minlength=3 * groups).reshape(groups, 3)
