"""The best epsilon of a monotone statistic among many pairs: only stretches that can win are walked.

Over a stretch of epsilon C, D and T_h fall, T_m and T_hm grow. A statistic that is monotone in each count
while the others stay is largest, over the box of counts that a stretch spans, at one of its 32 corners; the
mean over groups is at most the mean of the groups' largest corners. Best bound first, a stretch is halved
by counting, O(n log n), until it holds few pairs, and then walked.
"""

from __future__ import annotations

import heapq
import itertools
import math
from typing import NamedTuple

import numpy as np

from metaeval.kernels.bounds import grid, middle
from metaeval.kernels.layout import Layout
from metaeval.kernels.pairs import Integers, PairCounts, mean_defined
from metaeval.kernels.sweep import apart_and_neighbours
from metaeval.kernels.walking import ROUNDING, Optimum, Statistic, walk
from metaeval.kernels.windows import collect

WALKED_PER_SCORE = 4
"""Walking this many pairs a score costs about as much as halving."""
WALKED = 50_000


class Edge(NamedTuple):
    """A difference that occurs, the next larger one, and which pairs are further apart."""

    epsilon: float
    above: float
    apart: Integers


def best_by_pruning(layout: Layout, statistic: Statistic) -> Optimum:
    """The best epsilon and its value; exact if the statistic is monotone, in memory linear in n.

    Oracle: metaeval.kernels.stages.best_by_stages, tests/oracles/ties.py::calibrate.
    """
    few = max(WALKED, WALKED_PER_SCORE * len(layout.metric))
    order = itertools.count()
    edges = {e.epsilon: e for e in (edge_at(layout, epsilon) for epsilon in grid(layout))}
    ordered = [edges[epsilon] for epsilon in sorted(edges)]
    best = value_at(layout, statistic, ordered[0])
    for edge in ordered[1:]:
        best = best.or_better(value_at(layout, statistic, edge))
    todo = [
        (-bound(layout, statistic, low, high), next(order), low, high)
        for low, high in itertools.pairwise(ordered)
    ]
    heapq.heapify(todo)
    while todo:
        negated, _, low, high = heapq.heappop(todo)
        if -negated < best.value:
            break
        if low.above >= high.epsilon:
            continue
        pairs = int((low.apart - high.apart).sum())
        if pairs <= few:
            found = walk(
                layout.totals, statistic, low.apart, collect(layout, low.epsilon, high.epsilon, pairs)
            )
            best = best.or_better(found)
            continue
        half = edge_at(layout, middle(low.above, high.epsilon))
        best = best.or_better(value_at(layout, statistic, half))
        for a, b in ((low, half), (half, high)):
            heapq.heappush(todo, (-bound(layout, statistic, a, b), next(order), a, b))
    return best


def edge_at(layout: Layout, epsilon: float) -> Edge:
    """Count at one epsilon; O(n log n)."""
    apart, below, above = apart_and_neighbours(*layout.arrays, epsilon)
    return Edge(below, above, apart)


def value_at(layout: Layout, statistic: Statistic, edge: Edge) -> Optimum:
    """The mean of the statistic at an edge."""
    return Optimum(mean_defined(statistic(layout.totals.counts(edge.apart))), edge.epsilon)


def bound(layout: Layout, statistic: Statistic, low: Edge, high: Edge) -> float:
    """What the mean cannot exceed between two edges; infinite where a group may become undefined.

    A group undefined at all corners is undefined throughout and left out, as it is from the mean.
    """
    ends = [layout.totals.counts(edge.apart) for edge in (low, high)]
    choices = [np.stack(sides) for sides in zip(*(end.arrays() for end in ends), strict=True)]
    corners = np.array(list(itertools.product((0, 1), repeat=5)))
    counts = [choices[k][corners[:, k]] for k in range(5)]
    constant = [np.broadcast_to(choices[k][0], counts[0].shape) for k in (5, 6)]
    values = np.asarray(statistic(PairCounts(*counts, *constant)))
    undefined = np.isnan(values)
    throughout = undefined.all(axis=0)
    if (undefined.any(axis=0) & ~throughout).any():
        return math.inf
    if throughout.all():
        return -math.inf
    largest = values[:, ~throughout].max(axis=0)
    rounding = 64 * ROUNDING * float(np.abs(values[:, ~throughout]).max())
    return float(largest.mean()) + rounding * (1 + math.log2(len(largest)))
