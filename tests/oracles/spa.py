"""Pairwise accuracy and its p-values the slow way: one pair, one draw, one item at a time, in fractions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from metaeval.kernels.flips import Flips
from metaeval.scores import FloatArray


def pa(human: Sequence[float], metric: Sequence[float]) -> float:
    """The share of pairs that both sides order alike."""

    def order(a: float, b: float) -> int:
        return (a > b) - (a < b)

    pairs = list(itertools.combinations(range(len(human)), 2))
    agree = sum(order(human[s], human[t]) == order(metric[s], metric[t]) for s, t in pairs)
    return agree / len(pairs) if pairs else math.nan


def permutation_p(x: FloatArray, y: FloatArray, flips: NDArray[np.float64]) -> float:
    """The share of sign vectors, a column of flips each, that give at least the observed sum."""
    shared = np.flatnonzero(~np.isnan(x) & ~np.isnan(y))
    if not len(shared):
        return math.nan
    d = [Fraction(float(x[n])) - Fraction(float(y[n])) for n in shared]
    count = 0
    for draw in flips.T:
        signs = [-1 if draw[n] else 1 for n in shared]
        count += bool(sum(sign * value for sign, value in zip(signs, d, strict=True)) >= sum(d))
    return count / len(flips.T)


def normal_p(x: FloatArray, y: FloatArray) -> float:
    """The normal limit of the same."""
    d = (x - y)[~np.isnan(x - y)]
    if not len(d):
        return math.nan
    squares = math.fsum(d * d)
    return 0.5 * math.erfc(math.fsum(d) / math.sqrt(2 * squares)) if squares else 0.5


def spa(human: FloatArray, metric: FloatArray, p: Callable[[FloatArray, FloatArray], float]) -> float:
    """Equation 1 of Thompson et al. 2024 over the pairs that have a p-value."""
    agreement = [
        1 - abs(p(human[s], human[t]) - p(metric[s], metric[t]))
        for s, t in itertools.combinations(range(len(human)), 2)
    ]
    defined = [value for value in agreement if not math.isnan(value)]
    return math.fsum(defined) / len(defined) if defined else math.nan


def spa_by_permutation(human: FloatArray, metric: FloatArray, draws: int, seed: int) -> float:
    """SPA with the flips that :class:`Flips` gives."""
    flips = Flips.of(human.shape[1], draws, seed).rows(slice(None))
    return spa(human, metric, lambda x, y: permutation_p(x, y, flips))
