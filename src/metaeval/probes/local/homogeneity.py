"""H1: does a metric's accuracy differ between contexts? Pearson's chi-square, and what clustering leaves.

The table of one metric is contexts x (right, not right), in counts of pairs. The classical p-value takes
pairs for independent, which those of one item are not; the second one corrects the statistic by the mean and
the spread of the design effects (Rao and Scott 1984, with Satterthwaite's approximation), the items being
the clusters, and refers it to F, since the design effects are estimated from so many items (Thomas and Rao
1987). Contexts may share items (systems do) or split them (domains do).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse, stats

from metaeval.probes.local.accuracy import Units
from metaeval.probes.local.pairs import IntArray
from metaeval.scores import FloatArray


@dataclass(frozen=True, slots=True)
class Homogeneity:
    """One metric's test; None where it does not exist: one context, or a metric never or always right."""

    statistic: float | None
    p: float | None
    freedom: int
    """Contexts - 1."""
    p_clustered: float | None = None
    """With pairs of one item taken for dependent."""


def homogeneity(by: Units) -> list[Homogeneity]:
    """A test for each metric, over the contexts that have pairs. Each pair counts as one, whatever it weighs.

    O(items x contexts) for each metric. Oracle: scipy.stats.chi2_contingency without continuity correction.
    """
    there, context = np.unique(by.context, return_inverse=True)
    pairs = _sums(context, by.pairs, len(there))
    tests = []
    for right in by.count_right.T:
        found = _sums(context, right, len(there))
        tests.append(_test(found, pairs, _residuals(by, context, right)))
    return tests


def _sums(context: IntArray, values: FloatArray | IntArray, contexts: int) -> FloatArray:
    return np.bincount(context, weights=values, minlength=contexts).astype(np.float64)


def _residuals(by: Units, context: IntArray, right: FloatArray) -> sparse.csr_array:
    """items x contexts: how many more right pairs than the common accuracy gives."""
    common = right.sum() / by.pairs.sum() if len(right) else 0.0
    item = np.unique(by.item, return_inverse=True)[1]
    return sparse.csr_array((right - common * by.pairs, (item, context)))


def _test(right: FloatArray, pairs: FloatArray, residuals: sparse.csr_array) -> Homogeneity:
    freedom = max(len(pairs) - 1, 0)
    total = pairs.sum()
    common = right.sum() / total if total else 0.0
    if not freedom or common <= 0 or common >= 1:
        return Homogeneity(None, None, freedom)
    scale = common * (1 - common)
    statistic = float(((right - common * pairs) ** 2 / pairs).sum() / scale)
    p = float(stats.chi2.sf(statistic, freedom))
    return Homogeneity(statistic, p, freedom, _clustered(statistic, pairs, residuals, scale))


def _clustered(
    statistic: float,
    pairs: FloatArray,
    residuals: sparse.csr_array,
    scale: float,
) -> float | None:
    """The statistic is a quadratic form Q of the residual sums; V is their covariance between items.

    Under homogeneity it has mean tr(QV) and variance 2 tr(QVQV): a multiple of chi-square with
    tr(QV)²/tr(QVQV) degrees of freedom.
    """
    clusters = residuals.shape[0]
    if clusters < 2:
        return None
    centred = (residuals.T @ residuals).toarray()
    sums = np.asarray(residuals.sum(axis=0)).reshape(-1)
    covariance = (centred - np.outer(sums, sums) / clusters) * clusters / (clusters - 1)
    # residual sums add up to 0 over all contexts once the common accuracy is estimated: project on that
    share = pairs / pairs.sum()
    projected = covariance - np.outer(share, covariance.sum(axis=0))
    projected = projected - np.outer(projected.sum(axis=1), share)
    form = projected / (pairs[:, None] * scale)
    mean, square = float(np.trace(form)), float((form * form.T).sum())
    if mean <= 0 or square <= 0:
        return None
    freedom = mean**2 / square
    return float(stats.f.sf(statistic / mean, freedom, freedom * (clusters - 1)))
