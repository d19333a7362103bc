"""The best epsilon of a linear statistic by sorting pairs and summing up: for pairs that fit in memory."""

from __future__ import annotations

import numpy as np

from metaeval.kernels.gains import Gains
from metaeval.kernels.layout import Layout
from metaeval.kernels.pairs import Floats, Integers

PART_OF_A_RUN = np.iinfo(np.int64).min
"""Less than any gain."""
PAIRS_PER_BIN = 128


def best_by_sorting(layout: Layout, gains: Gains) -> float:
    """The smallest of the best epsilons. O(pairs + k log k) for the k pairs in question, O(pairs) memory.

    Pairs whose tie gains nothing never make a first best and are not sorted, nor are pairs of a stretch of
    epsilon in which no sum can be the best: most of them, unless the sum is flat.
    Oracle: tests/oracles/ties.py::calibrate.
    """
    pairs = layout.enumerated
    gain = gains.table.ravel()[pairs.cell]
    matters = gain != 0
    difference, gain = pairs.difference[matters], gain[matters]
    if not len(gain):
        return 0.0
    zero_ties_nothing = float(difference.min()) > 0
    needed = 0 if zero_ties_nothing else PART_OF_A_RUN // 2
    epsilons, gained = running_sum(*in_question(difference, gain, needed, 2 * gains.slack))
    reached = int(gained.max(initial=PART_OF_A_RUN))
    best = max(reached, 0) if zero_ties_nothing else reached
    if not gains.slack:
        return 0.0 if zero_ties_nothing and best == 0 else float(epsilons[np.argmax(gained)])
    close: set[float] = {0.0, *epsilons[gained >= best - 2 * gains.slack].tolist()}
    untied = layout.apart(0.0)
    return max(sorted(close), key=lambda epsilon: gains.exact(untied - layout.apart(epsilon)))


def in_question(
    difference: Floats, gain: Integers, needed: int, slack: int
) -> tuple[Floats, Integers, Integers]:
    """Differences in stretches that may hold the best sum, their gains, and the gains left out below.

    A histogram has the sum at the end of each of its bins, and within a bin it rises by no more than the
    gains there. A bin of equal differences, as discrete metrics have, is given as one. O(pairs).

    >>> discrete = np.repeat([0.1, 0.3, 0.5, 0.7, 1.0], 200)
    >>> [part.tolist() for part in in_question(discrete, np.repeat([1, -1, 1, 1, -1], 200), 0, 0)]
    [[0.7, 1.0], [200, -200], [200, 200]]
    """
    bins = max(1, len(difference) // PAIRS_PER_BIN)
    furthest = float(difference.max())
    place = np.zeros(len(difference), dtype=np.int64)
    if furthest > 0:
        np.minimum(difference / furthest * bins, bins - 1, out=place, casting="unsafe")
    net, rise = np.zeros((2, bins), dtype=np.int64)
    np.add.at(net, place, gain)
    np.add.at(rise, place, np.maximum(gain, 0))
    after = np.cumsum(net)
    alive = after - net + rise >= max(needed, int(after.max())) - slack
    left_out = np.cumsum(np.where(alive, 0, net))
    least, most = np.full(bins, np.inf), np.full(bins, -np.inf)
    np.minimum.at(least, place, difference)
    np.maximum.at(most, place, difference)
    single = alive & (least == most)
    several, ones = (alive & ~single)[place], np.flatnonzero(single)
    return (
        np.concatenate([difference[several], most[ones]]),
        np.concatenate([gain[several], net[ones]]),
        left_out[np.concatenate([place[several], ones])],
    )


def running_sum(
    difference: Floats, gain: Integers, skipped: Integers | None = None
) -> tuple[Floats, Integers]:
    """The differences in order, each with the gain of tying all pairs up to it.

    Of equal differences only the last has the sum; before it stands ``PART_OF_A_RUN``, for pairs of equal
    difference become ties together. Nothing is copied that need not be: fresh memory costs more than sums.

    Args:
        difference: of the pairs, in any order.
        gain: of tying each.
        skipped: what pairs that are not given gain below each.

    >>> epsilons, gained = running_sum(np.array([0.3, 0.1, 0.3]), np.array([1, -1, 1]))
    >>> epsilons.tolist(), gained[[0, 2]].tolist(), bool(gained[1] == PART_OF_A_RUN)
    ([0.1, 0.3, 0.3], [-1, 1], True)
    """
    order = np.argsort(difference)
    epsilons, gained = difference[order], gain[order]
    np.cumsum(gained, out=gained)
    if skipped is not None:
        gained += skipped[order]
    gained[:-1][epsilons[1:] == epsilons[:-1]] = PART_OF_A_RUN
    return epsilons, gained
