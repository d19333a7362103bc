"""A statistic as a function of epsilon: what to plot, at few points, its maximum among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from metaeval.errors import InputError
from metaeval.kernels.bounds import some_differences
from metaeval.kernels.calibration import Calibration, at_epsilon, best_epsilon
from metaeval.kernels.gains import gains_of
from metaeval.kernels.layout import Layout
from metaeval.kernels.pairs import Floats, PairCounts, mean_defined
from metaeval.kernels.walking import Statistic


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """Values along epsilon; between two points the last one holds until some pair becomes a tie.

    Attributes:
        epsilon: 0, differences that occur, rising; the calibrated one among them.
        value: the mean of the statistic over the groups where it is defined.
        others: the same for other statistics, by name.
        counts: at each point, the counts of all groups thrown together.
        best: the calibration; ``best.epsilon`` is one of the points and ``best.value`` its value.
    """

    epsilon: Floats
    value: Floats
    others: dict[str, Floats]
    counts: PairCounts
    best: Calibration


def calibration_curve(
    human: ArrayLike,
    metric: ArrayLike,
    offsets: ArrayLike | None,
    statistic: Statistic,
    *,
    linear: Sequence[float] | None = None,
    monotone: bool = False,
    others: Mapping[str, Statistic] | None = None,
    points: int = 200,
    relative: bool = False,
    threads: int | None = None,
) -> Curve:
    """The value of a statistic along epsilon, thinned to about ``points`` points, and its exact maximum.

    Half of the points lie at equal shares of the pairs, half at equal distances of epsilon. The cost is that
    of ``calibrate`` and of counting once a point, O(points n log n).

    >>> def acc_eq(n):
    ...     return (n.concordant + n.tied_both) / n.total
    >>> curve = calibration_curve([0, 0, 1, 2], [1, 2, 9, 4], None, acc_eq, linear=(1, 0, 0, 0, 1))
    >>> curve.epsilon.tolist()
    [0.0, 1.0, 2.0, 3.0, 5.0, 7.0, 8.0]
    >>> curve.best.epsilon, curve.best.value, curve.value.max().item()
    (1.0, 0.8333333333333334, 0.8333333333333334)
    """
    if points < 2:
        raise InputError(f"found {points} points, expected at least 2: epsilon 0 and the largest difference")
    layout = Layout.of(human, metric, offsets, relative=relative)
    gains = None if linear is None else gains_of(linear, layout.totals.pairs)
    best = at_epsilon(layout, statistic, best_epsilon(layout, statistic, gains, monotone, threads))
    epsilon = np.union1d(thinned(some_differences(layout), points), [0.0, best.epsilon])
    counts = [layout.counts(e) for e in epsilon.tolist()]
    pooled = zip(*(c.sum().arrays() for c in counts), strict=True)

    def along(of: Statistic) -> Floats:
        return np.array([mean_defined(of(c)) for c in counts])

    return Curve(
        epsilon,
        along(statistic),
        {name: along(other) for name, other in (others or {}).items()},
        PairCounts(*(np.array(field) for field in pooled)),
        best,
    )


def thinned(differences: Floats, points: int) -> Floats:
    """At most so many of the differences, spread over them both by rank and by size; the extremes among them.

    >>> thinned(np.array([1.0, 1.0, 2.0, 3.0, 100.0]), 4).tolist()
    [1.0, 100.0]
    """
    distinct = np.unique(differences)
    if len(distinct) <= points - 2:
        return distinct
    half = np.linspace(0, 1, max(2, points // 2))
    by_rank = np.quantile(differences, half, method="inverted_cdf")
    at = np.searchsorted(distinct, distinct[0] + half * (distinct[-1] - distinct[0]), side="right") - 1
    return np.union1d(by_rank, distinct[at])
