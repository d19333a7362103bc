"""The table of Deutsch et al. (2023, tables 12 to 20) for any data: every statistic of every metric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from metaeval.board import competition_ranks
from metaeval.measures.base import Outcome
from metaeval.measures.groups import Grouping
from metaeval.measures.kendall import PairStatistic
from metaeval.paired import Paired
from metaeval.probes.ties.statistics import HumanTies, human_ties
from metaeval.probes.ties.subject import statistic, subjects
from metaeval.progress import Progress
from metaeval.scores import Scores

PUBLISHED = ("tau_a", "tau_b", "tau_c", "tau_10", "tau_13", "tau_14", "acc_eq", "acc_eq(epsilon=best)")
"""The columns of the paper."""
CONSTANT = "Constant-Metric"


@dataclass(frozen=True, slots=True)
class Line:
    """One metric: an outcome and a rank for each statistic; no rank where there is no value."""

    metric: Scores
    outcomes: tuple[Outcome, ...]
    ranks: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class TieTable:
    """All metrics in one grouping, those best under the last statistic first."""

    kind: ClassVar[str] = "table"
    grouping: Grouping
    statistics: tuple[PairStatistic, ...]
    human: HumanTies
    lines: tuple[Line, ...]


def tie_table(
    paired: Paired,
    grouping: Grouping,
    statistics: Sequence[str] = PUBLISHED,
    *,
    constant: bool = False,
    progress: Progress | None = None,
) -> TieTable:
    """Every statistic of every metric; with ``constant`` also of a metric that ties every pair.

    Pairs are counted once a metric and epsilon, O(n log n); calibrated statistics cost a search each, see
    :mod:`metaeval.kernels.calibration`.

    >>> from metaeval.paired import pair_up
    >>> from metaeval.simulate import simulate
    >>> table = tie_table(pair_up(simulate(seed=1).evalset), "item", ["tau_b", "acc_eq"], constant=True)
    >>> [line.outcomes[0].value for line in table.lines if line.metric.key == CONSTANT]
    [nan]
    """
    chosen = tuple(statistic(text, grouping) for text in statistics)
    data = with_constant(paired) if constant else paired
    outcomes = []
    for done, subject in enumerate(subjects(data, grouping)):
        if progress is not None:
            progress(f"ties by {grouping}", done, len(data.metrics))
        outcomes.append(tuple(subject.outcomes(chosen)))
    values = np.array([[outcome.value for outcome in line] for line in outcomes])
    ranks = zip(*map(competition_ranks, values.T), strict=True)
    lines = [Line(*line) for line in zip(data.metrics, outcomes, ranks, strict=True)]
    order = np.argsort(-np.where(np.isnan(values[:, -1]), -np.inf, values[:, -1]), kind="stable")
    return TieTable(grouping, chosen, human_ties(paired, grouping), tuple(lines[i] for i in order))


def with_constant(paired: Paired) -> Paired:
    """The same data with one more metric, whose scores are all equal."""
    flat = np.where(np.isnan(paired.human), np.nan, 0.0)
    return replace(
        paired,
        metrics=(*paired.metrics, Scores(CONSTANT, segment=flat)),
        scores=np.concatenate([paired.scores, flat[None]]),
        published=np.concatenate([paired.published, np.full((1, len(paired.systems)), np.nan)]),
    )
