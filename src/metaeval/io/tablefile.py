"""Files that hold a table: CSV, TSV, JSONL and Parquet, each read to a :class:`Table`.

CSV and TSV follow one rule, that of spreadsheets and data frames: a field may be quoted with ``"``, and
must be where it holds the separator, a quote (doubled) or a line end. JSONL has one object a line.
A cell that begins with ``=`` is text like any other.
"""

from __future__ import annotations

import csv
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from metaeval.errors import InputError, printable
from metaeval.io.lines import numbered_lines
from metaeval.io.parquet import read_parquet
from metaeval.io.plain import read_plain
from metaeval.io.tabular import Table

if TYPE_CHECKING:
    import polars as pl

DELIMITED = (".csv", ".tsv", ".tab")
JSON_LINES = (".jsonl", ".ndjson")
PARQUET = (".parquet", ".pq")
SUFFIXES = (*DELIMITED, *JSON_LINES, *PARQUET)

BLOCK_ROWS = 65_536
"""Rows held as Python objects at a time."""


def read_table(path: Path) -> Table:
    """The table in a file, by its suffix. O(file); text is held once, as columns."""
    suffix = path.suffix.lower()
    if suffix in DELIMITED:
        table = _read_delimited(path)
    elif suffix in JSON_LINES:
        table = _read_json_lines(path)
    elif suffix in PARQUET:
        table = Table(read_parquet(path), path)
    else:
        raise InputError("is not a table", path=path, remedy=f"Known: {', '.join(SUFFIXES)}.")
    if not table.frame.height:
        raise table.error("holds no rows", remedy="Expected a row for each score.")
    return table


def peek_columns(path: Path) -> list[str]:
    """The names of the columns, from the first line alone; empty where the file is not a table."""
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES or not path.is_file():
        return []
    try:
        if suffix in PARQUET:
            import polars as pl

            return list(pl.read_parquet_schema(path))
        if suffix in JSON_LINES:
            return list(_parse_object(next(islice(numbered_lines(path), 1))[1], path, 1))
        return next(_records(path, _delimiter(path)))[1]
    except _no_table():
        return []


def _read_delimited(path: Path) -> Table:
    delimiter = _delimiter(path)
    return read_plain(path, delimiter) or read_quoted(path, delimiter)


def read_quoted(path: Path, delimiter: str) -> Table:
    """Any delimited file, and whatever is wrong with it. One block of rows as Python objects at a time."""
    records = _records(path, delimiter)
    try:
        line, header = next(records)
    except StopIteration:
        raise InputError("is empty, expected a header line", path=path) from None
    _check_header(header, path, line)
    blocks, lines = [], []
    while rows := list(islice(records, BLOCK_ROWS)):
        for at, fields in rows:
            if len(fields) != len(header):
                raise InputError(
                    f"found {len(fields)} fields, expected {len(header)} as in the header",
                    path=path,
                    line=at,
                    shows=" | ".join(fields),
                    remedy="Quote a field that holds the separator, or save the table as JSONL.",
                )
        columns = zip(*(fields for _, fields in rows), strict=True)
        blocks.append(_text_frame(header, ([cell or None for cell in column] for column in columns)))
        lines.append(np.array([at for at, _ in rows], dtype=np.int64))
    return _joined(header, blocks, lines, path)


def _records(path: Path, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Each record with the line it begins on; blank lines are skipped."""
    reader = csv.reader((text + "\n" for _, text in numbered_lines(path)), delimiter=delimiter, strict=True)
    start = 1
    try:
        for fields in reader:
            if fields:
                yield start, fields
            start = reader.line_num + 1
    except csv.Error as error:
        if "new-line" in str(error):
            raise InputError(
                "a carriage return stands alone, which ends no line",
                path=path,
                line=start,
                remedy="End lines with a line feed: tr '\\r' '\\n' < old.csv > new.csv",
            ) from error
        raise InputError(
            f"the fields cannot be told apart: {error}",
            path=path,
            line=start,
            remedy='A field that begins with " must end with it, and a " inside is doubled: "say ""yes""".',
        ) from error


