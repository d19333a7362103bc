"""The embedded encoder: counts of units and surface features, and a ridge regression on them.

Trained in seconds on a processor. Counts are not brought to unit length, so that a long text can have the
many small losses that it has. Units are hashed: a model needs no vocabulary and is a file of numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import MissingExtra
from metaeval.probes.sentinel.examples import Examples
from metaeval.probes.sentinel.surface import surface, units
from metaeval.progress import Progress
from metaeval.scores import FloatArray

BUCKETS = 2**18
ALPHA = 15.0
"""The penalty, beside squared errors summed over ratings: the mean of many is surer, and is shrunk less."""
SURFACE_WEIGHT = 0.3
"""How strongly surface features count beside units, whose vectors have length 1 on average."""
AT_ONCE = 1000
"""Texts read between two signs of progress."""


@dataclass(frozen=True, eq=False, slots=True)
class Features:
    """Texts as numbers, before anything is learnt from them; made once and cut into folds."""

    counts: Any
    """texts x ``BUCKETS``, a sparse matrix."""
    surface: FloatArray

    @classmethod
    def of(cls, texts: Sequence[str], *, progress: Progress | None = None) -> Features:
        """About 0.3 ms a sentence."""
        import scipy.sparse as sparse

        try:
            from sklearn.feature_extraction.text import HashingVectorizer
        except ImportError as error:
            raise MissingExtra("scikit-learn", extra="learn", needed_for="training a sentinel") from error
        hashing = HashingVectorizer(analyzer=units, n_features=BUCKETS, alternate_sign=False, norm=None)
        counts, shapes = [sparse.csr_matrix((0, BUCKETS))], [surface(())]
        for start in range(0, len(texts), AT_ONCE):
            if progress is not None:
                progress("reading texts", start, len(texts))
            part = list(texts[start : start + AT_ONCE])
            counts.append(hashing.transform(part))
            shapes.append(surface(part))
        return cls(sparse.vstack(counts, format="csr"), np.concatenate(shapes))

    def take(self, rows: NDArray[np.intp]) -> Features:
        return Features(self.counts[rows], self.surface[rows])


@dataclass(frozen=True, eq=False, slots=True)
class Ridge:
    """A trained regressor from text to score."""

    weights: FloatArray
    """One a bucket, then one a surface feature."""
    intercept: float
    rarity: FloatArray
    """The inverse document frequency of each bucket, divided by the mean length of a text's vector."""
    centre: FloatArray
    spread: FloatArray

    @classmethod
    def fit(
        cls,
        examples: Examples,
        *,
        alpha: float = ALPHA,
        features: Features | None = None,
        progress: Progress | None = None,
    ) -> Ridge:
        """The ridge regression of the scores; ``features`` are those of the texts, if they are at hand.

        28,000 sentences take about 15 s, of which 10 s are reading them.
        """
        from metaeval.probes.sentinel.solving import solve

        given = features or Features.of(examples.texts, progress=progress)
        seen_in = np.asarray((given.counts > 0).sum(axis=0), dtype=np.float64).ravel()
        rarity = np.log((1 + len(examples)) / (1 + seen_in)) + 1
        weighed = _dampened(given.counts).multiply(rarity)
        scale = float(np.sqrt(weighed.multiply(weighed).sum() / len(examples))) or 1.0
        centre, spread = given.surface.mean(axis=0), given.surface.std(axis=0)
        blank = cls(np.zeros(0), 0.0, rarity / scale, centre, np.where(spread > 0, spread, 1.0))
        weights, intercept = solve(blank._design(given), examples.scores, examples.weights, alpha)
        return cls(weights, intercept, blank.rarity, blank.centre, blank.spread)

    def predict(
        self,
        texts: Sequence[str],
        *,
        features: Features | None = None,
        progress: Progress | None = None,
    ) -> FloatArray:
        """The score of each text."""
        design = self._design(features or Features.of(texts, progress=progress))
        predicted: FloatArray = design @ self.weights + self.intercept
        return predicted

    def _design(self, features: Features) -> Any:
        import scipy.sparse as sparse

        shapes = (features.surface - self.centre) / self.spread * SURFACE_WEIGHT
        return sparse.hstack(
            [_dampened(features.counts).multiply(self.rarity), sparse.csr_matrix(shapes)]
        ).tocsr()

    def save(self, path: Path) -> None:
        """A file of arrays, without code in it; see :mod:`~metaeval.probes.sentinel.ridge_file`."""
        from metaeval.probes.sentinel.ridge_file import save_ridge

        save_ridge(self, path)

    @classmethod
    def load(cls, path: Path) -> Ridge:
        """What :meth:`save` wrote; anything else is refused."""
        from metaeval.probes.sentinel.ridge_file import load_ridge

        return load_ridge(path)


def _dampened(counts: Any) -> Any:
    """1 + log of each count."""
    found = counts.copy()
    found.data = 1 + np.log(found.data)
    return found
