"""One-sided paired p-values of all pairs of systems at once (Thompson et al. 2024, sections 3.2 and 3.3).

For systems s and t with scores x and y on the items rated for both, p is the share of random exchanges of
x and y, item by item, whose difference of sums is at least the observed one. An exchange takes twice the
sum of x - y over the flipped items off the difference, so it counts where these items favour t or neither::

    p[s, t] = share of draws with  sum over flipped items of x  <=  sum over flipped items of y

which needs one sum a system and draw, whatever the number of pairs: a matrix product.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from metaeval.kernels.flips import Flips

Floats = NDArray[np.float64]
BITS = 50
BLOCK = 2**23
"""Flips unpacked at a time: 64 MB."""
ULPS = 16
"""Equal scores differ by no more last digits than this once two metrics are z-scored."""


@dataclass(frozen=True, eq=False, slots=True)
class SystemPairs:
    """The pairs of systems with items in common, and the columns of scores that compare them.

    A column is a system's scores on some of its items, 0 elsewhere. Where all systems have the same items
    each has one column; where not, a pair has two columns cut to what its systems share, and equal
    columns are held once.
    """

    first: NDArray[np.intp]
    """The pairs, as positions of systems: ``first < second``."""
    second: NDArray[np.intp]
    left: NDArray[np.intp]
    """The columns of ``first`` and of ``second`` that have the same items."""
    right: NDArray[np.intp]
    system: NDArray[np.intp]
    """The system of each column."""
    used: NDArray[np.bool_]
    """columns x items: the cells a column holds."""

    @classmethod
    def of(cls, rated: NDArray[np.bool_]) -> SystemPairs:
        """From the rated cells, systems x items. O(systems^2 items)."""
        first, second = np.triu_indices(len(rated), k=1)
        known: dict[tuple[int, bytes], int] = {}
        used: list[NDArray[np.bool_]] = []
        kept, columns = [], []
        for s, t in zip(first.tolist(), second.tolist(), strict=True):
            shared = rated[s] & rated[t]
            if not shared.any():
                continue
            key = shared.tobytes()
            for system in (s, t):
                if (system, key) not in known:
                    known[system, key] = len(used)
                    used.append(shared)
            kept.append((s, t))
            columns.append((known[s, key], known[t, key]))
        pairs = np.array(kept, dtype=np.intp).reshape(-1, 2)
        sides = np.array(columns, dtype=np.intp).reshape(-1, 2)
        systems = np.array([system for system, _ in known], dtype=np.intp)
        cells = np.array(used, dtype=np.bool_).reshape(len(used), rated.shape[1])
        return cls(pairs[:, 0], pairs[:, 1], sides[:, 0], sides[:, 1], systems, cells)

    def __len__(self) -> int:
        return len(self.first)

    def columns(self, scores: Floats) -> Floats:
        """The columns of score matrices: (..., systems, items) to (..., columns, items)."""
        return np.where(self.used, scores[..., self.system, :], 0.0)

    def differences(self, columns: Floats) -> Floats:
        """(..., columns, items) to (..., pairs, items): 0 where an item is not rated for both."""
        return columns[..., self.left, :] - columns[..., self.right, :]

    def matrix(self, forward: Floats, backward: Floats, systems: int) -> Floats:
        """p-values of pairs and of reversed pairs as a matrix systems x systems; NaN where there are none."""
        table = np.full((systems, systems), np.nan)
        table[self.first, self.second] = forward
        table[self.second, self.first] = backward
        return table


@dataclass(frozen=True, eq=False, slots=True)
class FixedPoint:
    """Scores as integers small enough that no sum of them rounds, whatever the order of its terms.

    Floating point sums differ in their last digit from one order of terms to the next, and with them the
    outcome of a comparison of equal sums. Rounded to 50 bits less those that a sum over the items needs, four
    such sums are exact, and the result depends on nothing but the data. Sums that differ by no more than the
    rounding of their terms (``slack``) are equal, so that 0.1 + 0.2 ties with 0.3.
    """

    values: Floats
    """Whole numbers; centred, with 0 for a missing score."""
    slack: float
    unit: float
    """What 1 stands for."""

    @property
    def negligible(self) -> float:
        """A sum of squared differences up to here is rounding: in last digits of scores, and of z-scores.

        >>> FixedPoint.of(np.array([[0.3, 1.0], [0.1 + 0.2, 1.0]])).negligible < 1e9
        True
        """
        items = self.values.shape[-1]
        return (ULPS * self.slack) ** 2 / items if items else 0.0

    @classmethod
    def of(cls, scores: Floats) -> FixedPoint:
        """From scores (..., systems, items), NaN where missing, all on one scale. O(scores)."""
        missing = np.isnan(scores)
        raw = np.where(missing, 0.0, scores)
        rated = raw[~missing]
        if not rated.size:
            return cls(raw, 0.0, 1.0)
        low, high = float(rated.min()), float(rated.max())
        centre = low / 2 + high / 2
        centred = np.where(missing, 0.0, raw - centre)
        items = scores.shape[-1]
        exponent = int(np.frexp(max(high - centre, centre - low))[1])
        places = BITS - items.bit_length() - exponent
        rounding = float(np.ldexp(max(abs(low), abs(high)) * 2.0**-52, places))
        return cls(
            np.rint(np.ldexp(centred, places)), items * (1.0 + rounding), float(np.ldexp(1.0, -places))
        )


def flipped_sums(values: Floats, flips: Flips) -> Floats:
    """Sums of the flipped items' values by draw: (rows, items) to (rows, draws). O(rows items draws)."""
    sums = np.zeros((len(values), flips.draws))
    step = max(1, BLOCK // flips.draws)
    for start in range(0, flips.items, step):
        block = slice(start, start + step)
        sums += values[:, block] @ flips.rows(block)
    return sums


def permutation_p(scores: Floats, pairs: SystemPairs, flips: Flips) -> tuple[Floats, Floats]:
    """p of every pair and of every pair reversed, by permutation, of each of several score matrices.

    Args:
        scores: (matrices, systems, items), NaN where a cell is not rated; a scale of its own for each.

    O(matrices columns items draws) time, O(columns (items + draws)) memory. Both are 1 for systems with equal
    scores, and they sum to 1 plus the share of draws that tie with the observation.
    Oracle: tests/oracles/spa.py::permutation_p; scipy.stats.permutation_test.
    """
    forward, backward = np.empty((2, len(scores), len(pairs)))
    for i, matrix in enumerate(scores):
        fixed = FixedPoint.of(matrix)
        sums = flipped_sums(pairs.columns(fixed.values), flips)
        for pair, (left, right) in enumerate(zip(pairs.left, pairs.right, strict=True)):
            difference = sums[left] - sums[right]
            forward[i, pair] = np.count_nonzero(difference <= fixed.slack) / flips.draws
            backward[i, pair] = np.count_nonzero(difference >= -fixed.slack) / flips.draws
    return forward, backward


def normal_p(scores: Floats, pairs: SystemPairs) -> tuple[Floats, Floats]:
    """The same p-values in closed form: the sum of randomly signed d is normal but for terms in 1/items.

    p = Phi(-sum d / sqrt(sum d^2)), and one half where all d are 0. O(matrices pairs items).
    """
    forward, backward = np.empty((2, len(scores), len(pairs)))
    for i, matrix in enumerate(scores):
        fixed = FixedPoint.of(matrix)
        d = pairs.differences(pairs.columns(matrix))
        z = standardised(d.sum(axis=-1), np.sum(d * d, axis=-1), fixed.negligible * fixed.unit**2)
        forward[i], backward[i] = ndtr(-z), ndtr(z)
    return forward, backward


def standardised(total: Floats, squares: Floats, negligible: Floats | float) -> Floats:
    """total / sqrt(squares), 0 where there is nothing: the statistic of which p is the normal tail.

    >>> standardised(np.array([3.0, 1e-9]), np.array([9.0, 1e-18]), negligible=1e-15)
    array([1., 0.])
    """
    z: Floats = np.zeros(np.shape(total))
    np.divide(total, np.sqrt(squares), out=z, where=np.asarray(squares) > negligible)
    return z
