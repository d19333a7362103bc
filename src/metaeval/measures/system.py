"""Correlations of system scores."""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata

from metaeval.measures.base import SystemMeasure, ratio
from metaeval.measures.registry import measure
from metaeval.scores import FloatArray


@measure("system_pearson", formula="Pearson of the systems' mean scores", cites="WMT 2014-2023")
class SystemPearson(SystemMeasure):
    """Linear agreement over systems. Undefined where either side is constant. O(systems)."""

    def from_system_scores(self, human: FloatArray, metric: FloatArray) -> FloatArray:
        return correlation(human, metric)


@measure("system_spearman", formula="Spearman of the systems' mean scores", cites="WMT 2007-2013")
class SystemSpearman(SystemMeasure):
    """Agreement of the systems' ranks. Undefined where either side is constant. O(systems log systems)."""

    def from_system_scores(self, human: FloatArray, metric: FloatArray) -> FloatArray:
        return correlation(rankdata(human, axis=-1), rankdata(metric, axis=-1))


@measure(
    "system_tau_b", formula="Kendall's tau_b of the systems' mean scores", cites="Kendall 1945; WMT 2020"
)
class SystemTauB(SystemMeasure):
    """Agreement of the systems' order. Undefined where either side is constant. O(systems^2)."""

    def from_system_scores(self, human: FloatArray, metric: FloatArray) -> FloatArray:
        h, m = pair_signs(human), pair_signs(metric)
        agreement = np.sum(h * m, axis=-1)
        return ratio(agreement, np.sqrt(np.sum(h * h, axis=-1) * np.sum(m * m, axis=-1)))


def correlation(x: FloatArray, y: FloatArray) -> FloatArray:
    """Pearson's r over the last axis, NaN where one side is constant."""
    dx, dy = x - x.mean(axis=-1, keepdims=True), y - y.mean(axis=-1, keepdims=True)
    size = np.sqrt(np.sum(dx * dx, axis=-1)) * np.sqrt(np.sum(dy * dy, axis=-1))
    varies = (np.ptp(x, axis=-1) > 0) & (np.ptp(y, axis=-1) > 0)
    return np.clip(ratio(np.sum(dx * dy, axis=-1), np.where(varies, size, 0.0)), -1.0, 1.0)


def pair_signs(values: FloatArray) -> FloatArray:
    """The order of each pair of systems: (..., systems) to (..., pairs), each -1, 0 or 1."""
    first, second = np.triu_indices(values.shape[-1], k=1)
    signs: FloatArray = np.sign(values[..., first] - values[..., second])
    return signs
