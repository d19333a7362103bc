"""Spearman of hybrids without ranking them: two metrics are merged once, and a hybrid is a scan, compiled.

Where two metrics exchange scores, each entry of the merged list of both belongs to exactly one of the two
hybrids; their ranks are the places within what each was dealt, equal scores sharing the mean place.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from metaeval.kernels.compiled import compiled
from metaeval.scores import FloatArray

Places = NDArray[np.int64]


@compiled
def merged(
    one: FloatArray, other: FloatArray, order_one: Places, order_other: Places, offsets: Places
) -> tuple[Places, Places, NDArray[np.bool_]]:
    """Both metrics' cells, group after group, by rising score; O(cells).

    Args:
        order_one: the cells of each group by rising score of the first metric; likewise ``order_other``.

    Returns:
        the cell of each entry, which metric it is from, and whether the next entry has another score.
    """
    total = 2 * offsets[-1]
    cell = np.empty(total, dtype=np.int64)
    owner = np.empty(total, dtype=np.int64)
    ends = np.ones(total, dtype=np.bool_)
    k = 0
    for g in range(len(offsets) - 1):
        a, b, stop, begin = offsets[g], offsets[g], offsets[g + 1], k
        last = 0.0
        while a < stop or b < stop:
            first = b == stop or (a < stop and one[order_one[a]] <= other[order_other[b]])
            if first:
                cell[k], owner[k], value = order_one[a], 0, one[order_one[a]]
                a += 1
            else:
                cell[k], owner[k], value = order_other[b], 1, other[order_other[b]]
                b += 1
            if k > begin:
                ends[k - 1] = value != last
            last = value
            k += 1
    return cell, owner, ends


@compiled
def mean_spearman(
    human: FloatArray,
    position: Places,
    owner: Places,
    ends: NDArray[np.bool_],
    offsets: Places,
    spread: FloatArray,
    masks: NDArray[np.bool_],
    values: FloatArray,
) -> None:
    """Mean r over the groups where it is defined, for both hybrids of each draw; a few ns an entry.

    Args:
        human: of each entry, the rank of its human score, centred within its group.
        position: of each entry, the bit of a mask that exchanges it.
        offsets: of the cells; a group has twice as many entries.
        spread: sum of squares of the centred ranks of each group, above 0.
        values: draws x 2, filled; NaN where no group has a value.

    Oracle: measures.moments.Spearman.
    """
    seen, run, in_run = np.zeros(2), np.zeros(2), np.zeros(2)
    cross, square, runs = np.zeros(2), np.zeros(2), np.zeros(2)
    total, used = np.zeros(2), np.zeros(2)
    for d in range(len(masks)):
        mask = masks[d]
        total[:] = 0.0
        used[:] = 0.0
        for g in range(len(offsets) - 1):
            middle = 0.5 * (offsets[g + 1] - offsets[g] + 1.0)
            for h in range(2):
                seen[h] = run[h] = in_run[h] = cross[h] = square[h] = runs[h] = 0.0
            begins = True
            for k in range(2 * offsets[g], 2 * offsets[g + 1]):
                h = owner[k] ^ np.int64(mask[position[k]])
                if begins and ends[k]:
                    seen[h] += 1.0
                    rank = seen[h] - middle
                    cross[h] += rank * human[k]
                    square[h] += rank * rank
                    runs[h] += 1.0
                    continue
                run[h] += 1.0
                in_run[h] += human[k]
                begins = ends[k]
                if begins:
                    for h in range(2):
                        rank = seen[h] + 0.5 * (run[h] + 1.0) - middle
                        cross[h] += rank * in_run[h]
                        square[h] += rank * rank * run[h]
                        runs[h] += 1.0 if run[h] > 0.0 else 0.0
                        seen[h] += run[h]
                        run[h] = in_run[h] = 0.0
            for h in range(2):
                if runs[h] > 1.0:
                    r = cross[h] / (math.sqrt(square[h]) * math.sqrt(spread[g]))
                    total[h] += min(max(r, -1.0), 1.0)
                    used[h] += 1.0
        for h in range(2):
            values[d, h] = total[h] / used[h] if used[h] > 0.0 else math.nan
