"""How metrics are called on a page: short where that is clear, marked where they read no reference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from metaeval.board import Table

REFERENCE_FREE_MARK = " *"


def short_names(table: Table) -> Mapping[str, str]:
    """Metric key to display name: ``BLEU`` for BLEU-refA, unless two variants share the name."""
    seen = Counter(row.metric.name for row in table.rows)
    return {
        row.metric.key: (row.metric.name if seen[row.metric.name] == 1 else row.metric.key)
        + (REFERENCE_FREE_MARK if row.metric.reference_free else "")
        for row in table.rows
    }
