"""Clipped n-gram matches of all pairs in a pool of texts; n-grams are counted once a text, not a pair."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
SMALL = 200_000
"""Multiplications in a product that is done at once."""


def pool_matches(pool: Sequence[Ints], orders: int) -> Ints:
    """orders x texts x texts: how many n-grams two texts share, each counted as often as in both.

    Args:
        pool: the texts as numbers, one a word or character; equal numbers are equal tokens.
        orders: n-grams of 1 to ``orders`` tokens.

    An n-gram is numbered by the number of its first n - 1 tokens and its last token, so nothing is hashed.
    Matches are sums over t of products of the 0/1 matrices "occurs at least t times". Time
    O(orders (tokens log tokens + texts^2 distinct n-grams)), memory O(texts distinct n-grams).
    Oracle: tests/oracles/interference.py::matches.

    >>> pool_matches([np.array([1, 2, 1]), np.array([1, 1, 2])], 2)[:, 0, 1].tolist()
    [3, 1]
    """
    lengths = np.array([len(text) for text in pool], dtype=np.int64)
    found = np.zeros((orders, len(pool), len(pool)), dtype=np.int64)
    if not lengths.sum():
        return found
    _, units = np.unique(np.concatenate(pool), return_inverse=True)
    tokens = int(units.max()) + 1
    owner = np.repeat(np.arange(len(pool)), lengths)
    left = np.repeat(np.cumsum(lengths), lengths) - np.arange(len(units))
    grams, place = units.astype(np.int64), np.arange(len(units))
    for order in range(1, orders + 1):
        if order > 1:
            going_on = left[place] >= order
            place, grams = place[going_on], grams[going_on]
            _, grams = np.unique(grams * tokens + units[place + order - 1], return_inverse=True)
        if not len(place):
            break
        width = int(grams.max()) + 1
        counts = np.bincount(owner[place] * width + grams, minlength=len(pool) * width)
        found[order - 1] = shared(counts.reshape(len(pool), width))
    return found


def shared(counts: Ints) -> Ints:
    """texts x texts: the sum over columns of the smaller of two texts' counts.

    Sums are whole numbers below 2^24, exact in single precision. Blocks of columns are so small that no
    linear algebra library spreads one over threads: waking them up costs more than such a product, on a busy
    machine a hundred times as much.
    """
    texts = len(counts)
    width = max(8, SMALL // texts**2)
    total = np.zeros((texts, texts), dtype=np.float32)
    times = 1
    while counts.size:
        for start in range(0, counts.shape[1], width):
            at_least = (counts[:, start : start + width] >= times).astype(np.float32)
            total += at_least @ at_least.T.copy()
        most = counts.max(axis=0)
        if most.max() <= times:
            break
        times += 1
        counts = counts[:, most >= times]
    return total.astype(np.int64)
