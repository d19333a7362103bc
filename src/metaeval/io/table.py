"""Long tables: one row for each system, item and scorer.

Columns: ``system``, ``item``, ``scorer``, ``score``; ``kind`` (human or metric) and ``reference`` (what
the metric used: refA, src) may be absent. Without ``kind`` the scorer's name says it (``human:NAME``, mqm,
esa, da, ...), and without ``reference`` it may say that too (``COMET@refA``).

Texts and context go by the names in :mod:`metaeval.io.columns`; any further column is context of the
items where it is constant for each item, else of the systems where it is constant for each of those. An
empty text or context cell says nothing, so it is enough to say it on one row of an item.

Items, systems and scorers keep the order of first appearance.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from metaeval.errors import choices, printable
from metaeval.evalset import EvalSet
from metaeval.io.columns import HUMAN_RULE, Layout, has_roles, is_protocol, layout, split_reference
from metaeval.io.grid import Grid, codes, described
from metaeval.io.registry import Reader
from metaeval.io.tablefile import peek_columns, read_table
from metaeval.io.tabular import IntArray, Table
from metaeval.scores import Scores

ROLES = (
    "system", "item", "scorer", "kind", "score", "reference", "document", "domain", "source", "output",
)  # fmt: skip
REQUIRED = ("system", "item", "scorer", "score")
KINDS = ("human", "metric")


def read_long(path: Path, *, pair: str | None = None) -> EvalSet:
    """The EvalSet that a long table in a CSV, TSV, JSONL or Parquet file holds."""
    return long_evalset(read_table(path), name=path.stem, pair=pair)


def long_evalset(table: Table, *, name: str = "", pair: str | None = None) -> EvalSet:
    """The EvalSet of a long table. O(rows log rows) for the check of duplicates."""
    columns = layout(table, ROLES, REQUIRED)
    for column, (prefix, _) in columns.declared.items():
        if prefix in KINDS:
            raise table.error(
                f"column {column!r} belongs to a wide table; a long one names scorers in its rows",
                remedy=f"Leave out {columns.roles['scorer']!r}, or this column.",
            )
    grid = Grid.of(table, columns.roles["system"], columns.roles["item"])
    scorers = _scorers(grid, columns)
    about = described(grid, columns, columns.others)
    return EvalSet(
        systems=grid.systems,
        items=grid.items,
        human={s.key: s for s in scorers["human"]},
        metrics={s.key: s for s in scorers["metric"]},
        source=about.source,
        references=about.references,
        outputs=about.outputs,
        item_context=about.item_context,
        system_context=about.system_context,
        name=name,
        pair=pair or "",
    )


def _scorers(grid: Grid, columns: Layout) -> dict[str, list[Scores]]:
    """The scores of every scorer, by kind."""
    table = grid.table
    names, name_of = codes(table.ids(columns.roles["scorer"]))
    kind_of = _kinds(table, columns, names, name_of)
    references, reference_of = _references(table, columns)
    values = table.numbers(columns.roles["score"])
    width = len(references) + 1
    present, number_of = np.unique((name_of * 2 + kind_of) * width + reference_of + 1, return_inverse=True)
    grid.refuse_sparse(len(present), f"Is {columns.roles['scorer']!r} the column of scorers?")
    grid.refuse_duplicates(
        number_of * (len(grid.systems) * len(grid.items)) + grid.cell_of,
        "the score of a scorer",
        "A scorer gives one score to each system and item; name raters as scorers of their own.",
    )
    ends = np.cumsum(np.bincount(number_of))[:-1]
    rows_of = np.split(np.argsort(number_of, kind="stable"), ends)
    found: dict[str, dict[str, Scores]] = {kind: {} for kind in KINDS}
    for code, rows in sorted(zip(present.tolist(), rows_of, strict=True), key=lambda pair: int(pair[1][0])):
        label, reference = names[code // width // 2], code % width
        name, used = _named(label, columns)
        if reference:
            used = references[reference - 1]
        scores = Scores(name, used, grid.matrix(values, rows))
        into = found[KINDS[code // width % 2]]
        if scores.key in into:
            raise table.error(
                f"two scorers are called {printable(scores.key)!r}", row=int(rows[0]), remedy="Rename one."
            )
        into[scores.key] = scores
    return {kind: list(by_key.values()) for kind, by_key in found.items()}


def _named(label: str, columns: Layout) -> tuple[str, str | None]:
    """A scorer's name and reference. What a column says, the name need not: it is then taken as it is."""
    if "kind" not in columns.roles:
        prefix, _, rest = label.partition(":")
        label = rest.strip() if prefix in KINDS and rest.strip() else label
    return (label, None) if "reference" in columns.roles else split_reference(label)


def _kinds(table: Table, columns: Layout, names: tuple[str, ...], name_of: IntArray) -> IntArray:
    """0 for human and 1 for metric, a row."""
    column = columns.roles.get("kind")
    if column is None:
        human = [name.startswith("human:") or is_protocol(name) for name in names]
        if not any(human):
            raise table.error(
                f"column {columns.roles['scorer']!r} names no human scores, and there is no kind column",
                remedy=f"Add a column kind (human or metric). {HUMAN_RULE}",
            )
        return np.where(human, 0, 1)[name_of].astype(np.int64)
    kinds, kind_of = codes(table.ids(column))
    known = np.array(
        [KINDS.index(kind.strip().lower()) if kind.strip().lower() in KINDS else -1 for kind in kinds]
    )
    of_row = known[kind_of].astype(np.int64)
    if (of_row < 0).any():
        row = int(np.argmax(of_row < 0))
        raise table.error(
            f"found the kind {printable(kinds[kind_of[row]])!r}, expected human or metric",
            row=row,
            remedy=choices(kinds[kind_of[row]], KINDS),
        )
    return of_row


def _references(table: Table, columns: Layout) -> tuple[tuple[str, ...], IntArray]:
    """The names of references, and each row's (-1: not stated)."""
    column = columns.roles.get("reference")
    if column is None:
        return (), np.full(table.frame.height, -1, dtype=np.int64)
    texts = table.texts(column)
    names, reference_of = codes(texts.set(texts == "", None))
    for number, name in enumerate(names):
        if any(c.isspace() for c in name):
            raise table.error(
                f"column {column!r} names the reference that a metric used (refA, src), and holds a text",
                row=int(np.argmax(reference_of == number)),
                shows=name,
                remedy="If it holds the reference texts, call it reference:refA.",
            )
    return names, reference_of


def _sniff(path: Path) -> bool:
    return has_roles(peek_columns(path), REQUIRED)


READER = Reader(
    name="long",
    about="a table with a row for each system, item and scorer",
    sniff=_sniff,
    read=read_long,
    order=70,
)
