"""The whole experiment: accuracies in each context, both hypotheses, confounders, a recommendation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from metaeval.errors import InputError
from metaeval.probes.local.accuracy import Accuracy, Units, accuracy, units
from metaeval.probes.local.confounders import Confounders, confounders
from metaeval.probes.local.contexts import Context
from metaeval.probes.local.homogeneity import Homogeneity, homogeneity
from metaeval.probes.local.ordering import tau_ap_matrix
from metaeval.probes.local.pairs import Pairs
from metaeval.probes.local.recommend import Recommendation, recommend
from metaeval.probes.local.texts import Applied
from metaeval.scores import FloatArray


@dataclass(frozen=True, eq=False, slots=True)
class LocalTable:
    """Everything about one partition into contexts; only contexts that have pairs are in it."""

    name: str
    labels: tuple[str, ...]
    local: Accuracy
    tests: tuple[Homogeneity, ...]
    """H1, one a metric."""
    tau: FloatArray
    """H2: tau_AP of the ranking of the column's context given that of the row's; 0 is the global one."""
    recommendation: Recommendation

    @property
    def spread(self) -> FloatArray:
        """By metric: the standard deviation of its accuracy over contexts."""
        found: FloatArray = self.local.value.std(axis=0)
        return found


@dataclass(frozen=True, eq=False, slots=True)
class LocalStudy:
    """The answer of ``metaeval local``."""

    metrics: tuple[str, ...]
    overall: Accuracy
    """One row: all outputs as one context."""
    tables: tuple[LocalTable, ...]
    confounders: Confounders | None
    pairs: int
    dropped: int
    applied: tuple[Applied, ...] = ()
    signature: Mapping[str, object] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def study(
    pairs: Pairs,
    contexts: Sequence[Context],
    *,
    costs: Mapping[str, int] | None = None,
    applied: Sequence[Applied] = (),
    signature: Mapping[str, object] | None = None,
    notes: Sequence[str] = (),
    seed: int = 0,
    alpha: float = 0.05,
) -> LocalStudy:
    """What judged pairs say of their metrics, in each of the partitions.

    Confounders are measured over the contexts of the first partition, as in the paper over systems.
    """
    everything = units(pairs, np.zeros(len(pairs), dtype=np.intp), 1)
    overall = accuracy(everything, alpha)
    tables = tuple(_table(pairs, one, everything, overall, costs, alpha) for one in contexts)
    first = contexts[0]
    return LocalStudy(
        pairs.metrics,
        overall,
        tables,
        confounders(pairs, first.of(pairs), len(first.labels), seed=seed, alpha=alpha),
        len(pairs),
        pairs.dropped,
        tuple(applied),
        dict(signature or {}),
        (*notes, *_notes(pairs, contexts)),
    )


def _table(
    pairs: Pairs,
    context: Context,
    everything: Units,
    overall: Accuracy,
    costs: Mapping[str, int] | None,
    alpha: float,
) -> LocalTable:
    codes = context.of(pairs)
    there = np.unique(codes[codes >= 0])
    if not len(there):
        raise InputError(
            f"no pair of outputs has a value of {context.name}", remedy="Choose another context."
        )
    labels = tuple(context.labels[i] for i in there)
    by = units(pairs, np.where(codes >= 0, np.searchsorted(there, codes), -1), len(there))
    local = accuracy(by, alpha)
    rankings = np.concatenate([overall.value, local.value])
    return LocalTable(
        context.name,
        labels,
        local,
        tuple(homogeneity(by)),
        tau_ap_matrix(rankings, rankings),
        recommend(pairs.metrics, labels, by, local, everything, overall, costs=costs, alpha=alpha),
    )


def _notes(pairs: Pairs, contexts: Sequence[Context]) -> tuple[str, ...]:
    notes = []
    if pairs.dropped:
        notes.append(f"{pairs.dropped:,} pairs are left out: a metric gave one of the two outputs no score")
    for context in contexts:
        outside = int((context.of(pairs) < 0).sum())
        if outside:
            notes.append(f"{outside:,} of {len(pairs):,} pairs have no {context.name}")
    return tuple(notes)
