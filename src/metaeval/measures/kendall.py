"""Kendall's tau in all its variants, and pairwise accuracy (Deutsch et al. 2023, table 1).

Those that weigh kinds of pairs are declared by their tables in the notation of WMT 2014 (tables 8 and 9).
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, Self, TypeAlias

import numpy as np

from metaeval.declared import param, switch
from metaeval.kernels.pairs import PairCounts, count_pairs
from metaeval.measures.base import Outcome, SegmentMeasure, average, ratio
from metaeval.measures.groups import Groups
from metaeval.measures.registry import measure
from metaeval.measures.table import Table
from metaeval.scores import FloatArray

Epsilon: TypeAlias = float | Literal["best"]


def parse_epsilon(text: str) -> Epsilon:
    """``best``, or a number that is at least 0."""
    if text == "best":
        return "best"
    value = float(text)
    if not 0 <= value < np.inf:
        raise ValueError("epsilon is 'best' or a number from 0 up")
    return value


@dataclass(frozen=True, repr=False)
class PairStatistic(SegmentMeasure):
    """A statistic of the pairs in a group: concordant, discordant, tied by one side, tied by both.

    A pair is tied by the metric when its scores differ by at most epsilon. ``epsilon=best`` calibrates:
    it takes the epsilon, of all that change anything, at which the average over groups is highest
    (Deutsch et al. 2023, section 7).
    """

    epsilon: Epsilon = param(
        0.0, parse=parse_epsilon, about="metric differences up to it are ties; best: calibrated"
    )
    relative: bool = param(False, parse=switch, about="epsilon is a share of the larger score")

    monotone: ClassVar[bool] = True
    """Whether the statistic only rises or only falls in each count while the others stay."""

    @property
    def linear(self) -> tuple[float, float, float, float, float] | None:
        """The weights of C, D, T_h, T_m, T_hm, where the statistic is their weighted sum over all pairs."""
        return None

    @abstractmethod
    def value(self, n: PairCounts) -> FloatArray:
        """The statistic of each group from its counts, NaN where undefined."""

    def group_values(self, groups: Groups, metric: FloatArray) -> FloatArray:
        return self.at_epsilon(groups, metric, self.resolve_epsilon(groups, metric))

    def at_epsilon(self, groups: Groups, metric: FloatArray, epsilon: float) -> FloatArray:
        counts = count_pairs(groups.human, metric, groups.offsets, epsilon=epsilon, relative=self.relative)
        return self.value(counts)

    def resolve_epsilon(self, groups: Groups, metric: FloatArray) -> float:
        """The number that epsilon stands for on these scores."""
        if self.epsilon != "best":
            return self.epsilon
        from metaeval.kernels.calibration import calibrate

        found = calibrate(
            groups.human,
            metric,
            groups.offsets,
            self.value,
            linear=self.linear,
            monotone=self.monotone,
            relative=self.relative,
        )
        return found.epsilon

    def held(self, outcome: Outcome) -> Self:
        """The measure at the epsilon that it found."""
        return self if outcome.epsilon is None else replace(self, epsilon=outcome.epsilon)

    def evaluate(self, human: FloatArray, metric: FloatArray) -> Outcome:
        groups = Groups.of(human, self.grouping)
        flat = groups.flat(metric)
        epsilon = self.resolve_epsilon(groups, flat)
        return self.found(average(self.at_epsilon(groups, flat, epsilon)), epsilon)

    def found(self, mean: Outcome, epsilon: float) -> Outcome:
        """The outcome at an epsilon; where nothing could be calibrated there is no epsilon either."""
        nothing = self.epsilon == "best" and math.isnan(mean.value)
        return replace(mean, epsilon=None if nothing else epsilon)


@dataclass(frozen=True, repr=False)
class Tabulated(PairStatistic):
    """A statistic of pairs that is nothing but its table."""

    worth: ClassVar[Table]

    @property
    def linear(self) -> tuple[float, float, float, float, float] | None:
        return self.worth.linear

    def value(self, n: PairCounts) -> FloatArray:
        return self.worth.value(n)


@measure(
    "tau_a",
    formula="(C - D) / (C + D + T_h + T_m + T_hm)",
    cites="Kendall 1938; Deutsch et al. 2023, table 1",
)
class TauA(PairStatistic):
    """Agreement of order over all pairs; ties on either side count as no agreement."""

    def value(self, n: PairCounts) -> FloatArray:
        return ratio(n.concordant - n.discordant, n.total)


@measure(
    "tau_b",
    formula="(C - D) / sqrt((C + D + T_h)(C + D + T_m))",
    cites="Kendall 1945; Deutsch et al. 2023, table 1",
)
class TauB(PairStatistic):
    """Agreement of order, each side's ties discounted; undefined where either side is constant."""

    def value(self, n: PairCounts) -> FloatArray:
        ordered = n.concordant + n.discordant
        human, metric = ordered + n.tied_metric, ordered + n.tied_human
        return ratio(n.concordant - n.discordant, np.sqrt(human * metric))


