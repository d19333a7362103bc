"""Formulas for correlations: published examples, independent formulations, and levels in simulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from metaeval.errors import InputError
from metaeval.significance.parametric import Contrast, fisher_interval, steiger, williams, zou_interval

NAN = float("nan")
Floats = NDArray[np.float64]
Sampled = tuple[Floats, Floats, Floats]


@st.composite
def correlation_triples(draw: st.DrawFn) -> tuple[float, float, float]:
    """Correlations of two metrics with the human scores and with each other, by construction possible."""
    first, second, partial = (draw(st.floats(-0.98, 0.98)) for _ in range(3))
    between = first * second + partial * np.sqrt((1 - first**2) * (1 - second**2))
    assume(abs(between) < 0.999)
    return first, second, float(between)


def normal_samples(first: float, second: float, between: float, n: int, times: int) -> Sampled:
    """The three sample correlations of ``times`` samples of n draws from a normal distribution."""
    truth = np.array([[1, first, second], [first, 1, between], [second, between, 1]])
    draws = np.random.default_rng(1).normal(size=(times, n, 3)) @ np.linalg.cholesky(truth).T
    draws -= draws.mean(axis=1, keepdims=True)
    moments = np.einsum("tni,tnj->tij", draws, draws)
    scale = np.sqrt(np.einsum("tii->ti", moments))
    sample = moments / (scale[:, :, None] * scale[:, None, :])
    return sample[:, 0, 1], sample[:, 0, 2], sample[:, 1, 2]


# Published examples


def two_sided(p: Floats) -> float:
    return float(2 * np.minimum(p, 1 - p))


def test_williams_of_silver_hittner_and_may_2006() -> None:
    result = williams(0.3, 0.4, 0.5, n=100)
    assert result.statistic == pytest.approx(-1.0767, abs=5e-5)
    assert two_sided(result.p) == pytest.approx(0.2843, abs=5e-5)


def test_steiger_of_silver_hittner_and_may_2006() -> None:
    result = steiger(0.3, 0.4, 0.5, n=100)
    assert result.statistic == pytest.approx(-1.0718, abs=5e-5)
    assert two_sided(result.p) == pytest.approx(0.2838, abs=5e-5)


def test_steiger_case_a_of_steiger_1980() -> None:
    """The paper (p. 249) prints -.8913, by hand from rounded steps; unrounded it is -.8887."""
    assert steiger(0.4, 0.5, 0.1, n=103).statistic == pytest.approx(-0.8913, abs=0.003)


def test_the_interval_of_zou_2007_page_409() -> None:
    low, high = zou_interval(0.396, 0.179, 0.088, n=66)
    assert (float(low.round(3)), float(high.round(3))) == (-0.093, 0.517)


# Independent formulations


@given(correlation_triples(), st.integers(4, 500))
def test_williams_equals_its_formula_with_a_numerical_determinant(
    triple: tuple[float, float, float], n: int
) -> None:
    """As Steiger (1980) writes it: the determinant is that of the correlation matrix."""
    first, second, between = triple
    determinant = np.linalg.det([[1, first, second], [first, 1, between], [second, between, 1]])
    mean = (first + second) / 2
    under = 2 * (n - 1) / (n - 3) * max(determinant, 0) + mean**2 * (1 - between) ** 3
    assume(under > 1e-6)
    t = (first - second) * np.sqrt((n - 1) * (1 + between) / under)
    result = williams(first, second, between, n)
    assert result.statistic == pytest.approx(t, rel=1e-6, abs=1e-9)
    assert result.p == pytest.approx(stats.t.sf(t, n - 3), rel=1e-5, abs=1e-9)


@given(correlation_triples(), st.integers(4, 500))
def test_steiger_equals_the_covariance_matrix_of_fisher_z(triple: tuple[float, float, float], n: int) -> None:
    """The variance of a difference by the covariance of two correlations of Pearson and Filon (1898)."""
    first, second, between = triple
    mean = (first + second) / 2
    rho = np.array([[1, mean, mean], [mean, 1, between], [mean, between, 1]])
    shared = covariance_of_correlations(rho, 0, 1, 0, 2) / (1 - mean**2) ** 2
    assume(shared < 1 - 1e-6)
    variance = np.array([1, -1]) @ np.array([[1, shared], [shared, 1]]) @ np.array([1, -1]) / (n - 3)
    z = (np.arctanh(first) - np.arctanh(second)) / np.sqrt(variance)
    result = steiger(first, second, between, n)
    assert result.statistic == pytest.approx(z, rel=1e-6, abs=1e-9)
    assert result.p == pytest.approx(stats.norm.sf(z), rel=1e-5, abs=1e-12)


@given(correlation_triples(), st.integers(4, 500), st.sampled_from([0.01, 0.05, 0.3]))
def test_zou_equals_its_definition(triple: tuple[float, float, float], n: int, alpha: float) -> None:
    """(L, U) with the limits of each correlation from scipy and their correlation from Pearson and Filon."""
    first, second, between = triple
    rho = np.array([[1, first, second], [first, 1, between], [second, between, 1]])
    shared = covariance_of_correlations(rho, 0, 1, 0, 2) / ((1 - first**2) * (1 - second**2))
    quantile = stats.norm.ppf([alpha / 2, 1 - alpha / 2]) / np.sqrt(n - 3)
    (l1, u1), (l2, u2) = np.tanh(np.arctanh(first) + quantile), np.tanh(np.arctanh(second) + quantile)
    down = (first - l1) ** 2 + (u2 - second) ** 2 - 2 * shared * (first - l1) * (u2 - second)
    up = (u1 - first) ** 2 + (second - l2) ** 2 - 2 * shared * (u1 - first) * (second - l2)
    expected = (first - second - np.sqrt(max(down, 0)), first - second + np.sqrt(max(up, 0)))
    assert zou_interval(first, second, between, n, alpha) == pytest.approx(expected, abs=1e-6)


def covariance_of_correlations(rho: Floats, j: int, k: int, h: int, m: int) -> float:
    """n times the asymptotic covariance of r_jk and r_hm (Pearson and Filon 1898), as in Steiger (1980)."""
    direct = (rho[j, h] - rho[j, k] * rho[k, h]) * (rho[k, m] - rho[k, h] * rho[h, m])
    crossed = (rho[j, m] - rho[j, h] * rho[h, m]) * (rho[k, h] - rho[k, j] * rho[j, h])
    outer = (rho[j, h] - rho[j, m] * rho[m, h]) * (rho[k, m] - rho[k, j] * rho[j, m])
    inner = (rho[j, m] - rho[j, k] * rho[k, m]) * (rho[k, h] - rho[k, m] * rho[m, h])
    return float(direct + crossed + outer + inner) / 2


@pytest.mark.parametrize("n", [4, 10, 300])
@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.2])
def test_fisher_equals_scipy(n: int, alpha: float) -> None:
    rng = np.random.default_rng(n)
    x = rng.normal(size=n)
    y = x + rng.normal(size=n)
    result = stats.pearsonr(x, y)
    expected = result.confidence_interval(1 - alpha)
    low, high = fisher_interval(result.statistic, n, alpha)
    assert (low, high) == pytest.approx((expected.low, expected.high), rel=1e-9)


# Properties


@given(correlation_triples(), st.integers(4, 200))
def test_swapping_the_metrics_mirrors_every_result(triple: tuple[float, float, float], n: int) -> None:
    first, second, between = triple
    for test in (williams, steiger):
        one, other = test(first, second, between, n), test(second, first, between, n)
        assert one.statistic == pytest.approx(-other.statistic, nan_ok=True)
        assert one.p == pytest.approx(1 - other.p, nan_ok=True)
    low, high = zou_interval(first, second, between, n)
    assert zou_interval(second, first, between, n) == pytest.approx((-high, -low), abs=1e-9)


@given(correlation_triples(), st.integers(4, 200))
def test_intervals_hold_the_estimate_and_stay_in_range(triple: tuple[float, float, float], n: int) -> None:
    first, second, between = triple
    low, high = fisher_interval(first, n)
    assert -1 <= low < first < high <= 1
    low, high = zou_interval(first, second, between, n)
    assert -2 <= low <= first - second <= high <= 2


def test_williams_and_steiger_agree_in_large_samples() -> None:
    assert williams(0.62, 0.6, 0.5, n=2000).p == pytest.approx(steiger(0.62, 0.6, 0.5, n=2000).p, abs=1e-3)


def test_the_more_alike_two_metrics_are_the_smaller_the_difference_that_is_found() -> None:
    p = williams(0.7, 0.6, [0.5, 0.7, 0.9], n=60).p
    assert p[0] > p[1] > p[2]


def test_arguments_broadcast_to_a_table_of_metrics() -> None:
    human = np.array([0.8, 0.7, 0.2])
    metrics = np.array([[1.0, 0.6, 0.3], [0.6, 1.0, 0.4], [0.3, 0.4, 1.0]])
    table = williams(human[:, None], human, metrics, n=20)
    for i, j in np.ndindex(3, 3):
        one = williams(human[i], human[j], metrics[i, j], n=20)
        assert table.p[i, j] == pytest.approx(one.p, nan_ok=True)
    low, _ = zou_interval(human[:, None], human, metrics, n=20)
    assert low.shape == (3, 3)


# Levels, in simulation. 20 000 samples: two standard errors are 0.003.


@pytest.fixture(scope="module")
def equal_metrics() -> Sampled:
    return normal_samples(0.6, 0.6, 0.5, n=15, times=20_000)


def test_williams_holds_its_level_with_15_systems(equal_metrics: Sampled) -> None:
    p = williams(*equal_metrics, n=15).p
    assert np.mean(p <= 0.05) == pytest.approx(0.05, abs=0.006)
    assert np.mean(p >= 0.95) == pytest.approx(0.05, abs=0.006)


def test_steiger_holds_its_level_with_15_systems(equal_metrics: Sampled) -> None:
    assert np.mean(steiger(*equal_metrics, n=15).p <= 0.05) == pytest.approx(0.05, abs=0.01)


def test_fisher_and_zou_cover_the_truth() -> None:
    first, second, between = normal_samples(0.8, 0.5, 0.6, n=20, times=20_000)
    low, high = fisher_interval(first, n=20)
    assert np.mean((low <= 0.8) & (high >= 0.8)) == pytest.approx(0.95, abs=0.01)
    low, high = zou_interval(first, second, between, n=20)
    assert np.mean((low <= 0.3) & (high >= 0.3)) == pytest.approx(0.95, abs=0.01)


# Where there is nothing to compute


@pytest.mark.parametrize("triple", [(NAN, 0.5, 0.5), (0.5, NAN, 0.5), (0.5, 0.5, NAN)])
def test_the_correlation_of_a_constant_metric_does_not_exist_and_neither_does_a_test(
    triple: tuple[float, float, float],
) -> None:
    for result in (williams(*triple, n=10), steiger(*triple, n=10), zou_interval(*triple, n=10)):
        assert np.isnan(result).all()
    assert np.isnan(fisher_interval(NAN, n=10)).all()


@pytest.mark.parametrize("triple", [(0.7, 0.7, 1.0), (0.7, -0.7, -1.0), (1.0, 1.0, 1.0), (0.1, 0.1, 1.0)])
def test_metrics_that_are_the_same_up_to_scale_are_not_tested(triple: tuple[float, float, float]) -> None:
    for result in (williams(*triple, n=10), steiger(*triple, n=10), zou_interval(*triple, n=10)):
        assert np.isnan(result).all()


def test_a_perfect_correlation_has_no_fisher_z_but_williams_needs_none() -> None:
    for perfect in (1.0, -1.0):
        assert np.isnan(fisher_interval(perfect, n=10)).all()
        assert np.isnan(steiger(perfect, 0.5, 0.5 * perfect, n=10)).all()
        assert np.isnan(zou_interval(perfect, 0.5, 0.5 * perfect, n=10)).all()
    assert 0 < williams(1.0, 0.5, 0.5, n=10).p < 0.01


def test_rounding_above_one_is_forgiven() -> None:
    assert np.isnan(fisher_interval(1 + 1e-12, n=10)).all()


@pytest.mark.parametrize("n", [3, 0])
def test_fewer_than_four_observations_are_refused(n: int) -> None:
    message = (
        f"tests and intervals of correlations need at least 4 observations, found {n}\n"
        "  Use more systems or segments, or a permutation test"
    )
    for call in (
        lambda: williams(0.5, 0.4, 0.3, n),
        lambda: steiger(0.5, 0.4, 0.3, n),
        lambda: zou_interval(0.5, 0.4, 0.3, n),
        lambda: fisher_interval(0.5, n),
    ):
        with pytest.raises(InputError) as error:
            call()
        assert str(error.value) == message


def test_correlations_lie_between_minus_one_and_one() -> None:
    with pytest.raises(InputError) as error:
        fisher_interval([0.5, 1.2], n=10)
    assert str(error.value) == "a correlation lies between -1 and 1, found 1.2"


def test_correlations_that_exclude_each_other_are_refused() -> None:
    with pytest.raises(InputError) as error:
        williams([0.5, 0.9], [0.5, 0.9], [0.5, -0.9], n=10)
    assert str(error.value) == (
        "the correlations 0.9 and 0.9 with the human scores and -0.9 between the metrics cannot come from "
        "the same observations\n  Compute all three over the cells that every metric has"
    )


def test_alpha_is_a_level() -> None:
    with pytest.raises(InputError, match=r"^alpha must lie between 0 and 1, found 95"):
        zou_interval(0.5, 0.4, 0.3, n=10, alpha=95)


def test_results_have_names() -> None:
    result = williams(0.5, 0.4, 0.3, n=10)
    assert isinstance(result, Contrast)
    assert fisher_interval(0.5, n=10).low < 0.5
