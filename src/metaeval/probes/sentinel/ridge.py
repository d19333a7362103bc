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

from metaeval.errors import InputError, MissingExtra
from metaeval.probes.sentinel.examples import Examples
from metaeval.probes.sentinel.surface import SURFACE_SIZE, surface, units
from metaeval.scores import FloatArray

BUCKETS = 2**18
ALPHA = 15.0
"""The penalty, beside squared errors summed over ratings: the mean of many is surer, and is shrunk less."""
SURFACE_WEIGHT = 0.3
"""How strongly surface features count beside units, whose vectors have length 1 on average."""
KIND = "metaeval sentinel, ridge 1"


@dataclass(frozen=True, eq=False, slots=True)
class Features:
    """Texts as numbers, before anything is learnt from them; made once and cut into folds."""

    counts: Any
    """texts x ``BUCKETS``, a sparse matrix."""
    surface: FloatArray

    @classmethod
    def of(cls, texts: Sequence[str]) -> Features:
        """About 0.3 ms a sentence."""
        try:
            from sklearn.feature_extraction.text import HashingVectorizer
        except ImportError as error:
            raise MissingExtra("scikit-learn", extra="learn", needed_for="training a sentinel") from error
        hashing = HashingVectorizer(analyzer=units, n_features=BUCKETS, alternate_sign=False, norm=None)
        return cls(hashing.transform(list(texts)).tocsr(), surface(texts))

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
    def fit(cls, examples: Examples, *, alpha: float = ALPHA, features: Features | None = None) -> Ridge:
        """The ridge regression of the scores; ``features`` are those of the texts, if they are at hand.

        28,000 sentences take about 15 s, of which 10 s are reading them.
        """
        from metaeval.probes.sentinel.solving import solve

        given = features or Features.of(examples.texts)
        seen_in = np.asarray((given.counts > 0).sum(axis=0), dtype=np.float64).ravel()
        rarity = np.log((1 + len(examples)) / (1 + seen_in)) + 1
        weighed = _dampened(given.counts).multiply(rarity)
        scale = float(np.sqrt(weighed.multiply(weighed).sum() / len(examples))) or 1.0
        centre, spread = given.surface.mean(axis=0), given.surface.std(axis=0)
        blank = cls(np.zeros(0), 0.0, rarity / scale, centre, np.where(spread > 0, spread, 1.0))
        weights, intercept = solve(blank._design(given), examples.scores, examples.weights, alpha)
        return cls(weights, intercept, blank.rarity, blank.centre, blank.spread)

    def predict(self, texts: Sequence[str], *, features: Features | None = None) -> FloatArray:
        """The score of each text."""
        design = self._design(features or Features.of(texts))
        predicted: FloatArray = design @ self.weights + self.intercept
        return predicted

    def _design(self, features: Features) -> Any:
        import scipy.sparse as sparse

        shapes = (features.surface - self.centre) / self.spread * SURFACE_WEIGHT
        return sparse.hstack(
            [_dampened(features.counts).multiply(self.rarity), sparse.csr_matrix(shapes)]
        ).tocsr()

    def save(self, path: Path) -> None:
        """A file of arrays, without code in it; buckets that no text fell into are left out."""
        used = np.flatnonzero(self.weights[:BUCKETS])
        try:
            with path.open("wb") as out:
                np.savez_compressed(
                    out,
                    kind=np.array(KIND),
                    used=used,
                    weights=np.concatenate([self.weights[used], self.weights[BUCKETS:]]),
                    rarity=self.rarity[used],
                    intercept=np.array(self.intercept),
                    centre=self.centre,
                    spread=self.spread,
                )
        except OSError as error:
            raise InputError(f"cannot be written: {error.strerror or error}", path=path) from error

    @classmethod
    def load(cls, path: Path) -> Ridge:
        """What :meth:`save` wrote; anything else is refused."""
        remedy = "Train it again: metaeval sentinel train"
        try:
            with np.load(path, allow_pickle=False) as held:
                arrays = {name: held[name] for name in held.files}
            kind, used = str(arrays["kind"]), arrays["used"]
            if kind != KIND:
                raise InputError(f"found {kind!r}, expected {KIND!r}", path=path, remedy=remedy)
            shapes = arrays["centre"].shape, arrays["spread"].shape, arrays["weights"].shape
            if shapes != ((SURFACE_SIZE,), (SURFACE_SIZE,), (len(used) + SURFACE_SIZE,)):
                raise InputError("holds arrays of sizes that do not fit", path=path, remedy=remedy)
            weights, rarity = np.zeros(BUCKETS + SURFACE_SIZE), np.zeros(BUCKETS)
            weights[used], weights[BUCKETS:] = arrays["weights"][: len(used)], arrays["weights"][len(used) :]
            rarity[used] = arrays["rarity"]
            return cls(weights, float(arrays["intercept"]), rarity, arrays["centre"], arrays["spread"])
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror or error}", path=path) from error
        except (ValueError, KeyError, EOFError, IndexError) as error:
            raise InputError("is not a sentinel that metaeval saved", path=path, remedy=remedy) from error


def _dampened(counts: Any) -> Any:
    """1 + log of each count."""
    found = counts.copy()
    found.data = 1 + np.log(found.data)
    return found
