"""Which pairs a sample keeps: decided for each pair by itself, so a sample needs no memory and no order.

Pair (i, j) of a layout is kept if a number mixed from i, j and the seed is small enough; the compiled loops
of ``metaeval.kernels.windows`` keep the same pairs.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from metaeval.kernels.enumerated import Pairs, pair_indices
from metaeval.kernels.layout import Layout, Totals
from metaeval.kernels.pairs import Integers

Numbers = TypeVar("Numbers", np.uint64, NDArray[np.uint64])
INCREMENT, FIRST, SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


def mixed(x: Numbers) -> Numbers:
    """SplitMix64 (Steele, Lea and Flood 2014): 64 bits that look random, the same for the same number.

    >>> hex(mixed(np.zeros(1, dtype=np.uint64))[0])
    '0xe220a8397b1dcdaf'
    """
    x = x + np.uint64(INCREMENT)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(FIRST)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(SECOND)
    return x ^ (x >> np.uint64(31))


def threshold(share: float) -> int:
    """The largest mixed number that is kept."""
    return min(int(share * 2.0**64), 2**64 - 1)


def start(seed: int) -> int:
    """Where a seed begins to count pairs; far from where any other begins."""
    return int(mixed(np.array([seed % 2**64], dtype=np.uint64))[0])


def sampled(layout: Layout, share: float, seed: int) -> Pairs:
    """Each pair with probability ``share``; O(pairs).

    Twin: metaeval.kernels.windows.collect.
    """
    first, second = (side.astype(np.uint64) for side in pair_indices(layout.offsets))
    number = first * np.uint64(len(layout.metric)) + second + np.uint64(start(seed))
    return layout.enumerated.keep(mixed(number) <= np.uint64(threshold(share)))


def totals_of(layout: Layout, tallied: Integers) -> Totals:
    """What does not change with epsilon, of a sample with so many pairs of each group and kind."""
    return Totals(tallied.sum(axis=1), tallied[:, 0], layout.sizes, layout.distinct)
