"""How metrics correlate with sentinels and with each other (Perrella et al. 2024, figures 4 to 6)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metaeval.errors import InputError
from metaeval.evalset import EvalSet
from metaeval.paired import Paired
from metaeval.scores import FloatArray, Scores


@dataclass(frozen=True, eq=False, slots=True)
class Correlations:
    """Pearson without grouping between all scorers, and of each with the humans."""

    scorers: tuple[Scores, ...]
    matrix: FloatArray
    """scorers x scorers; NaN where one is constant."""
    human: FloatArray
    """Of each scorer with the humans, on the rated cells."""
    cells: int


def correlations(evalset: EvalSet, paired: Paired, *, rated_only: bool = False) -> Correlations:
    """All scorers of the paired data, on all items of its systems, or on the rated cells alone.

    Agreement between metrics needs no human, so that unrated items count too, as in the paper; cells that
    some scorer lacks do not. O(metrics^2 cells).
    """
    if rated_only:
        scores = paired.scores
    else:
        rows = [evalset.systems.index(system) for system in paired.systems]
        scores = np.stack([m.segment[rows] for m in paired.metrics if m.segment is not None])
    complete = ~np.isnan(scores).any(axis=0)
    if complete.sum() < 2:
        raise InputError("fewer than two cells have a score of every metric", remedy="Choose some: --metrics")
    rated = ~np.isnan(paired.human)
    with_human = pearson_matrix(np.vstack([paired.human[None, rated], paired.scores[:, rated]]))[0, 1:]
    return Correlations(paired.metrics, pearson_matrix(scores[:, complete]), with_human, int(complete.sum()))


def pearson_matrix(rows: FloatArray) -> FloatArray:
    """Pearson's r between all rows, NaN where one is constant.

    >>> pearson_matrix(np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0], [1.0, 1.0, 1.0]])).round(6)
    array([[ 1., -1., nan],
           [-1.,  1., nan],
           [nan, nan, nan]])
    """
    varies = np.ptp(rows, axis=1) > 0
    centred = rows - rows.mean(axis=1, keepdims=True)
    size = np.sqrt((centred * centred).sum(axis=1))
    unit = np.divide(centred, size[:, None], out=np.full_like(centred, np.nan), where=varies[:, None])
    found: FloatArray = np.clip(unit @ unit.T, -1.0, 1.0)
    return found
