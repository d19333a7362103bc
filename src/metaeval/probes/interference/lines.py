"""What each system gets beyond a line through the others, a line that a few outliers do not bend."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from metaeval.scores import FloatArray

TRIMMED = 0.2
"""The share of the others that may be outliers."""
RARELY = 0.0001
"""How often the farthest of normal points is taken for an outlier."""
DRAWS = 10_000
ROUNDING = 1e-9
"""An excess below this, in the standard deviations that scores are given in, is none."""


@dataclass(frozen=True, eq=False, slots=True)
class Lines:
    """For each metric and system, by a line through the other systems."""

    excess: FloatArray
    """Observed less expected."""
    t: FloatArray
    """The excess over its standard error: Student's t if the system is as the others are."""
    freedom: FloatArray
    leverage: FloatArray
    """From 0 to 1: how much the system alone would decide about the line."""


def beyond_line(means: FloatArray, predicted: FloatArray) -> Lines:
    """Deletion residuals about robust lines. O(metrics systems^2 log systems).

    Args:
        means: metrics x systems.
        predicted: metrics x (system left out) x systems.

    Oracle: tests/oracles/interference.py::deletion_t, where there are no outliers.
    """
    metrics, systems = means.shape
    others = np.array([[s for s in range(systems) if s != left_out] for left_out in range(systems)])
    x = predicted[:, np.arange(systems)[:, None], others].reshape(metrics * systems, -1)
    y = means[:, others].reshape(metrics * systems, -1)
    at = predicted[:, np.arange(systems), np.arange(systems)].ravel()
    keep = np.asarray(distances(x, y) <= limit(systems - 1), dtype=np.float64)
    slope, level, residuals = least_squares(x, y, keep)
    count = keep.sum(axis=1)
    middle = (keep * x).sum(axis=1) / count
    width = (keep * (x - middle[:, None]) ** 2).sum(axis=1)
    away = 1 / count + np.divide((at - middle) ** 2, width, out=np.full(at.shape, np.inf), where=width > 0)
    spread = np.sqrt((keep * residuals**2).sum(axis=1) / (count - 2))
    excess = means.ravel() - level - slope * at
    excess = np.where(np.abs(excess) > ROUNDING, excess, 0.0)
    error = spread * np.sqrt(1 + away)
    t = np.divide(excess, error, out=np.zeros(at.shape), where=np.isfinite(error) & (error > 0))
    with np.errstate(invalid="ignore"):
        leverage = np.where(np.isinf(away), 1.0, away / (1 + away))
    shape = means.shape
    return Lines(excess.reshape(shape), t.reshape(shape), (count - 2).reshape(shape), leverage.reshape(shape))


def least_squares(
    x: FloatArray, y: FloatArray, keep: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Lines through the kept points of each row: slopes, levels, and the residuals of all points."""
    count = keep.sum(axis=1)
    x_mean, y_mean = (keep * x).sum(axis=1) / count, (keep * y).sum(axis=1) / count
    dx = x - x_mean[:, None]
    width = (keep * dx * dx).sum(axis=1)
    slope = np.divide((keep * dx * y).sum(axis=1), width, out=np.zeros(width.shape), where=width > 0)
    level = y_mean - slope * x_mean
    return slope, level, y - level[:, None] - slope[:, None] * x


def distances(x: FloatArray, y: FloatArray) -> FloatArray:
    """Distances of all points from a line through the closest ones, over the spread of these."""
    points = x.shape[1]
    inner = points - max(1, int(TRIMMED * points))
    keep = np.ones(y.shape)
    for _ in range(2):
        residuals = np.abs(least_squares(x, y, keep)[2])
        keep = np.zeros(y.shape)
        np.put_along_axis(keep, np.argsort(residuals, axis=1, kind="stable")[:, :inner], 1.0, axis=1)
    residuals = least_squares(x, y, keep)[2]
    spread = np.sqrt((keep * residuals**2).sum(axis=1, keepdims=True) / max(1, inner - 2))
    tiny = np.finfo(np.float64).tiny
    found: FloatArray = np.abs(residuals) / np.maximum(spread, tiny)
    return found


@cache
def limit(points: int) -> float:
    """The distance that the farthest of so many normal points exceeds once in ten thousand times."""
    rng = np.random.default_rng(0)
    x = np.broadcast_to(rng.standard_normal(points), (DRAWS, points))
    return float(np.quantile(distances(x, rng.standard_normal((DRAWS, points))).max(axis=1), 1 - RARELY))
