"""Several questions about ties asked of the same data at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from metaeval.measures.groups import Grouping
from metaeval.paired import Paired
from metaeval.probes.ties.breaking import TieBreaking, tie_breaking
from metaeval.probes.ties.buckets import Bucketing, bucketing
from metaeval.probes.ties.curve import TieCurve, tie_curve
from metaeval.probes.ties.heldout import Generalisation, generalisation, split_by_document
from metaeval.probes.ties.sampling import SampleSpread, sample_spread
from metaeval.probes.ties.statistics import TieCounts, tie_counts
from metaeval.probes.ties.table import PUBLISHED, TieTable, tie_table
from metaeval.probes.ties.where import WhereTied, where_tied
from metaeval.progress import Progress

Answer: TypeAlias = (
    TieTable | TieCounts | TieCurve | Bucketing | WhereTied | TieBreaking | Generalisation | SampleSpread
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Questions:
    """What to ask; a metric's name asks of that metric.

    The table is asked for by ``measures`` or ``constant``, or where nothing else is.
    """

    groupings: tuple[Grouping, ...] = ("item",)
    measures: tuple[str, ...] = ()
    """The table's columns, without grouping; the published ones where none is named."""
    constant: bool = False
    statistics: bool = False
    curve: str | None = None
    buckets: str | None = None
    where: str | None = None
    break_ties: bool = False
    split: bool = False
    sample: float | None = None
    repeats: int = 30
    seed: int = 0


def ask(
    paired: Paired, questions: Questions, *, other: Paired | None = None, progress: Progress | None = None
) -> tuple[Answer, ...]:
    """The answers in every grouping; ``other`` are data to carry thresholds to and from."""
    found: list[Answer] = []
    for grouping in questions.groupings:
        found += _experiments(paired, questions, other, grouping, progress)
    if found and not (questions.measures or questions.constant):
        return tuple(found)
    columns = questions.measures or PUBLISHED
    tables = [
        tie_table(paired, grouping, columns, constant=questions.constant, progress=progress)
        for grouping in questions.groupings
    ]
    return (*tables, *found)


def _experiments(
    paired: Paired, q: Questions, other: Paired | None, grouping: Grouping, progress: Progress | None
) -> Iterator[Answer]:
    if q.statistics:
        yield tie_counts(paired, grouping)
    if q.curve is not None:
        yield tie_curve(paired, q.curve, grouping)
    if q.buckets is not None:
        yield bucketing(paired, q.buckets, grouping)
    if q.where is not None:
        yield where_tied(paired, q.where, grouping)
    if q.break_ties:
        yield tie_breaking(paired, grouping, repeats=q.repeats, seed=q.seed)
    if q.split:
        yield generalisation(*split_by_document(paired, q.seed), grouping)
    if other is not None:
        yield generalisation(paired, other, grouping)
    if q.sample is not None:
        yield sample_spread(
            paired, grouping, share=q.sample, repeats=q.repeats, seed=q.seed, progress=progress
        )
