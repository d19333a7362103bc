"""The board as a Markdown or LaTeX table: metrics down, measures across, values with their clusters."""

from __future__ import annotations

import re
from collections.abc import Callable

from metaeval.board import Board, Row
from metaeval.report.names import short_names
from metaeval.report.text import signature_line

_LATEX = {c: f"\\{c}" for c in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def markdown(board: Board) -> str:
    """A GitHub table; the number in brackets is the significance cluster, or the rank without tests."""
    header, rows = _cells(board, _escape_markdown)
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    table = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
    return f"{table}\n\n{_escape_markdown(signature_line(board))}"


def latex(board: Board) -> str:
    """A booktabs table; the number in brackets is the significance cluster, or the rank without tests."""
    header, rows = _cells(board, _escape_latex)
    body = [" & ".join(cells) + r" \\" for cells in rows]
    return "\n".join(
        [
            f"% {signature_line(board)}",
            r"\begin{tabular}{l" + "r" * (len(header) - 1) + "}",
            r"\toprule",
            " & ".join(header) + r" \\",
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def _cells(board: Board, escape: Callable[[str], str]) -> tuple[list[str], list[list[str]]]:
    """Header and rows; metrics in the order of the first measure."""
    by_metric = [{row.metric.key: row for row in table.rows} for table in board.tables]
    header = ["metric", *[escape(str(table.measure)) for table in board.tables]]
    names = short_names(board.tables[0])
    rows = [[escape(names[key]), *[_value(rows[key]) for rows in by_metric]] for key in by_metric[0]]
    return header, rows


def _value(row: Row) -> str:
    if row.value is None:
        return "–"
    return f"{row.value:.3f} ({row.cluster if row.cluster is not None else row.rank})"


def _escape_markdown(text: str) -> str:
    return re.sub(r"([\\|*_`<>\[\]])", r"\\\1", text)


def _escape_latex(text: str) -> str:
    return "".join(_LATEX.get(c, c) for c in text)
