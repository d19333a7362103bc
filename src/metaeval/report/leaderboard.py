"""A leaderboard to read: the average first, then the tasks side by side."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from metaeval.errors import InputError, choices, printable
from metaeval.leaderboard.run import Leaderboard, Standing, Table
from metaeval.report.delimited import csv_table
from metaeval.report.document import latex_table, markdown_table
from metaeval.report.text_table import Column, lay_out

ACROSS = 6
"""Tasks side by side on a screen; further ones come in a table below."""


def render(board: Leaderboard, format: str) -> str:
    """The leaderboard as text in one of ``FORMATS``, without a trailing newline."""
    if format not in FORMATS:
        raise InputError(f"there is no format {format!r}", remedy=choices(format, FORMATS))
    return FORMATS[format](board)


def as_text(board: Leaderboard) -> str:
    """The average with intervals and clusters, each task's values, the notes, and the signature."""
    head = f"  {printable(board.name)}: average of {len(board.tasks)} tasks"
    parts = [f"{head}\n\n{_average(board)}", *_tasks(board), _legend(board)]
    parts += ["\n".join(f"  ! {printable(note, 1000)}" for note in board.notes)] if board.notes else []
    return "\n\n".join([*parts, "  " + signature_line(board)])


def signature_line(board: Leaderboard) -> str:
    """What the numbers rest on, on one line."""
    s: Any = board.signature
    data = ", ".join(f"{label} {about['data']}" for label, about in s["sets"].items())
    parts = [f"metaeval {s['version']}", board.name, f"data {data}"]
    parts += [f"{s['test']}, {s['draws']} draws, seed {s['seed']}"] if s["test"] != "none" else []
    return printable(" | ".join(parts), limit=800)


def as_dict(board: Leaderboard) -> dict[str, Any]:
    """Plain values only; what does not exist is None. The average is the task called ``average``."""
    tables = (board.average, *board.tasks)
    return {
        "signature": dict(board.signature),
        "tasks": [_about_task(table) for table in board.tasks],
        "results": [_result(board, table, standing) for table in tables for standing in table.standings],
        "comparisons": [
            {
                "task": table.title,
                "measure": _measure(table),
                "better": str(duel.better),
                "worse": str(duel.worse),
                "delta": duel.delta,
                "p": duel.p,
            }
            for table in tables
            for duel in table.duels
        ],
        "notes": list(board.notes),
    }


def as_json(board: Leaderboard) -> str:
    return json.dumps(as_dict(board), indent=1, ensure_ascii=False, allow_nan=False)


def as_csv(board: Leaderboard) -> str:
    """One line a metric and task, the columns of the JSON."""
    return csv_table(as_dict(board)["results"])


def as_markdown(board: Leaderboard) -> str:
    """Metrics down; the average, then the tasks across; the cluster, or the rank, in brackets."""
    return markdown_table(*_cells(board), signature_line(board))


def as_latex(board: Leaderboard) -> str:
    """The same with booktabs."""
    return latex_table(*_cells(board), signature_line(board))


FORMATS: dict[str, Callable[[Leaderboard], str]] = {
    "text": as_text,
    "json": as_json,
    "csv": as_csv,
    "markdown": as_markdown,
    "latex": as_latex,
}


def _average(board: Leaderboard) -> str:
    rows = board.average.standings
    columns = [
        Column("rank", ["–" if row.rank is None else str(row.rank) for row in rows], "right"),
        Column("metric", [printable(str(row.metric), 60) for row in rows]),
    ]
    if board.with_borda:
        columns.append(Column("Borda", [_decimal(row.borda) for row in rows], "right"))
    columns.append(Column("average", [_decimal(row.value) for row in rows], "right"))
    if any(row.interval for row in rows):
        level = f"{1 - float(str(board.signature['alpha'])):.0%}"
        columns.append(Column(f"{level} interval", [_interval(row) for row in rows], "right"))
    if any(row.cluster is not None for row in rows):
        shown = ["–" if row.cluster is None else str(row.cluster) for row in rows]
        columns += [Column("cluster", shown, "right"), Column("", [row.letters for row in rows])]
    return lay_out(columns)


