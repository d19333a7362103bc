"""Corrections for many tests: equal to a plain loop and to scipy; what was not tested does not count."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import false_discovery_control

from metaeval.errors import InputError
from metaeval.significance.correction import Correction, benjamini_hochberg, correct, correct_pairs, holm

NAN = float("nan")
families = arrays(
    np.float64,
    st.integers(0, 12),
    elements=st.floats(0, 1) | st.sampled_from([0.0, 0.01, 0.01, 0.05, 1.0, NAN]),
)
METHODS: tuple[Correction, ...] = ("holm", "bh")


def holm_as_a_loop(p: list[float], alpha: float) -> list[bool]:
    """Holm's procedure as he states it: reject the smallest while it is at most alpha / those left."""
    rejected = [False] * len(p)
    left = sorted(range(len(p)), key=lambda i: p[i])
    while left and p[left[0]] * len(left) <= alpha:
        rejected[left.pop(0)] = True
    return rejected


@given(families, st.floats(0.001, 0.999))
def test_holm_gives_the_verdicts_of_the_step_down_procedure(p: np.ndarray, alpha: float) -> None:
    tested = p[~np.isnan(p)]
    assert (holm(tested) <= alpha).tolist() == holm_as_a_loop(tested.tolist(), alpha)


@given(families)
def test_benjamini_hochberg_equals_scipy(p: np.ndarray) -> None:
    tested = p[~np.isnan(p)]
    expected = false_discovery_control(tested) if tested.size else tested
    np.testing.assert_allclose(benjamini_hochberg(tested), expected, rtol=1e-12)


@pytest.mark.parametrize("method", METHODS)
@given(p=families)
def test_what_was_not_tested_stays_nan_and_does_not_count(method: Correction, p: np.ndarray) -> None:
    adjusted, tested = correct(p, method), ~np.isnan(p)
    assert (np.isnan(adjusted) == ~tested).all()
    assert adjusted[tested].tolist() == correct(p[tested], method).tolist()


@pytest.mark.parametrize("method", METHODS)
@given(p=families)
def test_an_adjusted_p_is_never_smaller_and_never_above_one(method: Correction, p: np.ndarray) -> None:
    tested = p[~np.isnan(p)]
    adjusted = correct(tested, method)
    assert (adjusted <= 1).all()
    assert (adjusted >= tested * (1 - 1e-15)).all()


@given(families)
def test_benjamini_hochberg_never_says_less_than_holm(p: np.ndarray) -> None:
    tested = p[~np.isnan(p)]
    assert (benjamini_hochberg(tested) <= holm(tested) * (1 + 1e-12)).all()


@pytest.mark.parametrize("method", METHODS)
def test_a_single_test_needs_no_correction(method: Correction) -> None:
    assert correct([NAN, 0.03], method).tolist()[1] == 0.03


def test_the_values_given_are_left_alone() -> None:
    p = np.array([0.01, 0.02])
    holm(p)
    benjamini_hochberg(p)
    assert p.tolist() == [0.01, 0.02]


def test_pairs_are_tested_once_in_the_direction_of_the_observed_difference() -> None:
    p = [[NAN, 0.99, 0.98], [0.01, NAN, 0.30], [0.02, 0.70, NAN]]
    adjusted = correct_pairs([0.1, 0.3, 0.2], p, "holm")
    assert adjusted[1, 0] == 0.03
    assert adjusted[2, 0] == 0.04
    assert adjusted[1, 2] == 0.30
    assert np.isnan(adjusted).sum() == 6


def test_of_equal_values_the_first_counts_as_better() -> None:
    adjusted = correct_pairs([0.5, 0.5], [[1.0, 0.4], [0.3, 1.0]], "none")
    assert adjusted[0, 1] == 0.4
    assert np.isnan(adjusted[1, 0])


def test_metrics_without_a_value_and_pairs_not_tested_are_not_in_the_family() -> None:
    p = np.full((4, 4), 0.01)
    p[0, 2] = NAN
    adjusted = correct_pairs([0.9, 0.8, 0.7, NAN], p, "holm")
    assert adjusted[0, 1] == adjusted[1, 2] == 0.02
    assert np.isnan(adjusted).sum() == 14


def test_without_correction_the_pairs_keep_their_p_values() -> None:
    assert correct_pairs([0.9, 0.8], [[1.0, 0.02], [0.98, 1.0]], "none")[0, 1] == 0.02


def test_holm_holds_its_level_over_many_pairs_where_no_correction_does_not() -> None:
    rng = np.random.default_rng(0)
    p = rng.random((4000, 10))
    uncorrected = (p <= 0.05).any(axis=1).mean()
    corrected = np.mean([(holm(family) <= 0.05).any() for family in p])
    assert uncorrected == pytest.approx(1 - 0.95**10, abs=0.025)
    assert corrected == pytest.approx(0.05, abs=0.011)


def test_a_correction_has_a_known_name() -> None:
    with pytest.raises(InputError) as error:
        correct([0.1], "holms")  # type: ignore[arg-type] # the point of the test
    assert str(error.value) == (
        "there is no correction 'holms'\n  Did you mean holm? There are: bh, holm, none"
    )


@pytest.mark.parametrize("method", ["none", *METHODS])
def test_p_values_are_probabilities(method: Correction) -> None:
    with pytest.raises(InputError) as error:
        correct([0.1, -0.2], method)
    assert str(error.value) == "a p-value lies between 0 and 1, found -0.2"


def test_the_matrix_has_a_row_and_a_column_for_each_metric() -> None:
    with pytest.raises(InputError) as error:
        correct_pairs([0.1, 0.2, 0.3], np.ones((2, 2)), "bh")
    assert str(error.value) == "3 metrics need a 3 x 3 matrix of p-values, found shape (2, 2)"
