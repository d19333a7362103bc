"""Whether a system's segments look like those that were learned from: a forest does not extrapolate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.scores import FloatArray

RARE = 0.01
TOLERATED = 3 * RARE
"""The share of outlying segments from which there is a warning."""


@dataclass(frozen=True, slots=True)
class Outside:
    """A system and the share of its segments farther out than 99% of those learned from."""

    system: str
    share: float

    @property
    def warns(self) -> bool:
        return self.share > TOLERATED


def outside(
    cells: FloatArray, learned: NDArray[np.bool_], known: NDArray[np.bool_], rows: list[int]
) -> list[tuple[int, float]]:
    """By system the share of its segments whose features are farther out than 99% of the learned ones.

    Mahalanobis distance from the mean of the learned segments: it sees combinations of scores that are
    unusual together. O(segments features^2).

    Args:
        cells: systems x items x features.
        learned: the cells that were learned from.
        known: the cells without a missing feature.
        rows: the systems to look at.

    >>> cells = np.array([[0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 2.0, 9.0]])[..., None]
    >>> known = np.ones((2, 4), dtype=bool)
    >>> outside(cells, known & np.array([[True], [False]]), known, [1])
    [(1, 0.25)]
    """
    seen = cells[learned]
    centre = seen.mean(axis=0)
    spread = np.linalg.pinv(np.atleast_2d(np.cov(seen, rowvar=False)))

    def distance(points: FloatArray) -> FloatArray:
        away = points - centre
        found: FloatArray = np.einsum("if,fg,ig->i", away, spread, away, optimize=True)
        return found

    limit = np.quantile(distance(seen), 1 - RARE)
    shares = [
        (row, float((distance(cells[row][known[row]]) > limit).mean())) for row in rows if known[row].any()
    ]
    return sorted(shares, key=lambda found: -found[1])
