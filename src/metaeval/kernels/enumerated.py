"""Every pair written out, with numpy: the plain way, and the fastest while pairs are few.

The compiled twin of this module, which never holds the pairs, is ``metaeval.kernels.sweep``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from metaeval.kernels.pairs import Floats, Integers

Kinds: TypeAlias = NDArray[np.int8]
TIED, CONCORDANT, DISCORDANT = 0, 1, 2
"""What a pair is while the metric does not tie it: tied by the humans, or in the same or opposite order."""


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Some pairs: how far the metric sets them apart, their kind, their group."""

    difference: Floats
    kind: Kinds
    group: Integers

    def keep(self, which: NDArray[np.bool_]) -> Pairs:
        """Only the pairs marked true."""
        return Pairs(self.difference[which], self.kind[which], self.group[which])


def difference(low: Floats, high: Floats, relative: bool) -> Floats:
    """How far apart two scores are, low <= high; a fraction of the larger magnitude if ``relative``.

    The one definition every count, search and oracle decides ties by. The relative one is written so that,
    rounded as it is, it still never falls as scores of one sign move apart.

    >>> difference(np.array([7.0, -1.0, 0.0]), np.array([10.0, 1.0, 0.0]), relative=True)
    array([0.3, 2. , 0. ])
    """
    gap = high - low
    if not relative:
        return np.asarray(gap)
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
    ends = np.repeat(offsets[1:], np.diff(offsets))
    here = np.arange(len(ends))
    later = ends - here - 1
    first = np.repeat(here, later)
    begins = np.cumsum(later) - later
    second = np.arange(len(first)) + np.repeat(here + 1 - begins, later)
    return first, second


def enumerated(rank: NDArray[np.int32], metric: Floats, offsets: Integers, relative: bool) -> Pairs:
    """All pairs of a layout; O(pairs) time and memory."""
    first, second = pair_indices(offsets)
    left, right = rank[first], rank[second]
    kind = (left < right) + 2 * (left > right).astype(np.int8)
    sizes = np.diff(offsets)
    group = np.repeat(np.arange(len(sizes)), sizes * (sizes - 1) // 2)
    return Pairs(difference(metric[first], metric[second], relative), kind.astype(np.int8), group)


def by_group(pairs: Pairs, groups: int) -> Integers:
    """How many pairs of each kind every group holds: ``[group, kind]``."""
    return np.bincount(pairs.group * 3 + pairs.kind, minlength=3 * groups).reshape(groups, 3)


def apart(
    rank: NDArray[np.int32], metric: Floats, offsets: Integers, relative: bool, epsilon: float
) -> Integers:
    """Pairs of each group and kind that differ by more than epsilon; O(pairs).

    Twin: metaeval.kernels.sweep.apart. Oracle: tests/oracles/ties.py::count_pairs.
    """
    pairs = enumerated(rank, metric, offsets, relative)
    return by_group(pairs.keep(pairs.difference > epsilon), len(offsets) - 1)
