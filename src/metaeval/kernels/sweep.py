"""Counting pairs at one epsilon without visiting them: a window and a tree over human ranks, compiled.

Scores of a group rise, so those more than epsilon below a score are the first so many of its group, and
ever more of them as the score rises. Once far, a score enters the tree; the tree then tells how many of the
far scores humans rank lower. Relative differences of 1 and more, which scores of opposite sign have, do not
rise along the scores; only there the pairs are visited one by one.

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
        if end - begin <= DIRECT_UP_TO or (relative and epsilon >= 1.0):
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
        tied = agreed = far_pairs = 0
        far = begin
        for j in range(begin, end):
            while distance(metric[far], metric[j], relative) > epsilon:
                r = rank[far]
                seen[r] += 1
                node = r + 1
                while node <= levels:
                    tree[node] += 1
                    node += node & -node
                far += 1
            below = max(below, distance(metric[far], metric[j], relative))
            if far > begin:
                above = min(above, distance(metric[far - 1], metric[j], relative))
                far_pairs += far - begin
                tied += seen[rank[j]]
                node = rank[j]
                while node > 0:
                    agreed += tree[node]
                    node -= node & -node
        counts[g, 0] = tied
        counts[g, 1] = agreed
        counts[g, 2] = far_pairs - tied - agreed
    return below, above
