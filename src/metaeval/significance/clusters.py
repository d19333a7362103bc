"""Clusters of a ranking as WMT makes them, and the pairs that they separate without a reason.

Everything here reads one matrix: ``p[i, j]`` is the p-value of "metric i is better than metric j", NaN where
that was not tested. Only the direction of the ranking counts, the better metric's row, so half a matrix is
enough.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metaeval.errors import InputError
from metaeval.scores import FloatArray

NO_CLUSTER = 0
"""The cluster of a metric that has no value; clusters count from 1."""


def significant(p: ArrayLike, alpha: float) -> NDArray[np.bool_]:
    """Where a p-value is significant: at most alpha, as WMT has it. NaN, not tested, never is.

    The one place that decides what happens at p = alpha; permutation p-values do hit it.

    >>> significant([0.04, 0.05, 0.06, float("nan")], 0.05).tolist()
    [True, True, False, False]
    """
    verdicts: NDArray[np.bool_] = np.asarray(p, dtype=np.float64) <= checked_alpha(alpha)
    return verdicts


def ranking(values: ArrayLike) -> NDArray[np.intp]:
    """Indices of the metrics that have a value, best first; equal values stay in the order given.

    >>> ranking([0.2, float("nan"), 0.7, 0.2]).tolist()
    [2, 0, 3]
    """
    scores = checked_values(values)
    order = np.argsort(-scores, kind="stable")
    return order[: int((~np.isnan(scores)).sum())]


def differing(values: ArrayLike, p: ArrayLike, alpha: float = 0.05) -> NDArray[np.bool_]:
    """Symmetric M x M matrix: whether the better metric of a pair is significantly better. O(M^2).

    A metric without a value differs from none, and neither do pairs that were not tested.

    >>> differing([0.9, 0.5], [[1.0, 0.01], [0.99, 1.0]]).tolist()
    [[False, True], [True, False]]
    """
    scores, p_values = checked_pairs(values, p)
    order = ranking(scores)
    downwards = np.triu(significant(p_values[np.ix_(order, order)], alpha), k=1)
    differ = np.zeros(p_values.shape, dtype=np.bool_)
    differ[np.ix_(order, order)] = downwards | downwards.T
    return differ


def wmt_clusters(values: ArrayLike, p: ArrayLike, alpha: float = 0.05) -> NDArray[np.intp]:
    """The cluster of each metric, 1 for the best, by WMT's walk down the ranking. O(M^2).

    A metric that is significantly worse than any member of the current cluster opens the next (Freitag et
    al. 2023). A metric without a value is in no cluster: 0. The walk looks back only to the start of the
    current cluster, so where a new one opens it may part metrics that do not differ; see
    :func:`split_without_difference`.

    >>> p = [[1.0, 0.20, 0.01], [0.80, 1.0, 0.30], [0.99, 0.70, 1.0]]
    >>> wmt_clusters([0.9, 0.8, 0.7], p).tolist()
    [1, 1, 2]
    """
    order = ranking(values)
    differ = differing(values, p, alpha)[np.ix_(order, order)]
    clusters = np.full(np.shape(values), NO_CLUSTER, dtype=np.intp)
    start, current = 0, 1
    for position, metric in enumerate(order):
        if differ[start:position, position].any():
            start, current = position, current + 1
        clusters[metric] = current
    return clusters


def split_without_difference(clusters: ArrayLike, p: ArrayLike, alpha: float = 0.05) -> list[tuple[int, int]]:
    """Pairs (better, worse) in different clusters that were not shown to differ. O(M^2).

    This is the fault of greedy clusters: the second and third metric below are parted only because the
    first differs from the third. Pairs that were not tested are listed too. In order of the indices.

    >>> p = [[1.0, 0.20, 0.01], [0.80, 1.0, 0.30], [0.99, 0.70, 1.0]]
    >>> split_without_difference([1, 1, 2], p)
    [(1, 2)]
    """
    numbers, p_values = checked_pairs(clusters, p)
    placed = numbers != NO_CLUSTER
    apart = (numbers[:, None] < numbers[None, :]) & placed[:, None] & placed[None, :]
    pairs = np.argwhere(apart & ~significant(p_values, alpha))
    return [(int(better), int(worse)) for better, worse in pairs]


def checked_alpha(alpha: float) -> float:
    """Alpha, or the message that it is not a level."""
    if not 0 < alpha < 1:
        raise InputError(f"alpha must lie between 0 and 1, found {alpha}", remedy="The usual one is 0.05")
    return alpha


def checked_values(values: ArrayLike) -> FloatArray:
    """One number a metric as a vector, or the message that it is none."""
    vector = np.asarray(values, dtype=np.float64)
    if vector.ndim != 1:
        raise InputError(f"expected a vector with one number a metric, found shape {vector.shape}")
    return vector


def checked_p(p: ArrayLike) -> FloatArray:
    """P-values as an array, or the message that some are none; NaN stays: not tested."""
    array = np.asarray(p, dtype=np.float64)
    outside = array[(array < 0) | (array > 1)]
    if outside.size:
        raise InputError(f"a p-value lies between 0 and 1, found {outside.flat[0]:g}")
    return array


def checked_pairs(values: ArrayLike, p: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """A vector with M entries and an M x M matrix of p-values that belong together."""
    vector, matrix = checked_values(values), checked_p(p)
    if matrix.shape != 2 * vector.shape:
        raise InputError(
            f"{vector.size} metrics need a {vector.size} x {vector.size} matrix of p-values, "
            f"found shape {matrix.shape}"
        )
    return vector, matrix
