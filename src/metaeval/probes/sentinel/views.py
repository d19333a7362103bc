"""What a sentinel is allowed to see: one side of the texts, and which text belongs to which cell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError, choices
from metaeval.evalset import EvalSet
from metaeval.scores import FloatArray

View: TypeAlias = Literal["src", "ref", "cand"]
VIEWS: tuple[View, ...] = get_args(View)
SIDES = {"src": "source", "ref": "reference", "cand": "output"}


@dataclass(frozen=True, eq=False, slots=True)
class Seen:
    """The distinct texts of a view. Outputs of one item that are equal are one text.

    >>> data = EvalSet(systems=("A", "B"), items=("1",), outputs={"A": ("x",), "B": ("x",)})
    >>> seen = look(data, "cand")
    >>> seen.texts, seen.of_cell.tolist()
    (('x',), [[0], [0]])
    """

    texts: tuple[str, ...]
    of_cell: NDArray[np.intp]
    """systems x items: the text of a cell, -1 where there is none."""
    item: NDArray[np.intp]
    """The item of each text."""

    def to_cells(self, values: FloatArray) -> FloatArray:
        """One value a text to systems x items, NaN where there is no text."""
        return np.append(values, np.nan)[self.of_cell]


def look(evalset: EvalSet, view: View, reference: str | None = None) -> Seen:
    """The texts of one view; all cells of an item share its source and its reference. O(cells)."""
    if view == "cand":
        return _outputs(evalset)
    column = evalset.source if view == "src" else _reference(evalset, reference)
    if column is None:
        raise InputError("there are no source texts", remedy="Give them, or leave out the source sentinels.")
    there = [i for i, text in enumerate(column) if text is not None]
    of_item = np.full(len(evalset.items), -1, dtype=np.intp)
    of_item[there] = np.arange(len(there))
    cells = np.broadcast_to(of_item, (len(evalset.systems), len(of_item)))
    return Seen(tuple(text for text in column if text is not None), cells, np.array(there, dtype=np.intp))


def _reference(evalset: EvalSet, wanted: str | None) -> tuple[str | None, ...]:
    """The texts of the reference asked for; of several in use (refA.refB) or none, the first there is."""
    names = wanted.split(".") if wanted else list(evalset.references)
    for name in names:
        if name in evalset.references:
            return evalset.references[name]
    what = f"there are no texts of reference {wanted!r}" if wanted else "there are no reference texts"
    raise InputError(what, remedy=choices(wanted or "", evalset.references))


def _outputs(evalset: EvalSet) -> Seen:
    if not evalset.outputs:
        raise InputError("there are no output texts", remedy="Give them, or leave out the output sentinels.")
    number: dict[tuple[int, str], int] = {}
    of_cell = np.full((len(evalset.systems), len(evalset.items)), -1, dtype=np.intp)
    for row, system in enumerate(evalset.systems):
        for column, text in enumerate(evalset.outputs.get(system, ())):
            if text is not None:
                of_cell[row, column] = number.setdefault((column, text), len(number))
    return Seen(tuple(t for _, t in number), of_cell, np.array([c for c, _ in number], dtype=np.intp))
