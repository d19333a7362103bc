"""Wide tables: one row for each system and item, a column for each metric.

Columns: ``system``, ``item``, then scores. Human scores are ``human:NAME``, or a column named like a
protocol (mqm, esa, da, ...). Metrics are ``metric:NAME``, and every other column in which each stated
value is a number; ``COMET@refA`` and ``Kiwi@src`` say which reference was used, and are metrics always.
Texts and context go by the names in :mod:`metaeval.io.columns`; any other column without numbers is
context. A column of numbers that is context (a year) is declared: ``item:year``.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import printable
from metaeval.evalset import EvalSet
from metaeval.io.columns import HUMAN_RULE, Layout, is_protocol, layout, split_reference
from metaeval.io.grid import Grid, described
from metaeval.io.registry import Reader
from metaeval.io.tablefile import DELIMITED, SUFFIXES, peek_columns, read_table
from metaeval.io.tabular import MISSING, Table
from metaeval.scores import Scores

ROLES = ("system", "item", "document", "domain", "source", "output", "reference")
REQUIRED = ("system", "item")

_ALMOST_A_NUMBER = r"^[+-]?(\d+,\d+|nan|inf|infinity)$"


def read_wide(path: Path, *, pair: str | None = None) -> EvalSet:
    """The EvalSet that a wide table in a CSV, TSV, JSONL or Parquet file holds.

    The header is looked at first: where the format was not recognised, a file that is no such table at
    all is told so, and not which of its lines is ragged.
    """
    import polars as pl

    if path.suffix.lower() in DELIMITED and (header := peek_columns(path)):
        layout(Table(pl.DataFrame(schema=dict.fromkeys(header, pl.String)), path), ROLES, REQUIRED)
    return wide_evalset(read_table(path), name=path.stem, pair=pair)


def wide_evalset(table: Table, *, name: str = "", pair: str | None = None) -> EvalSet:
    """The EvalSet of a wide table. O(cells)."""
    columns = layout(table, ROLES, REQUIRED)
    grid = Grid.of(table, columns.roles["system"], columns.roles["item"])
    grid.refuse_duplicates(
        grid.cell_of, "the row", "A wide table has one row for each system and item; a column for each rater."
    )
    human, metrics, context = scorer_columns(table, columns)
    if not human and "output" not in columns.roles:  # outputs can be scored; scores alone need people
        shown = ", ".join(printable(column, 40) for column in table.columns[:8])
        raise table.error(f"no column holds human scores; there are: {shown}", remedy=HUMAN_RULE)
    about = described(grid, columns, context, columns.roles.get("reference"))
    return EvalSet(
        systems=grid.systems,
        items=grid.items,
        human=_scores(grid, human),
        metrics=_scores(grid, metrics),
        source=about.source,
        references=about.references,
        outputs=about.outputs,
        item_context=about.item_context,
        system_context=about.system_context,
        name=name,
        pair=pair or "",
    )


def scorer_columns(table: Table, columns: Layout) -> tuple[dict[str, str], dict[str, str], tuple[str, ...]]:
    """Which columns hold human scores and which metric scores (column -> name), and which are context."""
    human = {c: name for c, (prefix, name) in columns.declared.items() if prefix == "human"}
    metrics = {c: name for c, (prefix, name) in columns.declared.items() if prefix == "metric"}
    context = []
    for column in columns.others:
        if is_protocol(column):
            human[column] = column.strip()
        elif split_reference(column)[1] or is_numeric(table, column):
            metrics[column] = column.strip()
        else:
            context.append(column)
    return human, metrics, tuple(context)


def is_numeric(table: Table, column: str) -> bool:
    """Whether an undeclared column holds numbers; an error where it holds some numbers and some text."""
    series = table.frame[column]
    if not series.dtype.is_numeric():
        texts = table.texts(column).str.strip_chars(" ")
        stated = (~(texts.is_null() | texts.is_in(list(MISSING))).fill_null(True)).to_numpy()
        values, good = table.parsed(column)
    else:
        values, good = table.parsed(column)
        stated = ~np.isnan(values)
    if not stated.any():
        raise table.error(
            f"column {column!r} is empty, so that nobody knows what it is",
            remedy=f"Leave it out, or call it metric:{column} or item:{column}.",
        )
    numbers = stated & good
    if numbers.any() and not good.all():
        number, text = int(np.argmax(numbers)), int(np.argmin(good))
        raise table.error(
            f"column {column!r} holds a number on {table.place(number)} and none here",
            row=text,
            shows=table.show(column, text),
            remedy=f"Leave a missing score empty; a column of context is called item:{column}.",
        )
    if not numbers.any() and not series.dtype.is_numeric():
        _refuse_almost_numbers(table, column, stated)
    return bool(numbers.any())


def _refuse_almost_numbers(table: Table, column: str, stated: NDArray[np.bool_]) -> None:
    """An error where a column can only have been meant as scores, lest they pass for context."""
    texts = table.texts(column).str.strip_chars(" ").str.to_lowercase()
    if texts.filter(stated).str.contains(_ALMOST_A_NUMBER).all():
        row = int(np.argmax(stated))
        raise table.error(
            f"column {column!r} holds no number that can be read",
            row=row,
            shows=table.show(column, row),
            remedy="Write 0.5 for 0,5, and leave a missing score empty; "
            f"a column of context is called item:{column}.",
        )


def _scores(grid: Grid, columns: dict[str, str]) -> dict[str, Scores]:
    found: dict[str, Scores] = {}
    for column, named in columns.items():
        name, reference = split_reference(named)
        scores = Scores(name, reference, grid.matrix(grid.table.numbers(column)))
        if scores.key in found:
            raise grid.table.error(f"two columns are called {printable(scores.key)!r}", remedy="Rename one.")
        found[scores.key] = scores
    return found


def _sniff(path: Path) -> bool:
    """Any table that no other reader knows, a broken one too: it is then said what is wrong with it."""
    return path.suffix.lower() in SUFFIXES and path.is_file()


READER = Reader(
    name="wide",
    about="a table with a row for each system and item, and a column for each metric",
    sniff=_sniff,
    read=read_wide,
    order=90,
)
