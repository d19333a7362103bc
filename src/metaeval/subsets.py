"""Subsets of systems, and the values of all metrics on each."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from math import comb

import numpy as np

from metaeval.kernels.pvalues import SystemPairs
from metaeval.measures.base import Measure, ratio, system_means
from metaeval.measures.pairwise import PairwiseAccuracy, SoftPairwiseAccuracy, both_ways
from metaeval.measures.system import pair_signs
from metaeval.paired import Paired
from metaeval.scores import FloatArray
from metaeval.significance.paths import path_for_resampling
from metaeval.significance.paths.base import IntArray, Task

_SYSTEMS = 0
"""Key of the draws of subsets."""


def on_systems(paired: Paired, measure: Measure) -> Callable[[IntArray], FloatArray]:
    """All metrics' values on subsets of one size: (subsets, systems) of 0 and 1 to (subsets, metrics)."""
    measure = measure.bind(paired.systems)
    if isinstance(measure, PairwiseAccuracy | SoftPairwiseAccuracy):
        first, second, terms = pair_terms(paired, measure)

        def averaged(subsets: IntArray) -> FloatArray:
            together = (subsets[:, first] * subsets[:, second]).astype(np.float64)
            return ratio(together @ terms.T, together.sum(axis=1)[:, None])

        return averaged
    outcomes = [measure.evaluate(paired.human, scores) for scores in paired.scores]
    path = path_for_resampling(measure, "systems")(Task(paired, measure, outcomes))
    return lambda subsets: path.resampled(np.ones((len(subsets), len(paired.items)), dtype=np.int64), subsets)


def pair_terms(
    paired: Paired, measure: PairwiseAccuracy | SoftPairwiseAccuracy
) -> tuple[IntArray, IntArray, FloatArray]:
    """The pairs of systems that count, and each metric's agreement on each: (metrics, pairs)."""
    if isinstance(measure, PairwiseAccuracy):
        first, second = np.triu_indices(len(paired.systems), k=1)
        human, metrics = pair_signs(system_means(paired.human)), pair_signs(system_means(paired.scores))
        terms: FloatArray = (human == metrics).astype(np.float64)
    else:
        pairs = SystemPairs.of(~np.isnan(paired.human))
        first, second = pairs.first, pairs.second
        scores = np.concatenate([paired.human[None], paired.scores])
        p, _ = both_ways(scores, pairs, measure.draws, measure.seed, measure.method)
        terms = 1.0 - np.abs(p[0] - p[1:])
    kept = measure.chosen(first, second)
    return first[kept], second[kept], terms[:, kept]


def subsets_of(count: int, size: int, draws: int, seed: int) -> tuple[IntArray, bool]:
    """Subsets as rows of 0 and 1: all of them where they are no more than ``draws``, else random ones.

    >>> subsets_of(3, 2, draws=10, seed=0)
    (array([[1, 1, 0],
           [1, 0, 1],
           [0, 1, 1]]), True)
    """
    if comb(count, size) <= draws:
        members = np.array(list(combinations(range(count), size)), dtype=np.intp)
    else:
        chance = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(_SYSTEMS, size)))
        order = chance.permuted(np.tile(np.arange(count), (draws, 1)), axis=1)
        members = order[:, :size]
    subsets = np.zeros((len(members), count), dtype=np.int64)
    np.put_along_axis(subsets, members, 1, axis=1)
    return subsets, comb(count, size) <= draws
