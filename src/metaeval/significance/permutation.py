"""Paired permutation tests between all metrics at once: null differences counted against the observed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from metaeval.parallel import spread
from metaeval.scores import FloatArray
from metaeval.significance.draws import Blocks, Part
from metaeval.significance.paths.base import BoolArray, IntArray, Path
from metaeval.significance.plan import Plan
from metaeval.significance.units import Units

ROUNDING = 1e-10
"""Differences closer than this are equal: accuracies take few values, and 0.8 - 0.7 is not 0.7 - 0.6 in
binary. No difference between two statistics that means anything is as small."""


class Tally:
    """How many null differences of each pair of metrics were at least as large as the observed one.

    A draw in which a hybrid has no value is left out for that pair. With ``early_stop`` a pair is closed
    once the draws that are left could not change its verdict at alpha, whatever they were; it then keeps
    the count and the number of draws that it had.
    """

    def __init__(self, observed: FloatArray, plan: Plan, total: int, exact: bool) -> None:
        self.observed, self.plan, self.total, self.exact = observed, plan, total, exact
        self.hits: IntArray = np.zeros(observed.shape, dtype=np.int64)
        self.draws: IntArray = np.zeros(observed.shape, dtype=np.int64)
        self.open: BoolArray = ~np.isnan(observed) & ~np.eye(len(observed), dtype=np.bool_)
        self.seen = 0

    def add(self, null: FloatArray) -> None:
        """Counts a block of null differences: (draws, metrics, metrics)."""
        observed = self.observed
        if self.plan.alternative == "two-sided":
            null, observed = np.abs(null), np.abs(observed)
        with np.errstate(invalid="ignore"):
            reached = null >= observed - ROUNDING
        self.hits += np.where(self.open, reached.sum(axis=0), 0)
        self.draws += np.where(self.open, (~np.isnan(null)).sum(axis=0), 0)
        self.seen += len(null)
        if self.plan.early_stop:
            self.open &= ~self._decided()

    def _decided(self) -> BoolArray:
        """Pairs, both ways, whose verdict holds if all further draws, or none, reach the difference."""
        left = self.total - self.seen
        lowest = self._p(self.hits, self.draws + left)
        highest = self._p(self.hits + left, self.draws + left)
        decided = (lowest > self.plan.alpha) | (highest <= self.plan.alpha)
        return np.asarray(decided & decided.T)

    def _p(self, hits: IntArray, draws: IntArray) -> FloatArray:
        extra = 1 if self.plan.convention == "unbiased" and not self.exact else 0
        p: FloatArray = (hits + extra) / np.maximum(draws + extra, 1)
        return p

    def p(self) -> FloatArray:
        """p-values, NaN where a value or every draw is undefined.

        All exchanges enumerated, the observed one is among them, and both conventions are the plain share.
        """
        p = self._p(self.hits, self.draws)
        p[(self.draws == 0) | np.isnan(self.observed)] = np.nan
        np.fill_diagonal(p, np.nan)
        return p


def permute(
    path: Path,
    units: Units,
    plan: Plan,
    progress: Callable[[int], None],
    keep: Callable[[FloatArray], None] | None = None,
) -> Tally:
    """Draws exchanges block by block until all pairs of metrics are decided or all draws are done.

    Memory holds one block a job: draws x units bits and draws x metrics^2 values. ``keep`` is given the
    null differences of every block.
    """
    blocks = Blocks(units.count, plan.draws, plan.seed)
    values = path.swapped(np.zeros((1, path.positions), dtype=np.bool_))[0]
    tally = Tally(values - values.T, plan, blocks.total, blocks.exact)

    def parts() -> Iterator[tuple[Part, BoolArray | None]]:
        for part in blocks.parts(path.at_once):
            yield part, (tally.open.copy() if plan.early_stop else None)

    for null in spread(partial(null_of, path, units, blocks), parts(), plan.jobs, path.sharing):
        if keep is not None:
            keep(np.where(tally.open, null, np.nan))
        tally.add(null)
        progress(tally.seen)
        if not tally.open.any():
            break
    return tally


def null_of(path: Path, units: Units, blocks: Blocks, task: tuple[Part, BoolArray | None]) -> FloatArray:
    """Null differences of some draws: (draws, metrics, metrics)."""
    (block, rows), wanted = task
    values = path.swapped(units.spread(blocks.masks(block)[rows]), wanted)
    null: FloatArray = values - values.transpose(0, 2, 1)
    return null
