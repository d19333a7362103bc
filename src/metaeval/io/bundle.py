"""Bundles: an EvalSet as one folder of Parquet tables with a small manifest. Small, exact and quick to load.

``metaeval.json`` holds format, version, counts, the content digest and each table's checksum. The tables:

- ``items``: id, source, ``reference:NAME``, ``context:NAME``; a row an item
- ``systems``: id, ``context:NAME``, published scores as ``human:KEY`` and ``metric:KEY``; a row a system
- ``outputs``: a column a system, a row an item
- ``scorers``: kind, name, reference
- ``segments``: ``human:KEY`` and ``metric:KEY``; the items of the first system, then of the second, ...
- ``statistics``: corpus statistics, see :mod:`metaeval.io.bundle_statistics`; rows as in ``segments``
- ``groups``: scorer, level, label and a column a system
- ``ratings``: a column a rater and system (a JSON list), a row an item

A missing score is null. A table without columns is left out. Version 2 has corpus statistics; a set without
them is written as version 1, which older readers know.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metaeval.errors import InputError
from metaeval.evalset import EvalSet
from metaeval.io.bundle_tables import from_tables, to_tables
from metaeval.io.lines import MAX_FILE_BYTES
from metaeval.io.registry import Reader, Writer
from metaeval.io.staging import is_free, settle, staged

if TYPE_CHECKING:
    import polars as pl

__all__ = ["READER", "read", "sniff", "verify", "write_bundle"]

FORMAT, VERSION = "metaeval-bundle", 2
MANIFEST = "metaeval.json"
TABLES = {"items", "systems", "outputs", "scorers", "segments", "statistics", "groups", "ratings"}
MAX_MANIFEST_BYTES = 1024**2
MAX_CELLS = 2**30
"""More systems x items in one bundle are refused: each scorer would fill 8 GB."""
MAX_ROWS = 10**6
"""Of the small tables, whose length the manifest does not say."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What ``metaeval.json`` says; ``tables`` are checksums by file name."""

    name: str
    pair: str
    systems: int
    items: int
    digest: str
    tables: Mapping[str, str]


def sniff(path: Path) -> bool:
    """Whether the folder has a manifest."""
    return path.is_dir() and (path / MANIFEST).is_file()


def read(path: Path, *, pair: str | None = None) -> EvalSet:
    """The EvalSet of a bundle; O(size).

    The checksum of every table is checked, so that no damage passes; the content digest, which costs
    more, only by :func:`verify`. Neither is a signature: who forges a table together with its checksum can
    at worst end the process, since the Parquet decoder gives up on an absurd allocation.
    """
    manifest = _manifest(path / MANIFEST)
    if pair is not None and pair != manifest.pair:
        raise InputError(
            f"holds the language pair {manifest.pair or '(none)'}, not {pair!r}",
            path=path,
            remedy="Leave --pair out: a bundle holds one.",
        )
    rows = {"items": manifest.items, "outputs": manifest.items, "ratings": manifest.items}
    cells = manifest.systems * manifest.items
    rows |= {"systems": manifest.systems, "segments": cells, "statistics": cells}
    tables = {
        name: _table(path / f"{name}.parquet", checksum, rows.get(name))
        for name, checksum in manifest.tables.items()
    }
    try:
        return from_tables(tables, name=manifest.name, pair=manifest.pair)
    except InputError as error:
        raise InputError(error.what, path=error.path or path, remedy=_RESTORE) from error


def verify(path: Path) -> EvalSet:
    """Reads a bundle and checks that its content is what was written, by the digest."""
    evalset = read(path)
    if evalset.digest != _manifest(path / MANIFEST).digest:
        raise InputError("the content is not the one that was written", path=path, remedy=_RESTORE)
    return evalset


READER = Reader(name="bundle", about="metaeval bundle", sniff=sniff, read=read, order=10)

_RESTORE = "The bundle is damaged: write it again with metaeval convert."


