"""Tests and intervals for correlations from formulas: no resampling, but assumptions.

They take correlations, not data: of each of two metrics with the human scores, and between the metrics,
all over the same n observations. Arguments broadcast, so a whole table of metrics is one call. They assume
n *independent* draws from a normal distribution and Pearson's correlation. Systems may pass for that;
translations of one source sentence do not, and with them these tests find differences that are none. The
default tests resample items for that reason.

A p-value is that of "the first is better", as everywhere; two-sided it is 2 min(p, 1 - p).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri, stdtr

from metaeval.errors import InputError
from metaeval.measures.base import ratio
from metaeval.scores import FloatArray
from metaeval.significance.clusters import checked_alpha

FEWEST = 4
"""Observations below which no variance is left: that of Fisher's z is 1/(n - 3)."""

ROUNDING = 1e-9
"""How far correlations may miss what is possible before that is taken for a mistake in the input."""


class Contrast(NamedTuple):
    """A test statistic and its one-sided p-value, in the shape of the input; NaN where undefined."""

    statistic: FloatArray
    p: FloatArray


class Interval(NamedTuple):
    """Bounds in the shape of the input; NaN where undefined."""

    low: FloatArray
    high: FloatArray


def williams(first: ArrayLike, second: ArrayLike, between: ArrayLike, n: int) -> Contrast:
    """Williams' test that the first metric correlates better with the human scores than the second.

    t with n - 3 degrees of freedom (Williams 1959; recommended by Steiger 1980, and by Graham and Baldwin
    2014 for metrics). NaN where a correlation is, and where the metrics correlate perfectly.

    Args:
        first, second: the metrics' correlations with the human scores.
        between: the correlation of the two metrics.
        n: the number of observations, at least 4.

    A table is one call, row better than column:

    >>> human, metrics = np.array([0.8, 0.7]), np.array([[1.0, 0.6], [0.6, 1.0]])
    >>> williams(human[:, None], human, metrics, n=50).p.round(3).tolist()
    [[nan, 0.088], [0.912, nan]]
    """
    one, two, both, determinant = _triple(first, second, between, n)
    pooled = (one + two) ** 2 / 4 * (1 - both) ** 3
    variance = 2 * determinant * (n - 1) / (n - 3) + pooled
    t = ratio((one - two) * np.sqrt((n - 1) * (1 + both)), np.sqrt(variance))
    return Contrast(t, np.asarray(stdtr(n - 3, -t)))


def steiger(first: ArrayLike, second: ArrayLike, between: ArrayLike, n: int) -> Contrast:
    """Steiger's Z for the same question, by Fisher's z with the correlations averaged in the variance.

    The modification by Steiger (1980) of Dunn and Clark (1969); normal for large n, where it agrees with
    :func:`williams`. Arguments as there. NaN where a correlation is, or is perfect.

    >>> result = steiger(0.3, 0.4, 0.5, n=100)
    >>> print(f"{result.statistic:.4f}, p {result.p:.4f}")
    -1.0718, p 0.8581
    """
    one, two, both, _ = _triple(first, second, between, n)
    mean_square = ((one + two) / 2) ** 2
    covariance = both * (1 - 2 * mean_square) - mean_square * (1 - 2 * mean_square - both**2) / 2
    shared = ratio(covariance, (1 - mean_square) ** 2)
    z = ratio((_fisher_z(one) - _fisher_z(two)) * np.sqrt(n - 3), np.sqrt(np.maximum(2 - 2 * shared, 0)))
    return Contrast(z, np.asarray(ndtr(-z)))


def fisher_interval(correlation: ArrayLike, n: int, alpha: float = 0.05) -> Interval:
    """The interval of one correlation, symmetric on the scale of arctanh (Fisher 1921).

    NaN where the correlation is, and where it is perfect: Fisher's z is infinite there, and an interval
    without width would claim what no sample can show.

    >>> low, high = fisher_interval(0.5, n=50)
    >>> print(f"{low:.3f} to {high:.3f}")
    0.257 to 0.683
    """
    _require(n)
    half = -ndtri(checked_alpha(alpha) / 2) / np.sqrt(n - 3)
    z = _fisher_z(_correlations(correlation))
    return Interval(np.tanh(z - half), np.tanh(z + half))


def zou_interval(
    first: ArrayLike, second: ArrayLike, between: ArrayLike, n: int, alpha: float = 0.05
) -> Interval:
    """The interval of first - second, made from their two Fisher intervals (Zou 2007).

    Arguments as for :func:`williams`; stays within -2 and 2 and need not be symmetric. NaN where a
    correlation is, or is perfect. The example is the paper's (p. 409):

    >>> low, high = zou_interval(0.396, 0.179, 0.088, n=66)
    >>> print(f"{low:.3f} to {high:.3f}")
    -0.093 to 0.517
    """
    one, two, both, _ = _triple(first, second, between, n)
    low_one, high_one = fisher_interval(one, n, alpha)
    low_two, high_two = fisher_interval(two, n, alpha)
    spread = (both - one * two / 2) * (1 - one**2 - two**2 - both**2) + both**3
    shared = ratio(spread, (1 - one**2) * (1 - two**2))
    down = _combined(one - low_one, high_two - two, shared)
    up = _combined(high_one - one, two - low_two, shared)
    return Interval(one - two - down, one - two + up)


def _combined(one: FloatArray, two: FloatArray, correlation: FloatArray) -> FloatArray:
    """The length of a difference whose parts have these lengths and are correlated."""
    length: FloatArray = np.sqrt(np.maximum(one**2 + two**2 - 2 * correlation * one * two, 0))
    return length


def _fisher_z(correlation: FloatArray) -> FloatArray:
    z: FloatArray = np.arctanh(np.where(np.abs(correlation) < 1, correlation, np.nan))
    return z


def _triple(
    first: ArrayLike, second: ArrayLike, between: ArrayLike, n: int
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Three correlations in one shape, with the determinant of their 3 x 3 matrix.

    Between metrics that are the same up to scale there is nothing to test: there ``between`` becomes NaN.
    """
    _require(n)
    one, two, both = np.broadcast_arrays(*map(_correlations, (first, second, between)))
    determinant = 1 - one**2 - two**2 - both**2 + 2 * one * two * both
    impossible: NDArray[np.intp] = np.flatnonzero(determinant < -ROUNDING)
    if impossible.size:
        at = impossible[0]
        raise InputError(
            f"the correlations {one.flat[at]:g} and {two.flat[at]:g} with the human scores and "
            f"{both.flat[at]:g} between the metrics cannot come from the same observations",
            remedy="Compute all three over the cells that every metric has",
        )
    both = np.where(np.abs(both) < 1 - ROUNDING, both, np.nan)
    return one, two, both, np.maximum(determinant, 0)


def _correlations(values: ArrayLike) -> FloatArray:
    array = np.asarray(values, dtype=np.float64)
    outside = array[np.abs(array) > 1 + ROUNDING]
    if outside.size:
        raise InputError(f"a correlation lies between -1 and 1, found {outside.flat[0]:g}")
    return np.clip(array, -1, 1)


def _require(n: int) -> None:
    if n < FEWEST:
        raise InputError(
            f"tests and intervals of correlations need at least {FEWEST} observations, found {n}",
            remedy="Use more systems or segments, or a permutation test",
        )
