"""WMT 2020's Kendall-like statistic: only pairs that humans set clearly apart count."""

from __future__ import annotations

import numpy as np

from metaeval.declared import param
from metaeval.kernels.pairs import count_pairs
from metaeval.measures.base import Outcome, SegmentMeasure, ratio
from metaeval.measures.groups import Groups
from metaeval.measures.registry import measure
from metaeval.scores import FloatArray

POINTS = 25.0
"""The difference of direct assessment scores, on a scale of 100, from which WMT took a pair as ordered."""


def parse_threshold(text: str) -> float:
    """A number from 0 up."""
    value = float(text)
    if not 0 <= value < np.inf:
        raise ValueError("the threshold is a number from 0 up")
    return value


@measure(
    "kendall_like",
    formula="(C - D) / (C + D) over pairs with |h_i - h_j| >= threshold, metric ties counted in D",
    cites="Bojar et al. 2017; Mathur et al. 2020, WMT 2017-20 with direct assessment",
)
class KendallLike(SegmentMeasure):
    """Agreement of order on the pairs that humans set at least a threshold apart; metric ties are wrong.

    Pairs of all groups are thrown together, as WMT did, so a group counts by its pairs; groups without a
    pair that counts are reported as undefined. Pairs that humans tie never count, whatever the threshold.
    O(n log n).

    >>> human, metric = np.array([[90.0], [60.0], [50.0]]), np.array([[0.9], [0.7], [0.7]])
    >>> KendallLike(grouping="item").evaluate(human, metric).value
    1.0
    >>> KendallLike(grouping="item", threshold=10.0).evaluate(human, metric).value == 1 / 3
    True
    """

    threshold: float = param(POINTS, parse=parse_threshold, about="least human difference that counts")

    averaged = False

    def group_values(self, groups: Groups, metric: FloatArray) -> FloatArray:
        right, counted = self.tally(groups, metric)
        return np.atleast_1d(ratio(2.0 * right.sum() - counted.sum(), counted.sum()))

    def evaluate(self, human: FloatArray, metric: FloatArray) -> Outcome:
        groups = Groups.of(human, self.grouping)
        flat = groups.flat(metric)
        _, counted = self.tally(groups, flat)
        used = int((counted > 0).sum())
        return Outcome(float(self.group_values(groups, flat)[0]), None, used, len(groups) - used)

    def tally(self, groups: Groups, metric: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Pairs in the right order, and pairs that count, by group.

        The two sides change places: a pair counts where the humans do not tie it at a tolerance just below
        the threshold, which is what counting at an epsilon tells.
        """
        below = float(np.nextafter(self.threshold, 0.0))
        n = count_pairs(metric, groups.human, groups.offsets, epsilon=below)
        return n.concordant, n.concordant + n.discordant + n.tied_human
