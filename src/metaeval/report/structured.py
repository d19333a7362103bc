"""The board as JSON: the contract for programs. What does not exist is null."""

from __future__ import annotations

import json
from typing import Any

from metaeval.board import Board, Row, Table


def as_dict(board: Board) -> dict[str, Any]:
    """Plain values only; see the contract for the fields."""
    return {
        "signature": dict(board.signature),
        "results": [_result(table, row) for table in board.tables for row in table.rows],
        "comparisons": [
            {"measure": c.measure, "better": c.better, "worse": c.worse, "delta": c.delta, "p": c.p}
            for table in board.tables
            for c in table.comparisons
        ],
        "notes": list(board.notes),
    }


def render(board: Board) -> str:
    return json.dumps(as_dict(board), indent=1, ensure_ascii=False, allow_nan=False)


def _result(table: Table, row: Row) -> dict[str, Any]:
    low, high = row.interval if row.interval is not None else (None, None)
    return {
        "measure": row.measure,
        "metric": row.metric.key,
        "name": row.metric.name,
        "reference": row.metric.reference,
        "value": row.value,
        "rank": row.rank,
        "cluster": row.cluster,
        "letters": row.letters,
        "ci_low": low,
        "ci_high": high,
        "epsilon": row.outcome.epsilon,
        "groups_used": row.outcome.groups_used,
        "groups_undefined": row.outcome.groups_undefined,
        "systems": table.systems,
        "items": table.items,
    }
