"""The best epsilon of a linear statistic by one sort and one running sum: for pairs that fit in memory."""

from __future__ import annotations

import numpy as np

from metaeval.kernels.gains import Gains
from metaeval.kernels.layout import Layout
from metaeval.kernels.pairs import Floats, Integers

PART_OF_A_RUN = np.iinfo(np.int64).min
"""Less than any gain."""


def best_by_sorting(layout: Layout, gains: Gains) -> float:
    """The smallest of the best epsilons. O(pairs log pairs) time, O(pairs) memory.

    Pairs whose tie gains nothing never make a first best and are not sorted.
    Oracle: tests/oracles/ties.py::calibrate.
    """
    pairs = layout.enumerated
    gain = gains.table.ravel()[pairs.cell]
    matters = gain != 0
    epsilons, gained = running_sum(pairs.difference[matters], gain[matters])
    if not len(epsilons):
        return 0.0
    zero_ties_nothing = epsilons[0] > 0
    best = max(int(gained.max()), 0) if zero_ties_nothing else int(gained.max())
    if not gains.slack:
        return 0.0 if zero_ties_nothing and best == 0 else float(epsilons[np.argmax(gained)])
    close: set[float] = {0.0, *epsilons[gained >= best - 2 * gains.slack].tolist()}
    untied = layout.apart(0.0)
    return max(sorted(close), key=lambda epsilon: gains.exact(untied - layout.apart(epsilon)))


def running_sum(difference: Floats, gain: Integers) -> tuple[Floats, Integers]:
    """The differences in order, each with the gain of tying all pairs up to it.

    Of equal differences only the last has the sum; before it stands ``PART_OF_A_RUN``, for pairs of equal
    difference become ties together. Nothing is copied that need not be: fresh memory costs more than sums.

    >>> epsilons, gained = running_sum(np.array([0.3, 0.1, 0.3]), np.array([1, -1, 1]))
    >>> epsilons.tolist(), gained[[0, 2]].tolist(), bool(gained[1] == PART_OF_A_RUN)
    ([0.1, 0.3, 0.3], [-1, 1], True)
    """
    order = np.argsort(difference)
    epsilons, gained = difference[order], gain[order]
    np.cumsum(gained, out=gained)
    gained[:-1][epsilons[1:] == epsilons[:-1]] = PART_OF_A_RUN
    return epsilons, gained
