"""Sums on a grid are exact in any order."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from metaeval.significance.grid import on_grid, snapped

NUMBERS = st.lists(st.floats(-1e9, 1e9, allow_subnormal=False), min_size=1, max_size=50)


@given(NUMBERS, st.randoms(use_true_random=False))
def test_any_order_and_any_part_sums_exactly(numbers: list[float], random: np.random.Generator) -> None:
    column = on_grid(np.array(numbers)[:, None], terms=len(numbers))[:, 0]
    shuffled = column.tolist()
    random.shuffle(shuffled)
    assert sum(shuffled) == math.fsum(shuffled) == sum(column.tolist())


@given(NUMBERS)
def test_rounding_stays_below_its_unit(numbers: list[float]) -> None:
    column = on_grid(np.array(numbers)[:, None], terms=len(numbers))[:, 0]
    largest = max(map(abs, numbers))
    assert np.abs(column - numbers).max() <= largest * len(numbers) * 2.0**-52


def test_a_column_does_not_depend_on_its_neighbours() -> None:
    x = np.random.default_rng(0).normal(size=(20, 2)) * [1, 1e6]
    assert np.array_equal(on_grid(x, 20)[:, 0], on_grid(x[:, :1], 20)[:, 0])


def test_means_equal_but_for_rounding_snap_together() -> None:
    assert snapped(np.array((0.1 + 0.2) / 2)) == snapped(np.array(0.15))
