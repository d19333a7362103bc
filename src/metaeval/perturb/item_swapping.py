"""Swapping of several items: the one perturbation of ranked lists."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from random import Random

import numpy as np
from numpy.typing import NDArray

from metaeval.declared import param
from metaeval.perturb.base import AnyPerturbation, NotApplicable
from metaeval.perturb.randomness import shuffled, stream
from metaeval.perturb.registry import perturbation


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError("expected at least 1")
    return number


@perturbation("item-swapping", "ranking")
@dataclass(frozen=True, repr=False)
class ItemSwapping(AnyPerturbation):
    """Several pairs of random items near the top of the list change places.

    A list that is shorter than all pairs need has as many pairs swapped as it holds.
    """

    pairs: int = param(10, parse=_positive, about="how many pairs change places")
    depth: int = param(100, parse=_positive, about="how far down the list items are taken from")

    def applies(self, length: int) -> bool:
        return min(length, self.depth) > 1

    def order(self, length: int, random: Random) -> NDArray[np.intp] | NotApplicable:
        """The new order of a list: a permutation of its positions that always differs from the old one.

        >>> int((ItemSwapping(pairs=3).order(50, stream(0)) != np.arange(50)).sum())
        6
        """
        reach = min(length, self.depth)
        if reach < 2:
            return NotApplicable("fewer than two items")
        chosen = list(islice(shuffled(random, range(reach)), 2 * min(self.pairs, reach // 2)))
        order = np.arange(length)
        order[chosen[::2]], order[chosen[1::2]] = chosen[1::2], chosen[::2]
        return order

    def drawn(
        self, length: int, *, item: str, system: str, seed: int, number: int = 0
    ) -> NDArray[np.intp] | NotApplicable:
        """The order that seed, item, system and the number of the draw determine."""
        return self.order(length, stream(seed, self.name, item, system, str(number)))
