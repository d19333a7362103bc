"""Borda counts: how many of the others a metric beats, task by task."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metaeval.scores import FloatArray


def borda(values: Sequence[FloatArray], shares: Sequence[float]) -> FloatArray:
    """The share of the other metrics that each metric beats, averaged over tasks; ties count half.

    1 for a metric that is best in every task, 0 for one that is worst in every task. Only the order within a
    task counts, so no measure has more say because its values spread more. A metric without a value in some
    task has no count. O(tasks x metrics^2).

    Args:
        values: for each task one value a metric.
        shares: the weights of the tasks, which sum to 1.

    >>> borda([np.array([0.9, 0.5, 0.1]), np.array([0.2, 0.3, 0.3])], [0.5, 0.5]).tolist()
    [0.5, 0.625, 0.375]
    """
    total = np.zeros(len(values[0]))
    for task, share in zip(values, shares, strict=True):
        wins = (task[:, None] > task[None, :]).sum(axis=1)
        ties = (task[:, None] == task[None, :]).sum(axis=1) - 1
        total += share * np.where(np.isnan(task), np.nan, (wins + ties / 2) / max(1, len(task) - 1))
    return total