def write_bundle(evalset: EvalSet, path: str | Path) -> None:
    """Writes a bundle into a new folder, all of it or nothing."""
    target = Path(path)
    with staged(target) as staging:
        if not is_free(target):
            raise InputError("already exists", path=target, remedy="Remove it, or choose another name.")
        checksums = {}
        for name, table in to_tables(evalset).items():
            packed = BytesIO()
            table.write_parquet(packed, compression="zstd", compression_level=9, statistics=False)
            checksums[name] = _checksum(packed.getvalue())
            (staging / f"{name}.parquet").write_bytes(packed.getvalue())
        said = {
            "format": FORMAT,
            "version": VERSION if "statistics" in checksums else 1,
            "name": evalset.name,
            "pair": evalset.pair,
            "systems": len(evalset.systems),
            "items": len(evalset.items),
            "digest": evalset.digest,
            "tables": checksums,
        }
        (staging / MANIFEST).write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")
        settle(staging, target)


WRITER = Writer(name="bundle", about="metaeval bundle, one folder of Parquet tables", write=write_bundle)


def _manifest(path: Path) -> Manifest:
    said = _json_object(path)
    if said.get("format") != FORMAT:
        raise InputError(f"is not the manifest of a bundle: format is not {FORMAT!r}", path=path)
    version = said.get("version")
    if type(version) is not int or version < 1:
        raise InputError("the manifest has no version", path=path, remedy=_RESTORE)
    if version > VERSION:
        raise InputError(
            f"is a bundle of version {version}, and this metaeval reads up to version {VERSION}",
            path=path,
            remedy="Upgrade: pip install --upgrade metaeval",
        )
    kinds = {"name": str, "pair": str, "systems": int, "items": int, "digest": str, "tables": dict}
    for key, kind in kinds.items():
        if type(said.get(key)) is not kind:
            raise InputError(f"the manifest has no valid {key!r}", path=path, remedy=_RESTORE)
    if min(said["systems"], said["items"]) < 0 or said["systems"] * said["items"] > MAX_CELLS:
        raise InputError(f"claims {said['systems']:,} systems x {said['items']:,} items", path=path)
    if not said["tables"].keys() <= TABLES or not {"items", "systems", "scorers"} <= said["tables"].keys():
        raise InputError("the manifest does not list the tables of a bundle", path=path, remedy=_RESTORE)
    return Manifest(**{key: said[key] for key in kinds})


def _json_object(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(_bytes(path, MAX_MANIFEST_BYTES))
    except (ValueError, RecursionError) as error:
        raise InputError("is not valid JSON", path=path, remedy=_RESTORE) from error
    if not isinstance(found, dict):
        raise InputError("is not a JSON object", path=path, remedy=_RESTORE)
    return found


def _table(path: Path, checksum: object, rows: int | None) -> pl.DataFrame:
    """A table whose bytes are those that were written; at most one row too many is unpacked."""
    import polars as pl

    packed = _bytes(path, MAX_FILE_BYTES)
    if _checksum(packed) != checksum:
        raise InputError("the file is not the one that was written", path=path, remedy=_RESTORE)
    broken = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError, MemoryError)
    try:
        table = pl.read_parquet(BytesIO(packed), n_rows=(MAX_ROWS if rows is None else rows) + 1)
    except broken as error:
        raise InputError("is not a readable Parquet file", path=path, remedy=_RESTORE) from error
    if table.height > MAX_ROWS if rows is None else table.height != rows:
        expected = f"at most {MAX_ROWS:,}" if rows is None else f"{rows:,}"
        raise InputError(f"does not have the expected rows ({expected})", path=path, remedy=_RESTORE)
    return table


def _bytes(path: Path, limit: int) -> bytes:
    try:
        with path.open("rb") as file:
            found = file.read(limit + 1)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=path, remedy=_RESTORE) from error
    if len(found) > limit:
        raise InputError(f"has more than the {limit:,} bytes that are read", path=path)
    return found


def _checksum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
