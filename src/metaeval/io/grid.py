"""From rows to systems x items: codes for ids, duplicates, and texts that must agree between rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metaeval.errors import printable
from metaeval.evalset import Texts
from metaeval.io.columns import Layout, fold
from metaeval.io.tabular import IntArray, Table
from metaeval.scores import FloatArray

if TYPE_CHECKING:
    import polars as pl

MAX_SPARSE_CELLS = 50_000_000
"""A larger matrix is refused where less than one cell in 200 is given: some id column is wrong."""


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """Which system and which item each row of a table is about; ids in order of first appearance."""

    table: Table
    systems: tuple[str, ...]
    items: tuple[str, ...]
    system_of: IntArray
    item_of: IntArray

    @classmethod
    def of(cls, table: Table, system: str, item: str) -> Grid:
        """The grid that two id columns span. O(rows)."""
        systems, system_of = codes(table.ids(system))
        items, item_of = codes(table.ids(item))
        grid = cls(table, systems, items, system_of, item_of)
        grid.refuse_sparse(1, f"Are {system!r} and {item!r} the id columns?")
        return grid

    def refuse_sparse(self, scorers: int, remedy: str) -> None:
        """An error before a wrong id column asks for a huge matrix with next to nothing in it."""
        rows, cells = self.table.frame.height, scorers * len(self.systems) * len(self.items)
        if cells > MAX_SPARSE_CELLS and rows * 200 < cells:
            named = f"{len(self.systems):,} systems and {len(self.items):,} items"
            named += f" and {scorers:,} scorers" if scorers > 1 else ""
            raise self.table.error(f"{rows:,} rows name {named}", remedy=remedy)

    @property
    def cell_of(self) -> IntArray:
        return self.system_of * len(self.items) + self.item_of

    def matrix(self, values: FloatArray, rows: IntArray | None = None) -> FloatArray:
        """Scores of rows as systems x items, NaN where no row speaks."""
        out = np.full((len(self.systems), len(self.items)), np.nan)
        chosen: slice | IntArray = slice(None) if rows is None else rows
        out[self.system_of[chosen], self.item_of[chosen]] = values[chosen]
        return out

    def refuse_duplicates(self, keys: IntArray, what: str, remedy: str) -> None:
        """An error with both places where two rows have the same key. O(rows log rows)."""
        order = np.argsort(keys, kind="stable")
        again = np.flatnonzero(keys[order][1:] == keys[order][:-1])
        if len(again):
            at = again[np.argmin(order[again + 1])]
            first, second = int(order[at]), int(order[at + 1])
            system, item = self.systems[self.system_of[second]], self.items[self.item_of[second]]
            raise self.table.error(
                f"{what} of system {printable(system)!r} and item {printable(item)!r} "
                f"is there twice, first on {self.table.place(first)}",
                row=second,
                remedy=remedy,
            )

    def item_texts(self, column: str, what: str) -> Texts:
        """A column that says one thing of each item. An empty cell says nothing."""
        return self._agreed(column, self.item_of, len(self.items), what, "item")

    def system_texts(self, column: str, what: str) -> Texts:
        return self._agreed(column, self.system_of, len(self.systems), what, "system")

    def outputs(self, column: str) -> dict[str, Texts]:
        """One text for each system and item; systems without any are left out."""
        n = len(self.items)
        cells = self._agreed(column, self.cell_of, len(self.systems) * n, "output", "system and item")
        by_system = {system: cells[i * n : (i + 1) * n] for i, system in enumerate(self.systems)}
        return {system: texts for system, texts in by_system.items() if any(t is not None for t in texts)}

    def context(self, column: str, into_items: dict[str, Texts], into_systems: dict[str, Texts]) -> None:
        """Puts a column where it belongs: it is constant for each item, or else for each system."""
        labels, of_row = codes(self.table.texts(column))
        item_values, item_clash = _first_of_group(of_row, self.item_of, len(self.items))
        if item_clash is None:
            into_items[column] = _labelled(labels, item_values)
            return
        system_values, system_clash = _first_of_group(of_row, self.system_of, len(self.systems))
        if system_clash is None:
            into_systems[column] = _labelled(labels, system_values)
            return
        item = self.items[self.item_of[item_clash]]
        raise self.table.error(
            f"column {column!r} is neither constant for each item nor for each system: "
            f"item {printable(item)!r} has another value before",
            row=item_clash,
            shows=self.table.show(column, item_clash),
            remedy="Leave the column out, or call it output, source, reference:NAME if it holds texts.",
        )

    def _agreed(self, column: str, group_of: IntArray, groups: int, what: str, of: str) -> Texts:
        labels, of_row = codes(self.table.texts(column))
        values, clash = _first_of_group(of_row, group_of, groups)
        if clash is not None:
            raise self.table.error(
                f"the {what} differs from an earlier row of the same {of}",
                row=clash,
                shows=self.table.show(column, clash),
                remedy=f"Column {column!r} must say one thing for each {of}.",
            )
        return _labelled(labels, values)


@dataclass(frozen=True, slots=True)
class Described:
    """The parts of an EvalSet that are not scores."""

    source: Texts | None
    references: Mapping[str, Texts]
    outputs: Mapping[str, Texts]
    item_context: Mapping[str, Texts]
    system_context: Mapping[str, Texts]


def described(
    grid: Grid, columns: Layout, context: tuple[str, ...], reference: str | None = None
) -> Described:
    """Texts and contexts of a long or wide table.

    Args:
        grid: the rows.
        columns: their columns.
        context: the columns to be looked at.
        reference: the column of the only reference, which is then called ``ref``.
    """
    items: dict[str, Texts] = {}
    systems: dict[str, Texts] = {}
    references: dict[str, Texts] = {}
    if reference is not None:
        references["ref"] = grid.item_texts(reference, "reference")
    for role in ("document", "domain"):
        if role in columns.roles:
            items[role] = grid.item_texts(columns.roles[role], role)
    for column in context:
        grid.context(column, items, systems)
    for column, (prefix, name) in columns.declared.items():
        into = {"item": items, "system": systems, "reference": references}.get(prefix)
        if into is None:
            continue
        if name in into:
            raise grid.table.error(f"two columns are the {prefix} column {name!r}", remedy="Rename one.")
        texts = grid.system_texts if prefix == "system" else grid.item_texts
        into[name] = texts(column, f"{prefix} column {fold(name)!r}")
    source, output = columns.roles.get("source"), columns.roles.get("output")
    return Described(
        source=grid.item_texts(source, "source") if source else None,
        references=references,
        outputs=grid.outputs(output) if output else {},
        item_context=items,
        system_context=systems,
    )


def codes(values: pl.Series) -> tuple[tuple[str, ...], IntArray]:
    """Distinct texts in order of first appearance, and the number of each row's text (-1: null).

    >>> import polars as pl
    >>> codes(pl.Series(["b", "a", None, "b"]))
    (('b', 'a'), array([ 0,  1, -1,  0]))
    """
    import polars as pl

    labels = values.drop_nulls().unique(maintain_order=True)
    numbers = values.cast(pl.Enum(labels)).to_physical().cast(pl.Int64).fill_null(-1)
    return tuple(labels.to_list()), numbers.to_numpy()


def _first_of_group(of_row: IntArray, group_of: IntArray, groups: int) -> tuple[IntArray, int | None]:
    """The first stated value of each group, and the first row that states another."""
    stated = np.flatnonzero(of_row >= 0)
    first = np.full(groups, -1, dtype=np.int64)
    first[group_of[stated][::-1]] = of_row[stated][::-1]
    clash = stated[of_row[stated] != first[group_of[stated]]]
    return first, int(clash[0]) if len(clash) else None


def _labelled(labels: tuple[str, ...], values: IntArray) -> Texts:
    return tuple([labels[v] if v >= 0 else None for v in values.tolist()])
