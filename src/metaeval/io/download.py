"""Downloads of large files that survive a broken connection.

The bytes arrive in ``part``. Beside it ``part.json`` says which version of which file they belong to, so that
a later call goes on where this one stopped, and starts over where the file has changed.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from pathlib import Path

from metaeval.errors import InputError
from metaeval.io.web import RangeRefused, get

CHUNK = 1 << 16
Progress = Callable[[int, int | None], None]


class _Broken(Exception):
    """The connection ended before the file did."""


@dataclass(frozen=True)
class Download:
    """One download, with its bounds.

    Args:
        part: where the bytes go.
        size: how many there must be, if that is known beforehand.
        max_bytes: how many there may be.
        timeout: seconds without a sign of life.
        progress: told how many bytes are here and, if known, how many there will be.
        otherwise: what the user can do if this address gives nothing.
    """

    address: str
    part: Path
    size: int | None
    max_bytes: int
    timeout: float
    progress: Progress | None
    otherwise: str

    def run(self) -> None:
        """Get the file, over as many connections as it takes while each brings something new."""
        while True:
            before = self._here()
            try:
                return self._continue()
            except _Broken as broken:
                if self._here() <= before:
                    raise self._fault(
                        f"the connection broke after {self._here():,} bytes ({broken})",
                        f"Run the same command again: it goes on from there if the server can.\n"
                        f"  {self.otherwise}",
                    ) from broken

    def discard(self) -> None:
        """Forget the bytes that are here."""
        self.part.unlink(missing_ok=True)
        self._note.unlink(missing_ok=True)

    @property
    def _note(self) -> Path:
        return self.part.with_name(self.part.name + ".json")

    def _here(self) -> int:
        return self.part.stat().st_size if self.part.exists() else 0

    def _fault(self, what: str, remedy: str | None = None) -> InputError:
        return InputError(what, path=self.address, remedy=remedy or self.otherwise)

    def _continue(self) -> None:
        response, start = self._connect()
        with closing(response):
            total = _total(response, start)
            self._admit(start, total)
            if start == 0:
                self._begin(response)
            self._receive(response, start, total)

    def _connect(self) -> tuple[HTTPResponse, int]:
        """The response, and the place in the file where its body belongs.

        The last byte that is here is asked for again: so a file that is complete is no special case.
        """
        start, version = self._here() - 1, self._version()
        if start > 0 and version:
            try:
                response = self._get({"Range": f"bytes={start}-", "If-Range": version})
            except RangeRefused:
                return self._whole(), 0
            if response.status == 200:
                return response, 0
            if _starts_at(response) == start and _version(response) in (version, None):
                return response, start
            response.close()
        return self._whole(), 0

    def _whole(self) -> HTTPResponse:
        response = self._get({})
        if response.status != 200:
            response.close()
            raise self._fault(f"the server answers {response.status} {response.reason}, expected 200")
        return response

    def _get(self, headers: dict[str, str]) -> HTTPResponse:
        return get(self.address, headers, timeout=self.timeout, otherwise=self.otherwise)

    def _admit(self, start: int, total: int | None) -> None:
        """Refuse a file of the wrong size, and one for which there is no room, before it comes."""
        if total is None:
            return
        if self.size is not None and total != self.size:
            raise self._rejected(f"the file has {total:,} bytes, expected {self.size:,}")
        if total > self.max_bytes:
            raise self._rejected(f"the file has {total:,} bytes, at most {self.max_bytes:,} are accepted")
        require_room(self.part.parent, (total - start) + total, self.address)

    def _begin(self, response: HTTPResponse) -> None:
        self.discard()
        note = {"address": self.address, "version": _version(response)}
        self._note.write_text(json.dumps(note), encoding="utf-8")

    def _version(self) -> str | None:
        """The version of this file that the bytes here belong to; None if they are of no use."""
        try:
            note = json.loads(self._note.read_text(encoding="utf-8"))
            version = note["version"] if note["address"] == self.address else None
        except (OSError, ValueError, LookupError, TypeError):
            return None
        return version if isinstance(version, str) else None

    def _receive(self, response: HTTPResponse, start: int, total: int | None) -> None:
        here = start
        with self.part.open("r+b" if start else "wb") as file:
            file.seek(start)
            self._report(here, total)
            for chunk in _chunks(response):
                here += len(chunk)
                if here > self.max_bytes:
                    break
                file.write(chunk)
                self._report(here, total)
        if here > self.max_bytes:
            raise self._rejected(f"the file has more bytes than the {self.max_bytes:,} that are accepted")
        if total is not None and here < total:
            raise _Broken(f"of {total:,}")

    def _report(self, here: int, total: int | None) -> None:
        if self.progress:
            self.progress(here, total)

    def _rejected(self, what: str) -> InputError:
        self.discard()
        return self._fault(what)


def require_room(folder: Path, needed: int, name: str) -> None:
    """Refuse what does not fit on the disk: an archive unpacked takes at least as much as packed."""
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise InputError(
            f"needs {needed:,} bytes, but only {free:,} are free in {folder}",
            path=name,
            remedy="Make room, or choose a folder on another disk with --into.",
        )


def _version(response: HTTPResponse) -> str | None:
    """What tells this version of the file from others; a weak ETag does not."""
    tag = response.headers.get("ETag")
    return tag if tag and not tag.startswith("W/") else response.headers.get("Last-Modified")


def _starts_at(response: HTTPResponse) -> int | None:
    match = re.match(r"bytes (\d+)-", response.headers.get("Content-Range", ""))
    return int(match[1]) if match and response.status == 206 else None


def _total(response: HTTPResponse, start: int) -> int | None:
    """The size of the whole file, if the server says it."""
    if start == 0:
        return response.length
    match = re.search(r"/(\d+)$", response.headers.get("Content-Range", ""))
    return int(match[1]) if match else None


def _chunks(response: HTTPResponse) -> Iterator[bytes]:
    try:
        while chunk := response.read(CHUNK):
            yield chunk
    except TimeoutError as error:
        raise _Broken("then nothing came any more") from error
    except (OSError, HTTPException) as error:
        raise _Broken(str(error) or type(error).__name__) from error
