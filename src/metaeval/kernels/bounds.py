"""What branch and bound keeps of a linear statistic: edges, the stretches between them, the best so far."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from metaeval.kernels.enumerated import difference
from metaeval.kernels.layout import Layout
from metaeval.kernels.pairs import Floats

GRID = 48


class Edge(NamedTuple):
    """A difference that occurs, the next larger one, and what tying all pairs up to it gains.

    ``rises`` is the sum of the positive gains alone; ``pairs`` how many pairs that are.
    """

    epsilon: float
    above: float
    gained: int
    rises: int
    pairs: int


class Stretch(NamedTuple):
    """The differences after one edge and up to another."""

    low: Edge
    high: Edge

    @property
    def bound(self) -> int:
        """No epsilon in here gains more."""
        return self.low.gained + self.high.rises - self.low.rises

    @property
    def pairs(self) -> int:
        """How many pairs become ties in here."""
        return self.high.pairs - self.low.pairs


def middle(low: float, high: float) -> float:
    """A number from low on and below high; by ratio where they are far apart, so that no range takes long.

    >>> middle(1.0, 3.0), middle(1e-8, 1.0)
    (2.0, 0.0001)
    """
    between = math.sqrt(low) * math.sqrt(high) if high > 4 * low > 0 else low + (high - low) / 2
    return between if low <= between < high else low


class Best:
    """The epsilons that may be the best one, as far as is known; one unless sums carry slack."""

    def __init__(self, slack: int) -> None:
        self.slack = slack
        self.found: list[tuple[int, float]] = []

    @property
    def needed(self) -> int:
        """What an epsilon must gain to be of interest."""
        return max((gained for gained, _ in self.found), default=-(2**62)) - 2 * self.slack

    def add(self, epsilons: Iterable[float], gained: Iterable[int]) -> None:
        """Take note of some epsilons; forget what is beaten, or as good and larger.

        >>> best = Best(slack=0)
        >>> best.add([0.3, 0.2, 0.1], [7, 7, 6])
        >>> best.found
        [(7, 0.2)]
        """
        self.found += zip(gained, epsilons, strict=True)
        if self.slack == 0 and self.found:
            self.found = [max(self.found, key=lambda f: (f[0], -f[1]))]
        self.found = [f for f in self.found if f[0] >= self.needed]

    def may_be_in(self, stretch: Stretch) -> bool:
        """Whether a stretch could hold a better epsilon than those found, or an equally good smaller one.

        Its upper edge is an epsilon already noted.
        """
        low, high = stretch
        if low.above >= high.epsilon or high.rises == low.rises:
            return False
        if self.slack == 0 and self.found and stretch.bound == self.needed:
            return low.above < self.found[0][1]
        return stretch.bound >= self.needed


def grid(layout: Layout) -> list[float]:
    """Epsilons from 0 to the largest difference, about as many pairs between each and the next.

    They decide how long a search takes, never what it finds.
    """
    if not layout.pairs:
        return [0.0]
    quantiles = np.quantile(some_differences(layout), np.linspace(0, 1, GRID))
    largest = [1 - 2.0**-53, 2.0] if layout.relative else [float(layout.metric.max() - layout.metric.min())]
    return [0.0, *sorted(set(quantiles[quantiles > 0].tolist())), *largest]


def some_differences(layout: Layout, draws: int = 20_000) -> Floats:
    """Differences that occur: all where pairs are few, else some, drawn from a fixed seed."""
    if layout.pairs <= draws:
        return layout.enumerated.difference
    draw = np.random.default_rng(0)
    one = draw.integers(len(layout.metric), size=draws)
    group = np.searchsorted(layout.offsets, one, side="right") - 1
    other = layout.offsets[group] + draw.integers(layout.sizes[group])
    low, high = np.minimum(one, other), np.maximum(one, other)
    return difference(layout.metric[low], layout.metric[high], layout.relative)
