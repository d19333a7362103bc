"""The best epsilon of any statistic among more pairs than can be held: the walk, made in stages.

A stage is a stretch of epsilon that holds a bounded number of pairs; each is collected, walked and forgotten.
Every pair is visited, so the time is that of the pairs, O(pairs log(pairs of a stage)), whatever the
statistic; the memory is that of a stage. The search on a sample of pairs goes the same way.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from metaeval.kernels.bounds import middle
from metaeval.kernels.enumerated import Pairs, by_group
from metaeval.kernels.gains import Gains
from metaeval.kernels.layout import Layout, Totals
from metaeval.kernels.pairs import Integers, mean_defined
from metaeval.kernels.sampling import totals_of
from metaeval.kernels.sorting import running_sum
from metaeval.kernels.sweep import apart_and_neighbours
from metaeval.kernels.walking import Optimum, Statistic, walk
from metaeval.kernels.windows import collect, tally

STAGE = 500_000
"""Pairs held at once."""


class Mark(NamedTuple):
    """A difference that occurs, the next larger one, and how many pairs are further apart."""

    epsilon: float
    above: float
    beyond: int


def best_by_stages(
    layout: Layout, statistic: Statistic, share: float = 1.0, seed: int = 0, gains: Gains | None = None
) -> Optimum:
    """The best epsilon, and its value, on all pairs or on a share of them.

    ``gains``, where the statistic is linear, spare its computation at every epsilon of a single group.
    Oracle: tests/oracles/ties.py::calibrate.
    """
    tied = tally(layout, -1.0, 0.0, share, seed)
    apart = tally(layout, 0.0, math.inf, share, seed) if share < 1 else layout.apart(0.0)
    totals = totals_of(layout, tied + apart) if share < 1 else layout.totals
    best = Optimum(mean_defined(statistic(totals.counts(apart))), 0.0)
    for low, high in stages(layout, int(STAGE / share)):
        if low.above == high.epsilon:
            tied = tally(layout, low.epsilon, high.epsilon, share, seed)
            apart = apart - tied
            here = Optimum(mean_defined(statistic(totals.counts(apart))), high.epsilon)
            best = best.or_better(here) if tied.any() else best
            continue
        pairs = collect(layout, low.epsilon, high.epsilon, low.beyond - high.beyond, share=share, seed=seed)
        if gains is not None and len(layout.sizes) == 1:
            best = best.or_better(best_gain(totals, statistic, apart, pairs, gains))
        else:
            best = best.or_better(walk(totals, statistic, apart, pairs))
        apart = apart - by_group(pairs, len(layout.sizes))
    return best


def best_gain(totals: Totals, statistic: Statistic, apart: Integers, pairs: Pairs, gains: Gains) -> Optimum:
    """As ``walk``, of one group and a linear statistic: its value only where the pairs tied gain most."""
    gain = np.array(gains.per_kind)[pairs.cell]
    matters = gain != 0
    if not matters.any():
        return Optimum(math.nan, math.nan)
    epsilons, gained = running_sum(pairs.difference[matters], gain[matters])
    epsilon = float(epsilons[np.argmax(gained)])
    tied = by_group(pairs.keep(pairs.difference <= epsilon), 1)
    return Optimum(mean_defined(statistic(totals.counts(apart - tied))), epsilon)


def stages(layout: Layout, most: int) -> Iterator[tuple[Mark, Mark]]:
    """Stretches from 0 to the largest difference, each of at most so many pairs or of one difference."""
    ahead = [mark(layout, math.inf)]
    low = mark(layout, 0.0)
    while ahead:
        high = ahead[-1]
        if low.epsilon == high.epsilon:
            ahead.pop()
        elif low.beyond - high.beyond <= most or low.above == high.epsilon:
            yield low, high
            low = ahead.pop()
        else:
            ahead.append(mark(layout, middle(low.above, high.epsilon)))


def mark(layout: Layout, epsilon: float) -> Mark:
    """Count at one epsilon; O(n log n)."""
    apart, below, above = apart_and_neighbours(*layout.arrays, epsilon)
    return Mark(below, above, int(apart.sum()))
