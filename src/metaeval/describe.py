"""What an EvalSet holds, and what looks suspicious in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from metaeval.evalset import EvalSet
from metaeval.measures.groups import Groups
from metaeval.measures.moments import Pearson
from metaeval.paired import choose_protocol, rated_cells
from metaeval.scores import FloatArray, Scores

REVERSED_BELOW = -0.1
"""Pearson's r with the humans, by item, from which a metric's sign looks reversed."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of systems x items a scorer has scored, and at which further levels it has scores."""

    key: str
    cells: int
    systems: int
    items: int
    levels: tuple[str, ...]
    """``seg``, ``sys``, ``doc``, ``domain``: where there are scores."""
    missing: int
    """Cells rated by the default humans without a score of this metric; for humans, unrated cells."""


@dataclass(frozen=True, slots=True)
class Ties:
    """Pairs that one protocol ties, without grouping and by item."""

    protocol: str
    tied_none: float | None
    tied_item: float | None


@dataclass(frozen=True, slots=True)
class Description:
    """The contents of an EvalSet in numbers, with findings in words."""

    name: str
    digest: str
    systems: tuple[str, ...]
    items: int
    documents: int
    domains: tuple[str, ...]
    texts: tuple[str, ...]
    """Which texts are there: ``source``, references by name, ``outputs of 15 systems``."""
    context: tuple[str, ...]
    human: tuple[Coverage, ...]
    metrics: tuple[Coverage, ...]
    ties: tuple[Ties, ...]
    suspicious: tuple[str, ...]


def describe(evalset: EvalSet) -> Description:
    """Counts and checks over the whole set. O(size), plus systems squared for duplicate outputs."""
    domains = sorted({d for d in evalset.item_context.get("domain", ()) if d is not None})
    texts = ["source"] if evalset.source is not None else []
    texts += [f"reference {name}" for name in evalset.references]
    texts += [f"outputs of {len(evalset.outputs)} systems"] if evalset.outputs else []
    texts += [f"error spans of {len(evalset.ratings)} raters"] if evalset.ratings else []
    return Description(
        name=" ".join(part for part in (evalset.name, evalset.pair) if part),
        digest=evalset.digest,
        systems=evalset.systems,
        items=len(evalset.items),
        documents=len(evalset.documents) if "document" in evalset.item_context else 0,
        domains=tuple(domains),
        texts=tuple(texts),
        context=(*evalset.item_context, *evalset.system_context),
        human=tuple(coverage(s, None) for s in evalset.human.values()),
        metrics=tuple(coverage(s, _rated(evalset, s)) for s in evalset.metrics.values()),
        ties=tuple(tie_shares(s.name, s.segment) for s in evalset.human.values() if s.segment is not None),
        suspicious=tuple(finding for check in CHECKS for finding in check(evalset)),
    )


def coverage(scores: Scores, rated: FloatArray | None) -> Coverage:
    """Where a scorer has scores; ``rated`` are the cells it should have, by default all."""
    levels = tuple(
        level
        for level, there in (
            ("seg", scores.segment is not None),
            ("sys", scores.system is not None),
            *((level, True) for level in scores.groups),
        )
        if there
    )
    if scores.segment is None:
        with_system = 0 if scores.system is None else int((~np.isnan(scores.system)).sum())
        return Coverage(scores.key, 0, with_system, 0, levels, 0)
    there = ~np.isnan(scores.segment)
    wanted = np.ones_like(there) if rated is None else ~np.isnan(rated)
    return Coverage(
        scores.key,
        int(there.sum()),
        int(there.any(axis=1).sum()),
        int(there.any(axis=0).sum()),
        levels,
        int((wanted & ~there).sum()),
    )


def tie_shares(protocol: str, human: FloatArray) -> Ties:
    """The share of pairs with equal human scores. O(n log n)."""

    def share(groups: Groups) -> float | None:
        pairs = int(groups.pairs.sum())
        return float(groups.tied_pairs(groups.human).sum() / pairs) if pairs else None

    return Ties(protocol, share(Groups.of(human, "none")), share(Groups.of(human, "item")))


def _rated(evalset: EvalSet, metric: Scores) -> FloatArray | None:
    """The default humans' scores where this metric should have one: all but those of its reference."""
    if not any(scores.segment is not None for scores in evalset.human.values()):
        return None
    return rated_cells(evalset, choose_protocol(evalset, None), metric.reference)


def constant_metrics(evalset: EvalSet) -> Iterator[str]:
    for metric in evalset.metrics.values():
        given = np.zeros(0) if metric.segment is None else metric.segment[~np.isnan(metric.segment)]
        if len(given) > 1 and np.ptp(given) == 0:
            yield f"{metric.key} gives every segment the same score"


def duplicate_outputs(evalset: EvalSet) -> Iterator[str]:
    first: dict[tuple[str | None, ...], str] = {}
    for system, output in evalset.outputs.items():
        if output in first:
            yield f"{first[output]} and {system} have the same outputs"
        first.setdefault(output, system)


def duplicate_metrics(evalset: EvalSet) -> Iterator[str]:
    scored = [(m.key, m.segment) for m in evalset.metrics.values() if m.segment is not None]
    for (one, a), (other, b) in combinations(scored, 2):
        if np.array_equal(a, b, equal_nan=True):
            yield f"{one} and {other} have the same scores"


def reversed_metrics(evalset: EvalSet) -> Iterator[str]:
    """Metrics that go against the humans within items: an error rate, or a sign turned round."""
    for metric in evalset.metrics.values():
        rated = _rated(evalset, metric)
        if rated is None or metric.segment is None:
            continue
        both = ~np.isnan(rated) & ~np.isnan(metric.segment)
        human, scores = (np.where(both, values, np.nan) for values in (rated, metric.segment))
        r = Pearson(grouping="item").evaluate(human, scores).value
        if r < REVERSED_BELOW:
            protocol = choose_protocol(evalset, None)
            yield (
                f"{metric.key} goes against human {protocol} (Pearson by item {r:.2f}): "
                "is lower better there? Then change its sign"
            )


CHECKS: tuple[Callable[[EvalSet], Iterator[str]], ...] = (
    constant_metrics,
    duplicate_outputs,
    duplicate_metrics,
    reversed_metrics,
)
"""What is looked for; each yields findings in plain words."""
