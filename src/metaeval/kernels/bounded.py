"""The best epsilon of a linear statistic among more pairs than could be held, or even visited.

Tying the pairs of a stretch of epsilon gains at most the sum of their positive gains, and that sum is the
difference of two counts that cost O(n log n) at any epsilon. So: count at a coarse grid, halve the stretches
that could still hold the best epsilon until each has few pairs, pass over just those pairs into a fine
histogram, and sort the pairs of the few bins that could still hold it.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from metaeval.kernels.bounds import Best, Edge, Stretch, grid, middle
from metaeval.kernels.gains import Gains
from metaeval.kernels.layout import Layout
from metaeval.kernels.pairs import Floats, Integers
from metaeval.kernels.sweep import apart_and_neighbours
from metaeval.kernels.windows import TooManyPairs, collect, histogram

VISITED_PER_SCORE = 40
"""Visiting this many pairs a score costs about as much as one more count: where halving stops paying."""
PAIRS_PER_BIN = 64
MOST_BINS = 2**17
HELD = 500_000
"""Pairs that a thread may hold at once."""

Each: TypeAlias = Callable[[Callable[[Any], Any], Iterable[Any]], list[Any]]


def best_by_bounds(layout: Layout, gains: Gains, threads: int | None = None) -> float:
    """The smallest of the best epsilons: exact, in memory linear in n.

    Time grows about as n to the 1.4 where the metric is continuous: benchmarks/calibration.py measures it.
    The flatter the statistic is near its best, the more pairs are visited: all of them, O(n^2), for a metric
    that is no better than chance where a third of the pairs are tied by humans.
    Oracle: metaeval.kernels.sorting.best_by_sorting.
    """
    count = partial(edge_at, layout, gains, layout.apart(0.0))
    few = VISITED_PER_SCORE * len(layout.metric)
    best = Best(gains.slack)
    with workers(threads) as (number, each):

        def between(edges: Iterable[Edge]) -> list[Stretch]:
            best.add([e.epsilon for e in edges], [e.gained for e in edges])
            ordered = sorted(set(edges))
            return [Stretch(low, high) for low, high in itertools.pairwise(ordered)]

        def halves(stretches: list[Stretch]) -> list[Stretch]:
            middles = each(count, [middle(s.low.above, s.high.epsilon) for s in stretches])
            return [half for s, m in zip(stretches, middles, strict=True) for half in between([*s, m])]

        todo = between(each(count, grid(layout)))
        while todo := [s for s in todo if best.may_be_in(s)]:
            if large := [s for s in todo if s.pairs > few]:
                todo = [s for s in todo if s.pairs <= few] + halves(large)
                continue
            todo.sort(key=lambda s: s.bound)
            now, todo = todo[-number:], todo[:-number]
            inside = each(partial(best_inside, layout, gains, best.needed), now)
            for found in inside:
                if found is not None:
                    best.add(*found)
            todo += halves([s for s, found in zip(now, inside, strict=True) if found is None])
    return resolved(layout, gains, best)


def edge_at(layout: Layout, gains: Gains, untied: Integers, epsilon: float) -> Edge:
    """Count at one epsilon; O(n log n). ``untied`` is what is apart at epsilon 0."""
    apart, below, above = apart_and_neighbours(*layout.arrays, epsilon)
    tied = untied - apart
    gained, rises = (int((tied * table).sum()) for table in (gains.table, np.maximum(gains.table, 0)))
    return Edge(below, above, gained, rises, int(tied.sum()))


def best_inside(
    layout: Layout, gains: Gains, needed: int, stretch: Stretch
) -> tuple[list[float], list[int]] | None:
    """The epsilons of a stretch that gain most, and what they gain; None if too many pairs are in question.

    O(n + pairs of the stretch) time.
    """
    low, high = stretch.low.epsilon, stretch.high.epsilon
    bins = max(1, min(stretch.pairs // PAIRS_PER_BIN, MOST_BINS))
    net, rise, scale = histogram(layout, gains.table, low, high, bins, stretch.pairs)
    after = stretch.low.gained + np.cumsum(net)
    before = after - net
    alive = (rise > 0) & (before + rise >= max(needed, int(after.max()) - 2 * gains.slack))
    if not alive.any():
        return [], []
    first, last = np.flatnonzero(alive)[[0, -1]]
    since = max(low, float(np.nextafter(low + (first - 1) / scale, -np.inf)))
    until = min(high, float(np.nextafter(low + (last + 2) / scale, np.inf)))
    room = min(max(HELD, len(layout.metric)), stretch.pairs)
    try:
        pairs = collect(layout, since, until, room, origin=low, scale=scale, alive=alive)
    except TooManyPairs:
        return None
    gain = gains.table.ravel()[pairs.cell]
    order = np.argsort(pairs.difference)
    epsilon, gain = pairs.difference[order], gain[order]
    cell = np.minimum(((epsilon - low) * scale).astype(np.int64), bins - 1)
    running = np.cumsum(gain)
    opens = np.searchsorted(cell, cell)
    gained = before[cell] + running - running[opens] + gain[opens]
    return leading(epsilon, gained, gain, gains.slack)


def leading(epsilon: Floats, gained: Integers, gain: Integers, slack: int) -> tuple[list[float], list[int]]:
    """The epsilons that gain most; with slack, all that may."""
    last = np.append(epsilon[1:] != epsilon[:-1], True)
    moved = np.diff(np.cumsum(gain != 0)[last], prepend=0) > 0
    epsilon, gained = epsilon[last][moved], gained[last][moved]
    if not len(gained):
        return [], []
    keep = gained >= gained.max() - 2 * slack
    if slack == 0:
        keep = np.arange(len(gained)) == np.argmax(gained)
    return epsilon[keep].tolist(), gained[keep].tolist()


def resolved(layout: Layout, gains: Gains, best: Best) -> float:
    """The best of the epsilons that rounding could not tell apart, in exact fractions."""
    if len(best.found) == 1:
        return best.found[0][1]
    untied = layout.apart(0.0)
    epsilons = sorted({epsilon for _, epsilon in best.found})
    return max(epsilons, key=lambda e: gains.exact(untied - layout.apart(e)))


@contextmanager
def workers(threads: int | None) -> Iterator[tuple[int, Each]]:
    """Threads for compiled code, which holds no interpreter lock: their number, and a map over them."""
    number = threads or processors()
    if number == 1:
        yield 1, lambda function, items: [function(item) for item in items]
        return
    with ThreadPoolExecutor(number) as pool:
        yield number, lambda function, items: list(pool.map(function, items))


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
