"""Local accuracy (Deviyani and Diaz 2025, equations 1 and 2): strict, averaged by item, with intervals.

Several pairs share an item, and an output or two of an item are much alike, so pairs are no independent
trials. The interval is Wilson's at the effective number of pairs (Korn and Graubard 1998): the number that
would give the variance observed between items. It stays sensible at 0 and 1, where it counts every item once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import stats

from metaeval.probes.local.pairs import RIGHT, TIED, IntArray, Pairs
from metaeval.scores import FloatArray


@dataclass(frozen=True, eq=False, slots=True)
class Units:
    """Pairs summed by context and item: one row for each of the two that occur together."""

    contexts: int
    context: IntArray
    item: IntArray
    pairs: IntArray
    weight: FloatArray
    right: FloatArray
    """units x metrics: the weight of the pairs that the metric ordered right."""
    tied: FloatArray
    count_right: FloatArray
    """The same as ``right``, each pair counted as one."""

    @property
    def accuracy(self) -> FloatArray:
        """units x metrics: equation 1, within the context."""
        return self.right / self.weight[:, None]

    def mean(self, values: FloatArray) -> FloatArray:
        """contexts x metrics: the mean over the items of each context; NaN for a context without items."""
        sums = np.zeros((self.contexts, values.shape[1]))
        np.add.at(sums, self.context, values)
        count = np.bincount(self.context, minlength=self.contexts)[:, None]
        return np.divide(sums, count, out=np.full_like(sums, np.nan), where=count > 0)

    def of(self, context: int) -> IntArray:
        """The rows of one context."""
        return np.flatnonzero(self.context == context)


@dataclass(frozen=True, eq=False, slots=True)
class Accuracy:
    """contexts x metrics, and how many items and pairs each context has."""

    value: FloatArray
    low: FloatArray
    high: FloatArray
    tied: FloatArray
    """The share of ties, which strict inequality counts as wrong; averaged like the accuracy."""
    items: IntArray
    pairs: IntArray


def units(pairs: Pairs, context: IntArray, contexts: int) -> Units:
    """Sums over the pairs of each context and item. A pair of context -1 or of weight 0 belongs nowhere.

    One sort of the pairs. Oracle: tests/oracles/local.py::local_accuracy.
    """
    weight = np.ones(len(pairs)) if pairs.weight is None else pairs.weight
    kept = np.flatnonzero((context >= 0) & (weight > 0))
    code = context[kept] * len(pairs.items) + pairs.unit[kept]
    order = np.argsort(code, kind="stable")
    kept, code = kept[order], code[order]
    starts = np.flatnonzero(np.diff(code, prepend=-1))
    verdict, w = pairs.verdict[kept], weight[kept][:, None]

    def sums(values: FloatArray) -> FloatArray:
        return np.add.reduceat(values, starts, axis=0) if len(starts) else np.zeros((0, values.shape[1]))

    return Units(
        contexts,
        code[starts] // max(len(pairs.items), 1),
        code[starts] % max(len(pairs.items), 1),
        np.diff(np.append(starts, len(code))).astype(np.intp),
        sums(w)[:, 0],
        sums((verdict == RIGHT) * w),
        sums((verdict == TIED) * w),
        sums((verdict == RIGHT).astype(np.float64)),
    )


def accuracy(by: Units, alpha: float = 0.05) -> Accuracy:
    """Accuracies with their intervals. O(units x metrics)."""
    value = by.mean(by.accuracy)
    items = np.bincount(by.context, minlength=by.contexts)
    pairs = np.bincount(by.context, weights=by.pairs, minlength=by.contexts).astype(np.intp)
    squares = (by.accuracy - value[by.context]) ** 2
    low, high = effective_wilson(value, by.mean(squares), items[:, None], pairs[:, None], alpha)
    return Accuracy(value, low, high, by.mean(by.tied / by.weight[:, None]), items, pairs)


def effective_wilson(
    value: FloatArray, spread: FloatArray, items: IntArray, pairs: IntArray, alpha: float = 0.05
) -> tuple[FloatArray, FloatArray]:
    """Wilson's interval at the effective number of pairs, adjusted for few items (Korn and Graubard 1998).

    Args:
        value: means over items.
        spread: mean squared deviations of the items from them.
        items: how many items; pairs: how many pairs.

    >>> low, high = effective_wilson(np.array([1.0]), np.array([0.0]), np.array([10]), np.array([40]))
    >>> float(low[0].round(3)), float(high[0].round(3))
    (0.661, 1.0)
    """
    z = float(stats.norm.isf(alpha / 2))
    freedom = np.maximum(items - 1, 1)
    variance = spread / freedom
    trials = np.divide(
        value * (1 - value),
        variance,
        out=np.broadcast_to(pairs, value.shape).astype(np.float64),
        where=variance > 0,
    )
    # all items alike: where every pair is right, or none, each item counts once
    trials = np.where((value <= 0) | (value >= 1), items, np.minimum(trials, pairs))
    few = (z / stats.t.isf(alpha / 2, freedom)) ** 2
    trials = np.where(items > 1, np.maximum(trials * few, 1e-9), 1.0)
    shrunk = 1 + z**2 / trials
    centre = (value + z**2 / (2 * trials)) / shrunk
    half = z / shrunk * np.sqrt(np.maximum(value * (1 - value), 0) / trials + z**2 / (4 * trials**2))
    # the ends are exact, whatever rounding makes of them
    return np.where(value <= 0, 0.0, centre - half), np.where(value >= 1, 1.0, centre + half)
