"""Pearson, Spearman and tau_b at every grouping and level, against scipy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given, settings
from oracles import correlations as oracle
from strategies import matrices

from metaeval.measures.base import system_means
from metaeval.measures.groups import GROUPINGS, Groups
from metaeval.measures.moments import ranks
from metaeval.measures.registry import parse_measure
from metaeval.scores import FloatArray

NAN = float("nan")


@pytest.mark.parametrize("grouping", GROUPINGS)
@pytest.mark.parametrize("name", ["pearson", "spearman", "tau_b"])
@given(data=matrices())
@settings(max_examples=60)
def test_equals_scipy_averaged_over_defined_groups(
    name: str, grouping: str, data: tuple[FloatArray, FloatArray]
) -> None:
    outcome = parse_measure(f"{name}@{grouping}").evaluate(*data)
    value, used = oracle.grouped(name, *data, grouping)
    assert outcome.value == pytest.approx(value, abs=1e-9, nan_ok=True)
    assert outcome.groups_used == used
    assert outcome.groups_used + outcome.groups_undefined == len(oracle.groups_of(*data, grouping))


@pytest.mark.parametrize("grouping", GROUPINGS)
@given(data=matrices())
@settings(max_examples=60)
def test_pdp_equals_pearson_over_formed_differences(
    grouping: str, data: tuple[FloatArray, FloatArray]
) -> None:
    value = parse_measure(f"pdp@{grouping}").evaluate(*data).value
    assert value == pytest.approx(oracle.difference_pearson(*data, grouping), abs=1e-9, nan_ok=True)


def test_a_group_that_is_constant_is_left_out_and_counted() -> None:
    human = np.array([[1.0, 0.1], [2.0, 0.1], [3.0, 0.1]])
    metric = np.array([[1.0, 0.3], [2.0, 0.1], [3.0, 0.2]])
    for name in ("pearson", "spearman", "tau_b"):
        outcome = parse_measure(f"{name}@item").evaluate(human, metric)
        assert outcome.value == pytest.approx(1.0)
        assert (outcome.groups_used, outcome.groups_undefined) == (1, 1)


def test_a_constant_metric_has_no_correlation_at_all() -> None:
    human = np.array([[1.0, 3.0], [2.0, 1.0], [3.0, 2.0]])
    for text in (
        "pearson@none",
        "tau_b@item",
        "spearman@system",
        "pdp@item",
        "system_pearson",
        "system_tau_b",
    ):
        assert np.isnan(parse_measure(text).evaluate(human, np.full_like(human, 0.1)).value)


def test_pooled_differences_without_a_value_use_no_group() -> None:
    human = np.array([[1.0, 3.0], [2.0, 1.0]])
    outcome = parse_measure("pdp@item").evaluate(human, np.ones_like(human))
    assert (outcome.groups_used, outcome.groups_undefined) == (0, 2)


def test_a_constant_that_no_mean_hits_exactly_is_still_constant() -> None:
    human = np.array([[1.0], [2.0], [3.0]])
    assert np.isnan(parse_measure("pearson@item").evaluate(human, np.full_like(human, 0.1 + 0.2)).value)


@given(matrices())
def test_ranks_are_scipys_within_each_group(data: tuple[FloatArray, FloatArray]) -> None:
    groups = Groups.of(data[0], "item")
    found = ranks(groups, groups.flat(data[1]))
    parts = [scipy.stats.rankdata(m) - 1 for _, m in oracle.groups_of(*data, "item")]
    assert np.allclose(found, np.concatenate(parts))


@given(matrices())
def test_tied_pairs_are_those_of_equal_value(data: tuple[FloatArray, FloatArray]) -> None:
    groups = Groups.of(data[0], "item")
    naive = [
        sum(int(x[i] == x[j]) for i in range(len(x)) for j in range(i))
        for x, _ in oracle.groups_of(*data, "item")
    ]
    assert groups.tied_pairs(groups.human).tolist() == naive


@given(matrices(rows=6))
def test_system_measures_are_scipys_on_the_means_of_rated_cells(data: tuple[FloatArray, FloatArray]) -> None:
    rated = ~np.isnan(data[0]).all(axis=1)
    human, metric = data[0][rated], data[1][rated]
    means = [np.array([row[~np.isnan(row)].mean() for row in matrix]) for matrix in (human, metric)]
    assert np.allclose(system_means(human), means[0])
    for text, function in (
        ("system_pearson", scipy.stats.pearsonr),
        ("system_spearman", scipy.stats.spearmanr),
        ("system_tau_b", scipy.stats.kendalltau),
    ):
        outcome = parse_measure(text).evaluate(human, metric)
        h, m = system_means(human), system_means(metric)
        assume(all(np.ptp(side) == 0 or np.ptp(side) > 1e-9 for side in (h, m)))
        if len(set(h)) < 2 or len(set(m)) < 2:
            assert np.isnan(outcome.value)
            assert (outcome.groups_used, outcome.groups_undefined) == (0, 1)
        else:
            assert outcome.value == pytest.approx(float(function(h, m).statistic), abs=1e-7)
