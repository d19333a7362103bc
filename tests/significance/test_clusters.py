"""WMT's clusters: the walk, the metrics without a value, and the pairs it parts without a reason."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from metaeval.errors import InputError
from metaeval.significance.clusters import (
    differing,
    ranking,
    significant,
    split_without_difference,
    wmt_clusters,
)

NAN = float("nan")
SMALL_P = st.sampled_from([0.0, 0.01, 0.05, 0.2, 0.9, NAN])
Comparison = tuple[np.ndarray, np.ndarray]


@st.composite
def comparisons(draw: st.DrawFn, most: int = 8) -> Comparison:
    """Values with ties and gaps, and verdicts that need not be consistent with them."""
    count = draw(st.integers(0, most))
    values = draw(arrays(np.float64, count, elements=st.sampled_from([0.1, 0.2, 0.3, 0.4, NAN])))
    return values, draw(arrays(np.float64, (count, count), elements=SMALL_P))


def test_a_p_value_of_exactly_alpha_is_significant() -> None:
    assert significant([0.05, np.nextafter(0.05, 1)], 0.05).tolist() == [True, False]


def test_a_pair_that_was_not_tested_is_not_significant() -> None:
    assert not significant(NAN, 0.05)


def test_equal_values_are_ranked_in_the_order_given() -> None:
    assert ranking([0.5, 0.9, 0.5, 0.9]).tolist() == [1, 3, 0, 2]


def test_a_metric_without_a_value_is_in_no_ranking_no_cluster_and_differs_from_none() -> None:
    values, p = [0.9, NAN, 0.5], np.zeros((3, 3))
    assert ranking(values).tolist() == [0, 2]
    assert wmt_clusters(values, p).tolist() == [1, 0, 2]
    assert not differing(values, p)[1].any()
    assert split_without_difference([1, 0, 2], np.ones((3, 3))) == [(0, 2)]


def test_one_metric_worse_than_any_member_opens_the_next_cluster() -> None:
    p = np.full((4, 4), 0.5)
    p[0, 2] = 0.01
    assert wmt_clusters([4, 3, 2, 1], p).tolist() == [1, 1, 2, 2]


def test_the_walk_forgets_former_clusters() -> None:
    p = np.full((3, 3), 0.5)
    p[0, 1] = 0.01
    assert wmt_clusters([3, 2, 1], p).tolist() == [1, 2, 2]


def test_clusters_do_not_depend_on_the_order_in_which_metrics_are_given() -> None:
    p = np.full((3, 3), 0.5)
    p[2, 0] = 0.01
    assert wmt_clusters([1, 2, 3], p).tolist() == [2, 1, 1]


def test_only_the_direction_of_the_ranking_counts() -> None:
    p = np.full((2, 2), NAN)
    p[1, 0] = 0.001
    assert wmt_clusters([0.9, 0.1], p).tolist() == [1, 1]
    assert wmt_clusters([0.1, 0.9], p).tolist() == [2, 1]


def test_the_fault_of_greedy_clusters_is_listed() -> None:
    p = np.full((4, 4), 0.5)
    p[0, 2] = p[0, 3] = p[1, 3] = 0.01
    clusters = wmt_clusters([4, 3, 2, 1], p)
    assert clusters.tolist() == [1, 1, 2, 2]
    assert split_without_difference(clusters, p) == [(1, 2)]


def test_no_metrics_make_no_clusters() -> None:
    assert wmt_clusters([], np.empty((0, 0))).tolist() == []
    assert split_without_difference([], np.empty((0, 0))) == []


def walk_as_a_loop(values: np.ndarray, p: np.ndarray, alpha: float) -> list[int]:
    clusters = [0] * len(values)
    members: list[int] = []
    number = 1
    for metric in sorted((i for i in range(len(values)) if values[i] == values[i]), key=lambda i: -values[i]):
        if any(p[member, metric] <= alpha for member in members):
            number, members = number + 1, []
        members.append(metric)
        clusters[metric] = number
    return clusters


@given(comparisons())
def test_clusters_equal_a_plain_loop(comparison: Comparison) -> None:
    assert wmt_clusters(*comparison, 0.05).tolist() == walk_as_a_loop(*comparison, 0.05)


@given(comparisons())
def test_within_a_cluster_no_metrics_differ_and_listed_pairs_are_all_the_others_that_do_not(
    comparison: Comparison,
) -> None:
    values, p = comparison
    clusters, differ = wmt_clusters(values, p), differing(values, p)
    listed = set(split_without_difference(clusters, p))
    assert (differ == differ.T).all()
    for i, j in np.ndindex(p.shape):
        if clusters[i] == clusters[j]:
            assert not differ[i, j]
        elif 0 < clusters[i] < clusters[j]:
            assert ((i, j) in listed) == (not differ[i, j])


@pytest.mark.parametrize("alpha", [0.0, 1.0, -0.1, NAN])
def test_alpha_is_a_level(alpha: float) -> None:
    with pytest.raises(InputError) as error:
        wmt_clusters([1.0], [[1.0]], alpha)
    assert str(error.value) == f"alpha must lie between 0 and 1, found {alpha}\n  The usual one is 0.05"


def test_the_matrix_has_a_row_and_a_column_for_each_metric() -> None:
    with pytest.raises(InputError) as error:
        wmt_clusters([0.3, 0.2], np.ones((2, 3)))
    assert str(error.value) == "2 metrics need a 2 x 2 matrix of p-values, found shape (2, 3)"


def test_p_values_are_probabilities() -> None:
    with pytest.raises(InputError) as error:
        wmt_clusters([0.3, 0.2], [[1.0, 1.5], [0.0, 1.0]])
    assert str(error.value) == "a p-value lies between 0 and 1, found 1.5"


def test_values_are_one_number_a_metric() -> None:
    with pytest.raises(InputError) as error:
        ranking([[0.1, 0.2]])
    assert str(error.value) == "expected a vector with one number a metric, found shape (1, 2)"
