"""Compact letters say for every pair what the tests said, without a letter too many, in ranking order."""

from __future__ import annotations

from itertools import combinations
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval.errors import InputError
from metaeval.significance.clusters import differing, ranking
from metaeval.significance.letters import compact_letters, letter, maximal_groups

NAN = float("nan")


def verdicts(count: int, *differ: tuple[int, int]) -> tuple[list[float], np.ndarray]:
    """Metrics 0, 1, ... from best to worst, of which these pairs differ."""
    p = np.full((count, count), 0.5)
    for better, worse in differ:
        p[better, worse] = 0.001
    return [float(-metric) for metric in range(count)], p


@st.composite
def comparisons(draw: st.DrawFn, most: int = 9) -> tuple[list[float], np.ndarray]:
    count = draw(st.integers(0, most))
    pairs = list(combinations(range(count), 2))
    values, p = verdicts(count, *(pair for pair in pairs if draw(st.booleans())))
    shuffled = np.array(draw(st.permutations(range(count))), dtype=int)
    missing = draw(st.sets(st.integers(0, max(count - 1, 0)), max_size=2))
    given_values = [NAN if metric in missing else values[metric] for metric in shuffled]
    return given_values, p[np.ix_(shuffled, shuffled)]


def holders(letters: tuple[str, ...]) -> dict[str, set[int]]:
    """The metrics that have each letter."""
    names = {name for own in letters for name in own.split()}
    return {name: {m for m, own in enumerate(letters) if name in own.split()} for name in names}


def test_metrics_that_do_not_differ_share_one_letter() -> None:
    assert compact_letters(*verdicts(3)) == ("a", "a", "a")


def test_metrics_that_all_differ_have_a_letter_each_in_ranking_order() -> None:
    assert compact_letters(*verdicts(3, (0, 1), (0, 2), (1, 2))) == ("a", "b", "c")


def test_a_metric_between_two_that_differ_has_both_letters() -> None:
    assert compact_letters(*verdicts(3, (0, 2))) == ("a", "a b", "b")


def test_a_metric_without_a_value_has_no_letter() -> None:
    assert compact_letters([NAN, 0.5], [[1.0, 0.0], [0.0, 1.0]]) == ("", "a")


def test_no_metrics_have_no_letters() -> None:
    assert compact_letters([], np.empty((0, 0))) == ()
    assert maximal_groups([], np.empty((0, 0))) == []


def test_an_inconsistent_verdict_is_shown_where_clusters_could_not() -> None:
    """The first differs from the second but not from the third, which ranks lower."""
    assert compact_letters(*verdicts(3, (0, 1))) == ("a", "b", "a b")


def test_after_z_come_two_letters_and_blanks_keep_them_apart() -> None:
    count = 28
    values, p = verdicts(count, *combinations(range(count), 2))
    assert compact_letters(values, p)[24:] == ("y", "z", "aa", "ab")


def test_letter_names_are_all_different() -> None:
    assert len({letter(number) for number in range(2000)}) == 2000


def test_a_superfluous_letter_is_swept_although_its_group_is_maximal() -> None:
    """Three pairs of opponents: 8 maximal groups, one of each pair, but 4 of them show all 12 alliances."""
    values, p = verdicts(6, (0, 1), (2, 3), (4, 5))
    assert len(maximal_groups(values, p)) == 8
    assert compact_letters(values, p) == ("a b", "c d", "a c", "b d", "a d", "b c")


@given(comparisons())
def test_two_metrics_share_a_letter_exactly_if_they_do_not_differ(
    comparison: tuple[list[float], np.ndarray],
) -> None:
    values, p = comparison
    letters, differ = compact_letters(values, p), differing(values, p)
    for i, j in combinations(ranking(values).tolist(), 2):
        assert bool(set(letters[i].split()) & set(letters[j].split())) == (not differ[i, j])
    assert [own == "" for own in letters] == np.isnan(values).tolist()


@given(comparisons())
def test_no_letter_can_be_left_out(comparison: tuple[list[float], np.ndarray]) -> None:
    held = holders(compact_letters(*comparison))
    shown = {name: {frozenset((i, j)) for i in group for j in group} for name, group in held.items()}
    for name in shown:
        others = [pairs for other, pairs in shown.items() if other != name]
        assert not shown[name] <= set().union(*others)


@given(comparisons())
def test_letters_come_in_ranking_order_without_gaps(comparison: tuple[list[float], np.ndarray]) -> None:
    letters = compact_letters(*comparison)
    held = holders(letters)
    position = {metric: place for place, metric in enumerate(ranking(comparison[0]).tolist())}
    groups = [sorted(position[m] for m in held[letter(number)]) for number in range(len(held))]
    assert groups == sorted(groups)
    assert all(own.split() == sorted(own.split(), key=lambda n: (len(n), n)) for own in letters)


@given(comparisons(), st.randoms(use_true_random=False))
def test_letters_do_not_depend_on_the_order_in_which_metrics_are_given(
    comparison: tuple[list[float], np.ndarray], random: Random
) -> None:
    values, p = comparison
    order = list(range(len(values)))
    random.shuffle(order)
    letters = compact_letters(values, p)
    shuffled = compact_letters([values[i] for i in order], p[np.ix_(order, order)])
    assert shuffled == tuple(letters[i] for i in order)


@given(comparisons())
def test_maximal_groups_equal_trying_every_subset(comparison: tuple[list[float], np.ndarray]) -> None:
    values, p = comparison
    differ, order = differing(values, p), ranking(values).tolist()
    alike = [
        set(subset)
        for size in range(1, len(order) + 1)
        for subset in combinations(order, size)
        if not any(differ[i, j] for i, j in combinations(subset, 2))
    ]
    largest = {frozenset(group) for group in alike if not any(group < other for other in alike)}
    found = maximal_groups(values, p)
    assert {frozenset(group) for group in found} == largest
    assert len(found) == len(largest)
    assert all(list(group) == [m for m in order if m in group] for group in found)


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_verdicts_with_thousands_of_maximal_groups_still_get_exact_letters(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pairs = [pair for pair in combinations(range(30), 2) if rng.random() < 0.15]
    values, p = verdicts(30, *pairs)
    letters, differ = compact_letters(values, p), differing(values, p)
    assert len(holders(letters)) <= 30 * 31 // 2
    for i, j in combinations(range(30), 2):
        assert bool(set(letters[i].split()) & set(letters[j].split())) == (not differ[i, j])


def test_too_many_maximal_groups_are_refused_before_they_are_made() -> None:
    """Trios of opponents: one of each, so 3^(M/3) groups, the most there can be."""
    values, p = verdicts(30, *((i, j) for i, j in combinations(range(30), 2) if i // 3 == j // 3))
    with pytest.raises(InputError) as error:
        maximal_groups(values, p)
    assert str(error.value) == (
        "30 metrics have more than 1,000 largest groups that do not differ\n"
        "  Raise the limit, or use letters, which need fewer groups"
    )


def test_the_limit_is_on_the_groups_there_are_not_on_those_on_the_way() -> None:
    values, p = verdicts(9, *((i, j) for i, j in combinations(range(9), 2) if i // 3 == j // 3))
    assert len(maximal_groups(values, p, limit=27)) == 27
    with pytest.raises(InputError, match="more than 26 largest groups"):
        maximal_groups(values, p, limit=26)
