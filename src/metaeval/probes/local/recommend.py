"""Which metric to take, after the guidelines of Deviyani and Diaz (2025, section 6.4).

In a context: the most accurate metric, and those that cannot be told from it there, by a paired t-test over
the items of the context (several pairs of an item are one observation). Over contexts: the metric whose worst
context is the least bad; spread alone would praise a metric that is wrong everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np
from scipy import stats

from metaeval.probes.local.accuracy import Accuracy, Units
from metaeval.scorers.base import Cost
from metaeval.scores import FloatArray

_ROUNDING = 1e-12

COST: Mapping[Cost, int] = {kind: place for place, kind in enumerate(get_args(Cost))}


@dataclass(frozen=True, slots=True)
class Choice:
    """What to take in one context."""

    context: str
    best: str
    alike: tuple[str, ...]
    """Metrics that cannot be told from the best here, best first."""
    cheap: str | None
    """The best of them that costs less than the best one; None where there is none."""


@dataclass(frozen=True, slots=True)
class Recommendation:
    """What to take in each context, and over all of them."""

    everywhere: Choice
    """Global: all outputs are one context."""
    choices: tuple[Choice, ...]
    stable: str
    """The metric whose worst context is the least bad."""
    worst_context: str
    worst: float
    """Its accuracy there."""


def recommend(
    metrics: Sequence[str],
    labels: Sequence[str],
    by: Units,
    local: Accuracy,
    everything: Units,
    overall: Accuracy,
    *,
    costs: Mapping[str, int] | None = None,
    alpha: float = 0.05,
) -> Recommendation:
    """The recommendation from units and accuracies by context, and of all outputs together.

    Args:
        metrics: names, in the order of the columns.
        labels: names of the contexts, in the order of the rows.
        costs: what each metric costs; all alike where None.
    """
    there = [i for i in range(len(labels)) if local.items[i]]
    values = by.accuracy
    choices = tuple(
        _choice(labels[i], metrics, local.value[i], values[by.of(i)], costs or {}, alpha) for i in there
    )
    everywhere = _choice("all", metrics, overall.value[0], everything.accuracy, costs or {}, alpha)
    table = local.value[there]
    stable = int(np.argmax(table.min(axis=0)))
    worst = int(np.argmin(table[:, stable]))
    return Recommendation(
        everywhere, choices, metrics[stable], labels[there[worst]], float(table[worst, stable])
    )


def _choice(
    context: str,
    metrics: Sequence[str],
    value: FloatArray,
    of_items: FloatArray,
    costs: Mapping[str, int],
    alpha: float,
) -> Choice:
    order = np.argsort(-value, kind="stable")
    best = int(order[0])
    p = paired_p(of_items[:, [best]], of_items)
    alike = [int(i) for i in order[1:] if p[i] >= alpha]
    cost = [costs.get(metric, 0) for metric in metrics]
    cheap = next((metrics[i] for i in alike if cost[i] < cost[best]), None)
    return Choice(context, metrics[best], tuple(metrics[i] for i in alike), cheap)


def paired_p(one: FloatArray, others: FloatArray) -> FloatArray:
    """Two-sided p-values of the paired t-test, for each column; 1 where one item alone cannot tell.

    Where all items differ by the same, t is infinite however few they are: there it is the p of the sign
    test, 2 to the power of 1 - n. Oracle: scipy.stats.ttest_rel.

    >>> paired_p(np.array([[1.0], [1.0], [0.5]]), np.array([[1.0, 0.0], [1.0, 0.0], [0.5, 0.1]])).round(3)
    array([1.   , 0.057])
    """
    differences = one - others
    n = len(differences)
    if n < 2:
        return np.ones(others.shape[1])
    mean, error = differences.mean(axis=0), differences.std(axis=0, ddof=1) / np.sqrt(n)
    vary = error > _ROUNDING
    t = np.divide(mean, error, out=np.zeros_like(mean), where=vary)
    alike = np.where(np.abs(mean) > _ROUNDING, 0.5 ** (n - 1), 1.0)
    p: FloatArray = np.where(vary, 2 * stats.t.sf(np.abs(t), n - 1), alike)
    return p
