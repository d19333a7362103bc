"""Where pairs lie: a histogram of the pairs' average scores, for all pairs and for those within epsilon.

Small groups are written out, some groups at a time. In a large group nothing is: scores rise, so the
partners of a score that keep the average below an edge are a prefix of those after it, and those within
epsilon a stretch; a bisection finds where each ends.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from metaeval.kernels.enumerated import pair_indices
from metaeval.kernels.layout import sort_within
from metaeval.kernels.pairs import Floats, Integers

LARGE = 1500
"""Scores of a group from which its pairs are counted and not written out."""
HELD = 1_000_000
"""Pairs written out at a time, up to those of one more group."""


@dataclass(frozen=True, slots=True, eq=False)
class Averages:
    """Pairs by their average score: how many in each bin, and the sum of their averages."""

    pairs: Integers
    tied: Integers
    """The pairs that differ by more than 0 and at most epsilon."""
    sum_pairs: float
    sum_tied: float

    def __add__(self, other: Averages) -> Averages:
        return Averages(
            self.pairs + other.pairs,
            self.tied + other.tied,
            self.sum_pairs + other.sum_pairs,
            self.sum_tied + other.sum_tied,
        )


def average_histogram(metric: Floats, offsets: Integers, edges: Floats, epsilon: float) -> Averages:
    """Exact counts of the pairs whose average lies in ``[edges[k], edges[k + 1])``, the last bin closed.

    Averages beyond the edges fall into the first and the last bin. O(pairs) time in groups of fewer than
    ``LARGE`` scores, O(bins n log n) in larger ones; O(n) memory beside ``HELD`` pairs.
    Oracle: tests/kernels/test_averages.py, pair by pair.

    >>> found = average_histogram(
    ...     np.array([0.0, 0.2, 1.0]), np.array([0, 3]), np.array([0.0, 0.5, 1.0]), epsilon=0.3
    ... )
    >>> found.pairs.tolist(), found.tied.tolist()
    ([1, 2], [1, 0])
    """
    ordered = metric[sort_within(metric, offsets)]
    nothing = np.zeros(len(edges) - 1, dtype=np.int64)
    found = Averages(nothing, nothing, 0.0, 0.0)
    for begin, end in runs(offsets):
        part = ordered[offsets[begin] : offsets[end]]
        if end - begin == 1 and len(part) >= LARGE:
            found += counted(part, edges, epsilon)
        else:
            found += written_out(part, offsets[begin : end + 1] - offsets[begin], edges, epsilon)
    return found


def runs(offsets: Integers) -> Iterator[tuple[int, int]]:
    """Groups [begin, end) to do at once: large ones alone, small ones together up to ``HELD`` pairs.

    >>> list(runs(np.array([0, 3, 6, 3000, 3002])))
    [(0, 2), (2, 3), (3, 4)]
    """
    sizes = np.diff(offsets)
    pairs = np.cumsum(sizes * (sizes - 1) // 2)
    large = np.flatnonzero(sizes >= LARGE)
    full = np.searchsorted(pairs, np.arange(HELD, int(pairs[-1]) if len(pairs) else 0, HELD))
    cuts = np.unique(np.concatenate([[0, len(sizes)], large, large + 1, full]))
    yield from itertools.pairwise(cuts.tolist())


def written_out(ordered: Floats, offsets: Integers, edges: Floats, epsilon: float) -> Averages:
    """The pairs of small groups one by one."""
    first, second = pair_indices(offsets)
    low, high = ordered[first], ordered[second]
    twice = low + high
    bins = np.searchsorted(2.0 * edges[1:-1], twice, side="right")
    tied = (high - low > 0) & (high - low <= epsilon)
    size = len(edges) - 1
    return Averages(
        np.bincount(bins, minlength=size),
        np.bincount(bins[tied], minlength=size),
        float(twice.sum()) / 2,
        float(twice[tied].sum()) / 2,
    )


def counted(ordered: Floats, edges: Floats, epsilon: float) -> Averages:
    """The pairs of one large group, never written out."""
    n = len(ordered)
    after = np.arange(1, n + 1)
    since = first_not(ordered, lambda low, high: high - low <= 0)
    until = first_not(ordered, lambda low, high: high - low <= epsilon)
    until = np.maximum(since, until)
    below, tied_below = [0], [0]
    for edge in edges[1:-1].tolist():
        stop = first_not(ordered, partial(average_below, twice=2.0 * edge))
        below.append(int((stop - after).sum()))
        tied_below.append(int((np.clip(stop, since, until) - since).sum()))
    below.append(n * (n - 1) // 2)
    tied_below.append(int((until - since).sum()))
    running = np.concatenate([[0.0], np.cumsum(ordered)])
    tied_sum = ((until - since) * ordered).sum() + (running[until] - running[since]).sum()
    return Averages(
        np.diff(below), np.diff(tied_below), float(ordered.sum()) * (n - 1) / 2, float(tied_sum) / 2
    )


def average_below(low: Floats, high: Floats, twice: float) -> NDArray[np.bool_]:
    """Whether two scores sum to less than twice an edge."""
    return low + high < twice


def first_not(ordered: Floats, holds: Callable[[Floats, Floats], NDArray[np.bool_]]) -> Integers:
    """For each score the first later one of which ``holds(score, later)`` is false, or the number of scores.

    ``holds`` must be true of a prefix of the later scores. O(n log n).
    """
    n = len(ordered)
    low, high = np.arange(1, n + 1), np.full(n, n)
    while (low < high).any():
        middle = (low + high) // 2
        true = holds(ordered, ordered[np.minimum(middle, n - 1)]) & (low < high)
        low, high = np.where(true, middle + 1, low), np.where(true, high, np.minimum(middle, high))
    return low
