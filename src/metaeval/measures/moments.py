"""Measures that are functions of sums over cells: Pearson, Spearman, and Pearson of differences."""

from __future__ import annotations

import numpy as np

from metaeval.measures.base import Outcome, SegmentMeasure, ratio
from metaeval.measures.groups import Groups
from metaeval.measures.registry import measure
from metaeval.scores import FloatArray


@measure(
    "pearson",
    formula="cov(h, m) / sd(h) sd(m)",
    cites="Pearson 1895; WMT segment and system level",
)
class Pearson(SegmentMeasure):
    """Linear agreement within groups.

    Undefined where either side is constant. O(n).

    >>> human = np.array([[1.0, 2.0], [2.0, 2.0], [3.0, 2.0]])
    >>> outcome = Pearson(grouping="item").evaluate(human, human[::-1])
    >>> round(outcome.value, 6), outcome.groups_used, outcome.groups_undefined
    (-1.0, 1, 1)
    """

    def group_values(self, groups: Groups, metric: FloatArray) -> FloatArray:
        return pearson(groups, groups.human, metric)


@measure(
    "spearman",
    formula="Pearson of the ranks, ties given their mean rank",
    cites="Spearman 1904",
)
class Spearman(SegmentMeasure):
    """Agreement of ranks within groups.

    Undefined where either side is constant. O(n log n).

    >>> human = np.array([[1.0], [2.0], [9.0]])
    >>> round(Spearman(grouping="item").evaluate(human, np.exp(human)).value, 6)
    1.0
    """

    def group_values(self, groups: Groups, metric: FloatArray) -> FloatArray:
        return pearson(groups, ranks(groups, groups.human), ranks(groups, metric))


@measure(
    "pdp",
    formula="sum_g n_g cov_g(h, m) / sqrt(sum_g n_g var_g(h) * sum_g n_g var_g(m))",
    cites="Pairwise difference Pearson: WMT 2024 and 2025 metrics tasks",
)
class PairwiseDifferencePearson(SegmentMeasure):
    """Pearson over the differences of all pairs within a group, pooled over the groups.

    Every pair counts in both directions, so that the differences have mean zero and the pairs need not
    be formed: over a group of n they sum to n times its centred moments. Undefined where no group varies
    on one of the sides. O(n).

    >>> human, metric = np.array([[1.0, 5.0], [2.0, 7.0]]), np.array([[1.0, 1.0], [2.0, 2.0]])
    >>> round(PairwiseDifferencePearson(grouping="item").evaluate(human, metric).value, 6)
    0.948683
    """

    averaged = False

    def group_values(self, groups: Groups, metric: FloatArray) -> FloatArray:
        hh, mm, hm = centred_moments(groups, groups.human, metric)
        n = groups.sizes.astype(np.float64)
        return np.clip(np.atleast_1d(ratio(n @ hm, np.sqrt((n @ hh) * (n @ mm)))), -1.0, 1.0)

    def evaluate(self, human: FloatArray, metric: FloatArray) -> Outcome:
        groups = Groups.of(human, self.grouping)
        value = float(self.group_values(groups, groups.flat(metric))[0])
        used = 0 if np.isnan(value) else int((groups.sizes > 1).sum())
        return Outcome(value, None, used, len(groups) - used)


def pearson(groups: Groups, x: FloatArray, y: FloatArray) -> FloatArray:
    """Pearson's r in each group, NaN where one side is constant."""
    xx, yy, xy = centred_moments(groups, x, y)
    return np.clip(ratio(xy, np.sqrt(xx) * np.sqrt(yy)), -1.0, 1.0)


def centred_moments(
    groups: Groups, x: FloatArray, y: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Sums of squares and products about the group means, by group.

    Two passes, so that nothing cancels; exactly zero where a group is constant.
    """
    sizes = groups.sizes.astype(np.float64)
    dx = (x - groups.spread(groups.sums(x) / sizes)) * groups.spread(groups.varies(x))
    dy = (y - groups.spread(groups.sums(y) / sizes)) * groups.spread(groups.varies(y))
    return groups.sums(dx * dx), groups.sums(dy * dy), groups.sums(dx * dy)


def ranks(groups: Groups, values: FloatArray) -> FloatArray:
    """Mean ranks within each group. O(n log n)."""
    group = np.repeat(np.arange(len(groups)), groups.sizes)
    order = np.lexsort((values, group))
    ordered, of = values[order], group[order]
    first = np.ones(len(values), dtype=np.bool_)
    first[1:] = (ordered[1:] != ordered[:-1]) | (of[1:] != of[:-1])
    run = np.cumsum(first) - 1
    starts = np.flatnonzero(first)
    stops = np.append(starts[1:], len(values))
    mean_position = (starts + stops - 1) / 2.0
    result = np.empty(len(values))
    result[order] = mean_position[run] - groups.offsets[of]
    return result
