"""Pairwise accuracy, hard and soft."""

from __future__ import annotations

import math
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from oracles import spa as oracle

from metaeval.errors import InputError
from metaeval.io.registry import read
from metaeval.measures.base import Measure
from metaeval.measures.pairwise import PairwiseAccuracy, SoftPairwiseAccuracy, p_values, pooled_pa
from metaeval.measures.registry import parse_measure
from metaeval.paired import Paired, pair_up
from metaeval.scores import FloatArray

DATA = Path(os.environ.get("METAEVAL_REAL_DATA", Path(__file__).parents[3] / "shared" / "data"))
FEW = st.sampled_from([0.0, 1.0, -5.0, 0.25, 1024.5])


@st.composite
def human_and_metric(draw: st.DrawFn) -> tuple[FloatArray, FloatArray]:
    shape = draw(hnp.array_shapes(min_dims=2, max_dims=2, max_side=5))
    human, metric = (draw(hnp.arrays(np.float64, shape, elements=FEW)) for _ in range(2))
    missing = draw(hnp.arrays(np.bool_, shape))
    human[missing] = metric[missing] = np.nan
    return human, metric


@pytest.mark.parametrize(
    ("human", "metric", "expected"),
    [
        ([3, 2, 1], [30, 20, 10], 1.0),
        ([3, 2, 1], [10, 20, 30], 0.0),
        ([3, 2, 1], [30, 10, 20], 2 / 3),
        ([1, 1, 2], [1, 1, 2], 1.0),  # a tie agrees with a tie
        ([1, 1, 2], [1, 2, 3], 2 / 3),  # and with nothing else
        ([1, 2, 3], [1, 1, 2], 2 / 3),
        ([1, 2, 3], [7, 7, 7], 0.0),
        ([1], [1], math.nan),
    ],
)
def test_pa_is_the_share_of_pairs_ordered_alike(
    human: list[float], metric: list[float], expected: float
) -> None:
    value = PairwiseAccuracy().from_system_scores(np.array(human, float), np.array(metric, float))
    assert float(value) == pytest.approx(expected, nan_ok=True)
    assert oracle.pa(human, metric) == pytest.approx(expected, nan_ok=True)


@given(hnp.arrays(np.float64, st.tuples(st.just(2), st.integers(1, 7)), elements=FEW))
def test_pa_equals_a_loop_over_pairs(scores: FloatArray) -> None:
    value = PairwiseAccuracy().from_system_scores(*scores)
    assert float(value) == pytest.approx(oracle.pa(*scores.tolist()), nan_ok=True)


def test_pa_uses_means_over_the_items_rated() -> None:
    human = np.array([[2.0, np.nan], [1.0, 1.0]])
    assert PairwiseAccuracy().evaluate(human, human).value == 1.0
    assert PairwiseAccuracy().evaluate(human, -human).value == 0.0


def test_pooled_pa_counts_the_pairs_of_all_sets_together() -> None:
    small = (np.array([1.0, 2.0]), np.array([2.0, 1.0]))
    large = (np.arange(4.0), np.arange(4.0))
    assert float(pooled_pa([small, large])) == 6 / 7
    assert math.isnan(float(pooled_pa([])))


def test_pooled_pa_takes_many_metrics_at_once() -> None:
    human, metrics = np.arange(3.0), np.array([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]])
    assert pooled_pa([(human, metrics), (human, metrics)]).tolist() == [1.0, 0.0]


@pytest.mark.parametrize("name", ["pa", "spa", "spa(method=normal)"])
def test_the_pairs_that_contain_a_system_can_be_looked_at_alone(name: str) -> None:
    rng = np.random.default_rng(0)
    human, metric = rng.normal(size=(2, 4, 30)) + np.arange(4.0)[:, None] / 10
    systems = ("A", "B", "C", "D")
    text = name.rstrip(")") + ("," if "(" in name else "(") + "containing=C)"
    value = parse_measure(text).bind(systems).evaluate(human, metric).value
    pairs = [
        parse_measure(name).evaluate(human[[min(s, 2), max(s, 2)]], metric[[min(s, 2), max(s, 2)]]).value
        for s in (0, 1, 3)
    ]
    assert value == pytest.approx(np.mean(pairs))


def test_a_measure_that_names_a_system_must_know_the_systems() -> None:
    with pytest.raises(InputError, match="needs the systems' names"):
        parse_measure("pa(containing=A)").evaluate(np.zeros((2, 2)), np.zeros((2, 2)))
    with pytest.raises(InputError, match="there is no system 'Online-A'"):
        parse_measure("spa(containing=Online-A)").bind(["ONLINE-A", "B"])


def test_a_measure_that_names_no_system_is_bound_as_it_is() -> None:
    for text in ("pa", "spa", "tau_b@item"):
        bound = parse_measure(text)
        assert bound.bind(["A"]) is bound


