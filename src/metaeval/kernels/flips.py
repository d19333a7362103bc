"""Random signs of a paired permutation test: which items exchange their two scores in which draw."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Bits = NDArray[np.uint8]


@dataclass(frozen=True, eq=False, slots=True)
class Flips:
    """A table items x draws of bits, one where the item is flipped; 128 bytes an item at 1000 draws.

    Where ``2 ** items`` is at most ``draws`` the table holds every combination once, and tests are exact.
    Row r depends on the seed and on r alone: more items have the same rows at their start.

    >>> Flips.of(items=2, draws=1000, seed=0).rows(slice(None))
    array([[0., 1., 0., 1.],
           [0., 0., 1., 1.]])
    """

    packed: Bits
    draws: int

    @classmethod
    def of(cls, items: int, draws: int, seed: int) -> Flips:
        """The flips of a test on ``items`` units. O(items draws / 8)."""
        if items < 63 and 2**items <= draws:
            every = np.arange(2**items, dtype=np.uint64)
            place = np.arange(items, dtype=np.uint64)
            bits = (every >> place[:, None]) & np.uint64(1)
            return cls(np.packbits(bits.astype(np.uint8), axis=1, bitorder="little"), 2**items)
        words = -(-draws // 64)
        raw = np.random.PCG64(seed).random_raw(items * words).astype("<u8")
        return cls(raw.reshape(items, words).view(np.uint8), draws)

    @property
    def items(self) -> int:
        return len(self.packed)

    def rows(self, which: slice | NDArray[np.intp] | NDArray[np.bool_]) -> NDArray[np.float64]:
        """Some items' flips as 0.0 and 1.0, ready for a matrix product."""
        bits = np.unpackbits(self.packed[which], axis=1, count=self.draws, bitorder="little")
        return bits.astype(np.float64)

    def codes(self) -> Bits:
        """Eight items to a byte, the first one lowest: (items / 8, draws)."""
        bits = np.unpackbits(self.packed, axis=1, count=self.draws, bitorder="little")
        return np.packbits(bits, axis=0, bitorder="little")

    def take(self, which: NDArray[np.intp] | NDArray[np.bool_]) -> Flips:
        """The flips of some items."""
        return Flips(self.packed[which], self.draws)

    def parts(self, largest: int) -> Iterator[Flips]:
        """The same flips a few draws at a time: at most ``largest``, and at least 8."""
        step = max(1, largest // 8)
        for start in range(0, self.packed.shape[1], step):
            left = self.draws - 8 * start
            if left > 0:
                yield Flips(self.packed[:, start : start + step], min(8 * step, left))
