"""Random draws in blocks: the same for every metric, every measure and every number of jobs.

A block is seeded by the plan's seed, what it is for, and its number. Its size follows from the number of
units alone, so that neither memory nor the other metrics on a board change a draw.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from metaeval.significance.paths.base import BoolArray, IntArray

Purpose: TypeAlias = Literal["exchange", "items", "systems"]
_KEY = {"exchange": 0, "items": 1, "systems": 2}

BLOCK_ENTRIES = 2**24
"""The most draws x units that are held at once: 16 MB of bits spread out."""
BLOCK_DRAWS = 100


class Part(NamedTuple):
    """Some rows of a block."""

    block: int
    rows: slice


@dataclass(frozen=True, slots=True)
class Blocks:
    """``draws`` over ``units``, cut into blocks; all of them once, in order, where those are no more."""

    units: int
    draws: int
    seed: int
    enumerates: bool = True

    @property
    def exact(self) -> bool:
        """Whether all 2^units exchanges are visited, once each."""
        return self.enumerates and self.units < 63 and 2**self.units <= self.draws

    @property
    def total(self) -> int:
        return 2**self.units if self.exact else self.draws

    @property
    def size(self) -> int:
        return max(1, min(BLOCK_DRAWS, BLOCK_ENTRIES // max(self.units, 1)))

    def __len__(self) -> int:
        return -(-self.total // self.size)

    def rows(self, block: int) -> int:
        """How many draws a block holds; the last one may hold fewer."""
        return min(self.size, self.total - block * self.size)

    def parts(self, at_once: int) -> Iterator[Part]:
        """All draws in order, cut further so that no part holds more than ``at_once``."""
        for block in range(len(self)):
            rows = self.rows(block)
            for start in range(0, rows, at_once):
                yield Part(block, slice(start, min(start + at_once, rows)))

    def generator(self, purpose: Purpose, block: int) -> np.random.Generator:
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(_KEY[purpose], block)))

    def masks(self, block: int) -> BoolArray:
        """Which units are exchanged in each draw of a block: (rows, units), each with probability one half.

        >>> Blocks(units=2, draws=4, seed=0).masks(0).astype(int).tolist()
        [[0, 0], [1, 0], [0, 1], [1, 1]]
        """
        rows = self.rows(block)
        if self.exact:
            number = np.arange(block * self.size, block * self.size + rows)[:, None]
            return np.asarray((number >> np.arange(self.units)) & 1, dtype=np.bool_)
        raw = self.generator("exchange", block).bytes(-(-rows * self.units // 8))
        bits = np.unpackbits(np.frombuffer(raw, dtype=np.uint8), count=rows * self.units)
        return bits.reshape(rows, self.units).view(np.bool_)

    def weights(self, purpose: Purpose, block: int, units: int) -> IntArray:
        """How often each unit comes when as many are drawn, with replacement, as there are: (rows, units)."""
        rows = self.rows(block)
        chosen = self.generator(purpose, block).integers(units, size=(rows, units))
        chosen += units * np.arange(rows)[:, None]
        counts = np.bincount(chosen.ravel(), minlength=rows * units)
        return np.asarray(counts.reshape(rows, units), dtype=np.int64)
