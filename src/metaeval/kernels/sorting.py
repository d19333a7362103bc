"""The best epsilon of a linear statistic by one sort and one running sum: for pairs that fit in memory."""

from __future__ import annotations

import numpy as np

from metaeval.kernels.gains import Gains
from metaeval.kernels.layout import Layout
from metaeval.kernels.pairs import Floats, Integers


def best_by_sorting(layout: Layout, gains: Gains) -> float:
    """The smallest of the best epsilons. O(pairs log pairs) time, O(pairs) memory.

    Pairs whose tie gains nothing never make a first best and are not sorted.
    Oracle: tests/oracles/ties.py::calibrate.
    """
    pairs = layout.enumerated
    gain = gains.table.ravel()[pairs.cell]
    matters = gain != 0
    epsilons, gained = running_sum(pairs.difference[matters], gain[matters])
    if not gains.slack:
        return float(epsilons[np.argmax(gained)])
    close = epsilons[gained >= gained.max() - 2 * gains.slack]
    untied = layout.apart(0.0)

    def exact(epsilon: float) -> tuple[object, float]:
        return gains.exact(untied - layout.apart(epsilon)), -epsilon

    return float(max(close.tolist(), key=exact))


def running_sum(difference: Floats, gain: Integers) -> tuple[Floats, Integers]:
    """Each distinct difference, 0 always among them, with the gain of tying all pairs up to it.

    >>> running_sum(np.array([0.3, 0.1, 0.3]), np.array([1, -1, 1]))
    (array([0. , 0.1, 0.3]), array([ 0, -1,  1]))
    """
    order = np.argsort(difference)
    epsilons, gained = difference[order], np.cumsum(gain[order])
    last = np.flatnonzero(np.append(epsilons[1:] != epsilons[:-1], True)[: len(epsilons)])
    epsilons, gained = epsilons[last], gained[last]
    if len(epsilons) and epsilons[0] == 0:
        return epsilons, gained
    return np.append(0.0, epsilons), np.append(0, gained)