def _tasks(board: Leaderboard) -> list[str]:
    """What the tasks are, then their values, a few tasks at a time."""
    numbers = [f"({n})" for n in range(1, len(board.tasks) + 1)]
    listing = lay_out(
        [
            Column("task", numbers, "right"),
            Column("weight", [f"{table.share:.3f}" for table in board.tasks], "right"),
            Column("measure", [_measure(table) for table in board.tasks]),
            Column("on", [_sets(table) for table in board.tasks]),
        ]
    )
    order = _order(board)
    blocks = []
    for start in range(0, len(board.tasks), ACROSS):
        some = board.tasks[start : start + ACROSS]
        columns = [Column("metric", [printable(str(metric), 60) for metric in order])]
        for number, table in zip(numbers[start:], some, strict=False):
            known = table.by_metric()
            columns.append(Column(number, [_in_cell(known.get(metric)) for metric in order], "right"))
        blocks.append(lay_out(columns))
    return [listing, *blocks]


def _legend(board: Leaderboard) -> str:
    s = board.signature
    lines = ["averages are of values mapped to [0, 1]: a correlation r counts as (1 + r) / 2"]
    if s["test"] != "none":
        how = f"{str(s['test']).upper()}, {s['draws']} draws, alpha {s['alpha']}"
        lines.append(f"metrics that share a letter do not differ ({how}); in brackets, clusters")
    else:
        lines.append("in brackets, ranks")
    if any(metric.reference_free for metric in _order(board)):
        lines.append("* needs no reference")
    return "\n".join(f"  {line}" for line in lines)


def _order(board: Leaderboard) -> list[Any]:
    """Averaged metrics in order, then those of single tasks."""
    found = [row.metric for table in (board.average, *board.tasks) for row in table.standings]
    return list(dict.fromkeys(found))


def _cells(board: Leaderboard) -> tuple[list[str], list[list[str]]]:
    tables = [board.average, *board.tasks]
    known = [table.by_metric() for table in tables]
    borda: list[list[str]] = [[] for _ in _order(board)]
    header = ["metric", *[table.title for table in tables]]
    if board.with_borda:
        header.insert(1, "Borda")
        counts = {row.metric: row.borda for row in board.average.standings}
        borda = [[_decimal(counts.get(metric))] for metric in _order(board)]
    rows = [
        [str(metric), *count, *[_in_cell(standings.get(metric)) for standings in known]]
        for metric, count in zip(_order(board), borda, strict=True)
    ]
    return header, rows


def _about_task(table: Table) -> dict[str, Any]:
    return {
        "task": table.title,
        "measure": _measure(table),
        "sets": list(table.task.sets) if table.task else [],
        "weight": table.share,
    }


def _result(board: Leaderboard, table: Table, row: Standing) -> dict[str, Any]:
    low, high = row.interval if row.interval is not None else (None, None)
    return {
        "task": table.title,
        "measure": _measure(table),
        "metric": row.metric.name,
        "reference_free": row.metric.reference_free,
        "value": row.value,
        "rank": row.rank,
        "cluster": row.cluster,
        "letters": row.letters,
        "ci_low": low,
        "ci_high": high,
        "borda": row.borda,
        "weight": table.share,
    }


def _measure(table: Table) -> str:
    return str(table.task.measure) if table.task else "average"


def _sets(table: Table) -> str:
    sets: Sequence[str] = table.task.sets if table.task else ()
    return printable(", ".join(sets), 80) + (" pooled" if len(sets) > 1 else "")


def _in_cell(row: Standing | None) -> str:
    if row is None or row.value is None:
        return "–"
    place = row.cluster if row.cluster is not None else row.rank
    return f"{row.value:.3f} ({place})"


def _decimal(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _interval(row: Standing) -> str:
    return "–" if row.interval is None else f"{row.interval[0]:.3f}  {row.interval[1]:.3f}"
