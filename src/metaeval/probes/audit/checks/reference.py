"""Did the humans rate a reference worse than systems?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from metaeval.probes.audit.evidence import Evidence
from metaeval.probes.audit.finding import CannotTell, Finding, check


@check("reference", "references that the humans rate worse than systems")
def reference(evidence: Evidence) -> Iterator[Finding]:
    """Means over the items that the reference and the system share; of the reference in use, a warning."""
    segment = evidence.evalset.human[evidence.paired.protocol].segment
    names = evidence.evalset.systems
    used = (evidence.paired.reference or "").split(".")
    known = {*used, *evidence.evalset.references}
    rated = [i for i, n in enumerate(names) if n in known and segment is not None and _any(segment[i])]
    if segment is None or not rated:
        raise CannotTell("no reference was rated")
    for row in rated:
        better = []
        for i, name in enumerate(names):
            both = ~np.isnan(segment[i]) & ~np.isnan(segment[row])
            if name in known or not both.any():
                continue
            mine, theirs = float(segment[row, both].mean()), float(segment[i, both].mean())
            if theirs > mine:
                better.append((theirs - mine, name, theirs, mine))
        if not better:
            continue
        gap, name, theirs, mine = max(better)
        yield Finding(
            check="reference",
            severity="warning" if names[row] in used else "note",
            sentence=(
                f"humans rate {names[row]} ({mine:.2f}) worse than {len(better)} of "
                f"{len(names) - len(rated)} systems, {name} ({theirs:.2f}) above all"
            ),
            remedy="metrics that compare with it punish what is better: use another reference, or none",
            size=gap,
            numbers={"reference": names[row], "better": [n for _, n, _, _ in sorted(better, reverse=True)]},
        )


def _any(scores: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> bool:
    return bool((~np.isnan(scores)).any())