def _delimiter(path: Path) -> str:
    r"""Tab in a ``.tsv``; in a ``.csv`` whichever of comma, semicolon and tab the header holds most of."""
    if path.suffix.lower() != ".csv":
        return "\t"
    header = next((text for _, text in numbered_lines(path) if text.strip()), "")
    counts = Counter(re.sub(r'"[^"]*"', "", header))
    return max(",;\t", key=lambda c: counts[c])


def _check_header(header: list[str], path: Path, line: int) -> None:
    for position, name in enumerate(header, start=1):
        if not name.strip():
            raise InputError(
                f"column {position} has no name",
                path=path,
                line=line,
                remedy="Name it or leave it out; pandas: to_csv(..., index=False).",
            )
    twice = [name for name, n in Counter(header).items() if n > 1]
    if twice:
        raise InputError(
            f"two columns are called {printable(twice[0])!r}", path=path, line=line, remedy="Rename one."
        )


def _read_json_lines(path: Path) -> Table:
    objects = ((line, _parse_object(text, path, line)) for line, text in numbered_lines(path) if text.strip())
    names: dict[str, None] = {}
    blocks, lines = [], []
    while rows := list(islice(objects, BLOCK_ROWS)):
        for _, row in rows:
            names.update(dict.fromkeys(row))
        blocks.append(_text_frame(list(names), ([row.get(name) for _, row in rows] for name in names)))
        lines.append(np.array([line for line, _ in rows], dtype=np.int64))
    if not blocks:
        raise InputError("is empty, expected one JSON object a line", path=path)
    _check_header(list(names), path, int(lines[0][0]))
    return _joined(list(names), blocks, lines, path)


def _parse_object(text: str, path: Path, line: int) -> dict[str, str | None]:
    """The cells of one object. A key may not come twice; each has a colon, so few colons rule that out."""
    try:
        row = json.loads(text)
        if not isinstance(row, dict):
            raise ValueError("found no object")
        if text.count(":") > len(row):
            json.loads(text, object_pairs_hook=_refuse_twice)
        cells = {name: v if type(v) is str else as_text(v) for name, v in row.items()}
        if "\\u" in text:
            "".join((*cells, *(cell for cell in cells.values() if cell))).encode()
    except (ValueError, TypeError, RecursionError) as error:
        raise InputError(
            f"is not one JSON object of texts and numbers: {error}", path=path, line=line, shows=text
        ) from error
    return cells


def _refuse_twice(pairs: list[tuple[str, object]]) -> None:
    twice = [name for name, n in Counter(name for name, _ in pairs).items() if n > 1]
    if twice:
        raise ValueError(f"the key {twice[0]!r} is there twice")


def as_text(value: object) -> str | None:
    """A single value as a cell's text; None for what is missing; TypeError for lists and objects.

    >>> [as_text(v) for v in ("a", 7, 7.0, 0.1, float("nan"), None, True)]
    ['a', '7', '7', '0.1', None, None, 'true']
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, int | np.integer):
        return str(value)
    if isinstance(value, float | np.floating):
        number = float(value)
        if math.isnan(number):
            return None
        return str(int(number)) if number.is_integer() and abs(number) < 2.0**53 else repr(number)
    raise TypeError(f"found a {type(value).__name__} in a cell")


def _no_table() -> tuple[type[BaseException], ...]:
    """What a look at a file that is no table may raise; a panic of polars is no Exception."""
    from polars.exceptions import PanicException, PolarsError

    return InputError, StopIteration, OSError, PolarsError, PanicException


def _text_frame(header: list[str], columns: Iterable[list[str | None]]) -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame(
        [pl.Series(name, cells, dtype=pl.String) for name, cells in zip(header, columns, strict=True)]
    )


def _joined(
    header: list[str],
    blocks: list[pl.DataFrame],
    lines: list[np.ndarray[tuple[int], np.dtype[np.int64]]],
    path: Path,
) -> Table:
    import polars as pl

    empty = pl.DataFrame(schema=dict.fromkeys(header, pl.String))
    frame = pl.concat([empty, *blocks], how="diagonal")
    return Table(frame, path, np.concatenate(lines) if lines else np.empty(0, dtype=np.int64))
