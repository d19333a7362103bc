"""Scores made ready for counting pairs at one epsilon after the other.

Within a group the metric's scores rise and human scores are dense ranks, so that a pair (i, j) with i < j
is concordant, discordant or tied by humans as the rank of i is below, above or equal to that of j.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from metaeval.kernels import enumerated
from metaeval.kernels.enumerated import Pairs, Ranks
from metaeval.kernels.pairs import COMPILED_FROM, Floats, Integers, PairCounts, checked


@dataclass(frozen=True, slots=True, eq=False)
class Totals:
    """Of every group, how many pairs, how many of them the humans tie, how many scores, how many distinct."""

    pairs: Integers
    human_ties: Integers
    sizes: Integers
    distinct: Floats

    def counts(self, apart: Integers, group: Integers | None = None) -> PairCounts:
        """Pair counts from the pairs that the metric does not tie.

        Args:
            apart: ``[row, kind]``, as ``Layout.apart`` gives it.
            group: the group each row speaks of; without it row g speaks of group g.
        """
        which = slice(None) if group is None else group
        tied_human, concordant, discordant = apart.T
        human_ties = self.human_ties[which]
        return PairCounts(
            concordant,
            discordant,
            tied_human,
            self.pairs[which] - human_ties - concordant - discordant,
            human_ties - tied_human,
            self.sizes[which],
            self.distinct[which],
        )


@dataclass(frozen=True, eq=False)
class Layout:
    """Groups of scores, each sorted by the metric.

    Attributes:
        rank: human score as a dense rank within its group, from 0.
        metric: rising within a group.
        offsets: where each group begins.
        relative: whether a difference is a fraction of the larger magnitude.
        distinct: per group, the smaller number of distinct scores of the two sides.
    """

    rank: Ranks
    metric: Floats
    offsets: Integers
    relative: bool
    distinct: Floats

    @classmethod
    def of(
        cls, human: ArrayLike, metric: ArrayLike, offsets: ArrayLike | None, *, relative: bool = False
    ) -> Layout:
        """Check the scores and sort them. O(n log n)."""
        h, m, at = checked(human, metric, offsets)
        m = m + 0.0  # turns -0.0 into 0.0
        rank, human_levels = dense_ranks(h, at)
        order = sort_within(m, at)
        _, metric_levels = dense_ranks(m, at, order)
        distinct = np.minimum(human_levels, metric_levels).astype(np.float64)
        return cls(rank[order], m[order], at, relative, distinct)

    @cached_property
    def sizes(self) -> Integers:
        """How many scores each group holds."""
        return np.diff(self.offsets)

    @cached_property
    def totals(self) -> Totals:
        """What does not change with epsilon."""
        group = np.repeat(np.arange(len(self.sizes)), self.sizes)
        members = np.bincount(self.offsets[:-1][group] + self.rank, minlength=len(self.rank))
        tied = np.concatenate([[0], np.cumsum(members * (members - 1) // 2)])
        human_ties = tied[self.offsets[1:]] - tied[self.offsets[:-1]]
        return Totals(self.sizes * (self.sizes - 1) // 2, human_ties, self.sizes, self.distinct)

    @property
    def arrays(self) -> tuple[Ranks, Floats, Integers, bool]:
        """What the counting functions take: rank, metric, offsets, relative."""
        return self.rank, self.metric, self.offsets, self.relative

    @property
    def pairs(self) -> int:
        """How many pairs there are in all groups."""
        return int(self.totals.pairs.sum())

    @cached_property
    def enumerated(self) -> Pairs:
        """Every pair; O(pairs) time and memory, so for few."""
        return enumerated.enumerated(*self.arrays)

    def apart(self, epsilon: float) -> Integers:
        """Pairs of each group that differ by more than epsilon: human-tied, concordant, discordant.

        O(n log n), or one array operation over all pairs where these are few.
        """
        if self.pairs < COMPILED_FROM:
            return enumerated.apart(self.enumerated, len(self.sizes), epsilon)
        from metaeval.kernels import sweep

        return sweep.apart(*self.arrays, epsilon)

    def counts(self, epsilon: float) -> PairCounts:
        """The pair counts of every group at one epsilon."""
        return self.totals.counts(self.apart(epsilon))


def sort_within(values: Floats, offsets: Integers) -> Integers:
    """The order that sorts each group, groups staying where they are."""
    sizes = np.diff(offsets)
    if len(sizes) and (sizes == sizes[0]).all() and sizes[0]:
        inside = np.argsort(values.reshape(len(sizes), -1), axis=1)
        return np.asarray((inside + offsets[:-1, None]).ravel())
    group = np.repeat(np.arange(len(sizes)), sizes)
    return np.lexsort((values, group))


def dense_ranks(values: Floats, offsets: Integers, order: Integers | None = None) -> tuple[Ranks, Integers]:
    """Rank of each value among the distinct ones of its group, from 0; and how many distinct there are.

    >>> ranks, levels = dense_ranks(np.array([5.0, 2.0, 5.0, 1.0]), np.array([0, 3, 4]))
    >>> ranks.tolist(), levels.tolist()
    ([1, 0, 1, 0], [2, 1])
    """
    if order is None:
        order = sort_within(values, offsets)
    ordered = values[order]
    new = np.ones(len(values), dtype=np.int64)
    new[1:] = ordered[1:] != ordered[:-1]
    starts = offsets[:-1][np.diff(offsets) > 0]
    new[starts] = 1
    running = np.concatenate([[0], np.cumsum(new)])
    levels = running[offsets[1:]] - running[offsets[:-1]]
    ranks = np.empty(len(values), dtype=np.int32)
    before = np.repeat(running[offsets[:-1]], np.diff(offsets))
    ranks[order] = running[1:] - 1 - before
    return ranks, levels
