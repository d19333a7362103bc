"""Pair counts of vectors chosen from one sorted list."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from oracles import ties as oracle
from scipy import stats

from metaeval.kernels.layout import dense_ranks, sort_within
from metaeval.kernels.pairs import PairCounts
from metaeval.kernels.selected import FIELDS, as_counts, count_selected, merged
from metaeval.scores import FloatArray

Offsets = NDArray[np.int64]


@st.composite
def grouped(draw: st.DrawFn) -> tuple[FloatArray, FloatArray, FloatArray, Offsets]:
    """Human scores and two metrics in groups of any size, 0 included, on scales of few and many values."""
    sizes = draw(st.lists(st.integers(0, 7), min_size=1, max_size=4))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    levels = draw(st.sampled_from([1, 2, 40]))
    human, first, second = rng.integers(0, levels + 1, size=(3, sum(sizes))) / 4
    return human, first, second, np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def hybrid_counts(
    human: FloatArray,
    first: FloatArray,
    second: FloatArray,
    offsets: Offsets,
    masks: NDArray[np.bool_],
    epsilon: float,
) -> PairCounts:
    first_order, second_order = sort_within(first, offsets), sort_within(second, offsets)
    value, entry = merged(first, second, first_order, second_order, offsets)
    weights = np.ascontiguousarray(np.concatenate([~masks, masks], axis=1)).view(np.uint8)
    return counted(human, offsets, value, entry, 2 * offsets, weights, epsilon)


def counted(
    human: FloatArray,
    offsets: Offsets,
    value: FloatArray,
    entry: Offsets,
    of_entries: Offsets,
    weights: NDArray[np.uint8] | NDArray[np.int64],
    epsilon: float,
) -> PairCounts:
    rank, levels = dense_ranks(human, offsets)
    counts = np.zeros((len(weights), len(offsets) - 1, FIELDS), dtype=np.int64)
    chosen = rank[entry % max(len(human), 1)]
    count_selected(value, entry, of_entries, chosen, int(levels.max()), weights, epsilon, counts)
    return as_counts(counts)


def naive(
    human: FloatArray, metrics: list[FloatArray], offsets: Offsets, epsilon: float
) -> list[list[PairCounts]]:
    return [
        [
            oracle.count_pairs(human[a:b].tolist(), metric[a:b].tolist(), epsilon)
            for a, b in itertools.pairwise(offsets)
        ]
        for metric in metrics
    ]


@given(grouped(), st.sampled_from([0.0, 0.25, 1.0]), st.integers(0, 100))
@settings(max_examples=80, deadline=None)
def test_counts_of_hybrids_equal_counting_pair_by_pair(
    data: tuple[FloatArray, FloatArray, FloatArray, Offsets], epsilon: float, seed: int
) -> None:
    human, first, second, offsets = data
    masks = np.random.default_rng(seed).random((3, len(human))) < 0.5
    found = hybrid_counts(human, first, second, offsets, masks, epsilon)
    expected = naive(human, [np.where(mask, second, first) for mask in masks], offsets, epsilon)
    for d in range(3):
        for g in range(len(offsets) - 1):
            assert found[d, g] == expected[d][g]


@given(grouped(), st.sampled_from([0.0, 0.5]), st.integers(0, 100))
@settings(max_examples=80, deadline=None)
def test_a_weight_is_a_number_of_copies(
    data: tuple[FloatArray, FloatArray, FloatArray, Offsets], epsilon: float, seed: int
) -> None:
    human, metric, _, offsets = data
    weights = np.random.default_rng(seed).integers(0, 4, size=(2, len(human)))
    order = sort_within(metric, offsets)
    found = counted(human, offsets, metric[order], order, offsets, weights, epsilon)
    for d, times in enumerate(weights):
        cuts = np.concatenate([[0], np.cumsum(times)])[offsets]
        copied = np.repeat(human, times), np.repeat(metric, times)
        (expected,) = naive(copied[0], [copied[1]], cuts, epsilon)
        for g in range(len(offsets) - 1):
            assert found[d, g] == expected[g]


@pytest.mark.parametrize("levels", [2, 15, 16, 17, 300, 5000])
def test_any_number_of_human_levels_is_counted_right(levels: int) -> None:
    rng = np.random.default_rng(levels)
    n = 2000
    human = rng.integers(0, levels, size=n).astype(np.float64)
    first, second = rng.normal(size=(2, n)) + human / levels
    masks = rng.random((2, n)) < 0.5
    found = hybrid_counts(human, first, second, np.array([0, n]), masks, 0.0)
    for d, mask in enumerate(masks):
        n_ = found[d, 0]
        tau = (n_.concordant - n_.discordant) / np.sqrt(
            (n_.total - n_.tied_human - n_.tied_both) * (n_.total - n_.tied_metric - n_.tied_both)
        )
        assert tau == pytest.approx(stats.kendalltau(human, np.where(mask, second, first)).statistic)
