"""H2: does the order of the metrics differ between contexts? tau_AP (Yilmaz, Aslam and Robertson 2008).

tau_AP goes down one ranking and asks of each place which share of the metrics above it are rightly above it
according to the other; a mistake near the top weighs more. It is not symmetric. Where metrics tie, it is
the mean over all ways of breaking the ties of both rankings at random (Urbano and Marrero 2017 for one),
except that metrics which tie in both are in agreement: an order agrees with itself whatever ties it has.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from metaeval.scores import FloatArray

_DIGITS = 12


def tau_ap(ranking: Sequence[float], reference: Sequence[float]) -> float | None:
    """tau_AP of the ranking by one list of scores, given the order by another; None below two metrics.

    Oracle: tests/oracles/local.py::tau_ap, over all ways of breaking ties.

    >>> tau_ap([0.9, 0.8, 0.7], [3, 2, 1]), tau_ap([1, 2, 3], [3, 2, 1])
    (1.0, -1.0)
    >>> tau_ap([4, 3, 2, 1], [3, 4, 2, 1]), tau_ap([4, 3, 2, 1], [4, 3, 1, 2])
    (0.33333333333333326, 0.7777777777777777)
    """
    value = tau_ap_matrix(np.array([ranking]), np.array([reference]))[0, 0]
    return None if np.isnan(value) else float(value)


def tau_ap_matrix(rankings: FloatArray, references: FloatArray) -> FloatArray:
    """references x rankings: tau_AP of each ranking given each reference, all from scores of n metrics.

    tau_AP is linear in the reference's order of pairs, so the matrix is one product:
    O((rankings + references) n² + rankings x references x n²). NaN below two metrics.
    """
    n = rankings.shape[1]
    if n < 2:
        return np.full((len(references), len(rankings)), np.nan)
    rounded, truths = np.round(rankings, _DIGITS), np.round(references, _DIGITS)
    weights = np.array([_weights(scores) for scores in rounded])
    orders = np.array([_above(scores) for scores in truths])
    level = weights * (rounded[:, :, None] == rounded[:, None, :])
    agreed = _flat(orders) @ _flat(weights).T + 0.5 * _flat(orders == 0.5) @ _flat(level).T
    matrix: FloatArray = 2.0 / (n - 1) * agreed - 1.0
    return matrix


def _flat(matrices: FloatArray | NDArray[np.bool_]) -> FloatArray:
    return matrices.reshape(len(matrices), -1).astype(np.float64)


def _above(scores: FloatArray) -> FloatArray:
    """[k, j]: 1 where k is above j, 0.5 where they tie."""
    order: FloatArray = (np.sign(scores[:, None] - scores[None, :]) + 1.0) / 2.0
    return order


def _weights(scores: FloatArray) -> FloatArray:
    """[k, j]: what it weighs that k is above j, expected over the ways of breaking ties."""
    n = len(scores)
    weights = np.zeros((n, n))
    for j in range(n):
        above, level = scores > scores[j], scores == scores[j]
        level[j] = False
        before, tied = int(above.sum()), int(level.sum())
        places = np.arange(before, before + tied + 1)  # how many are above j once the ties are broken
        share = np.divide(1.0, places, out=np.zeros(len(places)), where=places > 0) / (tied + 1)
        weights[above, j] = share.sum()
        if tied:
            weights[level, j] = (share * (places - before)).sum() / tied
    return weights
