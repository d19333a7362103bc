"""The histogram of the pairs' average scores equals going through the pairs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval.kernels import averages
from metaeval.kernels.averages import Averages, average_histogram, counted, written_out

scores = st.lists(
    st.lists(st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(-1, 1, width=32)), max_size=7), max_size=5
)


def pair_by_pair(groups: list[list[float]], edges: np.ndarray, epsilon: float) -> tuple[list[int], list[int]]:
    pairs, tied = [0] * (len(edges) - 1), [0] * (len(edges) - 1)
    for group in groups:
        for a, b in itertools.combinations(group, 2):
            k = sum((a + b) / 2 >= edge for edge in edges[1:-1])
            pairs[k] += 1
            tied[k] += 0 < abs(a - b) <= epsilon
    return pairs, tied


def both_ways(groups: list[list[float]], edges: np.ndarray, epsilon: float) -> list[Averages]:
    offsets = np.concatenate([[0], np.cumsum([len(g) for g in groups])]).astype(np.int64)
    flat = np.array([x for group in groups for x in group])
    never_written = Averages(np.zeros(len(edges) - 1, np.int64), np.zeros(len(edges) - 1, np.int64), 0.0, 0.0)
    for group in groups:
        if group:
            never_written += counted(np.sort(np.array(group)), edges, epsilon)
    return [average_histogram(flat, offsets, edges, epsilon), never_written]


@settings(deadline=None)
@given(scores, st.sampled_from([0.0, 0.1, 0.5, 3.0]), st.integers(1, 6))
def test_both_ways_of_counting_equal_going_through_the_pairs(
    groups: list[list[float]], epsilon: float, bins: int
) -> None:
    edges = np.linspace(-1, 1, bins + 1)
    pairs, tied = pair_by_pair(groups, edges, epsilon)
    every = [p for group in groups for p in itertools.combinations(group, 2)]
    newly = [(a, b) for a, b in every if 0 < abs(a - b) <= epsilon]
    for found in both_ways(groups, edges, epsilon):
        assert found.pairs.tolist() == pairs
        assert found.tied.tolist() == tied
        assert found.sum_pairs == pytest.approx(sum((a + b) / 2 for a, b in every))
        assert found.sum_tied == pytest.approx(sum((a + b) / 2 for a, b in newly))


def test_large_groups_stand_alone_and_small_ones_are_taken_together(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    sizes = [3, 40, 5, 5, 0, 60, 2]
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    flat, edges = random.normal(size=115), np.linspace(-3, 3, 9)
    plain = average_histogram(flat, offsets, edges, 0.2)
    monkeypatch.setattr(averages, "LARGE", 30)
    monkeypatch.setattr(averages, "HELD", 10)
    split = average_histogram(flat, offsets, edges, 0.2)
    assert split.pairs.tolist() == plain.pairs.tolist()
    assert split.tied.tolist() == plain.tied.tolist()
    assert split.sum_pairs == pytest.approx(plain.sum_pairs)


def test_a_large_group_equals_its_pairs_written_out() -> None:
    ordered = np.sort(np.round(np.random.default_rng(1).normal(size=1600), 2))
    edges = np.linspace(ordered[0], ordered[-1], 14)
    one, other = counted(ordered, edges, 0.11), written_out(ordered, np.array([0, 1600]), edges, 0.11)
    assert one.pairs.tolist() == other.pairs.tolist()
    assert one.tied.tolist() == other.tied.tolist()
    assert one.sum_tied == pytest.approx(other.sum_tied)
