"""Percentile bootstrap intervals for the value of every metric."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from metaeval.parallel import spread
from metaeval.scores import FloatArray
from metaeval.significance.draws import Blocks
from metaeval.significance.paths.base import Path
from metaeval.significance.plan import Plan
from metaeval.significance.units import Units


def resample(path: Path, inputs: Units, plan: Plan, progress: Callable[[int], None]) -> FloatArray:
    """Values of the bootstrap samples: (draws, metrics), NaN where a sample leaves the value undefined.

    Items (or documents), systems, or both are drawn with replacement, the same for all metrics; a
    calibrated epsilon is kept, as it is in the tests, so that the intervals are those of the value at that
    epsilon. BOOT-INPUTS, BOOT-SYSTEMS and BOOT-BOTH of Deutsch et al. 2021.
    """
    blocks = sample_blocks(path, plan)
    one = partial(_values_of_block, path, inputs, plan)
    values, done = [], 0
    for block in spread(one, range(len(blocks)), plan.jobs, path.sharing):
        values.append(block)
        done += len(block)
        progress(done)
    return np.concatenate(values)


def sample_blocks(path: Path, plan: Plan) -> Blocks:
    """Cut by the number of items, which is never below that of documents."""
    return Blocks(len(path.task.paired.items), plan.draws, plan.seed, enumerates=False)


def _values_of_block(path: Path, inputs: Units, plan: Plan, block: int) -> FloatArray:
    paired = path.task.paired
    blocks = sample_blocks(path, plan)
    rows = blocks.rows(block)
    items = np.ones((rows, len(paired.items)), dtype=np.int64)
    systems = np.ones((rows, len(paired.systems)), dtype=np.int64)
    if plan.bootstrap in ("inputs", "both"):
        items = inputs.spread(blocks.weights("items", block, inputs.count))
    if plan.bootstrap in ("systems", "both"):
        systems = blocks.weights("systems", block, len(paired.systems))
    return path.resampled(items, systems)


def percentile_intervals(samples: FloatArray, alpha: float) -> tuple[FloatArray, FloatArray]:
    """The alpha/2 and 1 - alpha/2 quantiles of each metric's samples; NaN where no sample has a value.

    Samples in which the value is undefined are left out, so an interval is that of the value given that
    it exists.

    >>> low, high = percentile_intervals(np.linspace(0, 1, 101)[:, None], alpha=0.1)
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.05], [0.95])
    """
    low, high = np.full((2, samples.shape[1]), np.nan)
    for m, column in enumerate(samples.T):
        defined = column[~np.isnan(column)]
        if len(defined):
            low[m], high[m] = np.quantile(defined, [alpha / 2, 1 - alpha / 2])
    return low, high
