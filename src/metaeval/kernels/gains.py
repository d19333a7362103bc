"""What tying a pair gains, as integers, so that equal optima are recognised as equal.

A statistic is linear when it is a weighted sum of the five counts over the number of pairs: a table in the
notation of WMT'14 without an X. Its mean over groups is then a sum over pairs, each pair worth 1 / (pairs of
its group), and the best epsilon maximises a running sum of integers: the gains times a common multiple of
the groups' pairs. Where no common multiple fits 63 bits, the gains are rounded to a fine grid; ``slack``
bounds the error this brings, and what lies within it is compared again in exact fractions.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from metaeval.kernels.pairs import Integers

LARGEST_SUM = 2**61
LARGEST_GAIN = 2**16


@dataclass(frozen=True, slots=True, eq=False)
class Gains:
    """The gain of tying a pair, ``table[group, kind]``, in units of which a sum may be off by ``slack``."""

    table: Integers
    slack: int
    per_kind: tuple[int, int, int]
    pairs: Integers

    def exact(self, tied: Integers) -> Fraction:
        """The gain of tying ``tied[group, kind]`` pairs, without rounding (up to a constant factor)."""
        gained = (tied * np.array(self.per_kind)).sum(axis=1)
        total = Fraction(0)
        for size in np.unique(self.pairs[self.pairs > 0]):
            total += Fraction(int(gained[self.pairs == size].sum()), int(size))
        return total


def gains_of(linear: Iterable[float], pairs: Integers) -> Gains | None:
    """Gains from the weights of C, D, T_h, T_m, T_hm; None if the weights have no small common unit.

    >>> gains_of((1, 0, 0, 0, 1), np.array([3, 1])).table.tolist()
    [[1, -1, 0], [3, -3, 0]]
    >>> gains_of((1, -1, -1, -1, 1), np.array([3])).per_kind
    (1, -1, 0)
    """
    per_kind = whole_gains(linear)
    if per_kind is None:
        return None
    largest = max(1, *map(abs, per_kind))
    sizes, which = np.unique(pairs, return_inverse=True)
    used = [int(size) for size in sizes if size]
    room = LARGEST_SUM // max(1, largest * int((pairs > 0).sum()))
    common = 1
    for size in used:
        common = math.lcm(common, size)
        if common > room:
            break
    exact = common <= room
    unit = common if exact else room
    weight = np.array([round(Fraction(unit, int(size))) if size else 0 for size in sizes], dtype=np.int64)[
        which
    ]
    slack = 0 if exact else largest * int(pairs.sum()) // 2 + 1
    return Gains(weight[:, None] * np.array(per_kind), slack, per_kind, pairs)


def whole_gains(linear: Iterable[float]) -> tuple[int, int, int] | None:
    """Gain of tying a pair the humans tie, a concordant one, a discordant one, as small whole numbers."""
    concordant, discordant, tied_human, tied_metric, tied_both = (Fraction(w) for w in linear)
    gains = (tied_both - tied_human, tied_metric - concordant, tied_metric - discordant)
    unit = math.lcm(*(g.denominator for g in gains))
    whole = [int(g * unit) for g in gains]
    shared = math.gcd(*whole) or 1
    tied, agreed, crossed = (w // shared for w in whole)
    return (tied, agreed, crossed) if max(map(abs, whole)) // shared <= LARGEST_GAIN else None
