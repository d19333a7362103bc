"""Fetch the mt-metrics-eval archive: from its official address, a mirror, or a file that is here already."""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from metaeval.errors import InputError
from metaeval.io.download import Download, Progress, require_room
from metaeval.io.members import UnusableArchive
from metaeval.io.unpack import MAX_BYTES, unpack

OFFICIAL = "https://storage.googleapis.com/mt-metrics-eval/mt-metrics-eval-v2.tgz"
MIRROR = "https://data.statmt.org/wmt26/mt-metrics-eval-v2.tgz"
INTO = Path("mt-metrics-eval-v2")
MARK = ".metaeval-fetch.json"
"""The file that tells where a folder came from, and that it may be replaced."""


def fetch(
    address: str | PathLike[str] = OFFICIAL,
    into: Path = INTO,
    *,
    sha256: str | None = None,
    size: int | None = None,
    max_bytes: int = MAX_BYTES,
    overwrite: bool = False,
    timeout: float = 30.0,
    progress: Progress | None = None,
) -> Path:
    """Fetch an archive and unpack it; returns the folder that now holds its data.

    ``into`` appears complete or not at all. A download that breaks, or is interrupted, leaves ``into.part``
    (and ``into.part.json``) beside it, from which the next call goes on. Where all of an archive is in one
    folder, as in the official one, that folder becomes ``into``.

    Args:
        address: an http or https address, a file:// address, or the path of a .tgz, .tar or .zip file.
        into: a folder that does not exist yet, or is empty.
        sha256: the checksum the archive must have.
        size: the bytes the archive must have.
        max_bytes: the bytes it may have, and may hold once unpacked; 20 GiB.
        overwrite: replace ``into`` if an earlier fetch made it; nothing else is ever replaced.
        timeout: seconds to wait for a sign of life from the server.
        progress: called while downloading with the bytes that are here and, if known, those there will be.

    Raises:
        InputError: whatever goes wrong, with what to do about it.
    """
    address, into, checksum = fspath(address), into.resolve(), _checksum(sha256)
    local = _local(address)
    try:
        _require_free(into, overwrite)
        into.parent.mkdir(parents=True, exist_ok=True)
        if local:
            require_room(into.parent, local.stat().st_size, address)
            _install(local, into, _Wanted(address, checksum, size, max_bytes))
            return into
        part = into.with_name(into.name + ".part")
        download = Download(address, part, size, max_bytes, timeout, progress, _otherwise(address))
        download.run()
        with _discarding(download):
            _install(part, into, _Wanted(address, checksum, size, max_bytes))
        return into
    except OSError as error:
        raise InputError(
            f"cannot be read or written ({error.strerror or error})",
            path=error.filename or into,
            remedy="Put that right, or choose another folder with --into. What is downloaded is kept.",
        ) from error


@dataclass(frozen=True)
class _Wanted:
    """Where an archive comes from, and what is known about it beforehand."""

    address: str
    sha256: str | None
    size: int | None
    max_bytes: int


@contextmanager
def _discarding(download: Download) -> Iterator[None]:
    """Drop the downloaded archive after use, and where it is of no use; keep it after an interruption."""
    try:
        yield
    except UnusableArchive:
        download.discard()
        raise
    download.discard()


def _install(archive: Path, into: Path, wanted: _Wanted) -> None:
    """Check and unpack beside ``into``, then put it in place at once."""
    mark = {"from": wanted.address.partition("?")[0], "sha256": _verified(archive, wanted)}
    with tempfile.TemporaryDirectory(prefix=f".{into.name}.", dir=into.parent) as staging:
        new = Path(staging) / "new"
        unpack(archive, new, name=wanted.address, max_bytes=wanted.max_bytes)
        inside = list(new.iterdir())
        if len(inside) == 1 and inside[0].is_dir():
            new = inside[0]
        (new / MARK).write_text(json.dumps(mark, indent=1) + "\n", encoding="utf-8")
        _put(new, into, aside=Path(staging) / "old")


