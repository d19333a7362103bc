"""How many pairs are tied: by the humans in each grouping, and by each metric (tables 3, 4 and 10)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from metaeval.measures.groups import Grouping, Groups
from metaeval.paired import Paired
from metaeval.probes.ties.subject import subjects
from metaeval.scores import Scores


@dataclass(frozen=True, slots=True)
class HumanTies:
    """Pairs of one grouping that the humans tie."""

    grouping: Grouping
    translations: int
    groups: int
    constant_groups: int
    """Groups in which humans tie every pair: what correlations cannot use."""
    pairs: int
    ties: int
    best: float
    """The highest human score; 0 with MQM."""
    ties_at_best: int
    """Ties of two outputs that both have that score: error-free ones with MQM."""


@dataclass(frozen=True, slots=True)
class MetricTies:
    """Pairs of one grouping that a metric ties exactly."""

    metric: Scores
    ties: int
    constant_groups: int


@dataclass(frozen=True, slots=True)
class TieCounts:
    """The ties of humans and metrics in one grouping, metrics with most ties first."""

    kind: ClassVar[str] = "statistics"
    human: HumanTies
    metrics: tuple[MetricTies, ...]


def tie_counts(paired: Paired, grouping: Grouping) -> TieCounts:
    """Count the ties of every side. O(metrics n log n)."""
    return TieCounts(human_ties(paired, grouping), metric_ties(paired, grouping))


def human_ties(paired: Paired, grouping: Grouping) -> HumanTies:
    """The human scores' ties. O(n log n)."""
    groups = Groups.of(paired.human, grouping)
    best = float(groups.human.max()) + 0.0
    at_best = groups.sums((groups.human == best).astype(np.float64)).astype(np.int64)
    return HumanTies(
        grouping,
        len(groups.human),
        len(groups),
        int((~groups.varies(groups.human)).sum()),
        int(groups.pairs.sum()),
        int(groups.tied_pairs(groups.human).sum()),
        best,
        int((at_best * (at_best - 1) // 2).sum()),
    )


def metric_ties(paired: Paired, grouping: Grouping) -> tuple[MetricTies, ...]:
    """Every metric's ties, most first. O(metrics n log n)."""
    found = [
        MetricTies(
            s.metric,
            int(s.groups.tied_pairs(s.scores).sum()),
            int((~s.groups.varies(s.scores)).sum()),
        )
        for s in subjects(paired, grouping)
    ]
    return tuple(sorted(found, key=lambda m: -m.ties))
