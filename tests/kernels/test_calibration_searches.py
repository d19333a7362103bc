"""Searches for pairs too many to hold: every one finds what sorting or walking all pairs finds."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import ties
from oracles.tied_scores import SHAPES, Scores, scores, shaped

from metaeval.kernels import bounded, gains, pruned, sampling, stages, windows
from metaeval.kernels.compiled import compiled
from metaeval.kernels.enumerated import by_group
from metaeval.kernels.gains import Gains, gains_of
from metaeval.kernels.layout import Layout
from metaeval.kernels.sorting import best_by_sorting
from metaeval.kernels.walking import Optimum, Statistic, best_by_walking

ACC_EQ = (1, 0, 0, 0, 1)
LINEAR: list[tuple[Statistic, tuple[int, ...]]] = [
    (ties.acc_eq, ACC_EQ),
    (ties.tau_eq, (1, -1, -1, -1, 1)),
    (lambda n: ties.ratio(n.concordant - n.discordant, n.total), (1, -1, 0, 0, 0)),
]
MONOTONE: list[Statistic] = [ties.acc_eq, ties.tau_b, ties.tau_10, ties.tau_13, ties.ties_f1]


SIZES = [[3000], [600, 600, 600], [700, 900, 1, 0, 90, 400]]
SMALLER = [[900], [300, 300, 300], [350, 500, 1, 0, 90]]


@cache
def layout_of(shape: str, *sizes: int) -> Layout:
    return Layout.of(*shaped(shape, list(sizes)))


def gains_for(layout: Layout, linear: tuple[int, ...] = ACC_EQ) -> Gains:
    found = gains_of(linear, layout.totals.pairs)
    assert found is not None
    return found


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("shape", SHAPES)
def test_bounding_finds_what_a_full_sort_finds(shape: str, sizes: list[int]) -> None:
    layout = layout_of(shape, *sizes)
    for _, linear in LINEAR:
        known = gains_for(layout, linear)
        assert bounded.best_by_bounds(layout, known, threads=1) == best_by_sorting(layout, known)


@pytest.mark.parametrize("shape", ["continuous", "worthless"])
def test_bounding_relative_differences_finds_what_a_full_sort_finds(shape: str) -> None:
    layout = Layout.of(*shaped(shape, [400, 300]), relative=True)
    known = gains_for(layout)
    assert bounded.best_by_bounds(layout, known, threads=2) == best_by_sorting(layout, known)


def test_bounding_survives_differences_too_small_to_divide_by() -> None:
    human, metric, offsets = shaped("tenths", [300])
    layout = Layout.of(human, np.round(10 * metric) * 5e-324, offsets)
    known = gains_for(layout)
    best = best_by_sorting(layout, known)
    assert best > 0
    assert bounded.best_by_bounds(layout, known, threads=1) == best


@pytest.mark.parametrize(("visited", "held"), [(0, 500_000), (500, 0), (500, 500_000)])
def test_where_bounding_stops_halving_changes_nothing(
    visited: int, held: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounded, "VISITED_PER_SCORE", visited)
    monkeypatch.setattr(bounded, "HELD", held)
    layout = layout_of("continuous", 3000)
    known = gains_for(layout)
    assert bounded.best_by_bounds(layout, known, threads=2) == best_by_sorting(layout, known)


@pytest.mark.parametrize("room", [5_000, 200_000])
@pytest.mark.parametrize("shape", ["continuous", "tenths", "integers", "constant"])
def test_gains_rounded_for_want_of_bits_change_nothing(
    shape: str, room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    layout = Layout.of(*shaped(shape, [70, 121, 1, 0, 90, 40]))
    exact = gains_for(layout)
    monkeypatch.setattr(gains, "LARGEST_SUM", layout.pairs * room)
    rounded = gains_for(layout)
    assert exact.slack == 0
    assert rounded.slack > 0
    best = best_by_sorting(layout, exact)
    assert best_by_sorting(layout, rounded) == best
    assert bounded.best_by_bounds(layout, rounded, threads=1) == best


def test_a_histogram_sums_what_sorting_sums() -> None:
    layout = layout_of("continuous", *SIZES[2])
    low, high = 0.25, 0.75
    inside = layout.enumerated.keep(
        (layout.enumerated.difference > low) & (layout.enumerated.difference <= high)
    )
    for factor in (1, 2**30):
        table = gains_for(layout).table * factor
        net, rise, scale = windows.histogram(layout, table, low, high, 64, layout.pairs)
        cell = np.minimum(((inside.difference - low) * scale).astype(np.int64), 63)
        gain = table.ravel()[inside.cell]
        for found, weight in ((net, gain), (rise, np.maximum(gain, 0))):
            assert found.tolist() == [int(weight[cell == b].sum()) for b in range(64)]


def test_more_pairs_than_there_is_room_for_are_refused() -> None:
    with pytest.raises(windows.TooManyPairs):
        windows.collect(layout_of("continuous", 3000), 0.1, 0.2, 10)


@pytest.mark.parametrize("sizes", SMALLER)
@pytest.mark.parametrize("shape", ["continuous", "tenths", "constant"])
@pytest.mark.parametrize("search", [stages.best_by_stages, pruned.best_by_pruning])
def test_searches_that_hold_few_pairs_find_what_walking_all_finds(
    search: Callable[[Layout, Statistic], Optimum],
    shape: str,
    sizes: list[int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stages, "STAGE", 50_000)
    monkeypatch.setattr(pruned, "WALKED", 3_000)
    layout = layout_of(shape, *sizes)
    for statistic in (ties.tau_b, ties.ties_f1):
        expected = best_by_walking(layout.totals, statistic, layout.enumerated)
        np.testing.assert_equal(search(layout, statistic), expected)


@pytest.mark.parametrize("search", [stages.best_by_stages, pruned.best_by_pruning])
@settings(deadline=None, max_examples=30)
@given(scores(most=12), st.booleans(), st.sampled_from(MONOTONE))
def test_they_do_so_for_the_nastiest_scores(
    search: Callable[[Layout, Statistic], Optimum], given: Scores, relative: bool, statistic: Statistic
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stages, "STAGE", 3)
        patch.setattr(pruned, "WALKED", 2)
        patch.setattr(pruned, "WALKED_PER_SCORE", 0)
        layout = Layout.of(given.human, given.metric, given.offsets, relative=relative)
        if layout.pairs:
            expected = best_by_walking(layout.totals, statistic, layout.enumerated)
            np.testing.assert_equal(search(layout, statistic), expected)


def test_a_sample_holds_its_share_of_the_pairs_and_depends_on_its_seed_alone() -> None:
    layout = layout_of("continuous", 3000)
    one, again, other = (sampling.sampled(layout, 0.1, seed) for seed in (1, 1, 2))
    assert abs(len(one.cell) / layout.pairs - 0.1) < 5 * math.sqrt(0.09 / layout.pairs)
    np.testing.assert_array_equal(one.difference, again.difference)
    shared = np.intersect1d(one.difference, other.difference)
    assert abs(len(shared) / layout.pairs - 0.01) < 0.001


@pytest.mark.parametrize("share", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("sizes", SMALLER)
def test_a_sample_in_stages_is_the_sample_at_once(
    sizes: list[int], share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stages, "STAGE", 30_000)
    layout = layout_of("tenths", *sizes)
    pairs = sampling.sampled(layout, share, seed=7)
    totals = sampling.totals_of(layout, by_group(pairs, len(layout.sizes)))
    for statistic, known in ((ties.acc_eq, None), (ties.acc_eq, gains_for(layout)), (ties.tau_b, None)):
        expected = best_by_walking(totals, statistic, pairs)
        found = stages.best_by_stages(layout, statistic, share, seed=7, gains=known)
        np.testing.assert_equal(found, expected)


def test_code_is_compiled_anew_where_nothing_can_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    njit = numba.njit

    def unwritable(*, nogil: bool, cache: bool = False) -> object:
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return njit(nogil=nogil)

    monkeypatch.setattr(numba, "njit", unwritable)

    def double(x: int) -> int:
        return 2 * x

    assert compiled(double)(21) == 42
