"""The cells that a comparison uses: human and metric scores side by side, chosen by one set of rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError, choices
from metaeval.evalset import EvalSet
from metaeval.kernels.corpus import CorpusSums
from metaeval.names import Patterns, matching
from metaeval.scores import ALL_REFERENCES, REFERENCE_FREE, FloatArray, Scores

Missing: TypeAlias = Literal["error", "drop"]

PREFERRED_PROTOCOLS = ("mqm", "esa")
"""Protocols that become the default where present; otherwise the one with the most scores does."""


@dataclass(frozen=True, eq=False, slots=False)
class Paired:
    """Human and metric scores on the same rated cells, as every measure and test reads them."""

    systems: tuple[str, ...]
    items: tuple[str, ...]
    metrics: tuple[Scores, ...]
    """The metrics in order; their matrices on the cells used are in ``scores``."""
    human: FloatArray
    """systems x items, NaN where a cell is not used."""
    scores: FloatArray
    """metrics x systems x items, NaN exactly where ``human`` is."""
    published: FloatArray
    """metrics x systems: scores that a metric gave systems as such, NaN where it gave none."""
    document_of_item: NDArray[np.intp]
    protocol: str
    reference: str | None
    dropped_cells: int = 0
    notes: tuple[str, ...] = ()
    corpora: Mapping[str, CorpusSums] = field(default_factory=dict)
    """By metric, what corpus scores are made of; empty unless asked for (:mod:`metaeval.corpus_scores`)."""

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(metric.key for metric in self.metrics)

    @cached_property
    def cells(self) -> int:
        return int((~np.isnan(self.human)).sum())

    def take(
        self, systems: NDArray[np.bool_] | None = None, items: NDArray[np.bool_] | None = None
    ) -> Paired:
        """Only the systems and items marked true.

        A published system score belongs to all items: there is none left where items are left out.
        """
        rows = np.arange(len(self.systems)) if systems is None else np.flatnonzero(systems)
        columns = np.arange(len(self.items)) if items is None else np.flatnonzero(items)
        published = self.published[:, rows]
        return replace(
            self,
            systems=tuple(self.systems[i] for i in rows),
            items=tuple(self.items[i] for i in columns),
            human=self.human[np.ix_(rows, columns)],
            scores=self.scores[:, rows[:, None], columns],
            published=published if len(columns) == len(self.items) else np.full_like(published, np.nan),
            document_of_item=self.document_of_item[columns],
            corpora={key: sums.take(rows, columns) for key, sums in self.corpora.items()},
        )


def pair_up(
    evalset: EvalSet,
    *,
    human: str | None = None,
    reference: str | None = None,
    metrics: Patterns | None = None,
    missing: Missing = "error",
) -> Paired:
    """The rated cells of an EvalSet, with the metrics that judge them.

    Left out are: the output that is the reference in use; then systems and items without human scores;
    metrics that used another reference; metrics without segment scores. O(cells x metrics).
    """
    if missing not in get_args(Missing):
        known = choices(missing, get_args(Missing))
        raise InputError(f"missing is {missing!r}, which cannot be done", remedy=known)
    protocol = choose_protocol(evalset, human)
    reference = choose_reference(evalset, reference)
    candidates = [m for m in evalset.metrics.values() if usable_with(m, reference)]
    if metrics is not None:
        names = [name for m in candidates for name in (m.key, m.name)]
        kept = set(matching(metrics, names, f"metric (reference {reference or 'none'})"))
        candidates = [m for m in candidates if m.key in kept or m.name in kept]
    chosen = [m for m in candidates if m.segment is not None]
    if not chosen:
        raise InputError("no metric has segment scores here", remedy="See what there is: metaeval describe")
    human_scores = rated_cells(evalset, protocol, reference)
    lacking = np.isnan(np.stack([m.segment for m in chosen if m.segment is not None]))
    lacking &= ~np.isnan(human_scores)
    if missing == "error":
        _refuse_missing(evalset.systems, chosen, lacking, int((~np.isnan(human_scores)).sum()))
    dropped = lacking.any(axis=0)
    human_scores[dropped] = np.nan
    without_segments = [m.key for m in candidates if m.segment is None]
    notes = [f"left out, system scores only: {', '.join(without_segments)}"] if without_segments else []
    if cells := int(dropped.sum()):
        notes.append(f"left out, a metric has no score there: {cells:,} cells")
    return _crop(evalset, human_scores, chosen, protocol, reference, cells, tuple(notes))


def _crop(
    evalset: EvalSet,
    human: FloatArray,
    chosen: list[Scores],
    protocol: str,
    reference: str | None,
    dropped: int,
    notes: tuple[str, ...],
) -> Paired:
    """Only the systems and items that have a rated cell left."""
    rated = ~np.isnan(human)
    rows, columns = np.flatnonzero(rated.any(axis=1)), np.flatnonzero(rated.any(axis=0))
    if not len(rows):
        raise InputError(
            f"no cell has both a human score ({protocol}) and all metric scores",
            remedy="An output that is the reference in use does not count; what is there: metaeval describe",
        )
    human = human[np.ix_(rows, columns)]
    scores = np.stack([m.segment[np.ix_(rows, columns)] for m in chosen if m.segment is not None])
    scores[:, np.isnan(human)] = np.nan
    nothing = np.full(len(evalset.systems), np.nan)
    published = np.stack([nothing if m.system is None else m.system for m in chosen])[:, rows]
    documents = np.empty(len(evalset.items), dtype=np.intp)
    for number, (_, run) in enumerate(evalset.documents):
        documents[run] = number
    return Paired(
        systems=tuple(evalset.systems[i] for i in rows),
        items=tuple(evalset.items[i] for i in columns),
        metrics=tuple(chosen),
        human=human,
        scores=scores,
        published=published,
        document_of_item=documents[columns],
        protocol=protocol,
        reference=reference,
        dropped_cells=dropped,
        notes=notes,
    )


def rated_cells(evalset: EvalSet, protocol: str, reference: str | None) -> FloatArray:
    """The human scores, without those of an output that is the reference in use."""
    scores = evalset.human[protocol].segment
    if scores is None:
        raise InputError(f"human scores {protocol!r} are not of segments")
    used = list(evalset.references) if reference == ALL_REFERENCES else (reference or "").split(".")
    used = [] if reference == REFERENCE_FREE else used
    rated = scores.copy()
    rated[[system in used for system in evalset.systems]] = np.nan
    return rated


def usable_with(metric: Scores, reference: str | None) -> bool:
    """Whether a metric belongs on a board for this reference: it used it, or none, or did not say."""
    return metric.reference in (None, reference) or metric.reference_free


def choose_protocol(evalset: EvalSet, wanted: str | None) -> str:
    """The human scores to compare with: those asked for; else mqm, esa, or those with the most cells."""
    if wanted is not None:
        if wanted not in evalset.human:
            raise InputError(f"there are no human scores {wanted!r}", remedy=choices(wanted, evalset.human))
        return wanted
    by_segment = {k: s.segment for k, s in evalset.human.items() if s.segment is not None}
    if not by_segment:
        raise InputError(
            "there are no human scores of segments",
            remedy="Ranking metrics needs them; a table has them in a column human:NAME. "
            "See what there is: metaeval describe",
        )
    for protocol in PREFERRED_PROTOCOLS:
        if protocol in by_segment:
            return protocol
    return max(sorted(by_segment), key=lambda k: int((~np.isnan(by_segment[k])).sum()))


def choose_reference(evalset: EvalSet, wanted: str | None) -> str | None:
    """The reference in use: the one asked for; else the one that most metrics used; None without any.

    ``src`` may be asked for where metrics need none: they are then compared on all outputs, also human ones.
    """
    used = Counter(
        m.reference for m in evalset.metrics.values() if m.reference is not None and not m.reference_free
    )
    if wanted is not None:
        known = {*used, *evalset.references}
        known |= {REFERENCE_FREE} if any(m.reference_free for m in evalset.metrics.values()) else set()
        if wanted not in known:
            raise InputError(f"there is no reference {wanted!r}", remedy=choices(wanted, known))
        return wanted
    return min(used, key=lambda r: (-used[r], r)) if used else None


def _refuse_missing(
    systems: tuple[str, ...], chosen: list[Scores], lacking: NDArray[np.bool_], rated: int
) -> None:
    counts = lacking.sum(axis=(1, 2))
    if not counts.any():
        return
    worst = int(counts.argmax())
    where = [(systems[i], int(n)) for i, n in enumerate(lacking[worst].sum(axis=1)) if n]
    where.sort(key=lambda entry: (-entry[1], entry[0]))
    named = ", ".join(f"{system}: {n:,}" for system, n in where[:4])
    named += f", and {len(where) - 4} more systems" if len(where) > 4 else ""
    others = int((counts > 0).sum()) - 1
    also = f"; {others} more metrics lack some" if others else ""
    raise InputError(
        f"{chosen[worst].key} has no score for {counts[worst]:,} of {rated:,} rated cells ({named}){also}",
        remedy="Give them, or leave these cells out for every metric with --missing drop",
    )
