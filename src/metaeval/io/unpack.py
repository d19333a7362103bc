"""Unpacking that an archive cannot turn against its user.

Members are plain files and folders below one new folder, or the whole archive is refused. Links are refused
even where they look harmless: evaluation data needs none, and where a link leads depends on what comes later.
"""

from __future__ import annotations

import gzip
import re
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from metaeval.io.members import Member, UnusableArchive, members

MAX_BYTES = 20 * 2**30
"""Nine times what the official archive held in 2026."""
MAX_MEMBERS = 200_000

_BY_HAND = "Nothing was unpacked. If you trust the archive, unpack it yourself and use that folder."
_DAMAGE = (
    *(EOFError, ValueError, OverflowError, RuntimeError),
    *(tarfile.TarError, zipfile.BadZipFile, gzip.BadGzipFile, zlib.error, struct.error),
)


def unpack(
    archive: Path,
    into: Path,
    *,
    name: str | None = None,
    max_bytes: int = MAX_BYTES,
    max_members: int = MAX_MEMBERS,
) -> None:
    """Unpack a .tgz, .tar or .zip archive into ``into``, a folder that does not exist yet.

    No member gives more bytes than it announced, so a bomb is refused before it goes off, and memory does not
    depend on any size. Files get the permissions and the date of any new file. After an error ``into`` may
    hold a part of the archive; it is for the caller to remove.

    Args:
        name: what messages call the archive, if not by its path.

    Raises:
        UnusableArchive: it is damaged, hostile, too large, or no archive at all.
        OSError: the disk does not take it.
    """
    into.mkdir()
    left, count = max_bytes, 0
    with _blaming(name or str(archive)):
        for count, member in enumerate(members(archive), start=1):
            if count > max_members:
                raise UnusableArchive(f"holds more than {max_members:,} files and folders", remedy=_BY_HAND)
            _refuse(member)
            if member.size > left:
                raise UnusableArchive(f"holds more than {max_bytes:,} bytes", remedy=_BY_HAND)
            left -= _write(member, into / member.name)
        if not count:
            raise UnusableArchive("the archive is empty", remedy="Name another one with --from.")


def name_fault(name: str) -> str | None:
    r"""What is wrong with the name of a member; None if it leads below the folder, on every system.

    >>> name_fault("./wmt23/sources/zh-en.txt")
    >>> name_fault("wmt23/../../.profile")
    'its name holds ..'
    >>> name_fault("wmt23\\zh-en.txt")
    'its name holds a backslash'
    """
    parts = name.split("/")
    if name.startswith("/"):
        return "its name is an absolute path"
    if "\\" in name:
        return "its name holds a backslash"
    if ".." in parts:
        return "its name holds .."
    if any(re.match("[A-Za-z]:", part) for part in parts):
        return "its name holds a drive letter"
    if not name.isprintable():
        return "its name holds characters that cannot be printed"
    return None


def _refuse(member: Member) -> None:
    fault = name_fault(member.name)
    if fault is None and member.kind not in ("file", "folder"):
        fault = f"it is {member.kind}"
    if fault is None and member.size < 0:
        fault = "its size is negative"
    if fault:
        raise UnusableArchive(
            f"a member of the archive is refused: {fault}", shows=member.name, remedy=_BY_HAND
        )


def _write(member: Member, path: Path) -> int:
    """Write one member; returns how many bytes it had."""
    try:
        (path if member.kind == "folder" else path.parent).mkdir(parents=True, exist_ok=True)
        if member.kind == "folder":
            return 0
        target = path.open("xb")
    except (FileExistsError, NotADirectoryError):
        fault = "a member of the archive is refused: another one is in its place"
        raise UnusableArchive(fault, shows=member.name, remedy=_BY_HAND) from None
    with target:
        return sum(target.write(chunk) for chunk in member.chunks())


@contextmanager
def _blaming(name: str) -> Iterator[None]:
    """Say which archive is at fault, also where it is a parser that stumbles."""
    try:
        yield
    except UnusableArchive as error:
        error.path = name
        raise
    except _DAMAGE as error:
        why = str(error) or type(error).__name__
        raise UnusableArchive(
            f"the archive is damaged or cut short ({why})",
            path=name,
            remedy="Fetch it again, or name another one with --from.",
        ) from error
