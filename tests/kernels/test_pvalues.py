"""The paired p-values of all pairs of systems, and the random flips behind them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from oracles import spa as oracle
from scipy import stats

from metaeval.kernels.flips import Flips
from metaeval.kernels.pvalues import FixedPoint, SystemPairs, flipped_sums, normal_p, permutation_p
from metaeval.scores import FloatArray

NASTY = st.sampled_from([0.0, -0.0, 1.0, -5.0, 0.1, 0.2, 0.30000000000000004, 1e6 + 0.1, np.nan])
EXACT = st.sampled_from([0.0, 1.0, -5.0, 0.25, 1024.5, np.nan])


def matrices(values: st.SearchStrategy[float]) -> st.SearchStrategy[FloatArray]:
    return hnp.arrays(np.float64, hnp.array_shapes(min_dims=2, max_dims=2, max_side=6), elements=values)


def rated(scores: FloatArray) -> SystemPairs:
    return SystemPairs.of(np.asarray(~np.isnan(scores)))


@given(matrices(EXACT), st.integers(1, 70), st.integers(0, 3))
@settings(max_examples=80, deadline=None)
def test_p_equals_counting_the_draws_one_by_one(scores: FloatArray, draws: int, seed: int) -> None:
    pairs, flips = rated(scores), Flips.of(scores.shape[1], draws, seed)
    forward, backward = permutation_p(scores[None], pairs, flips)
    bits = flips.rows(slice(None))
    for pair, (s, t) in enumerate(zip(pairs.first, pairs.second, strict=True)):
        assert forward[0, pair] == oracle.permutation_p(scores[s], scores[t], bits)
        assert backward[0, pair] == oracle.permutation_p(scores[t], scores[s], bits)


@given(matrices(NASTY))
@settings(max_examples=80, deadline=None)
def test_pairs_without_a_common_item_are_not_there(scores: FloatArray) -> None:
    pairs = rated(scores)
    expected = [
        (s, t)
        for s, t in itertools.combinations(range(len(scores)), 2)
        if (~np.isnan(scores[s]) & ~np.isnan(scores[t])).any()
    ]
    assert list(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)) == expected


def test_systems_with_the_same_items_share_one_column_each() -> None:
    assert len(rated(np.zeros((5, 3))).system) == 5


def test_few_items_are_tested_exactly() -> None:
    flips = Flips.of(9, 512, seed=7)
    assert flips.draws == 512
    assert len(np.unique(flips.rows(slice(None)), axis=1).T) == 512


def test_an_exact_p_is_the_one_of_scipy() -> None:
    scores = np.random.default_rng(1).normal(size=(2, 8))
    (forward,), (backward,) = permutation_p(scores[None], rated(scores), Flips.of(8, 1000, 0))
    x, y = scores
    greater = stats.permutation_test(
        (x, y), _mean_difference, permutation_type="samples", alternative="greater"
    )
    less = stats.permutation_test((x, y), _mean_difference, permutation_type="samples", alternative="less")
    assert forward[0] == pytest.approx(greater.pvalue, abs=1e-12)
    assert backward[0] == pytest.approx(less.pvalue, abs=1e-12)


def test_a_sampled_p_agrees_with_scipy_within_sampling_error() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=60)
    y = x + rng.normal(-0.1, 0.5, size=60)
    (forward,), _ = permutation_p(np.stack([x, y])[None], rated(np.stack([x, y])), Flips.of(60, 20000, 0))
    expected = stats.permutation_test(
        (x, y), _mean_difference, permutation_type="samples", n_resamples=20000, alternative="greater", rng=3
    ).pvalue
    assert abs(forward[0] - expected) < 4 * np.sqrt(2 * 0.25 / 20000)


def _mean_difference(x: FloatArray, y: FloatArray, axis: int) -> FloatArray:
    return np.asarray(np.mean(x - y, axis=axis))


def test_decimal_scores_tie_as_they_do_on_paper() -> None:
    """0.1 + 0.2 against 0.3: differences that are 0 but for rounding."""
    scores = np.array([[0.1, 0.2, 0.0], [0.0, 0.0, 0.3]])
    (forward,), (backward,) = permutation_p(scores[None], rated(scores), Flips.of(3, 8, 0))
    assert forward[0] == backward[0] == 5 / 8


@given(hnp.arrays(np.float64, (3, 40), elements=st.floats(-1e6, 1e6)), st.randoms())
@settings(max_examples=30, deadline=None)
def test_sums_do_not_depend_on_the_order_of_the_items(scores: FloatArray, random: object) -> None:
    order = np.random.default_rng(0).permutation(40)
    fixed, flips = FixedPoint.of(scores).values, Flips.of(40, 100, 0)
    shuffled = Flips(flips.packed[order], flips.draws)
    assert np.array_equal(flipped_sums(fixed, flips), flipped_sums(fixed[:, order], shuffled))


def test_equal_systems_have_p_1_by_permutation_and_one_half_by_the_normal_limit() -> None:
    scores = np.tile(np.random.default_rng(0).normal(size=50), (2, 1))
    assert permutation_p(scores[None], rated(scores), Flips.of(50, 100, 0))[0][0, 0] == 1.0
    assert normal_p(scores[None], rated(scores))[0][0, 0] == 0.5


def test_systems_whose_scores_differ_by_rounding_alone_are_equal() -> None:
    scores, p = np.array([[0.3], [0.1 + 0.2], [1.0]]), stats.norm.cdf(1.0)
    assert normal_p(scores[None], rated(scores))[0][0].tolist() == pytest.approx([0.5, p, p])


@given(matrices(NASTY))
@settings(max_examples=60, deadline=None)
def test_the_normal_limit_equals_its_formula(scores: FloatArray) -> None:
    pairs = rated(scores)
    forward, backward = normal_p(scores[None], pairs)
    for pair, (s, t) in enumerate(zip(pairs.first, pairs.second, strict=True)):
        assert forward[0, pair] == pytest.approx(oracle.normal_p(scores[s], scores[t]), abs=1e-9)
        assert backward[0, pair] == pytest.approx(oracle.normal_p(scores[t], scores[s]), abs=1e-9)


def test_permutation_approaches_the_normal_limit() -> None:
    rng = np.random.default_rng(5)
    scores = rng.normal(size=(4, 500)) + np.linspace(0, 0.1, 4)[:, None]
    sampled, _ = permutation_p(scores[None], rated(scores), Flips.of(500, 20000, 0))
    assert np.abs(sampled - normal_p(scores[None], rated(scores))[0]).max() < 0.015


@pytest.mark.parametrize("draws", [1, 63, 64, 65, 1000])
def test_more_items_begin_with_the_same_flips(draws: int) -> None:
    few, many = Flips.of(20, draws, 3), Flips.of(50, draws, 3)
    assert few.rows(slice(None)).shape == (20, draws)
    assert np.array_equal(few.rows(slice(None)), many.rows(slice(0, 20)))


def test_flips_are_fair_and_depend_on_the_seed() -> None:
    bits = Flips.of(1000, 1000, 0).rows(slice(None))
    assert abs(bits.mean() - 0.5) < 0.003
    assert np.abs(bits.mean(axis=0) - 0.5).max() < 0.08
    assert not np.array_equal(bits, Flips.of(1000, 1000, 1).rows(slice(None)))


def test_an_offset_does_not_change_p() -> None:
    scores = np.random.default_rng(8).normal(size=(3, 200))
    flips = Flips.of(200, 500, 0)
    near, far = (permutation_p(s[None], rated(s), flips)[0] for s in (scores, scores * 3 + 80))
    assert np.array_equal(near, far)
