"""Borda counts: how many of the others a metric beats, task by task."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metaeval.scores import FloatArray


def borda(values: Sequence[FloatArray], shares: Sequence[float]) -> FloatArray:
    """The share of the other metrics that each metric beats, averaged over tasks; ties count half.

    1 for a metric that is best in every task, 0 for one that is worst in every task. Only the order within a
    task counts, so no measure has more say because its values spread more. A metric without a value in some
    task has no count, and does not count for the others. O(tasks x metrics^2).

    Args:
        values: for each task one value a metric.
        shares: the weights of the tasks, which sum to 1.

    >>> borda([np.array([0.9, 0.5, 0.1]), np.array([0.2, 0.3, 0.3])], [0.5, 0.5]).tolist()
    [0.5, 0.625, 0.375]
    """
    table = np.stack(values)
    known = ~np.isnan(table).any(axis=0)
    counts = np.full(table.shape[1], np.nan)
    counts[known] = 0.0
    for task, share in zip(table, shares, strict=True):
        ours = task[known]
        wins = (ours[:, None] > ours[None, :]).sum(axis=1)
        ties = (ours[:, None] == ours[None, :]).sum(axis=1) - 1
        counts[known] += share * (wins + ties / 2) / max(1, len(ours) - 1)
    return counts
