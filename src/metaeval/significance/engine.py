"""One engine for all measures: how sure are the differences between metrics, and how sure the values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metaeval.measures.base import Measure, Outcome
from metaeval.paired import Paired
from metaeval.progress import Progress
from metaeval.scores import FloatArray
from metaeval.significance.bootstrap import intervals, resample
from metaeval.significance.draws import Blocks
from metaeval.significance.paths import path_for_exchange, path_for_resampling
from metaeval.significance.paths.base import IntArray, Task
from metaeval.significance.permutation import permute
from metaeval.significance.plan import Plan
from metaeval.significance.units import EXCHANGES, exchange_units, input_units


@dataclass(frozen=True, eq=False, slots=True)
class Evidence:
    """What resampling says about every metric and every pair of metrics."""

    delta: FloatArray
    """metrics x metrics: value of the row's metric minus that of the column's."""
    p: FloatArray
    """metrics x metrics: of the hypothesis that the row's metric is no better than the column's; NaN where
    a value is undefined, on the diagonal, and without a test."""
    ci_low: FloatArray
    ci_high: FloatArray
    draws: IntArray
    """metrics x metrics: how many exchanges p rests on."""
    exact: bool = False
    """Whether all exchanges were enumerated: p then carries no sampling noise."""
    null: FloatArray | None = None
    """draws x metrics x metrics: the null differences, on request."""
    samples: FloatArray | None = None
    """draws x metrics: the values of the bootstrap samples, on request."""
    units: int = 0
    """Units that were resampled; of items and systems, if both were, the fewer."""


def gather(
    paired: Paired,
    measure: Measure,
    outcomes: Sequence[Outcome],
    plan: Plan,
    progress: Progress | None = None,
    keep_null: bool = False,
) -> Evidence:
    """Tests all pairs of metrics and gives every value an interval, as the plan says.

    Args:
        outcomes: what ``measure.evaluate`` gave for each metric of ``paired``, in order.
        keep_null: keep all draws as well; they take draws x metrics^2 numbers.

    The p-values depend on the seed, the data and the two metrics alone: not on the number of jobs, nor on
    which other metrics or measures are tested. An interrupt leaves nothing running.

    >>> from metaeval.evalset import EvalSet
    >>> from metaeval.measures.registry import parse_measure
    >>> from metaeval.paired import pair_up
    >>> from metaeval.scores import Scores
    >>> human = np.array([[3.0, 2.0, 2.0, 3.0], [1.0, 1.0, 0.0, 2.0], [0.0, 2.0, 1.0, 1.0]])
    >>> data = EvalSet(
    ...     systems=("A", "B", "C"), items=("1", "2", "3", "4"), human={"mqm": Scores("mqm", segment=human)}
    ... ).with_metrics(Scores("good", segment=human), Scores("bad", segment=-human))
    >>> paired, acc_eq = pair_up(data), parse_measure("acc_eq@item")
    >>> outcomes = [acc_eq.evaluate(paired.human, scores) for scores in paired.scores]
    >>> evidence = gather(paired, acc_eq, outcomes, Plan())
    >>> evidence.exact, evidence.p.tolist()
    (True, [[nan, 0.0625], [1.0, nan]])
    """
    values = np.array([outcome.value for outcome in outcomes], dtype=np.float64)
    units = resampled_units(paired, plan)
    low, high, samples = _intervals(paired, measure, outcomes, plan, units, progress)
    p, draws, exact, null = _tests(paired, measure, outcomes, plan, progress, keep_null)
    return Evidence(
        delta=values[:, None] - values[None, :],
        p=p,
        ci_low=low,
        ci_high=high,
        draws=draws,
        exact=exact,
        null=null,
        samples=samples if keep_null else None,
        units=units,
    )


def _tests(
    paired: Paired,
    measure: Measure,
    outcomes: Sequence[Outcome],
    plan: Plan,
    progress: Progress | None,
    keep_null: bool,
) -> tuple[FloatArray, IntArray, bool, FloatArray | None]:
    """p-values, the draws they rest on, whether these are all there are, and the null draws."""
    shape = (len(outcomes), len(outcomes))
    if plan.test == "none":
        return np.full(shape, np.nan), np.zeros(shape, dtype=np.int64), False, None
    exchange = EXCHANGES[plan.test]
    task = Task(paired, measure, outcomes, exchange, plan.standardise)
    path = path_for_exchange(measure, exchange)(task)
    units = exchange_units(paired, exchange, plan.unit, path.positions)
    total = Blocks(units.count, plan.draws, plan.seed).total
    null: list[FloatArray] = []
    tally = permute(
        path,
        units,
        plan,
        progress=lambda done: progress(f"{measure}: {plan.test}", done, total) if progress else None,
        keep=null.append if keep_null else None,
    )
    return tally.p(), tally.draws, tally.exact, np.concatenate(null) if null else None


def resampled_units(paired: Paired, plan: Plan) -> int:
    """How many units the bootstrap draws from; the fewer where it draws items and systems."""
    if plan.bootstrap == "none":
        return 0
    inputs, systems = input_units(paired, plan.unit).count, len(paired.systems)
    return {"inputs": inputs, "systems": systems, "both": min(inputs, systems)}[plan.bootstrap]


def _intervals(
    paired: Paired,
    measure: Measure,
    outcomes: Sequence[Outcome],
    plan: Plan,
    units: int,
    progress: Progress | None,
) -> tuple[FloatArray, FloatArray, FloatArray | None]:
    """The limits of each metric's interval, and the samples.

    A measure that is about one named system has no interval when systems are resampled: that system may be
    missing from a sample, or be there twice.
    """
    nothing = np.full(len(outcomes), np.nan)
    moved = [*paired.systems[1:], *paired.systems[:1]]
    names_a_system = measure.bind(paired.systems) != measure.bind(moved)
    if plan.bootstrap == "none" or (names_a_system and plan.bootstrap != "inputs"):
        return nothing, nothing, None
    path = path_for_resampling(measure, plan.bootstrap)(Task(paired, measure, outcomes))
    samples = resample(
        path,
        input_units(paired, plan.unit),
        plan,
        progress=lambda done: progress(f"{measure}: intervals", done, plan.draws) if progress else None,
    )
    values = np.array([outcome.value for outcome in outcomes])
    low, high = intervals(values, samples, plan.alpha, measure.bounds, units)
    return low, high, samples
