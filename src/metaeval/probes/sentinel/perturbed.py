"""The noisy twin of a metric: the same order, and no ties left.

Where calibration on the test data gives the twin a better score, it is being continuous that pays, not being
right (Perrella et al. 2024, section 4.4).
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from metaeval.evalset import EvalSet
from metaeval.names import Patterns
from metaeval.scores import FloatArray, Scores

Noise: TypeAlias = Literal["gaussian", "ordered"]
VARIANCE = 1e-4
TWIN = "SENTINEL_TWIN_"


def twin(metric: Scores, *, noise: Noise = "ordered", seed: int = 0) -> Scores:
    """The metric with noise: ``gaussian`` of variance 1e-4 as the paper has it, or ``ordered``.

    Ordered noise is uniform and stays below half the smallest gap between two scores, so that no order is
    inverted, whatever the scale. O(n log n).

    >>> coarse = Scores("Coarse", segment=np.array([[0.0, 1.0, 1.0]]))
    >>> noisy = twin(coarse).segment[0]
    >>> bool(noisy[0] < noisy[1:].min()), bool(noisy[1] != noisy[2])
    (True, True)
    """
    if metric.segment is None:
        return Scores(TWIN + metric.name, metric.reference)
    return Scores(TWIN + metric.name, metric.reference, segment=perturb(metric.segment, noise, seed))


def twins(evalset: EvalSet, metrics: Patterns, *, noise: Noise = "ordered", seed: int = 0) -> list[Scores]:
    """The noisy twins of some metrics, by name or glob."""
    chosen = evalset.select(metrics=metrics).metrics.values()
    return [twin(metric, noise=noise, seed=seed) for metric in chosen]


def with_twins(evalset: EvalSet, metrics: Patterns, *, noise: Noise = "ordered", seed: int = 0) -> EvalSet:
    """The data with noisy twins of some metrics."""
    return evalset.with_metrics(*twins(evalset, metrics, noise=noise, seed=seed))


def perturb(scores: FloatArray, noise: Noise = "ordered", seed: int = 0) -> FloatArray:
    """Scores with noise; NaN stays."""
    rng = np.random.default_rng([seed, 4])
    if noise == "gaussian":
        return scores + rng.normal(0.0, VARIANCE**0.5, scores.shape)
    reach = 0.49 * smallest_gap(scores)
    return scores + rng.uniform(-reach, reach, scores.shape)


def smallest_gap(scores: FloatArray) -> float:
    """The smallest difference between two different scores; 1 where all are equal.

    >>> smallest_gap(np.array([0.0, 5.0, np.nan, 7.0, 5.0]))
    2.0
    """
    values = np.unique(scores[~np.isnan(scores)])
    gaps = np.diff(values)
    return float(gaps.min()) if len(gaps) else 1.0
