"""The board as a screen: the answer, then the numbers, aligned, with nothing that a pipe cannot use."""

from __future__ import annotations

from metaeval.board import Board, Row, Table
from metaeval.errors import printable, visible
from metaeval.measures.base import SegmentMeasure
from metaeval.report.names import short_names
from metaeval.report.text_table import Column, lay_out


def render(board: Board) -> str:
    """Every measure's table, the notes, and the signature."""
    parts = [_table(board, table) for table in board.tables]
    notes = [f"  ! {visible(note)}" for note in board.notes]
    return "\n\n".join([*parts, *(["\n".join(notes)] if notes else []), "  " + signature_line(board)])


def signature_line(board: Board) -> str:
    """What the numbers rest on, on one line."""
    s = board.signature
    parts = [f"metaeval {s['version']}", f"data {s['data']}", f"human {s['human']}"]
    parts += [f"reference {s['reference']}"] if s["reference"] else []
    parts += [f"{s['test']}, {s['draws']} draws, seed {s['seed']}"] if s["test"] != "none" else []
    return printable(" | ".join(parts), limit=300)


def _table(board: Board, table: Table) -> str:
    names = short_names(table)
    tested = any(row.cluster is not None for row in table.rows)
    columns = [
        Column("rank", [_integer(row.rank) for row in table.rows], "right"),
        Column("metric", [printable(names[row.metric.key], 60) for row in table.rows]),
        Column("value", [_decimal(row.value) for row in table.rows], "right"),
    ]
    if any(row.interval for row in table.rows):
        level = f"{1 - float(str(board.signature['alpha'])):.0%}"
        columns.append(Column(f"{level} interval", [_interval(row) for row in table.rows], "right"))
    if any(row.outcome.epsilon for row in table.rows):
        columns.append(Column("epsilon", [_epsilon(row.outcome.epsilon) for row in table.rows], "right"))
    if any(row.outcome.groups_undefined for row in table.rows):
        used = [f"{row.outcome.groups_used:,}" for row in table.rows]
        columns.append(Column("groups", used, "right"))
    if tested:
        columns.append(Column("cluster", [_integer(row.cluster) for row in table.rows], "right"))
        columns.append(Column("", [row.letters for row in table.rows]))
    head = f"  {table.measure}"
    return "\n".join(
        [f"{head:<38}  {_about(board, table)}", "", lay_out(columns), *_legend(board, table, tested)]
    )


def _about(board: Board, table: Table) -> str:
    human = printable(str(board.signature["human"]), 60)
    about = f"{table.items:,} items, {table.systems} systems, human: {human}"
    if isinstance(table.measure, SegmentMeasure) and table.tied is not None:
        about += f" ({table.tied:.0%} of pairs tied)"
    return about


def _legend(board: Board, table: Table, tested: bool) -> list[str]:
    said = []
    if tested:
        s = board.signature
        how = "every permutation" if table.exact else f"{s['draws']} draws"
        said.append(
            f"metrics that share a letter do not differ ({str(s['test']).upper()}, {how}, alpha {s['alpha']})"
        )
    if table.parted:
        pairs = "1 pair" if table.parted == 1 else f"{table.parted} pairs"
        said.append(f"the clusters part {pairs} of metrics that do not differ; the letters part none")
    if any(row.metric.reference_free for row in table.rows):
        said.append("* needs no reference")
    return ["", *(f"  {line}" for line in said)] if said else []


def _epsilon(value: float | None) -> str:
    return "–" if value is None else f"{value:.3g}"


def _integer(value: int | None) -> str:
    return "–" if value is None else str(value)


def _decimal(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _interval(row: Row) -> str:
    return "–" if row.interval is None else f"{row.interval[0]:.3f}  {row.interval[1]:.3f}"
