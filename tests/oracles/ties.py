"""Pair counts and tie calibration the slow way: one pair at a time, one epsilon at a time, plain Python."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from metaeval.kernels.pairs import PairCounts
from metaeval.kernels.walking import Statistic

Scores = Sequence[float]


def apart(a: float, b: float, relative: bool = False) -> float:
    """How far two scores are apart."""
    if not relative:
        return abs(a - b)
    large, small = (a, b) if abs(a) >= abs(b) else (b, a)
    if large == 0:
        return 0.0
    ratio = small / large
    return abs(a - b) / abs(large) if ratio >= 0.5 else 1 - ratio


def count_pairs(human: Scores, metric: Scores, epsilon: float = 0.0, relative: bool = False) -> PairCounts:
    """The five counts of one group, by definition."""
    c = d = h = m = hm = 0
    for (h1, m1), (h2, m2) in itertools.combinations(zip(human, metric, strict=True), 2):
        metric_tied = apart(m1, m2, relative) <= epsilon
        if h1 == h2:
            hm, h = hm + metric_tied, h + (not metric_tied)
        elif metric_tied:
            m += 1
        elif (h1 < h2) == (m1 < m2):
            c += 1
        else:
            d += 1
    distinct = min(len(set(human)), len(set(metric)))
    return PairCounts(c, d, h, m, hm, len(human), distinct)


def groups(values: Scores, offsets: Sequence[int]) -> list[Scores]:
    """The groups of a flat list."""
    return [values[a:b] for a, b in itertools.pairwise(offsets)]


def mean_value(
    human: Scores,
    metric: Scores,
    offsets: Sequence[int],
    statistic: Statistic,
    epsilon: float,
    relative: bool = False,
) -> float:
    """The mean of a statistic over the groups where it is defined."""
    values = [
        float(np.asarray(statistic(count_pairs(h, m, epsilon, relative))))
        for h, m in zip(groups(human, offsets), groups(metric, offsets), strict=True)
    ]
    defined = [v for v in values if not math.isnan(v)]
    return math.fsum(defined) / len(defined) if defined else math.nan


def exact_mean(
    human: Scores,
    metric: Scores,
    offsets: Sequence[int],
    linear: Sequence[int],
    epsilon: float,
    relative: bool = False,
) -> Fraction:
    """The mean over groups of a weighted sum of C, D, T_h, T_m, T_hm over all pairs, without rounding."""
    values = []
    for h, m in zip(groups(human, offsets), groups(metric, offsets), strict=True):
        counts = [int(a) for a in count_pairs(h, m, epsilon, relative).arrays()[:5]]
        if sum(counts):
            weighted = sum(w * c for w, c in zip(linear, counts, strict=True))
            values.append(Fraction(weighted, sum(counts)))
    return sum(values, Fraction(0)) / max(1, len(values))


def differences(metric: Scores, offsets: Sequence[int], relative: bool = False) -> list[float]:
    """The epsilons to try, rising: 0 and every difference within a group."""
    found = {0.0}
    for group in groups(metric, offsets):
        found |= {apart(a, b, relative) for a, b in itertools.combinations(group, 2)}
    return sorted(found)


def calibrate_linear(
    human: Scores, metric: Scores, offsets: Sequence[int], linear: Sequence[int], relative: bool = False
) -> float:
    """Try every epsilon in exact fractions: the first best one."""

    def value(epsilon: float) -> Fraction:
        return exact_mean(human, metric, offsets, linear, epsilon, relative)

    return max(differences(metric, offsets, relative), key=value)


def calibrate(
    human: Scores, metric: Scores, offsets: Sequence[int], statistic: Statistic, relative: bool = False
) -> tuple[float, float]:
    """Try every epsilon, from the smallest: the first best one, and its value."""
    best, best_epsilon = math.nan, 0.0
    for epsilon in differences(metric, offsets, relative):
        value = mean_value(human, metric, offsets, statistic, epsilon, relative)
        if value > best or (math.isnan(best) and not math.isnan(value)):
            best, best_epsilon = value, epsilon
    return best_epsilon, best


def ratio(above: NDArray[np.float64], below: NDArray[np.float64]) -> NDArray[np.float64]:
    """A quotient, undefined where there is nothing to divide by."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(below > 0, above / below, np.nan)


def acc_eq(n: PairCounts) -> NDArray[np.float64]:
    """Deutsch et al. 2023, table 1."""
    return ratio(n.concordant + n.tied_both, n.total)


def tau_eq(n: PairCounts) -> NDArray[np.float64]:
    """Deutsch et al. 2023, table 1."""
    return ratio(n.concordant + n.tied_both - n.discordant - n.tied_human - n.tied_metric, n.total)


def tau_b(n: PairCounts) -> NDArray[np.float64]:
    """Kendall 1945; Deutsch et al. 2023, table 1."""
    untied = n.concordant + n.discordant
    return ratio(n.concordant - n.discordant, np.sqrt((untied + n.tied_human) * (untied + n.tied_metric)))


def tau_10(n: PairCounts) -> NDArray[np.float64]:
    """Callison-Burch et al. 2010; Deutsch et al. 2023, table 1."""
    return ratio(n.concordant - n.discordant - n.tied_metric, n.concordant + n.discordant + n.tied_metric)


def tau_13(n: PairCounts) -> NDArray[np.float64]:
    """Machacek and Bojar 2013; Deutsch et al. 2023, table 1."""
    return ratio(n.concordant - n.discordant, n.concordant + n.discordant)


def ties_f1(n: PairCounts) -> NDArray[np.float64]:
    """The harmonic mean of the precision and recall of ties; Deutsch et al. 2023, table 5."""
    return ratio(2 * n.tied_both, 2 * n.tied_both + n.tied_human + n.tied_metric)
