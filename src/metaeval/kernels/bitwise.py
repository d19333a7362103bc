"""Pair statistics of hybrids in small groups, 64 draws to a machine word.

In the hybrid of two metrics each cell has its score from one of them, so a pair of cells has one of four
metric differences, known beforehand. Whether the pair is concordant is thus a function of two bits, computed
for 64 draws by a few logical operations; the pairs are counted by binary counters whose digits are words.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from metaeval.kernels.compiled import compiled
from metaeval.kernels.pairs import Floats, Integers

Words = NDArray[np.uint64]


def packed(masks: NDArray[np.bool_]) -> Words:
    """Bits of (draws, cells) as words of 64 draws: (cells, words).

    >>> packed(np.array([[True, False], [True, True]])).tolist()
    [[3], [2]]
    """
    draws, cells = masks.shape
    bits = np.zeros((cells, -(-draws // 64) * 64), dtype=np.bool_)
    bits[:, :draws] = masks.T
    return np.packbits(bits, axis=1, bitorder="little").view("<u8").astype(np.uint64)


@compiled
def add_pair(digits: Words, counter: int, function: int, bits: Words, s: int, t: int) -> int:
    """Adds a pair of cells to the counters, one a draw, whose bits it is a function of; or returns 1 for all.

    Args:
        digits: (counters, places, words), lowest place first.
        function: bit ``2 * a + b`` is what to add where the bit of cell s is a and that of cell t is b.
    """
    if function == 0 or function == 15:
        return function & 1
    zero, every = np.uint64(0), ~np.uint64(0)
    f00, f01 = (every if function & 1 else zero), (every if function & 2 else zero)
    f10, f11 = (every if function & 4 else zero), (every if function & 8 else zero)
    for w in range(bits.shape[1]):
        a, b = bits[s, w], bits[t, w]
        carry = (~a & ((~b & f00) | (b & f01))) | (a & ((~b & f10) | (b & f11)))
        for place in range(digits.shape[1]):
            here = digits[counter, place, w]
            digits[counter, place, w] = here ^ carry
            carry &= here
    return 0


@compiled
def read(digits: Words, counter: int, word: int, bit: int) -> int:
    """The number that one draw's counter shows."""
    number = 0
    for place in range(digits.shape[1]):
        number |= int((digits[counter, place, word] >> np.uint64(bit)) & np.uint64(1)) << place
    return number


@compiled
def any_in(digits: Words, counter: int, word: int) -> bool:
    """Whether any of 64 counters is above 0."""
    found = np.uint64(0)
    for place in range(digits.shape[1]):
        found |= digits[counter, place, word]
    return bool(found)


@compiled
def sums_over_groups(
    kept: Floats,
    taken: Floats,
    human: Floats,
    offsets: Integers,
    bits: Words,
    epsilon: float,
    begin: Integers,
    untied: Integers,
    table: Floats,
    total: Floats,
    defined: Integers,
) -> None:
    """Adds each group's statistic to ``total`` [draw] and counts in ``defined`` the groups that have one.

    Args:
        kept, taken: scores of the cells where their bit is 0 and where it is 1.
        bits: (cells, words) as :func:`packed` makes them.
        begin, untied: where each group's values begin in ``table``, and how many pairs humans do not tie.
        table: values by T_hm, T_m and C, as :mod:`metaeval.kernels.lookup` lays them out.

    O(pairs x words) logical operations and O(groups x draws) look-ups.
    Oracle: tests/kernels/test_bitwise.py, by building every hybrid.
    """
    words, draws = bits.shape[1], len(total)
    size = np.max(np.diff(offsets)) if len(offsets) > 1 else 0
    places = 1
    while 1 << places <= size * (size - 1) // 2:
        places += 1
    digits = np.empty((3, places, words), dtype=np.uint64)
    flat = np.empty(3, dtype=np.int64)
    for g in range(len(offsets) - 1):
        digits[:] = 0
        flat[:] = 0
        for s in range(offsets[g], offsets[g + 1]):
            for t in range(s + 1, offsets[g + 1]):
                d00, d01 = kept[s] - kept[t], kept[s] - taken[t]
                d10, d11 = taken[s] - kept[t], taken[s] - taken[t]
                above = (d00 > epsilon) | (d01 > epsilon) << 1 | (d10 > epsilon) << 2 | (d11 > epsilon) << 3
                below = (
                    (d00 < -epsilon) | (d01 < -epsilon) << 1 | (d10 < -epsilon) << 2 | (d11 < -epsilon) << 3
                )
                ties = 15 & ~(above | below)
                if human[s] == human[t]:
                    flat[2] += add_pair(digits, 2, ties, bits, s, t)
                else:
                    right = above if human[s] > human[t] else below
                    flat[0] += add_pair(digits, 0, right, bits, s, t)
                    flat[1] += add_pair(digits, 1, ties, bits, s, t)
        row = untied[g] + 1
        for w in range(words):
            tied = any_in(digits, 1, w), any_in(digits, 2, w)
            for bit in range(min(64, draws - 64 * w)):
                concordant = flat[0] + read(digits, 0, w, bit)
                metric = flat[1] + (read(digits, 1, w, bit) if tied[0] else 0)
                both = flat[2] + (read(digits, 2, w, bit) if tied[1] else 0)
                corner = both * (row * (row + 1) // 2) + metric * row - metric * (metric - 1) // 2
                value = table[begin[g] + corner + concordant]
                if value == value:
                    total[64 * w + bit] += value
                    defined[64 * w + bit] += 1
