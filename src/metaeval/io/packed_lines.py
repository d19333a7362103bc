"""Lines of a text file that may be gzipped, in bounded memory."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path

from metaeval.errors import InputError
from metaeval.io.lines import MAX_FILE_BYTES, MAX_LINE_CHARS, numbered_lines

_GZIP = b"\x1f\x8b"


def packed_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Each line with its number from 1, whatever the name of the file says. O(file), one line in memory.

    What a gzip file unpacks to is held to the limits of plain files.
    """
    try:
        with path.open("rb") as file:
            packed = file.read(len(_GZIP)) == _GZIP
    except OSError:
        packed = False
    yield from _unpacked(path) if packed else numbered_lines(path)


def _unpacked(path: Path) -> Iterator[tuple[int, str]]:
    total, number = 0, 0
    try:
        with gzip.open(path, "rb") as file:
            while line := file.readline(MAX_LINE_CHARS + 1):
                number += 1
                total += len(line)
                if len(line) > MAX_LINE_CHARS:
                    raise InputError(f"the line has over {MAX_LINE_CHARS:,} bytes", path=path, line=number)
                if total > MAX_FILE_BYTES:
                    raise InputError(f"unpacks to more than {MAX_FILE_BYTES // 1024**3} GB", path=path)
                text = line.decode("utf-8").removesuffix("\n").removesuffix("\r")
                if "\0" in text:
                    raise InputError("found a NUL byte: this is not a text file", path=path, line=number)
                yield number, text.removeprefix("\ufeff") if number == 1 else text
    except UnicodeDecodeError as error:
        raise InputError("is not UTF-8 text", path=path, line=number) from error
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"is not a whole gzip file: {error}", path=path) from error