@measure("tau_c", formula="2 (C - D) / (n^2 (k - 1) / k)", cites="Stuart 1953; Deutsch et al. 2023, table 1")
class TauC(PairStatistic):
    """Agreement of order for scales with few values, k being the smaller number of distinct values.

    The factor 2, which table 1 of the paper leaves out and its result tables have, makes 1 the largest
    value. Undefined where either side is constant.
    """

    def value(self, n: PairCounts) -> FloatArray:
        largest = n.size**2 * ratio(n.distinct - 1.0, n.distinct)
        return ratio(2.0 * (n.concordant - n.discordant), largest)


@measure(
    "tau_10",
    formula="(C - D - T_m) / (C + D + T_m)",
    cites="Callison-Burch et al. 2010; WMT 2010-12, 2017-20",
)
class Tau10(Tabulated):
    """Human ties left out, metric ties as bad as wrong order."""

    worth = Table.read("1:-1:-1/X:X:X/-1:-1:1")


@measure("tau_13", formula="(C - D) / (C + D)", cites="Macháček and Bojar 2013; WMT 2013")
class Tau13(Tabulated):
    """Only pairs that both sides order; a metric can hide its hard pairs behind ties."""

    worth = Table.read("1:X:-1/X:X:X/-1:X:1")


@measure("tau_14", formula="(C - D) / (C + D + T_m)", cites="Macháček and Bojar 2014; WMT 2014-16")
class Tau14(Tabulated):
    """Human ties left out, metric ties as neither right nor wrong."""

    worth = Table.read("1:0:-1/X:X:X/-1:0:1")


@measure(
    "tau_eq",
    formula="(C + T_hm - D - T_h - T_m) / (C + D + T_h + T_m + T_hm)",
    cites="Deutsch et al. 2023, section 6",
)
class TauEq(Tabulated):
    """Three-way agreement on a scale from -1 to 1: right order or right tie against all else."""

    worth = Table.read("1:-1:-1/-1:1:-1/-1:-1:1")


@measure(
    "acc_eq",
    formula="(C + T_hm) / (C + D + T_h + T_m + T_hm)",
    cites="Deutsch et al. 2023, section 6; WMT 2023-25 with epsilon=best by item",
    bounds=(0.0, 1.0),
)
class AccEq(Tabulated):
    """The share of pairs that the metric orders as humans do or ties as humans do.

    Defined for every group of two or more, so that no metric can hide hard groups.

    >>> human = np.array([[0.0], [0.0], [-5.0]])
    >>> metric = np.array([[0.75], [0.5], [0.0]])
    >>> round(AccEq(grouping="item").evaluate(human, metric).value, 6)
    0.666667
    >>> outcome = AccEq(grouping="item", epsilon="best").evaluate(human, metric)
    >>> outcome.value, outcome.epsilon
    (1.0, 0.25)
    """

    worth = Table.read("1:0:0/0:1:0/0:0:1")
