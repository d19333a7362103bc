"""Borda counts, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from metaeval.leaderboard.borda import borda


def test_a_count_made_by_hand() -> None:
    # first task: A beats B and C, B beats C; second, of twice the weight: C beats both, A and B tie
    counts = borda([np.array([0.9, 0.5, 0.1]), np.array([0.2, 0.2, 0.3])], [1 / 3, 2 / 3])
    assert counts == pytest.approx([(1 + 2 * 0.25) / 3, (0.5 + 2 * 0.25) / 3, (0 + 2 * 1) / 3])


def test_best_everywhere_is_one_and_worst_everywhere_zero() -> None:
    assert borda([np.array([3.0, 2.0, 1.0])] * 4, [0.25] * 4).tolist() == [1.0, 0.5, 0.0]


def test_only_the_order_within_a_task_counts() -> None:
    values = [np.array([0.1, 0.9, 0.5]), np.array([3.0, 1.0, 2.0])]
    assert (borda(values, [0.5, 0.5]) == borda([np.exp(v) for v in values], [0.5, 0.5])).all()


def test_a_metric_without_a_value_has_no_count_and_does_not_count_for_the_others() -> None:
    counts = borda([np.array([0.9, np.nan, 0.1])], [1.0])
    assert np.isnan(counts[1])
    assert counts[[0, 2]].tolist() == [1.0, 0.0]


def test_one_metric_alone_beats_nobody() -> None:
    assert borda([np.array([0.5])], [1.0]).tolist() == [0.0]
