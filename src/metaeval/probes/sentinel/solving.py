"""The one call into scikit-learn's ridge regression."""

from __future__ import annotations

from typing import Any

import numpy as np

from metaeval.errors import MissingExtra
from metaeval.scores import FloatArray

TOLERANCE = 1e-3


def solve(design: Any, scores: FloatArray, weights: FloatArray, alpha: float) -> tuple[FloatArray, float]:
    """Weights and intercept of the ridge regression on a sparse design, by conjugate gradients.

    ``weights`` are counts of ratings, not shares: beside ``alpha`` their size matters.
    """
    try:
        from sklearn.linear_model import Ridge
    except ImportError as error:
        raise MissingExtra("scikit-learn", extra="learn", needed_for="training a sentinel") from error
    model = Ridge(alpha=alpha, solver="sparse_cg", tol=TOLERANCE)
    model.fit(design, scores, sample_weight=weights)
    return np.asarray(model.coef_, dtype=np.float64), float(model.intercept_)
