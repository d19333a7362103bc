"""Choosing data or outputs by a metric's scores, and how much two choices overlap."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metaeval.errors import InputError
from metaeval.scores import FloatArray


def top_k(scores: ArrayLike, k: int) -> NDArray[np.intp]:
    """The places of the k highest scores, in rising order: filtering of training data by a metric.

    Of equal scores the first count; NaN is never chosen. O(n).

    >>> top_k([0.3, 0.9, 0.3, 0.5], 3).tolist()
    [0, 1, 3]
    """
    values = np.asarray(scores, dtype=np.float64)
    known = int((~np.isnan(values)).sum())
    if values.ndim != 1 or not 1 <= k <= known:
        raise InputError(f"cannot choose {k:,} of {known:,} scored segments")
    order = np.argsort(-np.where(np.isnan(values), -np.inf, values), kind="stable")
    return np.sort(order[:k])


def best_by(scores: FloatArray) -> NDArray[np.intp]:
    """By item, the candidate with the highest score: reranking by a metric. Ties go to the first.

    Args:
        scores: candidates x items.
    """
    if np.isnan(scores).all(axis=0).any():
        raise InputError("an item has no candidate with a score", remedy="Leave the item out.")
    return np.asarray(np.nanargmax(scores, axis=0), dtype=np.intp)


def jaccard(selections: Mapping[str, Collection[object]]) -> FloatArray:
    """Overlap of every two selections: what both have over what either has (Pombal et al. 2025, table 7).

    NaN where both are empty.

    >>> jaccard({"A": [1, 2, 3], "B": [3, 4]}).tolist()
    [[1.0, 0.25], [0.25, 1.0]]
    """
    sets = [set(selection) for selection in selections.values()]
    table = np.full((len(sets), len(sets)), np.nan)
    for i, one in enumerate(sets):
        for j, other in enumerate(sets):
            if one or other:
                table[i, j] = len(one & other) / len(one | other)
    return table
