"""Numbers that were computed before, on disk, by the content they were computed from.

One SQLite file. Keys are digests and values are bytes that are only ever read as numbers or text, so a
cache from anywhere can at worst hold wrong numbers; nothing in it is executed.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from types import TracebackType

from metaeval.errors import InputError

FILE = "scores.sqlite"
_AT_ONCE = 500
_PATIENCE_SECONDS = 60.0
_PAGES_WAITING = 10_000
"""Pages of 4 KB in the log before they go to their places: keys are random, so a batch touches many."""


def default_folder() -> Path:
    """``metaeval`` in the user's cache folder, as the platform has it; METAEVAL_CACHE names another."""
    if named := os.environ.get("METAEVAL_CACHE"):
        return Path(named)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
        return Path(base) / "metaeval" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "metaeval"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "metaeval"


def content_key(*parts: str) -> bytes:
    """A digest of texts that no other list of texts has.

    >>> content_key("a", "bc") == content_key("ab", "c")
    False
    """
    seen = hashlib.sha256()
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        seen.update(len(encoded).to_bytes(8, "little"))
        seen.update(encoded)
    return seen.digest()


class Cache:
    """A mapping on disk. Many processes may use it at once; a write is all there or not at all.

    Use it as a context manager, in the thread that made it.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE
        with self._explained():
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise InputError(
                    f"the cache folder cannot be made: {error.strerror}",
                    path=folder,
                    remedy="Name another with --cache, or go without: --no-cache.",
                ) from error
            self._file = sqlite3.connect(self.path, timeout=_PATIENCE_SECONDS)
            self._file.execute("PRAGMA journal_mode=WAL")
            self._file.execute("PRAGMA synchronous=NORMAL")
            self._file.execute(f"PRAGMA wal_autocheckpoint={_PAGES_WAITING}")
            self._file.execute(
                "CREATE TABLE IF NOT EXISTS known (key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID"
            )
            self._file.commit()

    def find(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """What is known of these keys."""
        found: dict[bytes, bytes] = {}
        waiting = iter(keys)
        with self._explained():
            while some := list(islice(waiting, _AT_ONCE)):
                marks = ",".join("?" * len(some))
                rows = self._file.execute(f"SELECT key, value FROM known WHERE key IN ({marks})", some)
                found.update((key, value) for key, value in rows if isinstance(value, bytes))
        return found

    def add(self, values: Mapping[bytes, bytes]) -> None:
        """Keeps values, at once and durably: what is computed after an interrupt starts here."""
        with self._explained(), self._file:
            self._file.executemany("INSERT OR REPLACE INTO known VALUES (?, ?)", values.items())

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Cache:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise InputError(
                f"the cache cannot be used: {error}",
                path=self.path,
                remedy="Remove the file, name another folder with --cache, or go without: --no-cache.",
            ) from error
