"""Visiting only the pairs whose difference lies in a stretch (low, high], compiled.

For each score the partners in the stretch are neighbours in the sorted group, and their bounds only rise
from one score to the next: two pointers find them in O(n), so a visit costs O(n + pairs in the stretch).
Where relative differences reach 1, every pair is looked at instead.
"""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

from metaeval.kernels import sampling
from metaeval.kernels.compiled import compiled
from metaeval.kernels.enumerated import Pairs
from metaeval.kernels.layout import Layout
from metaeval.kernels.pairs import Floats, Integers
from metaeval.kernels.sweep import distance

ALL_BINS = np.ones(1, dtype=np.bool_)
mixed = compiled(sampling.mixed)


class TooManyPairs(Exception):
    """There is no room for the pairs; take a shorter stretch."""


def histogram(
    layout: Layout, table: Integers, low: float, high: float, bins: int, most: int
) -> tuple[Integers, Integers, float]:
    """What tying the pairs of a stretch gains, bin by bin; the positive gains alone; and the bins' scale.

    A difference d falls into bin floor((d - low) * scale), which never falls as d rises: every bin is a range
    of differences, and no difference is in two. Never holds a pair; O(bins) memory. ``most`` bounds the
    number of pairs: if their gains fit 31 bits, one pass sums both, in the halves of one integer.
    Oracle: tests/kernels/test_calibration.py, which sorts.
    """
    scale = min(bins / (high - low), sys.float_info.max)
    rises = np.maximum(table, 0)
    if int(np.abs(table).max()) * most < 2**31:
        both = binned(layout, table + (rises << 32), low, high, scale, bins)
        upper = (both + 2**31) >> 32
        return both - (upper << 32), upper, scale
    net, rise = (binned(layout, values, low, high, scale, bins) for values in (table, rises))
    return net, rise, scale


def binned(layout: Layout, values: Integers, low: float, high: float, scale: float, bins: int) -> Integers:
    """The sum of ``values[group, kind]`` over the pairs of each bin."""
    out = np.zeros(bins, dtype=np.int64)
    fill_bins(*layout.arrays, low, high, values, scale, out)
    return out


def collect(
    layout: Layout,
    low: float,
    high: float,
    capacity: int,
    *,
    origin: float = 0.0,
    scale: float = 0.0,
    alive: NDArray[np.bool_] = ALL_BINS,
    share: float = 1.0,
    seed: int = 0,
) -> Pairs:
    """The pairs of a stretch, each kept with probability ``share``.

    Only those in bins marked alive, where bins are those of ``histogram`` from ``origin`` on.

    Raises:
        TooManyPairs: there are more than ``capacity``.
    """
    difference = np.empty(capacity)
    cell = np.empty(capacity, dtype=np.int32)
    found = fill_pairs(
        *layout.arrays, low, high, origin, scale, alive,
        *drawn(share, seed),
        difference, cell,
    )  # fmt: skip
    if found > capacity:
        raise TooManyPairs
    return Pairs(difference[:found], cell[:found].astype(np.int64))


def tally(layout: Layout, low: float, high: float, share: float = 1.0, seed: int = 0) -> Integers:
    """How many pairs of a stretch there are, ``[group, kind]``, each kept with probability ``share``.

    A ``low`` below 0 takes in the pairs that do not differ at all. Never holds a pair.
    """
    out = np.zeros((len(layout.sizes), 3), dtype=np.int64)
    fill_tally(*layout.arrays, low, high, *drawn(share, seed), out)
    return out


def drawn(share: float, seed: int) -> tuple[bool, np.uint64, np.uint64]:
    """How the loops draw: whether they keep every pair, else up to which mixed number, mixed with what."""
    return share >= 1, np.uint64(sampling.threshold(share)), np.uint64(sampling.start(seed))


@compiled
def fill_bins(
    rank: NDArray[np.int32],
    metric: Floats,
    offsets: Integers,
    relative: bool,
    low: float,
    high: float,
    values: Integers,
    scale: float,
    out: Integers,
) -> None:
    """The loop of ``binned``."""
    top = len(out) - 1
    scan = relative and high >= 1.0
    for g in range(len(offsets) - 1):
        begin, end = offsets[g], offsets[g + 1]
        tied, concordant, discordant = values[g, 0], values[g, 1], values[g, 2]
        a = b = begin
        for j in range(begin, end):
            right, place = metric[j], rank[j]
            if scan:
                b = j
            else:
                while distance(metric[a], right, relative) > high:
                    a += 1
                while distance(metric[b], right, relative) > low:
                    b += 1
            for i in range(a, b):
                d = distance(metric[i], right, relative)
                if scan and (d <= low or d > high):
                    continue
                value = concordant if rank[i] < place else discordant
                value = tied if rank[i] == place else value
                out[np.uint64(min(int((d - low) * scale), top))] += value


@compiled
def fill_pairs(
    rank: NDArray[np.int32],
    metric: Floats,
    offsets: Integers,
    relative: bool,
    low: float,
    high: float,
    origin: float,
    scale: float,
    alive: NDArray[np.bool_],
    every: bool,
    threshold: np.uint64,
    seed: np.uint64,
    difference: Floats,
    cells: NDArray[np.int32],
) -> int:
    """The loop of ``collect``: how many pairs were found, stopping at one more than there is room for."""
    found = 0
    top = len(alive) - 1
    scan = relative and high >= 1.0
    n = np.uint64(len(metric))
    for g in range(len(offsets) - 1):
        begin, end = offsets[g], offsets[g + 1]
        a = b = begin
        for j in range(begin, end):
            right, place = metric[j], rank[j]
            if scan:
                b = j
            else:
                while distance(metric[a], right, relative) > high:
                    a += 1
                while distance(metric[b], right, relative) > low:
                    b += 1
            for i in range(a, b):
                d = distance(metric[i], right, relative)
                if scan and (d <= low or d > high):
                    continue
                if top > 0 and not alive[min(int((d - origin) * scale), top)]:
                    continue
                if not every and mixed(np.uint64(i) * n + np.uint64(j) + seed) > threshold:
                    continue
                if found == len(difference):
                    return found + 1
                difference[found] = d
                cells[found] = 3 * g + int(rank[i] < place) + 2 * int(rank[i] > place)
                found += 1
    return found


@compiled
def fill_tally(
    rank: NDArray[np.int32],
    metric: Floats,
    offsets: Integers,
    relative: bool,
    low: float,
    high: float,
    every: bool,
    threshold: np.uint64,
    seed: np.uint64,
    out: Integers,
) -> None:
    """The loop of ``tally``."""
    scan = relative and high >= 1.0
    n = np.uint64(len(metric))
    for g in range(len(offsets) - 1):
        begin, end = offsets[g], offsets[g + 1]
        a = b = begin
        for j in range(begin, end):
            right, place = metric[j], rank[j]
            if scan:
                b = j
            else:
                while a < j and distance(metric[a], right, relative) > high:
                    a += 1
                while b < j and distance(metric[b], right, relative) > low:
                    b += 1
            for i in range(a, b):
                if scan:
                    d = distance(metric[i], right, relative)
                    if d <= low or d > high:
                        continue
                if every or mixed(np.uint64(i) * n + np.uint64(j) + seed) <= threshold:
                    out[g, int(rank[i] < place) + 2 * int(rank[i] > place)] += 1
