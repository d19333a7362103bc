"""The best epsilon of any statistic, pair by pair: the paper's Algorithm 1, many pairs an array operation.

The walk may begin anywhere: it takes the counts at its start and the pairs that follow, so that a long walk
can be made in stages that fit in memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from metaeval.kernels.enumerated import Pairs, by_group
from metaeval.kernels.layout import Totals
from metaeval.kernels.pairs import Floats, Integers, PairCounts, mean_defined

Statistic: TypeAlias = Callable[[PairCounts], Floats]
"""A value for every group's counts, computed elementwise; NaN where it is undefined."""

ROUNDING = 2.0**-52


class Optimum(NamedTuple):
    """The best value and the smallest epsilon that gives it; NaN where the statistic is nowhere defined."""

    value: float
    epsilon: float

    def or_better(self, other: Optimum) -> Optimum:
        """The better of two; of equal ones that of the smaller epsilon."""
        if math.isnan(other.value):
            return self
        if math.isnan(self.value) or other.value > self.value:
            return other
        return other if other.value == self.value and other.epsilon < self.epsilon else self


class Steps(NamedTuple):
    """The moments at which a group's value changes, in the order of epsilon."""

    epsilon: Floats
    group: Integers
    value: Floats
    before: Floats


def best_by_walking(totals: Totals, statistic: Statistic, pairs: Pairs) -> Optimum:
    """The best epsilon among all pairs of ``totals``; O(pairs log pairs) time, O(pairs) memory.

    Oracle: tests/oracles/ties.py::calibrate.
    """
    ahead = pairs.keep(pairs.difference > 0)
    apart = by_group(ahead, len(totals.pairs))
    start = Optimum(mean_defined(statistic(totals.counts(apart))), 0.0)
    return start.or_better(walk(totals, statistic, apart, ahead))


def walk(totals: Totals, statistic: Statistic, apart: Integers, pairs: Pairs) -> Optimum:
    """The best of the epsilons at which some of ``pairs`` become ties.

    Args:
        apart: pairs of each group and kind not tied before the walk, those of the walk included.
        pairs: the pairs that become ties during the walk, in any order.

    O(pairs log pairs). The value is the correctly rounded mean over the groups where the statistic is
    defined; running sums only choose which epsilons are worth computing it for.
    Oracle: tests/oracles/ties.py::calibrate.
    """
    if not len(pairs.cell):
        return Optimum(math.nan, math.nan)
    steps = steps_of(totals, statistic, apart, pairs)
    if len(apart) == 1:
        if np.isnan(steps.value).all():
            return Optimum(math.nan, math.nan)
        best = int(np.nanargmax(steps.value))
        return Optimum(float(steps.value[best]), float(steps.epsilon[best]))
    begin = statistic(totals.counts(apart))
    return resolved(steps, begin, promising(steps, begin))


def steps_of(totals: Totals, statistic: Statistic, apart: Integers, pairs: Pairs) -> Steps:
    """The value of a group after each distinct difference among its pairs."""
    single = len(apart) == 1
    order = np.argsort(pairs.difference) if single else np.lexsort((pairs.difference, pairs.cell // 3))
    difference, cell = pairs.difference[order], pairs.cell[order]
    group = cell // 3
    kind = cell - 3 * group
    last = np.append((difference[1:] != difference[:-1]) | (group[1:] != group[:-1]), True)
    difference, group = difference[last], group[last]
    opens = np.append(True, group[1:] != group[:-1])
    at = np.flatnonzero(last) + 1
    begins = np.append(0, at[:-1])[opens]
    which = np.cumsum(opens) - 1
    left = np.empty((len(at), 3), dtype=np.int64)
    for k in range(3):
        tied = np.append(0, np.cumsum(kind == k))
        left[:, k] = (apart[group[opens], k] + tied[begins])[which] - tied[at]
    rows = None if single else group
    value = np.asarray(statistic(totals.counts(left, rows)), dtype=np.float64)
    if single:
        return Steps(difference, group, value, value)
    begin = np.asarray(statistic(totals.counts(apart)), dtype=np.float64)
    before = np.empty_like(value)
    before[1:] = value[:-1]
    before[opens] = begin[group[opens]]
    order = np.argsort(difference, kind="stable")
    return Steps(difference[order], group[order], value[order], before[order])


def promising(steps: Steps, begin: Floats) -> Integers:
    """The last step of every epsilon whose mean, but for rounding, may be the best."""
    change = np.nan_to_num(steps.value) - np.nan_to_num(steps.before)
    appears = (~np.isnan(steps.value)).astype(np.int64) - ~np.isnan(steps.before)
    total = np.nansum(begin) + np.cumsum(change)
    defined = np.count_nonzero(~np.isnan(begin)) + np.cumsum(appears)
    moved = np.cumsum((change != 0) | (appears != 0))
    ends = np.flatnonzero(np.append(steps.epsilon[1:] != steps.epsilon[:-1], True))
    ends = ends[(defined[ends] > 0) & (np.diff(moved[ends], prepend=0) > 0)]
    if not len(ends):
        return ends
    largest = np.nanmax(np.abs(steps.value), initial=0) + np.abs(total).max() + np.nansum(np.abs(begin))
    drift = 2 * ROUNDING * (len(change) + len(begin)) * largest / defined[ends]
    mean = total[ends] / defined[ends]
    return np.asarray(ends[mean + drift >= (mean - drift).max()])


def resolved(steps: Steps, begin: Floats, ends: Integers) -> Optimum:
    """The best of the steps in question, each group's value looked up and the mean computed afresh."""
    best, current, done = Optimum(math.nan, math.nan), begin.copy(), 0
    for end in ends.tolist():
        current[steps.group[done : end + 1]] = steps.value[done : end + 1]
        done = end + 1
        best = best.or_better(Optimum(mean_defined(current), float(steps.epsilon[end])))
    return best
