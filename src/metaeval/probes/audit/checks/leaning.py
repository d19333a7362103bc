"""Does a metric say what a sentinel says, more than what the humans say?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from metaeval.probes.audit.evidence import Evidence
from metaeval.probes.audit.finding import CannotTell, Finding, check
from metaeval.probes.sentinel.base import is_sentinel, view_of
from metaeval.probes.sentinel.correlations import correlations

LEAST = 0.3
NAMED = 5


@check("leaning", "metrics that correlate with a sentinel more than with the humans")
def leaning(evidence: Evidence) -> Iterator[Finding]:
    """On the rated cells, without grouping; sentinels of source and reference, which see no output."""
    found = correlations(evidence.evalset, evidence.paired, rated_only=True)
    blind = [i for i, m in enumerate(found.scorers) if view_of(m) in ("src", "ref")]
    if not blind:
        raise CannotTell("there are no texts that a sentinel could see")
    over = []
    for i, metric in enumerate(found.scorers):
        if is_sentinel(metric):
            continue
        known = [(float(found.matrix[i, j]), j) for j in blind if not np.isnan(found.matrix[i, j])]
        r, at = max(known, default=(np.nan, -1))
        if r > LEAST and r > found.human[i]:
            over.append((r - float(found.human[i]), r, float(found.human[i]), metric, found.scorers[at]))
    if not over:
        return
    over.sort(key=lambda entry: -entry[0])
    _, r, human, metric, sentinel = over[0]
    others = ", ".join(entry[3].name for entry in over[1:NAMED])
    rest = f" (as do {others}{' and more' if len(over) > NAMED else ''})" if others else ""
    yield Finding(
        check="leaning",
        severity="warning",
        sentence=(
            f"{metric.name} correlates with {sentinel.name} ({r:.3f}) more than with the humans "
            f"({human:.3f}){rest}"
        ),
        remedy="compare such metrics by item, where a guess from the source is worth nothing",
        size=over[0][0],
        numbers={
            "metrics": [
                {"metric": m.key, "sentinel": s.key, "with_sentinel": r, "with_humans": h}
                for _, r, h, m, s in over
            ]
        },
    )
