"""Correlations the slow way: one group at a time, with scipy."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import scipy.stats

from metaeval.scores import FloatArray

CORRELATIONS: dict[str, Callable[[FloatArray, FloatArray], float]] = {
    "pearson": lambda x, y: float(scipy.stats.pearsonr(x, y).statistic),
    "spearman": lambda x, y: float(scipy.stats.spearmanr(x, y).statistic),
    "tau_b": lambda x, y: float(scipy.stats.kendalltau(x, y).statistic),
}


def groups_of(human: FloatArray, metric: FloatArray, grouping: str) -> list[tuple[FloatArray, FloatArray]]:
    """The rated cells of each group, read off the matrices cell by cell."""
    rows, columns = human.shape
    cells: dict[int, list[tuple[float, float]]] = {}
    for s in range(rows):
        for n in range(columns):
            if not np.isnan(human[s, n]):
                key = {"none": 0, "item": n, "system": s}[grouping]
                cells.setdefault(key, []).append((human[s, n], metric[s, n]))
    return [(np.array(pairs)[:, 0], np.array(pairs)[:, 1]) for _, pairs in sorted(cells.items())]


def grouped(statistic: str, human: FloatArray, metric: FloatArray, grouping: str) -> tuple[float, int]:
    """The mean of a scipy statistic over the groups where it is defined, and how many those are."""
    values = []
    for x, y in groups_of(human, metric, grouping):
        if len(set(x)) > 1 and len(set(y)) > 1:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                values.append(CORRELATIONS[statistic](x, y))
    return (float(np.mean(values)) if values else float("nan")), len(values)


def difference_pearson(human: FloatArray, metric: FloatArray, grouping: str) -> float:
    """Pearson over the differences of all ordered pairs within groups, by forming them."""
    dh, dm = [], []
    for x, y in groups_of(human, metric, grouping):
        for i in range(len(x)):
            for j in range(len(x)):
                if i != j:
                    dh.append(x[i] - x[j])
                    dm.append(y[i] - y[j])
    if len(set(dh)) < 2 or len(set(dm)) < 2:
        return float("nan")
    return float(scipy.stats.pearsonr(dh, dm).statistic)
