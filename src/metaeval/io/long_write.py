"""Writing a long table: CSV, TSV, JSON lines or Parquet, by the ending of the name."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from metaeval.errors import InputError, choices
from metaeval.evalset import EvalSet
from metaeval.io.frames import not_in_long, to_long
from metaeval.io.registry import Writer

if TYPE_CHECKING:
    import polars as pl

FORMATS: Mapping[str, Callable[[pl.DataFrame, Path], object]] = {
    ".csv": lambda frame, path: frame.write_csv(path),
    ".tsv": lambda frame, path: frame.write_csv(path, separator="\t"),
    ".jsonl": lambda frame, path: frame.write_ndjson(path),
    ".parquet": lambda frame, path: frame.write_parquet(path),
}


def write_long(evalset: EvalSet, path: Path) -> None:
    """Writes the set as a long table, one row a score, whole or not at all. O(cells x scorers)."""
    path = Path(path)
    if path.suffix.lower() not in FORMATS:
        raise InputError(f"no table ends in {path.suffix!r}", path=path, remedy=choices(path.suffix, FORMATS))
    if path.exists():
        raise InputError("already exists", path=path, remedy="Remove it, or choose another name.")
    frame = to_long(evalset)
    partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            FORMATS[path.suffix.lower()](frame, partial)
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", path=path) from error


WRITER = Writer(
    name="long",
    about="table, one row a score: CSV, TSV, JSONL, Parquet",
    write=write_long,
    suffixes=tuple(FORMATS),
    loses=not_in_long,
)
