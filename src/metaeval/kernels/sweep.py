"""Counting pairs at one epsilon without visiting them: a window and a tree over human ranks, compiled.

Scores of a group rise, so those more than epsilon below a score are the first so many of its group, and
ever more of them as the score rises. Once far, a score enters the tree; the tree then tells how many of the
far scores humans rank lower. Relative differences beyond 1, which only scores of opposite sign have, do not
rise along the scores, but fall as their magnitudes part: there the far scores are a window of magnitudes.

The plain twin is ``metaeval.kernels.enumerated``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from metaeval.kernels.compiled import compiled
from metaeval.kernels.pairs import Floats, Integers

DIRECT_UP_TO = 96
"""Group size up to which a double loop is faster than the tree."""


def apart(
    rank: NDArray[np.int32], metric: Floats, offsets: Integers, relative: bool, epsilon: float
) -> Integers:
    """Pairs of each group and kind that differ by more than epsilon; O(n log n) time, O(n) memory.

    Twin: metaeval.kernels.enumerated.apart. Oracle: tests/oracles/ties.py::count_pairs.
    """
    return apart_and_neighbours(rank, metric, offsets, relative, epsilon)[0]


def apart_and_neighbours(
    rank: NDArray[np.int32], metric: Floats, offsets: Integers, relative: bool, epsilon: float
) -> tuple[Integers, float, float]:
    """As ``apart``, with the largest difference up to epsilon and the smallest beyond it.

    They are 0 and infinity where there is none.
    """
    counts = np.zeros((len(offsets) - 1, 3), dtype=np.int64)
    below, above = sweep(rank, metric, offsets, relative, epsilon, counts)
    return counts, below, above


@compiled
def distance(low: float, high: float, relative: bool) -> float:
    """``enumerated.difference`` of one pair, low <= high."""
    gap = high - low
    if not relative:
        return gap
    if abs(low) > abs(high):
        larger, smaller = low, high
    else:
        larger, smaller = high, low
    if larger == 0.0:
        return 0.0
    ratio = smaller / larger
    return gap / abs(larger) if ratio >= 0.5 else 1.0 - ratio


@compiled
def sweep(
    rank: NDArray[np.int32],
    metric: Floats,
    offsets: Integers,
    relative: bool,
    epsilon: float,
    counts: Integers,
) -> tuple[float, float]:
    """Fill ``counts[group, kind]`` with the pairs apart; return the differences next to epsilon."""
    below, above = 0.0, np.inf
    largest = 0
    for g in range(len(offsets) - 1):
        largest = max(largest, offsets[g + 1] - offsets[g])
    tree = np.empty(largest + 1, dtype=np.int32)
    seen = np.empty(largest, dtype=np.int32)
    for g in range(len(offsets) - 1):
        begin, end = offsets[g], offsets[g + 1]
        if end - begin <= DIRECT_UP_TO:
            for i in range(begin, end):
                for j in range(i + 1, end):
                    d = distance(metric[i], metric[j], relative)
                    if d > epsilon:
                        kind = 1 if rank[i] < rank[j] else (2 if rank[i] > rank[j] else 0)
                        counts[g, kind] += 1
                        above = min(above, d)
                    else:
                        below = max(below, d)
            continue
        levels = 0
        for i in range(begin, end):
            levels = max(levels, rank[i] + 1)
        tree[: levels + 1] = 0
        seen[:levels] = 0
        if relative and epsilon >= 1.0:
            own_below, own_above = sweep_signs(
                rank[begin:end], metric[begin:end], epsilon, tree, seen, levels, counts[g]
            )
            below, above = max(below, own_below), min(above, own_above)
            continue
        tied = agreed = far_pairs = 0
        far = begin
        for j in range(begin, end):
            while distance(metric[far], metric[j], relative) > epsilon:
                enter(tree, seen, rank[far], levels, np.int32(1))
                far += 1
            below = max(below, distance(metric[far], metric[j], relative))
            if far > begin:
                above = min(above, distance(metric[far - 1], metric[j], relative))
                far_pairs += far - begin
                tied += seen[rank[j]]
                agreed += lower(tree, rank[j])
        counts[g, 0] = tied
        counts[g, 1] = agreed
        counts[g, 2] = far_pairs - tied - agreed
    return below, above


@compiled
def sweep_signs(
    rank: NDArray[np.int32],
    metric: Floats,
    epsilon: float,
    tree: NDArray[np.int32],
    seen: NDArray[np.int32],
    levels: int,
    counts: Integers,
) -> tuple[float, float]:
    """One group at a relative epsilon from 1 on; returns the differences next to epsilon.

    Scores of one sign differ by at most 1, and any score differs from 0 by 1. A negative and a positive score
    differ by 1 + smaller / larger magnitude: beside a positive score the far ones lie between two magnitudes,
    which rise with it.
    """
    n = len(metric)
    negatives = np.searchsorted(metric, 0.0)
    positive = np.searchsorted(metric, 0.0, side="right")
    below, above = 0.0, np.inf
    if negatives:
        below = max(below, distance(metric[0], metric[negatives - 1], True))
    if positive < n:
        below = max(below, distance(metric[positive], metric[n - 1], True))
    if negatives < positive and positive - negatives < n:
        below = 1.0
    tied = agreed = far_pairs = 0
    first = after = int(negatives) - 1  # far are metric[after + 1 : first + 1]; magnitudes rise to the left
    for j in range(positive, n):
        high = metric[j]
        while after >= 0 and (-metric[after] <= high or distance(metric[after], high, True) > epsilon):
            enter(tree, seen, rank[after], levels, np.int32(1))
            after -= 1
        while first > after and -metric[first] <= high and distance(metric[first], high, True) <= epsilon:
            enter(tree, seen, rank[first], levels, np.int32(-1))
            first -= 1
        if after >= 0:
            below = max(below, distance(metric[after], high, True))
        if first + 1 < negatives:
            below = max(below, distance(metric[first + 1], high, True))
        if first > after:
            above = min(above, distance(metric[first], high, True))
            above = min(above, distance(metric[after + 1], high, True))
            far_pairs += first - after
            tied += seen[rank[j]]
            agreed += lower(tree, rank[j])
    counts[0] = tied
    counts[1] = agreed
    counts[2] = far_pairs - tied - agreed
    return below, above


@compiled
def enter(tree: NDArray[np.int32], seen: NDArray[np.int32], rank: int, levels: int, times: np.int32) -> None:
    """Put a rank into a Fenwick tree and a tally, or take it out (-1 times). O(log levels)."""
    seen[rank] += times
    node = rank + 1
    while node <= levels:
        tree[node] += times
        node += node & -node


@compiled
def lower(tree: NDArray[np.int32], rank: int) -> int:
    """How many entries of a Fenwick tree have a lower rank. O(log levels)."""
    found = 0
    node = rank
    while node > 0:
        found += tree[node]
        node -= node & -node
    return found