def _put(new: Path, into: Path, aside: Path) -> None:
    if into.exists():
        into.rename(aside)
    try:
        new.rename(into)
    except BaseException:
        if aside.exists():
            aside.rename(into)
        raise


def _verified(archive: Path, wanted: _Wanted) -> str:
    """The checksum of an archive that is the one wanted."""
    found = archive.stat().st_size
    if wanted.size is not None and found != wanted.size:
        raise _not_wanted(wanted, f"the file has {found:,} bytes, expected {wanted.size:,}")
    if found > wanted.max_bytes:
        raise _not_wanted(wanted, f"the file has {found:,} bytes, at most {wanted.max_bytes:,} are accepted")
    with archive.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if wanted.sha256 and digest != wanted.sha256:
        raise _not_wanted(wanted, f"the sha256 of the file is {digest}, expected {wanted.sha256}")
    return digest


def _not_wanted(wanted: _Wanted, what: str) -> UnusableArchive:
    return UnusableArchive(
        what,
        path=wanted.address,
        remedy="It is damaged, or another version: find out which one you need. Nothing was unpacked.",
    )


def _require_free(into: Path, overwrite: bool) -> None:
    """Only what does not exist, is empty, or was made by an earlier fetch can become the new folder."""
    if Path.cwd().is_relative_to(into):
        raise InputError("is the folder you are in", path=into, remedy="Name a new one with --into.")
    if not into.exists() or (into.is_dir() and not any(into.iterdir())):
        return
    if not into.is_dir() or not (into / MARK).is_file():
        raise InputError(
            "exists, and was not made by metaeval fetch; it is left alone",
            path=into,
            remedy="Move it away, or name a new folder with --into.",
        )
    if not overwrite:
        raise InputError(
            "has been fetched already", path=into, remedy="Use it, or replace it with --overwrite."
        )


def _local(address: str) -> Path | None:
    """The file that an address stands for; None for http and https."""
    if "://" not in address and not address.startswith("file:"):
        return _existing(Path(address), address)
    try:
        parts = urlsplit(address.encode("ascii").decode())
        valid = address.isprintable() and " " not in address and parts.port != 0
    except ValueError:
        valid = False
    if not valid:
        raise InputError("is not a valid address", path=address, remedy=_otherwise(address))
    if parts.scheme == "file" and parts.netloc in ("", "localhost"):
        return _existing(Path(url2pathname(parts.path)), address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(
            "expected an http or https address, file:///PATH, or a path",
            path=address,
            remedy=_otherwise(address),
        )
    if parts.username is not None:
        raise InputError(
            "an address with a user name is not accepted, for it would be shown and stored",
            path=f"{parts.scheme}://{parts.hostname}{parts.path}",
            remedy="Download the archive with a tool of your own and pass its path with --from.",
        )
    return None


def _existing(path: Path, address: str) -> Path:
    if path.is_dir():
        raise InputError(
            "is a folder, expected an archive",
            path=address,
            remedy="Nothing to fetch: use the folder as DATA.",
        )
    if not path.is_file():
        raise InputError("there is no such file", path=address, remedy=_otherwise(address))
    return path


def _checksum(sha256: str | None) -> str | None:
    if sha256 is not None and not re.fullmatch("[0-9a-fA-F]{64}", sha256):
        raise InputError("a sha256 has 64 hexadecimal digits", shows=sha256, remedy="Copy it again, in full.")
    return sha256 and sha256.lower()


def _otherwise(address: str) -> str:
    """What to do if an address gives nothing."""
    other = OFFICIAL if address == MIRROR else MIRROR
    return (
        f"Try another address: metaeval fetch --from {other}\n"
        "  Or bring the archive here by other means: metaeval fetch --from PATH/mt-metrics-eval-v2.tgz"
    )
