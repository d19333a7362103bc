"""Did the humans rate a reference worse than systems?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import stats

from metaeval.probes.audit.evidence import Evidence
from metaeval.probes.audit.finding import CannotTell, Finding, check
from metaeval.scores import FloatArray


@check("reference", "references that the humans rate worse than systems")
def reference(evidence: Evidence) -> Iterator[Finding]:
    """On the items that the reference and the system share; of the reference in use, a warning.

    A system counts as better where the mean of the paired differences is above 0 by a one-sided t test,
    corrected for the number of systems: that the best of many systems lies a little above a reference in
    use is chance as often as not.
    """
    segment = evidence.evalset.human[evidence.paired.protocol].segment
    names = evidence.evalset.systems
    used = (evidence.paired.reference or "").split(".")
    known = {*used, *evidence.evalset.references}
    rated = [i for i, n in enumerate(names) if n in known and segment is not None and _any(segment[i])]
    if segment is None or not rated:
        raise CannotTell("no reference was rated")
    for row in rated:
        rivals = {
            name: segment[[row, i]][:, both]
            for i, name in enumerate(names)
            if name not in known and (both := ~np.isnan(segment[[row, i]]).any(axis=0)).sum() > 1
        }
        better = [
            (theirs - mine, name, theirs, mine)
            for name, pair in rivals.items()
            for mine, theirs in [map(float, pair.mean(axis=1))]
            if _surely_above(pair[1] - pair[0], evidence.alpha / len(rivals))
        ]
        if not better:
            continue
        gap, name, theirs, mine = max(better)
        yield Finding(
            check="reference",
            severity="warning" if names[row] in used else "note",
            sentence=(
                f"humans rate {names[row]} ({mine:.2f}) worse than {len(better)} of "
                f"{len(rivals)} systems, {name} ({theirs:.2f}) above all"
            ),
            remedy="metrics that compare with it punish what is better: use another reference, or none",
            size=gap,
            numbers={"reference": names[row], "better": [n for _, n, _, _ in sorted(better, reverse=True)]},
        )


def _surely_above(differences: FloatArray, alpha: float) -> bool:
    """Whether their mean is above 0, by a one-sided t test."""
    count = len(differences)
    error = float(differences.std(ddof=1)) / count**0.5
    return bool(float(differences.mean()) > float(stats.t.ppf(1 - alpha, count - 1)) * error)


def _any(scores: FloatArray) -> bool:
    return bool((~np.isnan(scores)).any())
