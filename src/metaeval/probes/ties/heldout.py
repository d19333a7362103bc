"""Whether a threshold carries over: epsilon from one data set applied to another (section 8.2, figure 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from metaeval.errors import InputError
from metaeval.measures.groups import Grouping
from metaeval.measures.kendall import PairStatistic
from metaeval.paired import Paired
from metaeval.probes.ties.statistics import HumanTies, human_ties
from metaeval.probes.ties.subject import Subject, statistic, subject
from metaeval.scores import Scores


@dataclass(frozen=True, slots=True)
class Carried:
    """One set of data with its own epsilon and with one found elsewhere."""

    epsilon: float
    """The best epsilon here."""
    own: float
    """The statistic at it."""
    carried: float
    """The statistic here at the other set's best epsilon."""

    @property
    def change(self) -> float:
        """What carrying over costs, as a share of the value: -0.02 is two percent less."""
        return (self.carried - self.own) / self.own if self.own else float("nan")


@dataclass(frozen=True, slots=True)
class MetricCarried:
    """A metric on two sets of data."""

    metric: Scores
    here: Carried
    there: Carried


@dataclass(frozen=True, slots=True)
class Generalisation:
    """Every metric that both sets have, in the order of its own value here."""

    kind: ClassVar[str] = "generalisation"
    statistic: PairStatistic
    here: HumanTies
    there: HumanTies
    metrics: tuple[MetricCarried, ...]


def generalisation(
    here: Paired, there: Paired, grouping: Grouping = "item", *, of: str = "acc_eq(epsilon=best)"
) -> Generalisation:
    """Calibrate on each set and apply to the other. Two calibrations and two counts a metric."""
    which = statistic(of, grouping)
    if which.epsilon != "best":
        raise InputError(f"{of} calibrates nothing", remedy="Name a statistic with epsilon=best.")
    shared = [key for key in here.keys if key in there.keys]
    if not shared:
        raise InputError(
            "the two sets have no metric in common",
            remedy=f"Here: {', '.join(here.keys[:8])}. There: {', '.join(there.keys[:8])}",
        )
    found = [_carried(subject(here, key, grouping), subject(there, key, grouping), which) for key in shared]
    found.sort(key=lambda m: -m.here.own)
    return Generalisation(which, human_ties(here, grouping), human_ties(there, grouping), tuple(found))


def _carried(here: Subject, there: Subject, which: PairStatistic) -> MetricCarried:
    own_here, own_there = (s.outcomes([which])[0] for s in (here, there))
    epsilon_here, epsilon_there = (float(o.epsilon or 0.0) for o in (own_here, own_there))
    return MetricCarried(
        here.metric,
        Carried(epsilon_here, own_here.value, here.at(which, epsilon_there).value),
        Carried(epsilon_there, own_there.value, there.at(which, epsilon_here).value),
    )


def split_by_document(paired: Paired, seed: int = 0) -> tuple[Paired, Paired]:
    """Two halves of the documents, drawn at random, or of the items where no documents are known."""
    documents = np.unique(paired.document_of_item)
    unit = paired.document_of_item if len(documents) > 1 else np.arange(len(paired.items))
    units = np.unique(unit)
    if len(units) < 2:
        raise InputError("a single item cannot be split", remedy="Calibrate on other data.")
    drawn = np.random.default_rng(seed).permutation(units)
    first = np.isin(unit, drawn[: len(units) // 2])
    return paired.take(items=first), paired.take(items=~first)
