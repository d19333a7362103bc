"""System scores that are functions of sums: exact for any weighting of items, and what each contributes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False, slots=True)
class CorpusSums:
    """One metric's rows on the cells used, and how a score is read off their sum.

    A mean is the simplest case: rows (x, 1), read as the first sum over the second.

    >>> rows = np.array([[[3.0, 1.0], [5.0, 1.0]]])
    >>> mean = CorpusSums(rows, np.ones((1, 2), dtype=np.bool_), lambda s: s[..., 0] / s[..., 1])
    >>> mean.scores().tolist()
    [4.0]
    """

    rows: Floats
    """systems x items x F; 0 in cells that are not used."""
    used: Bools
    """systems x items."""
    read: Callable[[Floats], Floats]
    """(..., F) to (...), higher being better."""

    def take(self, systems: NDArray[np.intp], items: NDArray[np.intp]) -> CorpusSums:
        """Those of fewer systems and items."""
        at = np.ix_(systems, items)
        return CorpusSums(self.rows[at], self.used[at], self.read)

    def scores(self) -> Floats:
        """The corpus score of every system over its cells; NaN where it has none. O(cells F)."""
        scores: Floats = np.where(self.used.any(axis=1), self.read(self.rows.sum(axis=1)), np.nan)
        return scores

    def weighted(self, weights: Floats) -> Floats:
        """Corpus scores where items count several times: (draws, items) to (draws, systems).

        Exact: sums are linear in the weights. NaN where no cell of a system is left. O(draws cells F).
        """
        scores = np.empty((len(weights), len(self.rows)))
        for s, (rows, used) in enumerate(zip(self.rows, self.used, strict=True)):
            there = (weights[:, used] > 0).any(axis=1)
            scores[:, s] = np.where(there, self.read(weights @ rows), np.nan)
        return scores

    def contributions(self) -> Floats:
        """What each item adds to its system's score: systems x items, NaN in cells that are not used.

        See :func:`contributions`. O(cells F).
        """
        table = np.full(self.used.shape, np.nan)
        for s, used in enumerate(self.used):
            table[s, used] = contributions(self.rows[s, used], self.read)
        return table


def contributions(rows: Floats, read: Callable[[Floats], Floats]) -> Floats:
    """The pseudo-values of the jackknife (Tukey 1958), centred on the score: (items, F) to (items,).

    (items - 1) times what leaving an item out takes off the score, against the other items, is how the item
    moves the score to first order. Their mean is the corpus score itself, and for a score that is a mean
    they are the items' own scores.

    >>> ratio = lambda s: s[..., 0] / s[..., 1]
    >>> contributions(np.array([[3.0, 1.0], [5.0, 1.0]]), ratio).tolist()
    [3.0, 5.0]
    >>> float(contributions(np.array([[3.0, 1.0], [6.0, 2.0], [3.0, 3.0]]), ratio).mean().round(9))
    2.0
    """
    if not len(rows):
        return np.empty(0)
    whole = rows.sum(axis=0)
    without = read(whole - rows)
    moved: Floats = read(whole) + (len(rows) - 1) * (without.mean() - without)
    return moved
