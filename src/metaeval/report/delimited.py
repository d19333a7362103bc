"""The board as CSV for spreadsheets, with text cells that no spreadsheet takes for a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence

from metaeval.board import Board
from metaeval.errors import visible
from metaeval.report.structured import as_dict

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def render(board: Board) -> str:
    """One line a result, the columns of the JSON; an empty cell is a value that does not exist."""
    return csv_table(as_dict(board)["results"])


def csv_table(results: Sequence[Mapping[str, object]]) -> str:
    """Rows with the same keys as CSV.

    >>> print(csv_table([{"metric": "=A", "value": None}]))
    metric,value
    '=A,
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(results[0])
    for result in results:
        writer.writerow([harmless(value) for value in result.values()])
    return out.getvalue().rstrip("\n")


def harmless(value: object) -> object:
    """Text that begins like a formula gets an apostrophe in front; numbers stay as they are.

    >>> harmless("=1+1"), harmless(-0.5), harmless(None)
    ("'=1+1", -0.5, None)
    """
    if not isinstance(value, str):
        return value
    return visible(f"'{value}" if value.startswith(_FORMULA_STARTS) else value)
