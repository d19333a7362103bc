"""Text files, line by line, as hostile input: encodings, line ends and sizes are checked here, once."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from metaeval.errors import InputError
from metaeval.scores import MAX_SCORE

MAX_FILE_BYTES = 4 * 1024**3
"""Files above this are refused: no text format of this field comes near it."""
MAX_LINE_CHARS = 4 * 1024**2


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    r"""Each line without its end, with its number from 1. O(file), one block in memory.

    Only ``\n`` and ``\r\n`` end a line (a text may hold U+2028 or a form feed). A byte-order mark is
    dropped. Raises InputError for what is not UTF-8 text.
    """
    _check_size(path)
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as file:
            bounded = iter(partial(file.readline, MAX_LINE_CHARS + 2), "")
            for number, line in enumerate(bounded, start=1):
                text = line.removesuffix("\n").removesuffix("\r")
                if "\0" in text:
                    raise InputError("found a NUL byte: this is not a text file", path=path, line=number)
                if len(text) > MAX_LINE_CHARS:
                    what = f"the line has over {MAX_LINE_CHARS:,} characters"
                    raise InputError(what, path=path, line=number, remedy="Is this a text file?")
                yield number, text
    except UnicodeDecodeError as error:
        raise _not_utf8(path) from error
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=path) from error


def read_lines(path: Path) -> list[str]:
    """All lines of a text file; line n is at n - 1."""
    return [text for _, text in numbered_lines(path)]


def parse_score(text: str, *, path: Path, line: int) -> float:
    """A number up to ``MAX_SCORE``, or NaN for ``None``: the one way a score is read from text.

    >>> parse_score("-1.5", path=Path("x"), line=1)
    -1.5
    """
    if text == "None":
        return math.nan
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not abs(value) <= MAX_SCORE or "_" in text:
        large = math.isfinite(value) and "_" not in text
        raise InputError(
            f"found a score beyond {MAX_SCORE:g}" if large else "found a score that is not a finite number",
            path=path,
            line=line,
            shows=text,
            remedy="Write a number, or None where a score is missing.",
        )
    return value


def _check_size(path: Path) -> None:
    try:
        if path.is_dir():
            raise InputError("is a folder, expected a file", path=path)
        size = path.stat().st_size
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=path) from error
    if size > MAX_FILE_BYTES:
        raise InputError(
            f"has {size / 1024**3:.1f} GB, more than the {MAX_FILE_BYTES // 1024**3} GB that are read",
            path=path,
            remedy="Split it, or convert it to Parquet.",
        )


def _not_utf8(path: Path) -> InputError:
    """The first line that is not UTF-8, found by a second pass."""
    with path.open("rb") as file:
        for number, line in enumerate(iter(partial(file.readline, MAX_LINE_CHARS), b""), start=1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                shown = line[:80].decode("latin-1").rstrip("\r\n")
                guess = "utf-16" if line.startswith((b"\xff\xfe", b"\xfe\xff")) else "latin1"
                return InputError(
                    "is not UTF-8 text",
                    path=path,
                    line=number,
                    shows=shown,
                    remedy=f"Save it as UTF-8, for example: iconv -f {guess} -t utf-8 {path.name}",
                )
    return InputError("is not UTF-8 text", path=path)
