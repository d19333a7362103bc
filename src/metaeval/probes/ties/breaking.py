"""What random tie-breaking changes (section 8.1): a fair statistic does not reward a metric for noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from metaeval.errors import InputError
from metaeval.measures.groups import Grouping
from metaeval.measures.kendall import PairStatistic
from metaeval.paired import Paired
from metaeval.probes.ties.subject import Subject, statistic, subjects
from metaeval.scores import FloatArray, Scores


@dataclass(frozen=True, slots=True)
class Change:
    """A statistic before ties were broken, and over the repeats after."""

    before: float
    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Broken:
    """One metric with all its ties broken at random; a change for each statistic."""

    metric: Scores
    tied: float
    """The share of pairs that the metric tied."""
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class TieBreaking:
    """All metrics, those with most ties first."""

    kind: ClassVar[str] = "break_ties"
    statistics: tuple[PairStatistic, ...]
    repeats: int
    seed: int
    metrics: tuple[Broken, ...]


def tie_breaking(
    paired: Paired,
    grouping: Grouping = "item",
    *,
    statistics: Sequence[str] = ("tau_b", "tau_10", "acc_eq"),
    repeats: int = 10,
    seed: int = 0,
) -> TieBreaking:
    """Break all ties of every metric, ``repeats`` times, and measure again. O(metrics repeats n log n).

    Only the order of scores is kept, so the statistics may not be calibrated.
    """
    which = tuple(statistic(text, grouping) for text in statistics)
    for each in which:
        if each.epsilon != 0:
            raise InputError(
                f"{each} depends on the distances of scores, and broken ties have none",
                remedy="Name statistics without epsilon.",
            )
    if repeats < 1:
        raise InputError(f"found {repeats} repeats, expected at least 1")
    random = np.random.default_rng(seed)
    found = [_broken(s, which, repeats, random) for s in subjects(paired, grouping)]
    return TieBreaking(which, repeats, seed, tuple(sorted(found, key=lambda b: -b.tied)))


def _broken(
    subject: Subject, which: Sequence[PairStatistic], repeats: int, random: np.random.Generator
) -> Broken:
    before = [outcome.value for outcome in subject.outcomes(which)]
    after = np.array(
        [
            [outcome.value for outcome in subject.with_scores(broken(subject.scores, random)).outcomes(which)]
            for _ in range(repeats)
        ]
    )
    changes = [
        Change(value, float(column.mean()), float(column.min()), float(column.max()))
        for value, column in zip(before, after.T, strict=True)
    ]
    pairs = int(subject.groups.pairs.sum())
    tied = int(subject.groups.tied_pairs(subject.scores).sum())
    return Broken(subject.metric, tied / pairs if pairs else 0.0, tuple(changes))


def broken(scores: FloatArray, random: np.random.Generator) -> FloatArray:
    """Places in the order of the scores, equal scores in random order: the same order without a tie.

    >>> places = broken(np.array([0.5, 0.1, 0.5]), np.random.default_rng(0)).tolist()
    >>> places[1], sorted(places)
    (0.0, [0.0, 1.0, 2.0])
    """
    order = np.lexsort((random.random(len(scores)), scores))
    places = np.empty(len(scores))
    places[order] = np.arange(len(scores))
    return places
