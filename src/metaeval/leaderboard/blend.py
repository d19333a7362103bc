"""Weighted sums of statistics, with their null differences and bootstrap samples, draw by draw.

A leaderboard's average is such a sum, and so is accuracy pooled over several sets: the pairs that agree in
each set divided by the pairs of all sets. Its null distribution is the same sum of the null differences,
since draws of different sets are independent, and draws of several measures on one set are the same
exchanges seen by each measure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from metaeval.leaderboard.data import Contestant, Entry, stream_seed
from metaeval.measures.base import Measure, Outcome
from metaeval.progress import Progress
from metaeval.scores import FloatArray
from metaeval.significance.bootstrap import intervals
from metaeval.significance.engine import Evidence, gather
from metaeval.significance.permutation import Tally
from metaeval.significance.plan import Plan

_RESAMPLE = 3
"""Key of the draws from an enumerated null; those of the engine are 0 to 2."""


@dataclass(frozen=True, eq=False, slots=True)
class Statistic:
    """The values of some metrics, and what the draws made of them."""

    contestants: tuple[Contestant, ...]
    values: FloatArray
    null: FloatArray | None
    """draws x metrics x metrics: differences under the null hypothesis."""
    samples: FloatArray | None
    """draws x metrics: values of bootstrap samples."""
    exact: bool = False
    """Whether the null holds all exchanges, once each."""
    seed: int = 0
    outcomes: tuple[Outcome, ...] = ()
    units: int = 0
    """Units that were resampled; the fewest of any part of a sum."""

    def of(self, contestants: Sequence[Contestant]) -> Statistic:
        """The same for some of the metrics, in their order."""
        if tuple(contestants) == self.contestants:
            return self
        at = np.array([self.contestants.index(c) for c in contestants], dtype=np.intp)
        return replace(
            self,
            contestants=tuple(contestants),
            values=self.values[at],
            null=None if self.null is None else self.null[:, at][:, :, at],
            samples=None if self.samples is None else self.samples[:, at],
            outcomes=tuple(self.outcomes[i] for i in at) if self.outcomes else (),
        )

    def drawn(self, draws: int) -> Statistic:
        """With as many null differences as all others: an enumerated null is drawn from at random."""
        if not self.exact or self.null is None:
            return self
        chance = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(_RESAMPLE,)))
        return replace(self, null=self.null[chance.integers(len(self.null), size=draws)], exact=False)

    def on_unit_range(self, measure: Measure) -> Statistic:
        """Mapped to [0, 1]: r becomes (1 + r) / 2, accuracies stay. Differences follow the slope."""
        slope = measure.unit_range(np.ones(())) - measure.unit_range(np.zeros(()))
        return replace(
            self,
            values=measure.unit_range(self.values),
            null=None if self.null is None else self.null * slope,
            samples=None if self.samples is None else measure.unit_range(self.samples),
        )

    def evidence(self, plan: Plan) -> Evidence:
        """p-values and intervals by the rules of the engine."""
        delta = self.values[:, None] - self.values[None, :]
        total = 0 if self.null is None else len(self.null)
        tally = Tally(delta, plan, total, self.exact)
        if self.null is not None:
            tally.add(self.null)
        low = high = np.full(len(self.values), np.nan)
        if self.samples is not None:
            low, high = intervals(self.values, self.samples, plan.alpha, (0.0, 1.0), self.units)
        return Evidence(delta, tally.p(), low, high, tally.draws, self.exact)


class Blend:
    """A sum of statistics in the making: holds draws x metrics^2 numbers, however many are added."""

    def __init__(self, contestants: Sequence[Contestant], draws: int) -> None:
        self.contestants, self.draws = tuple(contestants), draws
        self.total: Statistic | None = None

    def add(self, statistic: Statistic, share: float) -> None:
        """Adds ``share`` times a statistic; its metrics must include those of the blend."""
        one = statistic.of(self.contestants).drawn(self.draws)
        values = share * one.values
        null = None if one.null is None else share * one.null
        samples = None if one.samples is None else share * one.samples
        if self.total is not None:
            values = self.total.values + values
            null = _plus(self.total.null, null)
            samples = _plus(self.total.samples, samples)
        units = one.units if self.total is None else min(self.total.units, one.units)
        self.total = Statistic(self.contestants, values, null, samples, units=units)

    def sum(self) -> Statistic:
        """What was added up to now."""
        if self.total is None:
            raise ValueError("nothing was added")
        return self.total


def measure_entry(entry: Entry, measure: Measure, plan: Plan, progress: Progress | None = None) -> Statistic:
    """One measure on one set, for all its metrics, with all draws."""
    paired, bound = entry.paired, measure.bind(entry.paired.systems)
    outcomes = tuple(bound.evaluate(paired.human, scores) for scores in paired.scores)
    values = np.array([outcome.value for outcome in outcomes])
    seeded = replace(plan, seed=stream_seed(plan.seed, entry.stream))
    evidence = gather(paired, bound, outcomes, seeded, progress, keep_null=True)
    return Statistic(
        entry.contestants,
        values,
        evidence.null,
        evidence.samples,
        evidence.exact,
        seeded.seed,
        outcomes,
        evidence.units,
    )


def _plus(one: FloatArray | None, other: FloatArray | None) -> FloatArray | None:
    return None if one is None or other is None else one + other
