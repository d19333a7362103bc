"""Regressors by name, from scikit-learn, and what is asked of any other."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from metaeval.errors import InputError, MissingExtra, choices
from metaeval.progress import Progress
from metaeval.scores import FloatArray

TREES, DEPTH = 1000, 4
"""The forest of Pombal et al. 2025, whose other parameters are scikit-learn's defaults."""
STEP = 25
"""Trees between two reports of progress."""


class Regressor(Protocol):
    """What scikit-learn calls a regressor; ``feature_importances_`` is used where there is one."""

    def fit(self, X: FloatArray, y: FloatArray) -> Any: ...
    def predict(self, X: FloatArray) -> Any: ...


class Forest:
    """A random forest that is fitted in parallel and asked in order.

    Threads would add up the trees' predictions in the order in which they are done, and the last digits would
    depend on it. Where progress is watched it grows some trees at a time, the same as at once.
    """

    def __init__(self, forest: Any, progress: Progress | None = None) -> None:
        self._forest = forest
        self._progress = progress

    def fit(self, X: FloatArray, y: FloatArray) -> Forest:
        trees = self._forest.n_estimators
        step = trees if self._progress is None else STEP
        for grown in range(step, trees + step, step):
            self._forest.set_params(n_estimators=min(grown, trees), warm_start=grown > step)
            self._forest.fit(X, y)
            if self._progress is not None:
                self._progress("trees", min(grown, trees), trees)
        self._forest.set_params(n_jobs=1, warm_start=False)
        return self

    def predict(self, X: FloatArray) -> Any:
        return self._forest.predict(X)

    @property
    def feature_importances_(self) -> FloatArray:
        return np.asarray(self._forest.feature_importances_)


LEARNERS = ("forest", "gp", "linear")


def learner(
    name: str = "forest",
    *,
    trees: int = TREES,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Regressor:
    """A regressor by name: ``forest``, ``gp`` (a Gaussian process, for up to some thousand rows), ``linear``.

    Its numbers do not depend on ``jobs``.
    """
    if name not in LEARNERS:
        raise InputError(f"there is no learner {name!r}", remedy=choices(name, LEARNERS))
    if trees < 1:
        raise InputError(f"found {trees} trees, expected at least 1")
    if jobs < 1:
        raise InputError(f"found {jobs} jobs, expected at least 1")
    try:
        from sklearn.ensemble import RandomForestRegressor
        from sklearn.gaussian_process import GaussianProcessRegressor
        from sklearn.gaussian_process.kernels import RBF, WhiteKernel
        from sklearn.linear_model import LinearRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler
    except ModuleNotFoundError as error:
        raise MissingExtra("scikit-learn", extra="learn", needed_for="learning from scores") from error
    made: Regressor
    if name == "forest":
        forest = RandomForestRegressor(trees, max_depth=DEPTH, random_state=seed, n_jobs=jobs)
        made = Forest(forest, progress)
    elif name == "gp":
        process = GaussianProcessRegressor(RBF(3.0) + WhiteKernel(0.5), normalize_y=True, random_state=seed)
        made = make_pipeline(StandardScaler(), process)
    else:
        made = make_pipeline(StandardScaler(), LinearRegression())
    return made
