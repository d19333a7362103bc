"""A table as it was found: its columns, and where each row stands, so that errors can point there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError
from metaeval.scores import MAX_SCORE, FloatArray

if TYPE_CHECKING:
    import polars as pl

IntArray: TypeAlias = NDArray[np.int64]

MISSING = frozenset({"", "None", "none", "null", "NULL", "NA"})
"""What a missing score looks like in text. ``nan`` is not among them: somebody computed that."""


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Named columns of equal length. Rows have a line where there is a text file, else a number.

    >>> import polars as pl
    >>> table = Table(pl.DataFrame({"score": ["1.5", "x"]}))
    >>> print(table.error("found no number", row=1))
    row 2: found no number
    """

    frame: pl.DataFrame
    path: Path | None = None
    lines: IntArray | None = None

    @property
    def columns(self) -> list[str]:
        return self.frame.columns

    def place(self, row: int) -> str:
        """``line 7`` or ``row 6``: for a second place in a message."""
        return f"row {row + 1}" if self.lines is None else f"line {self.lines[row]}"

    def error(
        self, what: str, *, row: int | None = None, shows: str | None = None, remedy: str | None = None
    ) -> InputError:
        line = None if row is None or self.lines is None else int(self.lines[row])
        number = row + 1 if row is not None and self.lines is None else None
        return InputError(what, path=self.path, line=line, row=number, shows=shows, remedy=remedy)

    def show(self, column: str, row: int) -> str:
        return str(self.frame[column][row])

    def texts(self, column: str) -> pl.Series:
        """The column as text, null where nothing is said; whole floats print as integers. O(rows)."""
        import polars as pl

        series = self.frame[column]
        if series.dtype == pl.String:
            return series
        if series.dtype.is_float():
            series = series.fill_nan(None)
            whole = bool(((series == series.round()) & (series.abs() < 2.0**53)).all())
            return series.cast(pl.Int64).cast(pl.String) if whole else series.cast(pl.String)
        if series.dtype.is_nested() or series.dtype in (pl.Binary, pl.Object):
            raise self.error(
                f"column {column!r} holds {series.dtype}, expected text or numbers",
                remedy="Leave the column out, or write one value a cell.",
            )
        return series.cast(pl.String)

    def ids(self, column: str) -> pl.Series:
        """The column as ids: text, never empty; a blank around one would make another id of it."""
        texts = self.texts(column)
        empty = (texts.is_null() | (texts == "")).fill_null(True)
        if empty.any():
            raise self.error(
                f"the {column} is empty", row=_first(empty), remedy=f"Every row needs a value in {column!r}."
            )
        padded = texts != texts.str.strip_chars()
        if padded.any():
            row = _first(padded)
            raise self.error(
                f"the {column} begins or ends with a blank",
                row=row,
                shows=repr(texts[row]),
                remedy="Take it out: an id with a blank is another id.",
            )
        return texts

    def numbers(self, column: str, *, declare: str = "") -> FloatArray:
        """The column as scores, NaN where missing; infinite values and other text are errors. O(rows).

        Args:
            column: its name.
            declare: what to write instead where the column was not meant as scores.
        """
        values, good = self.parsed(column)
        if not good.all():
            row = int(np.argmin(good))
            raise self._not_a_score(column, row, declare)
        return values

    def parsed(self, column: str) -> tuple[FloatArray, NDArray[np.bool_]]:
        """Numbers of a column, and which cells are a possible score or missing. O(rows)."""
        import polars as pl

        series = self.frame[column]
        if series.dtype.is_numeric():
            values = series.cast(pl.Float64).fill_null(np.nan).to_numpy()
            return values, ~(np.abs(values) > MAX_SCORE)
        texts = self.texts(column).str.strip_chars(" ")
        values = texts.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy()
        missing = (texts.is_null() | texts.is_in(list(MISSING))).fill_null(True).to_numpy()
        return values, (np.abs(values) <= MAX_SCORE) | missing

    def _not_a_score(self, column: str, row: int, declare: str) -> InputError:
        shown = self.show(column, row)
        folded = shown.strip().casefold().lstrip("+-")
        if folded == "nan":
            what, remedy = "found nan", "Leave the cell empty where a score is missing."
        elif folded in {"inf", "infinity"}:
            what, remedy = "found an infinite score", "Leave the cell empty where a score is missing."
        elif abs(self.parsed(column)[0][row]) > MAX_SCORE:
            what, remedy = f"found a score beyond {MAX_SCORE:g}", "Divide the scores by a constant."
        else:
            what, remedy = "found a score that is not a number", "Write a number, or leave the cell empty."
        return self.error(
            f"{what} in column {column!r}", row=row, shows=shown, remedy=f"{remedy} {declare}".strip()
        )


def _first(mask: pl.Series) -> int:
    return int(mask.arg_true()[0])
