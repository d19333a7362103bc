"""The members of an archive that nobody vouches for, read one after the other in bounded memory.

The standard parsers believe what an archive says about itself. Here tarfile gets its bytes in rations, so
that no header makes it hold more than a little, and a damaged header is an error, not the end; zipfile reads
an index of bounded length. What is done with the members is decided elsewhere.
"""

from __future__ import annotations

import gzip
import io
import stat
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal, cast

from metaeval.errors import InputError

CHUNK = 1 << 18

_RATION = 1 << 20
_ZIP_INDEX = 32 << 20
_ENCRYPTED = 1
_WEB_PAGE = b"\xef\xbb\xbf \t\r\n"


class UnusableArchive(InputError):
    """The archive itself is at fault: reading it once more would not help."""


@dataclass(frozen=True)
class Member:
    """One member: its name as written, what it is, the size it claims, its bytes (never more than that)."""

    name: str
    kind: Literal["file", "folder"] | str
    size: int
    chunks: Callable[[], Iterator[bytes]]


def members(archive: Path) -> Iterator[Member]:
    """The members of a .tgz, .tar or .zip file in order; read each before you ask for the next.

    The kind of archive is told from its first bytes. The errors of the parsers pass through.
    """
    with archive.open("rb") as file:
        start = file.read(512)
        file.seek(0)
        if start.startswith(b"\x1f\x8b"):
            with gzip.open(file) as stream:
                yield from _tar_members(cast(IO[bytes], stream))
        elif start.startswith((b"PK\x03\x04", b"PK\x05\x06")):
            with _ZipBytes(file.raw) as measured:
                yield from _zip_members(measured)
        elif start[257:262] == b"ustar":
            yield from _tar_members(file)
        else:
            raise _no_archive(start)


def _no_archive(start: bytes) -> UnusableArchive:
    page = start.lstrip(_WEB_PAGE).startswith(b"<")
    found = "a web page" if page else "not an archive" if start else "an empty file"
    return UnusableArchive(
        f"found {found}, expected a .tgz, .tar or .zip file",
        remedy="Look at the address in a browser, or name another one with --from.",
    )


class _Ration:
    """A stream that stops a parser which asks for too much at once."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.stream, self.left = stream, _RATION

    def refill(self) -> None:
        self.left = _RATION

    def read(self, size: int) -> bytes:
        data = self.stream.read(size)
        self.left -= len(data)
        if self.left < 0:
            raise tarfile.ReadError("more than a header or an end mark can need")
        return data


class _Header(tarfile.TarInfo):
    """A header that must be sound: tarfile takes a damaged one for the end of the archive.

    At the end, which is a block of zeros, tarfile itself raises an error that only it understands.
    """

    @classmethod
    def fromtarfile(cls, tarfile: tarfile.TarFile) -> _Header:
        try:
            return super().fromtarfile(tarfile)
        except _HeaderError as error:
            if type(error).__name__ == "EOFHeaderError":
                raise
            raise _ReadError(str(error)) from error


_HeaderError, _ReadError = tarfile.HeaderError, tarfile.ReadError


def _tar_members(stream: IO[bytes]) -> Iterator[Member]:
    ration = _Ration(stream)
    with tarfile.open(fileobj=cast(IO[bytes], ration), mode="r|", tarinfo=_Header) as tar:
        while True:
            ration.refill()
            header = tar.next()
            if header is None:
                break
            yield _tar_member(tar, header, ration)
    while ration.read(CHUNK):  # to the end, where gzip keeps its checksum
        pass


def _tar_member(tar: tarfile.TarFile, header: tarfile.TarInfo, ration: _Ration) -> Member:
    def chunks() -> Iterator[bytes]:
        source = tar.extractfile(header)
        while source and (chunk := source.read(CHUNK)):
            yield chunk
            ration.refill()

    return Member(header.name, _tar_kind(header), header.size, chunks)


def _tar_kind(header: tarfile.TarInfo) -> str:
    if header.issym() or header.islnk():
        return "a link"
    if header.isdev():
        return "a device"
    if header.issparse():
        return "a sparse file"
    return "folder" if header.isdir() else "file" if header.isreg() else "of an unknown kind"


class _ZipBytes(io.BufferedReader):
    """A file in which zipfile can read no endless index, and cannot be sent before the start."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > _ZIP_INDEX:
            raise zipfile.BadZipFile("its index is too long")
        return super().read(size)

    def seek(self, target: int, whence: int = 0, /) -> int:
        if whence == 0 and target < 0:
            raise zipfile.BadZipFile("a member lies outside of the file")
        return super().seek(target, whence)


def _zip_members(file: IO[bytes]) -> Iterator[Member]:
    with zipfile.ZipFile(file) as archive:
        for info in archive.infolist():
            yield _zip_member(archive, info)


def _zip_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Member:
    def chunks() -> Iterator[bytes]:
        with archive.open(info) as source:
            while chunk := source.read(CHUNK):
                yield chunk

    return Member(info.orig_filename, _zip_kind(info), info.file_size, chunks)


def _zip_kind(info: zipfile.ZipInfo) -> str:
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind == stat.S_IFLNK:
        return "a link"
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "a device"
    if info.flag_bits & _ENCRYPTED:
        return "encrypted"
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "compressed in an uncommon way"
    return "folder" if info.is_dir() else "file"
