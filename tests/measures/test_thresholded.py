"""Kendall-like, as WMT 2020 had it: pairs that humans set at least 25 points apart."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import matrices

from metaeval.errors import InputError
from metaeval.measures.registry import parse_measure
from metaeval.scores import FloatArray


def pair_by_pair(human: FloatArray, metric: FloatArray, threshold: float) -> tuple[float, int]:
    """Right minus wrong over all pairs of an item that count, pooled; and the items that have such pairs."""
    right = wrong = items = 0
    for h, m in zip(human.T, metric.T, strict=True):
        before = right + wrong
        for i, j in itertools.combinations(range(len(h)), 2):
            apart = abs(h[i] - h[j])
            if not (apart >= threshold and apart > 0):
                continue
            if (h[i] - h[j]) * (m[i] - m[j]) > 0:
                right += 1
            else:
                wrong += 1
        items += right + wrong > before
    return (right - wrong) / (right + wrong) if right + wrong else math.nan, items


@settings(deadline=None)
@given(matrices(), st.sampled_from([0.0, 0.1, 1.0, 4.9, 5.0, 24.0, 25.0, 30.0]))
def test_equals_going_through_the_pairs(data: tuple[FloatArray, FloatArray], threshold: float) -> None:
    human, metric = data
    outcome = parse_measure(f"kendall_like(threshold={threshold})@item").evaluate(human, metric)
    value, items = pair_by_pair(human, metric, threshold)
    assert outcome.value == pytest.approx(value, nan_ok=True)
    assert outcome.groups_used == items


def test_a_pair_just_at_the_threshold_counts_and_a_metric_tie_is_wrong() -> None:
    human, metric = np.array([[75.0], [50.0], [26.0]]), np.array([[0.5], [0.5], [0.1]])
    assert parse_measure("kendall_like@item").evaluate(human, metric).value == 0.0
    assert parse_measure("kendall_like(threshold=24)@item").evaluate(human, metric).value == 1 / 3


def test_items_count_by_their_pairs() -> None:
    human = np.array([[0.0, 0.0], [30.0, 0.0], [60.0, 30.0]])
    metric = np.array([[0.0, 1.0], [1.0, 1.0], [2.0, 0.0]])
    outcome = parse_measure("kendall_like@item").evaluate(human, metric)
    assert outcome.value == (3 - 2) / 5


@pytest.mark.parametrize("threshold", ["-1", "nan", "inf", "many"])
def test_a_threshold_is_a_number_from_0_up(threshold: str) -> None:
    with pytest.raises(InputError, match=f"threshold={threshold} is not possible"):
        parse_measure(f"kendall_like(threshold={threshold})@item")
