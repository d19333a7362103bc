"""One metric against another: how sure the difference is, what would settle it, and where they part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, isnan

import numpy as np
from scipy.special import ndtri

from metaeval.board import existing
from metaeval.errors import InputError, choices
from metaeval.evalset import EvalSet
from metaeval.measures.base import Measure, Outcome, SegmentMeasure
from metaeval.measures.groups import Groups
from metaeval.measures.registry import parse_measure
from metaeval.names import Patterns
from metaeval.paired import Missing, Paired, pair_up
from metaeval.progress import Progress
from metaeval.scores import FloatArray, Scores
from metaeval.signature import sign
from metaeval.significance.bootstrap import intervals
from metaeval.significance.caveats import caveats
from metaeval.significance.engine import Evidence, gather
from metaeval.significance.plan import Plan

DEFAULT_MEASURE = "acc_eq(epsilon=best)@item"
STAND_IN = "acc_eq(epsilon=best)@item"
"""What items are judged by under a measure that is not itself a mean over items."""
POWER = 0.8


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two metrics. None where a value does not exist."""

    metric: str
    value: float | None
    interval: tuple[float, float] | None
    epsilon: float | None


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An item on which one metric agrees with the humans more than the other does."""

    item: str
    document: str | None
    first: float
    """How far the first metric agrees with the humans on this item, by ``Comparison.judged_by``."""
    second: float
    source: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two metrics under one measure; differences are the first minus the second."""

    measure: Measure
    first: Side
    second: Side
    delta: float | None
    interval: tuple[float, float] | None
    """Percentile bootstrap of the difference: both metrics are measured on the same samples."""
    p: float | None
    """That the metric with the lower value is as good as the other or better."""
    alpha: float
    units: int
    """Items or documents: what is exchanged."""
    needed: int | None
    """How many of them would tell the two apart; see :func:`units_needed`."""
    judged_by: Measure
    for_first: tuple[Disagreement, ...]
    """Items on which the first metric is right and the second wrong, the clearest first."""
    for_second: tuple[Disagreement, ...]

    @property
    def settled(self) -> bool:
        return self.p is not None and self.p <= self.alpha

    @property
    def ahead(self) -> Side | None:
        """The metric with the higher value; None if neither has one."""
        if not self.delta:
            return None
        return self.first if self.delta > 0 else self.second

    @property
    def behind(self) -> Side | None:
        if not self.delta:
            return None
        return self.second if self.delta > 0 else self.first


@dataclass(frozen=True, slots=True)
class Comparisons:
    """The same two metrics under each measure, and what the numbers rest on."""

    found: tuple[Comparison, ...]
    signature: Mapping[str, object]
    systems: int
    items: int
    notes: tuple[str, ...] = ()


def compare(
    data: EvalSet,
    first: str,
    second: str,
    measures: Sequence[str | Measure] = (DEFAULT_MEASURE,),
    *,
    human: str | None = None,
    reference: str | None = None,
    systems: Patterns | None = None,
    exclude: Patterns | None = None,
    domain: Patterns | None = None,
    missing: Missing = "error",
    plan: Plan | None = None,
    shown: int = 5,
    progress: Progress | None = None,
) -> Comparisons:
    """Compares two metrics of ``data``, named by key or by name.

    Args:
        shown: how many items to name on which each is better.

    >>> from metaeval.simulate import simulate
    >>> data = simulate(seed=1).evalset
    >>> found = compare(data, "Lexical", "Neural", ["pearson@item"], plan=Plan(draws=200)).found[0]
    >>> found.ahead.metric, found.settled
    ('Neural-refA', True)
    """
    plan = replace(plan or Plan(), early_stop=False)
    evalset = data.select(systems=systems, exclude=exclude, domain=domain)
    paired = pair_up(evalset, human=human, reference=reference, metrics=[first, second], missing=missing)
    paired = _two(paired, first, second)
    chosen = [m if isinstance(m, Measure) else parse_measure(m) for m in measures]
    found = tuple(_compare(evalset, paired, measure, plan, shown, progress) for measure in chosen)
    signature = sign(evalset, paired, plan, {"missing": missing, "system_scores": "mean"})
    return Comparisons(found, signature, len(paired.systems), len(paired.items), tuple(caveats(plan)))


def units_needed(units: int, delta: float, spread: float, alpha: float, power: float = POWER) -> int | None:
    """How many units would make this difference significant with the given probability, by extrapolation.

    The null differences of a paired test are nearly normal and their spread falls as 1 / sqrt(units). If the
    difference itself stays what it is, a one-sided test at alpha finds it with probability ``power`` from
    units * ((z_alpha + z_power) * spread / delta)^2 on. The spread comes from the permutations, or from the
    bootstrap where there is no test. None where there is no difference to find. The observed difference is
    itself uncertain, and soft pairwise accuracy changes as items are added: an order of magnitude, no more.

    >>> units_needed(100, delta=0.02, spread=0.02, alpha=0.05)
    619
    """
    if not delta or isnan(delta) or isnan(spread):
        return None
    wanted = (ndtri(1 - alpha) + ndtri(power)) * spread / abs(delta)
    return max(2, ceil(units * wanted**2))


