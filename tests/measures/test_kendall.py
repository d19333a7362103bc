"""The Kendall variants and pairwise accuracy: definitions, the paper's examples, calibration."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from metaeval.measures.registry import parse_measure

HUMAN = np.array([[0.0, 0, 0, 0, 1, 2]]).T
FIRST = np.array([[0.0, 0, 0, 0, 2, 1]]).T
SECOND = np.array([[0.0, 1, 2, 3, 4, 5]]).T


def value(text: str, human: np.ndarray, metric: np.ndarray) -> float:
    return parse_measure(text).evaluate(human, metric).value


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [
        ("tau_a", 0.47, 0.60),
        ("tau_b", 0.78, 0.77),
        ("tau_10", 0.78, 1.0),
        ("tau_13", 0.78, 1.0),
        ("tau_14", 0.78, 1.0),
        ("tau_eq", 0.87, 0.20),
        ("acc_eq", 0.93, 0.60),
    ],
)
def test_the_published_figure_2_comes_out(name: str, first: float, second: float) -> None:
    assert round(value(f"{name}@item", HUMAN, FIRST), 2) == first
    assert round(value(f"{name}@item", HUMAN, SECOND), 2) == second


def test_figure_2_prints_half_of_tau_c_which_its_tables_print_whole() -> None:
    assert f"{value('tau_c@item', HUMAN, FIRST) / 2:.2f}" == "0.29"
    assert f"{value('tau_c@item', HUMAN, SECOND) / 2:.2f}" == "0.38"


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=12).filter(
        lambda p: len({a for a, _ in p}) > 1 and len({b for _, b in p}) > 1
    )
)
def test_tau_c_is_scipys(pairs: list[tuple[int, int]]) -> None:
    human, metric = (np.array([side], dtype=float).T for side in zip(*pairs, strict=True))
    expected = scipy.stats.kendalltau(human.ravel(), metric.ravel(), variant="c").statistic
    assert value("tau_c@item", human, metric) == pytest.approx(float(expected))


def test_accuracy_is_defined_where_correlations_are_not() -> None:
    constant = np.zeros((3, 1))
    assert value("acc_eq@item", constant, constant) == 1.0
    assert value("tau_eq@item", constant, constant) == 1.0
    assert np.isnan(value("tau_b@item", constant, constant))


def test_perfect_agreement_is_one_exactly_and_nothing_is_more() -> None:
    for n in range(2, 40):
        scores = np.arange(float(n))[:, None]
        assert value("tau_b@item", scores, scores) == 1.0
        assert value("tau_b@item", scores, -scores) == -1.0


def test_metrics_that_swap_groups_have_one_value() -> None:
    human = np.tile(np.arange(5.0)[:, None], 12)
    shuffled = np.random.default_rng(3).normal(size=human.shape)
    for name in ("acc_eq", "tau_b"):
        values = {value(f"{name}@item", human, np.roll(shuffled, k, axis=1)) for k in range(12)}
        assert len(values) == 1


def test_a_lone_output_makes_no_pair_and_no_group() -> None:
    outcome = parse_measure("acc_eq@item").evaluate(np.zeros((1, 2)), np.zeros((1, 2)))
    assert np.isnan(outcome.value)
    assert (outcome.groups_used, outcome.groups_undefined) == (0, 2)


def test_where_nothing_can_be_calibrated_there_is_no_epsilon() -> None:
    lone, constant = np.zeros((1, 2)), np.zeros((3, 2))
    assert parse_measure("acc_eq(epsilon=best)@item").evaluate(lone, lone).epsilon is None
    assert parse_measure("tau_b(epsilon=best)@item").evaluate(constant, constant).epsilon is None
    assert parse_measure("acc_eq(epsilon=0.5)@item").evaluate(lone, lone).epsilon == 0.5


def test_epsilon_makes_ties_of_small_differences() -> None:
    human, metric = np.array([[1.0], [2.0]]), np.array([[0.10], [0.15]])
    assert value("acc_eq@item", human, metric) == 1.0
    assert value("acc_eq(epsilon=0.06)@item", human, metric) == 0.0
    assert parse_measure("acc_eq(epsilon=0.06)@item").evaluate(human, metric).epsilon == 0.06


def test_a_relative_epsilon_is_a_share_of_the_larger_score() -> None:
    human, metric = np.array([[1.0], [2.0]]), np.array([[90.0], [100.0]])
    assert value("acc_eq(epsilon=0.2)@item", human, metric) == 1.0
    assert value("acc_eq(epsilon=0.2,relative=true)@item", human, metric) == 0.0


@given(st.lists(st.tuples(st.integers(0, 2), st.floats(-1, 1, width=16)), min_size=2, max_size=10))
def test_calibration_is_never_below_no_calibration(pairs: list[tuple[int, float]]) -> None:
    human, metric = (np.array([side], dtype=float).T for side in zip(*pairs, strict=True))
    for name in ("acc_eq", "tau_eq"):
        best = parse_measure(f"{name}(epsilon=best)@item").evaluate(human, metric)
        assert best.value >= value(f"{name}@item", human, metric)
        assert best.epsilon is not None
        assert best.value == value(f"{name}(epsilon={best.epsilon!r})@item", human, metric)
