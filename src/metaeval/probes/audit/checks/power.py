"""Are there enough systems and segments to tell the best metrics apart?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from metaeval.board import tabulate
from metaeval.measures.registry import parse_measure
from metaeval.paired import Paired
from metaeval.probes.audit.evidence import Evidence
from metaeval.probes.audit.finding import CannotTell, Finding, check
from metaeval.probes.sentinel.base import is_sentinel
from metaeval.significance.plan import Plan

OFFICIAL = ("spa(method=normal)", "acc_eq(epsilon=best)@item")
DRAWS = 200
FEWEST_SYSTEMS = 6


@check("power", "too few systems or segments to tell the top apart")
def power(evidence: Evidence) -> Iterator[Finding]:
    """PERM-INPUTS under the official measures: how many metrics do not differ from the best."""
    paired = without_sentinels(evidence.paired)
    systems, items = len(paired.systems), len(paired.items)
    if systems < FEWEST_SYSTEMS:
        there = "is 1 system" if systems == 1 else f"are {systems} systems"
        pairs = systems * (systems - 1) // 2
        makes = "makes no pair" if systems == 1 else f"make {pairs} pair{'s' if pairs > 1 else ''}"
        yield Finding(
            "power",
            "warning",
            f"there {there}, which {makes}: measures on systems can hardly tell metrics apart",
            "rest on segment-level measures by item, or add systems: metaeval power",
            1.0,
            {"systems": systems},
        )
    if len(paired.metrics) < 2:
        raise CannotTell("there is a single metric")
    for text in OFFICIAL:
        plan = Plan(draws=DRAWS, seed=evidence.seed, alpha=evidence.alpha, bootstrap="none")
        table = tabulate(paired, parse_measure(text), plan)
        valued = [row for row in table.rows if row.value is not None]
        if len(valued) < 2:
            continue
        alike = sum("a" in row.letters.split() for row in valued)
        if alike < 2 or alike / len(valued) < 0.5:
            continue
        yield Finding(
            "power",
            "note",
            f"{text} cannot tell the best {alike} of {len(valued)} metrics apart on {systems} systems and "
            f"{items:,} items",
            "say so, or collect more: metaeval power says how much",
            alike / len(valued),
            {"measure": text, "alike": alike, "metrics": len(valued), "systems": systems, "items": items},
        )


def without_sentinels(paired: Paired) -> Paired:
    """The real metrics alone."""
    from dataclasses import replace

    kept = np.array([not is_sentinel(metric) for metric in paired.metrics])
    return replace(
        paired,
        metrics=tuple(m for m, keep in zip(paired.metrics, kept, strict=True) if keep),
        scores=paired.scores[kept],
        published=paired.published[kept],
    )