def _two(paired: Paired, first: str, second: str) -> Paired:
    """Exactly the two metrics, in the order asked for."""
    at = []
    for name in (first, second):
        found = [i for i, m in enumerate(paired.metrics) if name in (m.key, m.name)]
        if len(found) != 1:
            keys = [paired.metrics[i].key for i in found]
            what = f"{name!r} stands for several metrics" if found else f"no metric is called {name!r}"
            raise InputError(what, remedy=choices(name, keys or paired.keys))
        at += found
    if at[0] == at[1]:
        raise InputError(f"{first} and {second} are the same metric", remedy="Name two.")
    return replace(
        paired,
        metrics=tuple(paired.metrics[i] for i in at),
        scores=paired.scores[at],
        published=paired.published[at],
    )


def _compare(
    evalset: EvalSet, paired: Paired, measure: Measure, plan: Plan, shown: int, progress: Progress | None
) -> Comparison:
    bound = measure.bind(paired.systems)
    outcomes = [bound.evaluate(paired.human, scores) for scores in paired.scores]
    evidence = gather(paired, bound, outcomes, plan, progress, keep_null=True)
    delta = float(evidence.delta[0, 1])
    of_difference = None if evidence.samples is None else evidence.samples[:, 0] - evidence.samples[:, 1]
    units = len(paired.items) if plan.unit == "item" else len(set(paired.document_of_item.tolist()))
    judge = bound if _by_item(bound) else parse_measure(STAND_IN)
    for_first, for_second = _disagreements(evalset, paired, judge, shown)
    p = np.nan if isnan(delta) else float(evidence.p[(0, 1) if delta >= 0 else (1, 0)])
    return Comparison(
        measure=measure,
        first=_side(paired.metrics[0], outcomes[0], evidence, 0),
        second=_side(paired.metrics[1], outcomes[1], evidence, 1),
        delta=existing(delta),
        interval=_interval(delta, of_difference, plan.alpha, evidence.units, measure),
        p=existing(p),
        alpha=plan.alpha,
        units=units,
        needed=units_needed(units, delta, _spread(evidence, of_difference), plan.alpha),
        judged_by=judge,
        for_first=for_first,
        for_second=for_second,
    )


def _side(metric: Scores, outcome: Outcome, evidence: Evidence, place: int) -> Side:
    samples = None if evidence.samples is None else evidence.samples[:, place]
    low, high = float(evidence.ci_low[place]), float(evidence.ci_high[place])
    known = samples is not None and not isnan(low)
    return Side(metric.key, existing(outcome.value), (low, high) if known else None, outcome.epsilon)


def _spread(evidence: Evidence, of_difference: FloatArray | None) -> float:
    """The standard deviation of the difference by chance alone."""
    drawn = of_difference if evidence.null is None else evidence.null[:, 0, 1]
    known = np.zeros(0) if drawn is None else drawn[~np.isnan(drawn)]
    return float(known.std()) if known.size else float("nan")


def _interval(
    delta: float, samples: FloatArray | None, alpha: float, units: int, measure: Measure
) -> tuple[float, float] | None:
    if samples is None:
        return None
    width = measure.bounds[1] - measure.bounds[0]
    low, high = intervals(np.array([delta]), samples[:, None], alpha, (-width, width), units)
    return None if isnan(low[0]) else (float(low[0]), float(high[0]))


def _by_item(measure: Measure) -> bool:
    return isinstance(measure, SegmentMeasure) and measure.grouping == "item" and measure.averaged


def _disagreements(
    evalset: EvalSet, paired: Paired, judge: Measure, shown: int
) -> tuple[tuple[Disagreement, ...], tuple[Disagreement, ...]]:
    """Items by how much more the first, and the second, agrees with the humans there.

    Of items that are alike in this, those on which humans differ most come first.
    """
    groups = Groups.of(paired.human, "item")
    agreement = np.stack([_by_group(judge, groups, paired.human, scores) for scores in paired.scores])
    difference = agreement[0] - agreement[1]
    item_of = groups.cells[groups.offsets[:-1]] % len(paired.items)
    spread = np.nanstd(paired.human, axis=0)[item_of]
    known = ~np.isnan(difference)

    def clearest(signed: FloatArray) -> tuple[Disagreement, ...]:
        order = np.lexsort((-spread, -np.where(known, signed, -np.inf)))
        chosen = [g for g in order[:shown].tolist() if known[g] and signed[g] > 0]
        return tuple(_disagreement(evalset, paired.items[item_of[g]], agreement[:, g]) for g in chosen)

    return clearest(difference), clearest(-difference)


def _by_group(judge: Measure, groups: Groups, human: FloatArray, scores: FloatArray) -> FloatArray:
    held = judge.held(judge.evaluate(human, scores))
    if not isinstance(held, SegmentMeasure):
        raise TypeError(f"{judge} does not judge single items")
    return held.group_values(groups, groups.flat(scores))


def _disagreement(evalset: EvalSet, item: str, agreement: FloatArray) -> Disagreement:
    place = evalset.items.index(item)
    documents = evalset.item_context.get("document")
    return Disagreement(
        item,
        None if documents is None else documents[place],
        float(agreement[0]),
        float(agreement[1]),
        None if evalset.source is None else evalset.source[place],
    )
