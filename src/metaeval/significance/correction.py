"""P-values corrected for how many were looked at: Holm and Benjamini-Hochberg.

Off unless asked for. The family is what was tested: NaN is no test, counts for nothing and stays NaN.
An adjusted p-value is compared with alpha like any other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from metaeval.errors import InputError, choices
from metaeval.scores import FloatArray
from metaeval.significance.clusters import checked_p, checked_pairs, ranking

Correction: TypeAlias = Literal["none", "holm", "bh"]


def holm(p: ArrayLike) -> FloatArray:
    """Holm (1979): at most alpha is the probability of any false verdict, whatever the dependence.

    The smallest of m p-values is multiplied by m, the next by m - 1, ...; never below the one before, at
    most 1. O(m log m).

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    return _adjusted(p, lambda rising: np.maximum.accumulate(rising * np.arange(rising.size, 0, -1)))


def benjamini_hochberg(p: ArrayLike) -> FloatArray:
    """Benjamini and Hochberg (1995): at most alpha is the expected share of false verdicts among verdicts.

    The k-th smallest of m p-values is multiplied by m/k; never above the one after, at most 1. Holds for
    independent or positively dependent tests. O(m log m).

    >>> benjamini_hochberg([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.04, 0.04]
    """

    def steps(rising: FloatArray) -> FloatArray:
        scaled = rising * (rising.size / np.arange(1, rising.size + 1))
        falling: FloatArray = np.minimum.accumulate(scaled[::-1])[::-1]
        return falling

    return _adjusted(p, steps)


CORRECTIONS: dict[str, Callable[[ArrayLike], FloatArray]] = {
    "none": checked_p,
    "holm": holm,
    "bh": benjamini_hochberg,
}


def correct(p: ArrayLike, method: Correction) -> FloatArray:
    """P-values adjusted by the method named: none, holm or bh.

    >>> correct([0.01, float("nan"), 0.04], "holm").tolist()
    [0.02, nan, 0.04]
    """
    if method not in CORRECTIONS:
        raise InputError(f"there is no correction {method!r}", remedy=choices(method, CORRECTIONS))
    return CORRECTIONS[method](p)


def correct_pairs(values: ArrayLike, p: ArrayLike, method: Correction) -> FloatArray:
    """The M x M matrix of p-values with one test a pair, corrected over all pairs. O(M^2 log M).

    Of ``p[i, j]``, "i is better than j", the direction of the observed difference is the pair's test, as WMT
    compares; of equal values the metric given first counts as the better one. The other direction, pairs
    not tested and metrics without a value are NaN, also where the method is none.

    Such a p is one-sided with its side chosen by the data. The guarantees hold for verdicts that reverse a
    true difference; that *any* of several truly equal metrics is called better can be twice as likely. Who
    needs alpha there too hands in two-sided p-values: min(1, 2p).

    >>> p = [[1.0, 0.04, 0.01], [0.96, 1.0, 0.03], [0.99, 0.97, 1.0]]
    >>> correct_pairs([0.9, 0.8, 0.7], p, "holm").tolist()
    [[nan, 0.06, 0.03], [nan, nan, 0.06], [nan, nan, nan]]
    """
    scores, p_values = checked_pairs(values, p)
    order = ranking(scores)
    upper, lower = np.triu_indices(order.size, k=1)
    better, worse = order[upper], order[lower]
    corrected = np.full(p_values.shape, np.nan)
    corrected[better, worse] = correct(p_values[better, worse], method)
    return corrected


def _adjusted(p: ArrayLike, steps: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """P-values of any shape through ``steps``, which gets and gives the tested ones in rising order."""
    p_values = checked_p(p)
    tested = ~np.isnan(p_values)
    family = p_values[tested]
    order = np.argsort(family, kind="stable")
    family[order] = np.minimum(steps(family[order]), 1.0)
    adjusted: FloatArray = np.full(p_values.shape, np.nan)
    adjusted[tested] = family
    return adjusted
