"""The board as a Markdown or LaTeX table: metrics down, measures across, values with their clusters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from metaeval.board import Board, Row
from metaeval.errors import printable
from metaeval.report.names import short_names
from metaeval.report.text import signature_line

_LATEX = {c: f"\\{c}" for c in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def markdown(board: Board) -> str:
    """A GitHub table; the number in brackets is the significance cluster, or the rank without tests."""
    return markdown_table(*_cells(board), signature_line(board))


def latex(board: Board) -> str:
    """A booktabs table; the number in brackets is the significance cluster, or the rank without tests."""
    return latex_table(*_cells(board), signature_line(board))


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]], signature: str) -> str:
    """Cells of plain text as a GitHub table: the first column to the left, the others to the right.

    >>> print(markdown_table(["metric", "value"], [["a_b", "0.5"]], "draws: 10"))
    | metric | value |
    | --- | ---: |
    | a\\_b | 0.5 |
    <BLANKLINE>
    draws: 10
    """
    escaped = [[_escape_markdown(cell) for cell in cells] for cells in (header, *rows)]
    lines = [escaped[0], ["---", *["---:"] * (len(header) - 1)], *escaped[1:]]
    table = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
    return f"{table}\n\n{_escape_markdown(signature)}"


def latex_table(header: Sequence[str], rows: Iterable[Sequence[str]], signature: str) -> str:
    """Cells of plain text as a booktabs table, the signature as a comment."""
    head, *body = (" & ".join(map(_escape_latex, cells)) + r" \\" for cells in (header, *rows))
    return "\n".join(
        [
            f"% {signature}",
            r"\begin{tabular}{l" + "r" * (len(header) - 1) + "}",
            r"\toprule",
            head,
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def _cells(board: Board) -> tuple[list[str], list[list[str]]]:
    """Header and rows; metrics in the order of the first measure."""
    by_metric = [{row.metric.key: row for row in table.rows} for table in board.tables]
    header = ["metric", *[str(table.measure) for table in board.tables]]
    names = short_names(board.tables[0])
    rows = [[names[key], *[_value(rows[key]) for rows in by_metric]] for key in by_metric[0]]
    return header, rows


def _value(row: Row) -> str:
    if row.value is None:
        return "–"
    return f"{row.value:.3f} ({row.cluster if row.cluster is not None else row.rank})"


def _escape_markdown(text: str) -> str:
    return re.sub(r"([\\|*_`<>\[\]])", r"\\\1", printable(text, limit=300))


def _escape_latex(text: str) -> str:
    return "".join(_LATEX.get(c, c) for c in printable(text, limit=300))
