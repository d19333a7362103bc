"""Does a measure reward knowing only the source, only the reference, or only the output?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from metaeval.board import Row, Table
from metaeval.measures.base import SegmentMeasure
from metaeval.probes.audit.evidence import Evidence
from metaeval.probes.audit.finding import CannotTell, Finding, check
from metaeval.probes.sentinel.base import is_sentinel, view_of
from metaeval.probes.sentinel.views import SIDES
from metaeval.scores import Scores

LEAST = 0.1
"""A correlation below this is no reward worth naming."""
ERRORS = 2.0
"""Nor is one below so many standard errors of a correlation over as many texts as there are items."""
MANY = 0.25
"""The share of metrics that a sentinel must beat."""
MOST = 0.5
"""The share that is serious, for a sentinel that cannot know the output."""


@dataclass(frozen=True, slots=True)
class Rewarded:
    """The best sentinel of one side, and the metrics that it beats."""

    side: str
    sentinel: Scores
    value: float
    rank: int
    of: int
    beaten: Scores
    beaten_value: float

    @property
    def share(self) -> float:
        """The share of metrics beaten."""
        return (self.of - self.rank) / (self.of - 1)


@check("sentinels", "measures that reward metrics that see only a part")
def sentinels(evidence: Evidence) -> Iterator[Finding]:
    """For correlations; accuracies count ties in their own ways, and their sentinels rank at the bottom."""
    if not any(view_of(metric) for metric in evidence.paired.metrics):
        raise CannotTell("there are no texts that a sentinel could see")
    least = max(LEAST, ERRORS / len(evidence.paired.items) ** 0.5)
    for table in evidence.segment_tables():
        if table.measure.bounds != (-1.0, 1.0):
            continue
        views = ("src", "ref", "cand")
        sides = [found for view in views if (found := rewarded(table, view, least)) is not None]
        if sides:
            yield _finding(table, sides)


def rewarded(table: Table, view: str, least: float) -> Rewarded | None:
    """The best sentinel of a side, if it reaches ``least`` and beats enough metrics to matter."""
    valued = [(row.value, row) for row in table.rows if row.value is not None]
    real = [(value, row) for value, row in valued if not is_sentinel(row.metric)]
    seeing = [(value, row) for value, row in valued if view_of(row.metric) == view]
    if not real or not seeing:
        return None
    value, best = max(seeing, key=_value)
    beaten = [entry for entry in real if entry[0] < value]
    if value < least or len(beaten) < MANY * len(real):
        return None
    top_value, top = max(beaten, key=_value)
    rank = 1 + sum(v > value for v, _ in real)
    return Rewarded(SIDES[view], best.metric, value, rank, len(real) + 1, top.metric, top_value)


def _value(entry: tuple[float, Row]) -> float:
    return entry[0]


def _finding(table: Table, sides: list[Rewarded]) -> Finding:
    blind = [found for found in sides if found.side != SIDES["cand"]]
    lead = max(blind or sides, key=lambda found: found.value)
    others = [f"only the {f.side} ({f.sentinel.name} {f.value:.3f})" for f in sides if f is not lead]
    grouping = table.measure.grouping if isinstance(table.measure, SegmentMeasure) else "item"
    return Finding(
        check="sentinels",
        severity="serious" if blind and lead.share >= MOST else "warning",
        sentence=(
            f"{table.measure} rewards knowing only the {lead.side}: {lead.sentinel.name} {lead.value:.3f}, "
            f"rank {lead.rank} of {lead.of}, above {lead.beaten.name} ({lead.beaten_value:.3f})"
            + (f"; also {' and '.join(others)}" if others else "")
        ),
        remedy=(
            f"group by item: {table.measure.name}@item"
            if grouping != "item"
            else "read the lower part of this ranking as fluency at most"
        ),
        size=lead.share + lead.value,
        numbers={
            "measure": str(table.measure),
            "sentinels": [
                {
                    "sentinel": f.sentinel.key,
                    "value": f.value,
                    "rank": f.rank,
                    "of": f.of,
                    "above": f.beaten.key,
                    "above_value": f.beaten_value,
                }
                for f in sides
            ],
        },
    )
