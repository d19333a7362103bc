"""Are metrics averaged over different groups, because a statistic does not exist in some?"""

from __future__ import annotations

from collections.abc import Iterator

from metaeval.probes.audit.evidence import Evidence
from metaeval.probes.audit.finding import Finding, check
from metaeval.probes.sentinel.base import is_sentinel

LEAST = 0.05
"""Share of the groups that a metric must lack beyond what every metric lacks, or every metric."""


@check("dropped", "groups that some statistic leaves out for one metric and not for another")
def dropped(evidence: Evidence) -> Iterator[Finding]:
    for table in evidence.segment_tables("item", "system"):
        rows = [row for row in table.rows if not is_sentinel(row.metric) and row.value is not None]
        if not rows:
            continue
        total = rows[0].outcome.groups_used + rows[0].outcome.groups_undefined
        least = min(row.outcome.groups_undefined for row in rows)
        worst = max(rows, key=lambda row: row.outcome.groups_undefined)
        lost = worst.outcome.groups_undefined - least
        if lost < LEAST * total:
            if least >= LEAST * total:
                yield _for_all(str(table.measure), least, total)
            continue
        yield Finding(
            check="dropped",
            severity="serious" if lost > 0.25 * total else "warning",
            sentence=(
                f"{table.measure} leaves out {worst.outcome.groups_undefined:,} of {total:,} groups for "
                f"{worst.metric.name} and {least:,} for others, so they are compared on different data"
            ),
            remedy="rank with --common-groups, or with acc_eq, which always exists",
            size=lost / total,
            numbers={
                "measure": str(table.measure),
                "metric": worst.metric.key,
                "undefined": worst.outcome.groups_undefined,
                "least": least,
                "groups": total,
            },
        )


def _for_all(measure: str, undefined: int, total: int) -> Finding:
    """Nobody is favoured; but what the humans tie throughout counts for nothing."""
    return Finding(
        check="dropped",
        severity="note",
        sentence=(
            f"{measure} leaves out {undefined:,} of {total:,} groups for every metric: there the humans tie "
            "all outputs, or there is nothing to compare"
        ),
        remedy="rank with acc_eq too, which counts ties",
        size=undefined / total,
        numbers={"measure": measure, "undefined": undefined, "least": undefined, "groups": total},
    )