@pytest.mark.parametrize(
    "text", ["pa", "pa(containing=M2M100_1.2B-B4)", "spa", "spa(draws=100,seed=3)", "spa(method=normal)"]
)
def test_what_is_printed_parses_to_the_same_measure(text: str) -> None:
    assert str(parse_measure(text)) == text
    assert parse_measure(str(parse_measure(text))) == parse_measure(text)


@pytest.mark.parametrize(
    "text", ["spa(draws=0)", "spa(draws=x)", "spa(seed=-1)", "spa(method=exact)", "pa(containing=)"]
)
def test_an_impossible_parameter_is_an_error_that_says_so(text: str) -> None:
    with pytest.raises(InputError, match="is not possible"):
        parse_measure(text)


@given(human_and_metric(), st.integers(1, 80), st.integers(0, 2))
@settings(max_examples=60, deadline=None)
def test_spa_equals_counting_draw_by_draw(
    scores: tuple[FloatArray, FloatArray], draws: int, seed: int
) -> None:
    value = parse_measure(f"spa(draws={draws},seed={seed})").evaluate(*scores).value
    assert value == pytest.approx(oracle.spa_by_permutation(*scores, draws, seed), nan_ok=True)


@given(human_and_metric())
@settings(max_examples=60, deadline=None)
def test_spa_in_closed_form_equals_its_formula(scores: tuple[FloatArray, FloatArray]) -> None:
    value = parse_measure("spa(method=normal)").evaluate(*scores).value
    assert value == pytest.approx(oracle.spa(*scores, oracle.normal_p), nan_ok=True)


def test_the_signs_are_those_of_the_humans_too() -> None:
    """A metric that repeats the human scores on another scale has exactly their p-values."""
    human = np.random.default_rng(0).normal(size=(6, 100))
    assert SoftPairwiseAccuracy().evaluate(human, 7 * human + 3).value == 1.0


def test_spa_is_undefined_without_two_systems_that_share_an_item() -> None:
    alone = np.array([[1.0, np.nan], [np.nan, 1.0]])
    outcome = SoftPairwiseAccuracy().evaluate(alone, alone)
    assert math.isnan(outcome.value)
    assert (outcome.groups_used, outcome.groups_undefined) == (0, 1)


def test_spa_approaches_pa_as_differences_become_certain() -> None:
    rng = np.random.default_rng(0)
    human = rng.normal(size=(5, 400)) + 5 * np.arange(5.0)[:, None]
    metric = rng.normal(size=(5, 400)) + 5 * np.array([0.0, 2.0, 1.0, 3.0, 4.0])[:, None]
    hard, soft = (m.evaluate(human, metric).value for m in (PairwiseAccuracy(), SoftPairwiseAccuracy()))
    assert hard == soft == 0.9


def test_p_values_are_a_matrix_of_systems() -> None:
    scores = np.random.default_rng(0).normal(size=(3, 200)) + np.array([[0.0], [0.1], [5.0]])
    p = p_values(scores)
    assert np.isnan(np.diag(p)).all()
    assert p[2, 0] == 0.0
    assert p[0, 2] == 1.0
    assert 0 < p[1, 0] < 1
    assert p[0, 1] + p[1, 0] == pytest.approx(1)
    assert np.abs(p - p_values(scores, method="normal"))[~np.isnan(p)].max() < 0.05


@pytest.mark.real
@pytest.mark.skipif(not (DATA / "wmt22").is_dir(), reason="needs the real data")
@pytest.mark.parametrize(("year", "metrics"), [("wmt22", 21), ("wmt23", 25)])
def test_spa_tells_all_metrics_apart_and_pa_does_not(year: str, metrics: int) -> None:
    """Thompson et al. 2024, table 1: 12 distinct values of PA, as many of SPA as there are metrics."""
    paired = real(year)
    assert len(paired.keys) == metrics
    assert distinct(PairwiseAccuracy(), paired) == 12
    assert distinct(SoftPairwiseAccuracy(), paired) == metrics
    assert distinct(parse_measure("spa(method=normal)"), paired) == metrics


@pytest.mark.real
@pytest.mark.skipif(not (DATA / "wmt22").is_dir(), reason="needs the real data")
@pytest.mark.parametrize("year", ["wmt22", "wmt23"])
def test_the_closed_form_is_within_the_noise_of_the_permutations(year: str) -> None:
    paired = real(year)
    for metric in paired.scores[::4]:
        sampled = SoftPairwiseAccuracy().evaluate(paired.human, metric).value
        limit = parse_measure("spa(method=normal)").evaluate(paired.human, metric).value
        assert abs(sampled - limit) < 0.0025


def real(year: str) -> Paired:
    """The metrics that table 1 compares: those that used refA, without GEMBA and the sentinel."""
    evalset = read(DATA / year, pair="zh-en")
    left_out = ("gemba", "sentinel")
    names = [k for k in evalset.metrics if k.endswith("-refA") and not any(n in k.lower() for n in left_out)]
    return pair_up(evalset, human="mqm", reference="refA", metrics=names)


def distinct(measure: Measure, paired: Paired) -> int:
    return len({measure.evaluate(paired.human, metric).value for metric in paired.scores})
