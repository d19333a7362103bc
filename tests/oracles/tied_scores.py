"""Scores of the kinds that break counting: ties, gaps, rounding, extreme magnitudes, unequal groups."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray


@dataclass(frozen=True)
class Scores:
    """Two flat lists and where their groups begin."""

    human: list[float]
    metric: list[float]
    offsets: list[int]


HUMAN = st.sampled_from([0.0, 0.0, 0.0, -0.1, -1.0, -5.0, -25.0])
METRIC = st.sampled_from(
    [
        st.integers(0, 4).map(float),
        st.floats(-1, 1),
        st.floats(-1e150, 1e150),
        st.sampled_from([0.1, 0.2, 0.1 + 0.2, 0.3, 0.3 - 0.1, 0.4, 0.0, -0.0]),
        st.sampled_from([0.0, 1e-300, 5e-324, -5e-324, 1e-17, 1.0, 1.0 + 2**-52, -1.0]),
        st.just(0.5),
    ]
)


@st.composite
def scores(draw: st.DrawFn, most_groups: int = 4, most: int = 7) -> Scores:
    """Groups of 0 to ``most`` scores; now and then all of one size, now and then a constant side."""
    sizes = draw(st.lists(st.integers(0, most), min_size=1, max_size=most_groups))
    if draw(st.booleans()):
        sizes = [sizes[0]] * len(sizes)
    n = sum(sizes)
    human = draw(st.sampled_from([HUMAN, HUMAN, st.just(-1.0)]))
    return Scores(
        draw(st.lists(human, min_size=n, max_size=n)),
        draw(st.lists(draw(METRIC), min_size=n, max_size=n)),
        [0, *itertools.accumulate(sizes)],
    )


SHAPES = ("continuous", "integers", "tenths", "skewed", "worthless", "continuous humans", "constant")


def shaped(
    shape: str, sizes: list[int], seed: int = 0
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Human scores like MQM and a metric of the given shape, in groups of the given sizes."""
    rng = np.random.default_rng(seed)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    quality = rng.normal(size=offsets[-1])
    human = -np.round(np.exp(quality)).clip(0, 25)
    metric = -quality + 0.5 * rng.normal(size=len(quality))
    if shape == "integers":
        metric = np.round(3 * metric)
    elif shape == "tenths":
        metric = np.round(metric, 1)
    elif shape == "skewed":
        metric = np.exp(20 * metric)
    elif shape == "worthless":
        metric = rng.normal(size=len(quality))
    elif shape == "continuous humans":
        human = -quality
    elif shape == "constant":
        metric = np.zeros(len(quality))
    return human, metric, offsets
