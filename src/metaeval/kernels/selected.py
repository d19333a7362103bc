"""Pair counts of many vectors that draw their entries from one sorted list.

A hybrid of two metrics, or a bootstrap sample of one, is a choice from entries whose order never changes:
sort them once, and every draw is a scan. Beside it, running counts by human rank tell for each entry how many
of the lower ones humans rank lower: O(entries + chosen sqrt(levels)) a draw, the root a few vector additions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaeval.kernels.compiled import compiled
from metaeval.kernels.pairs import Floats, Integers, PairCounts

FIELDS = 7
CONCORDANT, DISCORDANT, APART_TIED, SIZE, HUMAN_TIES, HUMAN_LEVELS, METRIC_LEVELS = range(FIELDS)


@compiled
def merged(
    first: Floats, second: Floats, first_order: Integers, second_order: Integers, offsets: Integers
) -> tuple[Floats, Integers]:
    """Two vectors in one rising list, group by group: the values, and their places in both end to end.

    Args:
        first_order, second_order: what sorts each vector within each group.

    O(n).
    """
    n = len(first)
    value, entry = np.empty(2 * n), np.empty(2 * n, dtype=np.int64)
    for g in range(len(offsets) - 1):
        stop = offsets[g + 1]
        a = b = offsets[g]
        for k in range(2 * offsets[g], 2 * stop):
            if b == stop or (a < stop and first[first_order[a]] <= second[second_order[b]]):
                entry[k] = first_order[a]
                value[k] = first[entry[k]]
                a += 1
            else:
                entry[k] = n + second_order[b]
                value[k] = second[entry[k] - n]
                b += 1
    return value, entry


@compiled
def count_selected(
    value: Floats,
    entry: Integers,
    offsets: Integers,
    rank: NDArray[np.int32],
    levels: int,
    weights: NDArray[np.integer[Any]],
    epsilon: float,
    counts: Integers,
) -> None:
    """Counts of every draw and group: (draws, groups, FIELDS).

    Args:
        value: rising within each group of ``offsets``.
        entry: the column of ``weights`` of each value.
        rank: human rank of each value within its group, from 0.
        levels: above all ranks.
        weights: (draws, entries), how often an entry is chosen; copies are tied by both sides.

    Oracle: tests/kernels/test_selected.py, by building every vector.
    """
    largest = np.max(np.diff(offsets)) if len(offsets) > 1 else 0
    chosen, ranks = np.empty(largest), np.empty(largest, dtype=np.int64)
    times = np.empty(largest, dtype=np.int64)
    bits = 4
    while 1 << 2 * bits < levels:
        bits += 1
    width, runs = 1 << bits, (levels >> bits) + 1
    within, before = np.zeros(runs << bits, dtype=np.int32), np.zeros(runs, dtype=np.int32)
    lower, everywhere = np.zeros(levels, dtype=np.int64), np.zeros(levels, dtype=np.int64)
    for d in range(len(weights)):
        for g in range(len(offsets) - 1):
            within[:] = 0
            before[:] = 0
            lower[:] = 0
            everywhere[:] = 0
            kept = 0
            for e in range(offsets[g], offsets[g + 1]):
                chosen[kept], ranks[kept] = value[e], rank[e]
                times[kept] = weights[d, entry[e]]
                kept += times[kept] > 0
            concordant = discordant = apart_tied = passed = size = metric_levels = 0
            behind = 0
            for e in range(kept):
                while chosen[e] - chosen[behind] > epsilon:
                    r, w = ranks[behind], times[behind]
                    lower[r] += w
                    passed += w
                    run = r >> bits
                    place, w32 = np.int32(r - (run << bits)), np.int32(w)
                    part = within[run << bits : (run + 1) << bits]
                    for k in range(np.int32(width)):
                        part[k] += w32 if k > place else np.int32(0)
                    for k in range(runs):
                        before[k] += w32 if k > run else np.int32(0)
                    behind += 1
                w = times[e]
                less = before[ranks[e] >> bits] + within[ranks[e]]
                same = lower[ranks[e]]
                concordant += w * less
                apart_tied += w * same
                discordant += w * (passed - less - same)
                everywhere[ranks[e]] += w
                size += w
                metric_levels += e == 0 or chosen[e] != chosen[e - 1]
            ties = human_levels = 0
            for r in range(levels):
                ties += everywhere[r] * (everywhere[r] - 1) // 2
                human_levels += everywhere[r] > 0
            counts[d, g, CONCORDANT], counts[d, g, DISCORDANT] = concordant, discordant
            counts[d, g, APART_TIED], counts[d, g, SIZE] = apart_tied, size
            counts[d, g, HUMAN_TIES] = ties
            counts[d, g, HUMAN_LEVELS], counts[d, g, METRIC_LEVELS] = human_levels, metric_levels


def as_counts(counts: Integers) -> PairCounts:
    """What :func:`count_selected` found, as the counts that statistics are made of: (draws, groups)."""
    concordant, discordant, apart_tied, size, ties = (counts[..., f] for f in range(HUMAN_TIES + 1))
    return PairCounts(
        concordant,
        discordant,
        apart_tied,
        size * (size - 1) // 2 - ties - concordant - discordant,
        ties - apart_tied,
        size,
        np.minimum(counts[..., HUMAN_LEVELS], counts[..., METRIC_LEVELS]),
    )
