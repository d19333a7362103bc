"""Compact letter display: metrics that share a letter do not differ, all others do.

Unlike clusters (:mod:`metaeval.significance.clusters`) letters say for every pair what the tests said. Each
letter stands for a group of metrics none of which differ; a metric may be in several.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metaeval.errors import InputError
from metaeval.significance.clusters import differing, ranking

Group: TypeAlias = frozenset[int]
"""Positions in the ranking, 0 for the best metric."""

MANY = 4
"""Groups a metric beyond which letters look for superfluous ones before they go on."""


def compact_letters(values: ArrayLike, p: ArrayLike, alpha: float = 0.05) -> tuple[str, ...]:
    """The letters of each metric, separated by blanks: "a", "b c"; "" for a metric without a value.

    Two metrics share a letter exactly if the better one is not significantly better (p > alpha, or not
    tested). Insert-and-absorb (Piepho 2004); then letters that the others make superfluous are dropped (the
    sweep of Gramm et al. 2007), so every letter is the only one that some two metrics share, or that some
    metric has. Letters follow the ranking: the best metric has an "a", after z come aa, ab, ...

    Insert-and-absorb alone can need 3^(M/3) groups. Superfluous ones are therefore also dropped on the way
    as soon as they are many, which leaves at most M(M+1)/2. That bounds the time by O(M^6), however much the
    tests contradict each other; 70 metrics took under a second at worst, 30 a few hundredths.

    >>> p = [[1.0, 0.20, 0.01], [0.80, 1.0, 0.30], [0.99, 0.70, 1.0]]
    >>> compact_letters([0.9, 0.8, 0.7], p)
    ('a', 'a b', 'b')
    """
    order, differ = _in_ranking_order(values, p, alpha)
    count = len(order)
    groups = _everyone(count)
    for metric in range(count):
        groups = _insert(groups, metric, differ)
        if len(groups) > MANY * count:
            groups = _sweep(groups, count)
    letters: list[list[str]] = [[] for _ in range(np.size(values))]
    for number, group in enumerate(_sorted(_sweep(groups, count))):
        for position in group:
            letters[order[position]].append(letter(number))
    return tuple(" ".join(own) for own in letters)


def maximal_groups(
    values: ArrayLike, p: ArrayLike, alpha: float = 0.05, *, limit: int = 1000
) -> list[tuple[int, ...]]:
    """All largest groups of metrics none of which differ: indices best first, groups in ranking order.

    No group can be extended by another metric. All of them, where letters may do with fewer: at worst
    3^(M/3) (Moon and Moser 1965), so more than ``limit`` are an InputError. O(M^2 limit^2). Where verdicts
    follow the ranking, metrics further apart differing if nearer ones do, there are at most M.

    >>> p = [[1.0, 0.20, 0.01], [0.80, 1.0, 0.30], [0.99, 0.70, 1.0]]
    >>> maximal_groups([0.9, 0.8, 0.7], p)
    [(0, 1), (1, 2)]
    """
    order, differ = _in_ranking_order(values, p, alpha)
    groups = _everyone(len(order))
    for metric in range(len(order)):
        groups = _insert(groups, metric, differ)
        if len(groups) > limit:
            raise InputError(
                f"{len(order)} metrics have more than {limit:,} largest groups that do not differ",
                remedy="Raise the limit, or use letters, which need fewer groups",
            )
    return [tuple(int(order[position]) for position in sorted(group)) for group in _sorted(groups)]


def letter(number: int) -> str:
    """The name of a group, counted from 0.

    >>> [letter(n) for n in (0, 25, 26, 27, 701, 702)]
    ['a', 'z', 'aa', 'ab', 'zz', 'aaa']
    """
    name = ""
    number += 1
    while number:
        number, digit = divmod(number - 1, 26)
        name = chr(ord("a") + digit) + name
    return name


def _in_ranking_order(
    values: ArrayLike, p: ArrayLike, alpha: float
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    order = ranking(values)
    return order, differing(values, p, alpha)[np.ix_(order, order)]


def _everyone(count: int) -> list[Group]:
    return [frozenset(range(count))] if count else []


def _insert(groups: list[Group], metric: int, differ: NDArray[np.bool_]) -> list[Group]:
    """Enter all differences between a metric and better ones: one step of insert-and-absorb.

    Before it every group holds the metric. A group that also holds some that differ from it is parted in
    two, without the metric and without those; then what another group contains is absorbed. Metric by
    metric, rather than pair by pair, there are never more than twice as many groups as in the end.
    """
    rivals = frozenset(np.flatnonzero(differ[metric, :metric]).tolist())
    untouched = [group for group in groups if not group & rivals]
    parted = {half for group in groups if group & rivals for half in (group - {metric}, group - rivals)}
    return untouched + _absorb(parted, untouched)


def _absorb(parted: set[Group], untouched: list[Group]) -> list[Group]:
    """The new groups that no other group contains, larger ones first."""
    kept: list[Group] = []
    for group in sorted(parted, key=lambda g: (-len(g), sorted(g))):
        if not any(group <= other for other in untouched) and not any(group <= other for other in kept):
            kept.append(group)
    return kept


def _sweep(groups: list[Group], count: int) -> list[Group]:
    """Drop groups, small ones first, all of whose pairs and members are in another. O(groups M^2)."""
    together = np.zeros((count, count), dtype=np.intp)
    for group in groups:
        together[_block(group)] += 1
    kept: list[Group] = []
    for group in sorted(groups, key=lambda g: (len(g), [-position for position in sorted(g)])):
        if (together[_block(group)] > 1).all():
            together[_block(group)] -= 1
        else:
            kept.append(group)
    return kept


def _block(group: Group) -> tuple[NDArray[np.intp], ...]:
    members = np.fromiter(group, dtype=np.intp, count=len(group))
    return np.ix_(members, members)


def _sorted(groups: Iterable[Group]) -> list[Group]:
    return sorted(groups, key=sorted)
