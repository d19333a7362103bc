"""Permutation tests and bootstraps the slow way: one draw, one pair of metrics, one evaluation at a time."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from metaeval.measures.base import Measure, Outcome, SegmentMeasure, SystemMeasure
from metaeval.paired import Paired
from metaeval.scores import FloatArray

Mask = NDArray[np.bool_]
SLACK = 1e-9


def all_masks(positions: int) -> Iterator[Mask]:
    """Every way to exchange some of the positions."""
    for bits in itertools.product((False, True), repeat=positions):
        yield np.array(bits, dtype=np.bool_)


def z_scores(scores: FloatArray) -> FloatArray:
    """One metric's scores about their mean, in standard deviations; a constant metric becomes 0."""
    used = scores[~np.isnan(scores)]
    if len(set(used.tolist())) < 2:
        return np.asarray(scores - used[0])
    return np.asarray((scores - used.mean()) / used.std())


def cells_of(paired: Paired, exchange: str, mask: Mask) -> Mask:
    """The cells of the systems x items matrix that a mask exchanges."""
    there = np.zeros(paired.human.shape, dtype=np.bool_)
    if exchange == "items":
        there[:, mask] = True
    elif exchange == "systems":
        there[mask, :] = True
    else:
        for bit, (s, i) in zip(mask, np.argwhere(~np.isnan(paired.human)), strict=True):
            there[s, i] = bit
    return there


def hybrid_value(
    paired: Paired, measure: Measure, exchange: str, mask: Mask, i: int, j: int, standardise: bool = True
) -> float:
    """The value of metric i with the scores of metric j where the mask says so."""
    prepare = z_scores if standardise else np.asarray
    there = cells_of(paired, exchange, mask)
    hybrid = np.where(there, prepare(paired.scores[j]), prepare(paired.scores[i]))
    if isinstance(measure, SystemMeasure):
        return system_value(measure, paired.human, hybrid)
    return measure.evaluate(paired.human, hybrid).value


def system_value(measure: SystemMeasure, human: FloatArray, metric: FloatArray) -> float:
    """A measure of system means; means that differ by rounding alone are equal."""
    means = [
        np.round([math.fsum(r[~np.isnan(r)]) / (~np.isnan(r)).sum() for r in x], 9) for x in (human, metric)
    ]
    return float(measure.from_system_scores(*means))


def group_hybrid_value(
    paired: Paired, measure: SegmentMeasure, mask: Mask, i: int, j: int, outcomes: Sequence[Outcome]
) -> float:
    """The same for an average over items that are exchanged whole: each has its own metric's epsilon."""
    values = []
    for item, bit in enumerate(mask):
        metric = j if bit else i
        fixed = measure.held(outcomes[metric])
        one = fixed.evaluate(paired.human[:, [item]], paired.scores[metric][:, [item]]).value
        values.append(one)
    defined = [v for v in values if not math.isnan(v)]
    return math.fsum(defined) / len(defined) if defined else math.nan


def hits(null: Iterable[float], observed: float) -> tuple[int, int]:
    """How many null differences reach the observed one, and how many there are."""
    defined = [x for x in null if not math.isnan(x)]
    return sum(x >= observed - SLACK for x in defined), len(defined)


def sample_value(
    paired: Paired,
    measure: Measure,
    outcome: Outcome,
    metric: int,
    items: NDArray[np.int64],
    systems: NDArray[np.int64],
) -> float:
    """The value on a sample in which columns and rows are copied as often as the weights say."""
    rows = [s for s, times in enumerate(systems) for _ in range(times)]
    columns = [c for c, times in enumerate(items) for _ in range(times)]
    human = np.array([[paired.human[s, c] for c in columns] for s in rows])
    scores = np.array([[paired.scores[metric][s, c] for c in columns] for s in rows])
    if not isinstance(measure, SystemMeasure):
        return measure.held(outcome).evaluate(human, scores).value
    return math.nan if np.isnan(human).all(axis=1).any() else system_value(measure, human, scores)


def subset(paired: Paired, metrics: Sequence[int]) -> Paired:
    """The same data with some of the metrics."""
    chosen = list(metrics)
    return replace(
        paired,
        metrics=tuple(paired.metrics[m] for m in chosen),
        scores=paired.scores[chosen],
        published=paired.published[chosen],
    )
