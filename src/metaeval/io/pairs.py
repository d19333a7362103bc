"""Preference pairs: two outputs for one item, who won, and what the metrics said of both.

Columns: ``item``, ``winner``, and ``NAME_a`` with ``NAME_b`` for each metric (``COMET@refA_a`` says the
reference). Optional: ``system_a``, ``system_b`` (default A and B), ``output_a``, ``output_b``, ``source``,
``reference:NAME``, ``document``, ``domain``; any further column is context of the pair.

The winner is ``a``, ``b`` or ``tie``, the name of one of the two systems, or a number: 1 (a won), 0 (b
won), 0.5 (tie), or else 1 (a won), 2 (b won), 0 (tie). Which of the two is meant shows in a 0.5 or a 2
somewhere in the column; 0 and 1 alone are refused, since 0 might as well be the first of two.

Each row becomes an item of its own in which only its two systems have scores: human protocol
``preference`` with 1 for the winner, 0 for the loser, 0.5 each for a tie. ``acc_eq@item`` is then the
preference accuracy. Its id is the item's; the second pair of an item is ``item#2``, and the context
column ``item`` keeps the original id.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from metaeval.errors import printable
from metaeval.evalset import EvalSet, Texts
from metaeval.io.columns import Layout, fold, has_roles, is_protocol, layout, split_reference
from metaeval.io.grid import MAX_SPARSE_CELLS, codes
from metaeval.io.registry import Reader
from metaeval.io.tablefile import peek_columns, read_table
from metaeval.io.tabular import IntArray, Table
from metaeval.scores import FloatArray, Scores

ROLES = (
    "item", "winner", "system_a", "system_b", "output_a", "output_b", "document", "domain", "source",
    "reference",
)  # fmt: skip
REQUIRED = ("item", "winner")

TIES = ("tie", "tied", "equal", "same")


def read_pairs(path: Path, *, pair: str | None = None) -> EvalSet:
    """The EvalSet that preference pairs in a CSV, TSV, JSONL or Parquet file hold."""
    return pairs_evalset(read_table(path), name=path.stem, pair=pair)


def pairs_evalset(table: Table, *, name: str = "", pair: str | None = None) -> EvalSet:
    """The EvalSet of a table of pairs. O(rows x systems) memory a scorer."""
    columns = layout(table, ROLES, REQUIRED)
    sides = _Sides.of(table, columns)
    of_a = _preference(table, columns.roles["winner"], sides, named="system_a" in columns.roles)
    scored, context = score_columns(table, columns)
    scores = _scores(table, sides, scored, Scores("preference", segment=sides.matrix(of_a, 1.0 - of_a)))
    references, item_context = _texts_of_items(table, columns, context)
    source = columns.roles.get("source")
    return EvalSet(
        systems=sides.systems,
        items=_numbered(table.ids(columns.roles["item"]).to_list()),
        human=scores[True],
        metrics=scores[False],
        source=tuple(table.texts(source)) if source else None,
        references=references,
        outputs=_outputs(table, columns, sides),
        item_context=item_context,
        name=name,
        pair=pair or "",
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Sides:
    """Which system stands on which side of each row."""

    systems: tuple[str, ...]
    a: IntArray
    b: IntArray

    @classmethod
    def of(cls, table: Table, columns: Layout) -> _Sides:
        rows = table.frame.height
        given = [columns.roles.get(f"system_{side}") for side in "ab"]
        if given[0] is None and given[1] is None:
            return cls(("A", "B"), np.zeros(rows, dtype=np.int64), np.ones(rows, dtype=np.int64))
        if given[0] is None or given[1] is None:
            raise table.error("only one of system_a and system_b is there", remedy="Give both, or none.")
        both = table.ids(given[0]).rename("system").append(table.ids(given[1]).rename("system"))
        systems, of_row = codes(both)
        same = of_row[:rows] == of_row[rows:]
        if same.any():
            row = int(np.argmax(same))
            raise table.error(
                "the same system is on both sides, so that its two outputs cannot be told apart",
                row=row,
                shows=systems[of_row[row]],
                remedy="Name the outputs differently, or leave the system columns out (A and B).",
            )
        if len(systems) * rows > MAX_SPARSE_CELLS and len(systems) > 400:
            raise table.error(
                f"{rows:,} pairs name {len(systems):,} systems", remedy=f"Are {given} the columns of systems?"
            )
        return cls(systems, of_row[:rows], of_row[rows:])

    def matrix(self, of_a: FloatArray, of_b: FloatArray) -> FloatArray:
        """Scores of both sides as systems x rows."""
        out = np.full((len(self.systems), len(self.a)), np.nan)
        out[self.a, np.arange(len(self.a))] = of_a
        out[self.b, np.arange(len(self.b))] = of_b
        return out


def _preference(table: Table, column: str, sides: _Sides, *, named: bool) -> FloatArray:
    """What side a gets in each row: 1, 0 or 0.5; NaN where nobody judged. Side b gets the rest."""
    words = table.texts(column).str.strip_chars(" ").to_list()
    numbers = _number_words({word for word in words if word})
    judged: dict[tuple[str | None, int, int], float | None] = {}
    of_a = np.empty(len(words))
    for row, key in enumerate(zip(words, sides.a.tolist(), sides.b.tolist(), strict=True)):
        if key not in judged:
            names = (sides.systems[key[1]], sides.systems[key[2]]) if named else None
            judged[key] = _share_of_a(key[0], names, numbers)
        share = judged[key]
        if share is None:
            raise table.error(
                "the winner cannot be understood",
                row=row,
                shows=table.show(column, row),
                remedy="Write a, b or tie, or the name of one of the two systems. Numbers: 1, 2 and 0 for a "
                "tie, or 1, 0 and 0.5 for a tie; 0 and 1 alone could mean either side.",
            )
        of_a[row] = share
    return of_a


def _share_of_a(
    word: str | None, names: tuple[str, str] | None, numbers: Mapping[str, float]
) -> float | None:
    """None where the word names neither side, or a side by its letter and the other by its name."""
    if not word:
        return math.nan
    side = re.sub(r"^(system|output|model)_", "", fold(word))
    by_letter = {"a": 1.0, "b": 0.0}.get(side, 0.5 if side in TIES else numbers.get(word))
    by_name = {names[0]: 1.0, names[1]: 0.0}.get(word) if names else None
    if by_letter is not None and by_name is not None and by_letter != by_name:
        return None
    return by_letter if by_name is None else by_name


def _number_words(words: set[str]) -> dict[str, float]:
    """How numbers are meant, judged by all numbers of the column; empty where that is not clear."""
    values: dict[str, float] = {}
    for word in words:
        try:
            values[word] = float(word)
        except ValueError:
            continue
    found = set(values.values())
    if 2.0 in found and found <= {0.0, 1.0, 2.0}:
        share = {1.0: 1.0, 2.0: 0.0, 0.0: 0.5}
    elif 0.5 in found and found <= {0.0, 0.5, 1.0}:
        share = {1.0: 1.0, 0.0: 0.0, 0.5: 0.5}
    else:
        return {}
    return {word: share[value] for word, value in values.items()}


class ScoreColumns(NamedTuple):
    """The two columns of one scorer."""

    name: str
    human: bool
    of_a: str
    of_b: str


def score_columns(table: Table, columns: Layout) -> tuple[list[ScoreColumns], tuple[str, ...]]:
    """The pairs of columns ``NAME_a``, ``NAME_b``, and the columns that are context."""
    found, context = [], []
    declared = {c: prefix for c, (prefix, _) in columns.declared.items() if prefix in ("human", "metric")}
    candidates = [*columns.others, *declared]
    for column in candidates:
        stem, side = column[:-2], column[-2:].lower()
        if not stem or side not in ("_a", "_b"):
            if column in declared:
                raise table.error(
                    f"column {column!r} is for neither side", remedy=f"Call it {column}_a or _b."
                )
            context.append(column)
            continue
        other = stem + column[-2] + chr(ord(column[-1]) ^ ord("a") ^ ord("b"))
        if other not in candidates:
            raise table.error(
                f"there is a column {column!r}, but no {other!r}",
                remedy=f"Give the scores of both sides, or call it item:{column} to keep it as context.",
            )
        if side == "_a":
            prefix = declared.get(column)
            name = stem if prefix is None else columns.declared[column][1][:-2]
            human = prefix == "human" or (prefix is None and is_protocol(name))
            found.append(ScoreColumns(name.strip(), human, column, other))
    return found, tuple(context)


def _scores(
    table: Table, sides: _Sides, found: list[ScoreColumns], preference: Scores
) -> dict[bool, dict[str, Scores]]:
    """Scorers by key, for human (True) and metrics (False)."""
    by_kind: dict[bool, dict[str, Scores]] = {True: {preference.key: preference}, False: {}}
    for scorer in found:
        name, reference = split_reference(scorer.name)
        of_a, of_b = (
            table.numbers(c, declare=f"Or call it item:{c} to keep it as context.")
            for c in (scorer.of_a, scorer.of_b)
        )
        scores = Scores(name, reference, sides.matrix(of_a, of_b))
        into = by_kind[scorer.human]
        if scores.key in into:
            raise table.error(f"two scorers are called {printable(scores.key)!r}", remedy="Rename one.")
        into[scores.key] = scores
    return by_kind


def _outputs(table: Table, columns: Layout, sides: _Sides) -> dict[str, Texts]:
    """The output texts of each system, on the rows where it stands."""
    texts: list[list[str | None]] = [[None] * len(sides.a) for _ in sides.systems]
    given = False
    for role, system_of in (("output_a", sides.a), ("output_b", sides.b)):
        if role in columns.roles:
            given = True
            for row, text in enumerate(table.texts(columns.roles[role])):
                texts[system_of[row]][row] = text
    return {system: tuple(of) for system, of in zip(sides.systems, texts, strict=True)} if given else {}


def _texts_of_items(
    table: Table, columns: Layout, context: tuple[str, ...]
) -> tuple[dict[str, Texts], dict[str, Texts]]:
    """References and contexts: every row is an item, so nothing can disagree."""
    lone = columns.roles.get("reference")
    references: dict[str, Texts] = {} if lone is None else {"ref": tuple(table.texts(lone))}
    about = {role: columns.roles[role] for role in ("document", "domain") if role in columns.roles}
    about.update({column: column for column in context})
    items = {name: tuple(table.texts(column)) for name, column in about.items()}
    items["item"] = tuple(table.ids(columns.roles["item"]))
    for column, (prefix, name) in columns.declared.items():
        if prefix == "system":
            raise table.error(f"column {column!r}: pairs have no columns of systems", remedy="Leave it out.")
        if prefix in ("item", "reference"):
            into = items if prefix == "item" else references
            if name in into:
                raise table.error(f"two columns are the {prefix} column {name!r}", remedy="Rename one.")
            into[name] = tuple(table.texts(column))
    return references, items


def _numbered(ids: list[str]) -> tuple[str, ...]:
    """Distinct ids: the second pair of item x is x#2.

    >>> _numbered(["x", "y", "x", "x"])
    ('x', 'y', 'x#2', 'x#3')
    """
    taken, count, out = set(ids), Counter[str](), []
    for item in ids:
        count[item] += 1
        name = item
        while count[item] > 1 and name in taken:
            name = f"{item}#{count[item]}"
            count[item] += name in taken
        taken.add(name)
        out.append(name)
    return tuple(out)


def _sniff(path: Path) -> bool:
    return has_roles(peek_columns(path), REQUIRED)


READER = Reader(
    name="pairs",
    about="a table with a row for each comparison of two outputs",
    sniff=_sniff,
    read=read_pairs,
    order=60,
)
