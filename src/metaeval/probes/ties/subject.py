"""What every question about ties begins with: one metric's scores in groups, and a statistic of pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from metaeval.errors import InputError
from metaeval.kernels.pairs import PairCounts, count_pairs
from metaeval.measures.base import Outcome, average
from metaeval.measures.groups import Grouping, Groups
from metaeval.measures.kendall import PairStatistic
from metaeval.measures.registry import measures, parse_measure
from metaeval.names import matching
from metaeval.paired import Paired
from metaeval.scores import FloatArray, Scores


@dataclass(frozen=True, eq=False, slots=True)
class Subject:
    """One metric's scores beside the human ones, flat and in groups."""

    metric: Scores
    groups: Groups
    scores: FloatArray

    def outcomes(self, statistics: Sequence[PairStatistic]) -> list[Outcome]:
        """Statistics of these scores; pairs are counted once an epsilon, not once a statistic."""
        counted: dict[tuple[float, bool], PairCounts] = {}
        found = []
        for statistic in statistics:
            epsilon = statistic.resolve_epsilon(self.groups, self.scores)
            at = (epsilon, statistic.relative)
            if at not in counted:
                counted[at] = count_pairs(
                    self.groups.human,
                    self.scores,
                    self.groups.offsets,
                    epsilon=epsilon,
                    relative=statistic.relative,
                )
            found.append(statistic.found(average(statistic.value(counted[at])), epsilon))
        return found

    def at(self, statistic: PairStatistic, epsilon: float) -> Outcome:
        """A statistic at a given epsilon, whatever its own is."""
        mean = average(statistic.at_epsilon(self.groups, self.scores, epsilon))
        return Outcome(mean.value, epsilon, mean.groups_used, mean.groups_undefined)

    def with_scores(self, scores: FloatArray) -> Subject:
        """Other scores of the same cells."""
        return Subject(self.metric, self.groups, scores)


def subject(paired: Paired, metric: str, grouping: Grouping) -> Subject:
    """The metric of that key or name; a name that several variants share is an error."""
    names = [name for m in paired.metrics for name in (m.key, m.name)]
    wanted = set(matching([metric], names, "metric"))
    found = [i for i, m in enumerate(paired.metrics) if m.key in wanted or m.name in wanted]
    if len(found) > 1:
        keys = ", ".join(paired.keys[i] for i in found)
        raise InputError(f"several metrics are called {metric!r}", remedy=f"Name one of them: {keys}")
    return subjects(paired, grouping, found)[0]


def subjects(paired: Paired, grouping: Grouping, which: Sequence[int] | None = None) -> list[Subject]:
    """All metrics, or those at some positions, in one grouping."""
    groups = Groups.of(paired.human, grouping)
    chosen = range(len(paired.metrics)) if which is None else which
    return [Subject(paired.metrics[i], groups, groups.flat(paired.scores[i])) for i in chosen]


def statistic(text: str, grouping: Grouping) -> PairStatistic:
    """The statistic of pairs called ``text``, which names no grouping.

    >>> statistic("acc_eq(epsilon=best)", "item")
    acc_eq(epsilon=best)@item
    """
    name, at, _ = text.partition("@")
    if at:
        raise InputError(f"{text!r} names a grouping", remedy=f"Write {name}; --grouping chooses the pairs.")
    declared = measures().get(name.partition("(")[0].strip())
    of_systems = declared is not None and declared.level == "system"
    found = None if of_systems else parse_measure(f"{name}@{grouping}")
    if not isinstance(found, PairStatistic):
        raise InputError(f"{text} is no statistic of pairs", remedy="Name one such as tau_b or acc_eq.")
    return found
