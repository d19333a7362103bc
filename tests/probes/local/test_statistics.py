"""Accuracy, chi-square, tau_AP and the paired test against naive loops and other libraries."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import local as oracles
from scipy import stats

from metaeval.errors import InputError
from metaeval.probes.local.accuracy import accuracy, effective_wilson, units
from metaeval.probes.local.homogeneity import homogeneity
from metaeval.probes.local.ordering import tau_ap, tau_ap_matrix
from metaeval.probes.local.pairs import Pairs, verdicts
from metaeval.probes.local.recommend import paired_p
from metaeval.scores import FloatArray

GRADES = st.integers(0, 3).map(float)


def made(
    item: object, verdict: object, *, weight: object = None, context: object = None, items: int = 8
) -> Pairs:
    item = np.asarray(item)
    return Pairs(
        metrics=("m",), kinds=("k",), items=tuple(map(str, range(items))), systems=tuple("ABCD"),
        item=item, system=np.zeros(len(item), int) if context is None else np.asarray(context),
        kind=np.zeros(len(item), int), verdict=np.asarray(verdict),
        weight=None if weight is None else np.asarray(weight),
    )  # fmt: skip


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 7), GRADES, GRADES, st.sampled_from([0.5, 1.0, 2.0])),
        min_size=1,
    )
)
def test_accuracy_equals_the_loops_of_equations_1_and_2(
    rows: list[tuple[int, int, float, float, float]],
) -> None:
    context, item, better, worse, weight = map(np.array, zip(*rows, strict=True))
    pairs = made(item, verdicts(better, worse), weight=weight)
    found = accuracy(units(pairs, context, 4))
    expected = oracles.local_accuracy(rows)
    for i in range(4):
        if i in expected:
            assert found.value[i, 0] == pytest.approx(expected[i])
            assert found.low[i, 0] - 1e-12 <= found.value[i, 0] <= found.high[i, 0] + 1e-12
        else:
            assert np.isnan(found.value[i, 0])


def test_every_input_counts_once_however_many_pairs_it_has() -> None:
    pairs = made([0, 0, 0, 1], [1, 1, 1, -1])
    assert accuracy(units(pairs, np.zeros(4, int), 1)).value[0, 0] == 0.5


def test_a_weight_of_zero_takes_an_output_out() -> None:
    pairs = made([0, 0, 1], [1, -1, -1], weight=[1.0, 0.0, 0.0])
    found = accuracy(units(pairs, np.zeros(3, int), 1))
    assert found.value[0, 0] == 1.0
    assert found.items[0] == 1


def test_a_difference_by_rounding_alone_is_a_tie() -> None:
    assert verdicts(np.array([0.1 + 0.2, 1.0]), np.array([0.3, 1.0 - 1e-9])).tolist() == [0, 1]


def clustered(rng: np.random.Generator, items: int, contexts: int, *, crossed: bool) -> Pairs:
    """Pairs of homogeneous accuracy in expectation, those of one item much alike; 4 a cell."""
    item = np.repeat(np.arange(items), 4 * contexts if crossed else 4)
    chance = rng.beta(1.0, 0.6, size=items)
    verdict = np.where(rng.random(len(item)) < chance[item], 1, -1)
    context = np.tile(np.repeat(np.arange(contexts), 4), items) if crossed else item % contexts
    return made(item, verdict, context=context, items=items)


def test_a_handful_of_items_does_not_make_a_difference_certain() -> None:
    item, context = np.repeat([0, 1], 8), np.tile(np.repeat([0, 1], 4), 2)
    verdict = np.where((context == 0) | (np.arange(16) % 4 < 1), 1, -1)
    (found,) = homogeneity(units(made(item, verdict), context, 2))
    assert found.p is not None
    assert found.p < 0.01
    assert found.p_clustered is None, "two items that agree show no variance between items"
    verdict[-1] = 1
    (found,) = homogeneity(units(made(item, verdict), context, 2))
    assert found.p_clustered is not None
    # two items differ by chance in one direction: the t-test with 1 degree of freedom, which F is here
    right = np.array([[4, 1], [4, 2]])
    difference = (right[:, 0] - right[:, 1]) / 4
    t = difference.mean() / (difference.std(ddof=1) / np.sqrt(2))
    assert found.p_clustered == pytest.approx(2 * stats.t.sf(t, 1))


@pytest.mark.parametrize("crossed", [True, False])
@pytest.mark.parametrize(("items", "too_few"), [(12, 0.04), (120, 0.02)])
def test_the_clustered_test_keeps_its_level_where_the_classical_one_does_not(
    items: int, too_few: float, crossed: bool
) -> None:
    rng = np.random.default_rng(1)
    tests = []
    for _ in range(400):
        pairs = clustered(rng, items, 3, crossed=crossed)
        tests.append(homogeneity(units(pairs, pairs.system, 3))[0])
    rejected = np.mean([t.p_clustered is not None and t.p_clustered < 0.05 for t in tests])
    classical = np.mean([t.p is not None and t.p < 0.05 for t in tests])
    assert 0.02 <= rejected <= 0.085
    assert classical < too_few if crossed else classical > 0.2


def test_the_interval_covers_the_truth_although_pairs_share_items() -> None:
    rng = np.random.default_rng(2)
    covered = []
    for _ in range(400):
        pairs = clustered(rng, 40, 1, crossed=False)
        found = accuracy(units(pairs, pairs.system, 1))
        covered.append(found.low[0, 0] <= 1.0 / 1.6 <= found.high[0, 0])
    assert 0.92 <= np.mean(covered) <= 0.98


@given(st.lists(st.tuples(st.integers(1, 60), st.integers(0, 60)), min_size=2, max_size=6))
def test_chi_square_equals_scipy(table: list[tuple[int, int]]) -> None:
    right, wrong = np.array(table).T
    context = np.repeat(np.arange(len(table)), right + wrong)
    verdict = np.concatenate([np.repeat([1, -1], [r, w]) for r, w in table])
    pairs = made(np.arange(len(verdict)), verdict, items=len(verdict))
    (found,) = homogeneity(units(pairs, context, len(table)))
    if not wrong.sum():
        assert found.statistic is None
        assert found.p is None
        assert found.freedom == len(table) - 1
        return
    expected = stats.chi2_contingency([right, wrong], correction=False)
    assert found.statistic == pytest.approx(expected.statistic, abs=1e-9)
    assert found.p == pytest.approx(expected.pvalue, abs=1e-9)
    assert found.freedom == expected.dof


def test_one_context_has_no_test() -> None:
    pairs = made([0, 1], [1, -1])
    (found,) = homogeneity(units(pairs, np.zeros(2, int), 1))
    assert (found.statistic, found.p, found.freedom, found.p_clustered) == (None, None, 0, None)


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 5).flatmap(lambda n: st.lists(st.tuples(GRADES, GRADES), min_size=n, max_size=n)))
def test_tau_ap_equals_the_mean_over_all_ways_of_breaking_ties(scores: list[tuple[float, float]]) -> None:
    ranking, reference = zip(*scores, strict=True)
    assert tau_ap(ranking, reference) == pytest.approx(oracles.tau_ap(ranking, reference))


@given(st.permutations(range(7)), st.permutations(range(7)))
def test_tau_ap_equals_its_definition_without_ties(ranking: list[int], reference: list[int]) -> None:
    assert tau_ap(ranking, reference) == pytest.approx(oracles.tau_ap(ranking, reference))


@given(st.lists(GRADES, min_size=2, max_size=9))
def test_an_order_agrees_with_itself_whatever_ties_it_has(scores: list[float]) -> None:
    assert tau_ap(scores, scores) == pytest.approx(1.0)


def test_a_mistake_at_the_top_weighs_more_and_the_two_sides_differ() -> None:
    truth = [4, 3, 2, 1]
    top, bottom = tau_ap([3, 4, 2, 1], truth), tau_ap([4, 3, 1, 2], truth)
    assert top is not None
    assert bottom is not None
    assert top < bottom
    assert tau_ap([4, 3, 2, 1], [2, 4, 3, 1]) != tau_ap([2, 4, 3, 1], [4, 3, 2, 1])


def test_the_matrix_has_references_in_rows_and_rankings_in_columns() -> None:
    a, b = [4.0, 3.0, 2.0, 1.0], [2.0, 4.0, 3.0, 1.0]
    matrix = tau_ap_matrix(np.array([a, b]), np.array([a, b]))
    assert matrix[0, 1] == pytest.approx(tau_ap(b, a))
    assert matrix[1, 0] == pytest.approx(tau_ap(a, b))


def test_one_metric_has_no_order() -> None:
    assert tau_ap([1.0], [2.0]) is None


@given(st.lists(st.tuples(GRADES, GRADES), min_size=2, max_size=12))
def test_the_paired_test_equals_scipy(rows: list[tuple[float, float]]) -> None:
    one, other = np.array(rows).T
    (p,) = paired_p(one[:, None], other[:, None])
    if np.ptp(one - other) > 0:
        assert p == pytest.approx(stats.ttest_rel(one, other).pvalue)
    else:
        assert p == (1.0 if (one == other).all() else 0.5 ** (len(rows) - 1))


@pytest.mark.parametrize(("items", "p"), [(1, 1.0), (2, 0.5), (3, 0.25), (10, 2**-9)])
def test_a_few_items_that_differ_by_the_same_are_no_certainty(items: int, p: float) -> None:
    one = np.full((items, 1), 1 / 3)
    assert paired_p(one, np.hstack([one, one - 0.1 / 3])).tolist() == pytest.approx([1.0, p])


def test_one_item_tells_nothing() -> None:
    assert paired_p(np.array([[1.0]]), np.array([[0.0]])).tolist() == [1.0]


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_the_interval_at_the_ends_is_wilsons_with_one_trial_an_item(value: float) -> None:
    def wilson(items: int) -> tuple[FloatArray, FloatArray]:
        one = np.array([[value]])
        return effective_wilson(one, np.zeros((1, 1)), np.array([[items]]), np.array([[4 * items]]))

    low, high = wilson(10_000)
    expected = stats.binomtest(int(10_000 * value), 10_000).proportion_ci(method="wilson")
    assert (low[0, 0], high[0, 0]) == (
        pytest.approx(expected.low, abs=1e-6),
        pytest.approx(expected.high, abs=1e-6),
    )
    assert wilson(3)[1][0, 0] - wilson(3)[0][0, 0] > 0.6


def test_weights_are_checked() -> None:
    with pytest.raises(InputError, match="the weights of pairs are not one number from 0 for each pair"):
        made([0], [1], weight=[-1.0])
