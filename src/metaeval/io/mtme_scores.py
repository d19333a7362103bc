"""Score and rating files: a block of lines a system, ``SYSTEM <tab> VALUE``, in the order of the items."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np

from metaeval.errors import InputError, printable
from metaeval.io.lines import MAX_LINE_CHARS, numbered_lines, parse_score
from metaeval.scores import MAX_SCORE, FloatArray

_T = TypeVar("_T")

MAX_FAST_BYTES = 256 * 1024**2
"""Larger files are read line by line, which needs memory only for what is valid."""


@dataclass(frozen=True, slots=True)
class Expected:
    """How many lines each system must have, and why; said in the error when a file has others."""

    lines: int
    why: str

    def wrong(self, system: str, found: int, path: Path, line: int) -> InputError:
        counted = f"{found:,} line{'s' * (found != 1)}"
        return InputError(
            f"found {counted} for {printable(system, 60)}, expected {self.lines:,} ({self.why})",
            path=path,
            line=line,
            remedy="The lines of a system must stand together, in the order of the sources. "
            "Are these the scores of another language pair or test set?",
        )


def read_scores(path: Path, expected: Expected) -> dict[str, FloatArray]:
    """The scores of each system, in the order of the file; NaN where it says ``None``.

    About 0.2 microseconds a line; a file that is not entirely plain is read again, line by line.
    """
    fast = _plain_scores(path, expected.lines)
    if fast is not None:
        return fast
    return {system: np.array(values) for system, values in _blocks(path, expected, _score).items()}


def read_ratings(path: Path, expected: Expected) -> dict[str, tuple[str | None, ...]]:
    """The JSON text of each system's ratings as it was found, checked; None where it says ``None``."""
    return {system: tuple(texts) for system, texts in _blocks(path, expected, _rating).items()}


def read_group_scores(path: Path) -> dict[str, dict[str, float]]:
    """Lines ``GROUP SYSTEM SCORE`` in any order, as system -> group -> score; NaN where it says ``None``."""
    found: dict[str, dict[str, float]] = {}
    for number, text in numbered_lines(path):
        group, system, score = _fields(text, ("DOMAIN", "SYSTEM", "SCORE"), path, number)
        of_system = found.setdefault(system, {})
        if group in of_system:
            raise InputError("found a second score for this system", path=path, line=number, shows=text)
        of_system[group] = parse_score(score, path=path, line=number)
    if not found:
        raise _empty(path)
    return found


def _blocks(
    path: Path, expected: Expected, parse: Callable[[str, Path, int], tuple[str, _T]]
) -> dict[str, list[_T]]:
    """The values of each system, line by line: the specification that the fast way must meet."""
    found: dict[str, list[_T]] = {}
    current, seen, number = "", 0, 0
    for number, text in numbered_lines(path):
        system, value = parse(text, path, number)
        if system != current:
            if seen and seen != expected.lines:
                raise _miscounted(expected, current, seen, path, number - 1)
            if system in found:
                again = f"found a second block of lines for {printable(system, 60)}"
                raise InputError(again, path=path, line=number, remedy="Keep one of them.")
            current, seen, found[system] = system, 0, []
        seen += 1
        if seen <= expected.lines:
            found[system].append(value)
    if not seen:
        raise _empty(path)
    if seen != expected.lines:
        raise _miscounted(expected, current, seen, path, number)
    return found


def _miscounted(expected: Expected, system: str, seen: int, path: Path, last: int) -> InputError:
    """Points at the last line of a block that is too short, at the first one too many of a longer one."""
    return expected.wrong(system, seen, path, min(last, last - seen + expected.lines + 1))


def _plain_scores(path: Path, size: int) -> dict[str, FloatArray] | None:
    """The same as :func:`_blocks` for a file without anything unusual in it; None for any other."""
    try:
        if not path.is_file() or path.stat().st_size > MAX_FAST_BYTES:
            return None
        text = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    lines = text.removesuffix("\n").split("\n")
    if len(lines) % size or text.count("\t") != len(lines) or any(mark in text for mark in "\r\0\ufeff"):
        return None
    if len(text) > MAX_LINE_CHARS and max(map(len, lines)) > MAX_LINE_CHARS:
        return None
    found: dict[str, FloatArray] = {}
    for start in range(0, len(lines), size):
        system = lines[start].partition("\t")[0]
        values = _plain_block(system, lines[start : start + size])
        if values is None or system in found:
            return None
        found[system] = values
    if text.count("_") != size * sum(system.count("_") for system in found):
        return None  # Python reads 1_0 as a number; this format does not
    return found


def _plain_block(system: str, lines: list[str]) -> FloatArray | None:
    """The scores of lines that all begin with the system and a tab."""
    prefix = f"{system}\t"
    if not system or system != system.strip(" ") or {line[: len(prefix)] for line in lines} != {prefix}:
        return None
    cells = [line[len(prefix) :] for line in lines]
    missing = cells.count("None")
    if missing:
        cells = ["nan" if cell == "None" else cell for cell in cells]
    try:
        values = np.array(list(map(float, cells)))
    except ValueError:
        return None
    return values if (np.abs(values) <= MAX_SCORE).sum() + missing == len(values) else None


def _score(text: str, path: Path, line: int) -> tuple[str, float]:
    system, score = _fields(text, ("SYSTEM", "SCORE"), path, line)
    return system, parse_score(score, path=path, line=line)


def _rating(text: str, path: Path, line: int) -> tuple[str, str | None]:
    system, _, rating = text.partition("\t" if "\t" in text else " ")
    system, rating = system.strip(" "), rating.strip(" ")
    if not system or not rating:
        raise InputError("found 1 field, expected SYSTEM <tab> RATING", path=path, line=line, shows=text)
    if rating == "None":
        return system, None
    if not is_rating(rating):
        raise InputError(
            "found a rating that is not a JSON object with a list of errors",
            path=path,
            line=line,
            shows=rating,
            remedy='Write {"errors": [...]}, or None where there is no rating.',
        )
    return system, rating


def is_rating(text: str) -> bool:
    """Whether a text is JSON of the form ``{"errors": [{...}, ...]}``.

    >>> is_rating('{"errors": []}'), is_rating('{"errors": 3}'), is_rating('[')
    (True, False, False)
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return False
    errors = found.get("errors") if isinstance(found, dict) else None
    return isinstance(errors, list) and all(isinstance(error, dict) for error in errors)


def _fields(text: str, expected: tuple[str, ...], path: Path, line: int) -> list[str]:
    """The fields of a line: between tabs if it has any, between blanks otherwise."""
    fields = [part.strip(" ") for part in text.split("\t")] if "\t" in text else text.split(" ")
    fields = fields if "\t" in text else [part for part in fields if part]
    if len(fields) != len(expected) or not all(fields):
        empty = "" if all(fields) else ", one of them empty"
        found = f"{len(fields)} field{'s' * (len(fields) != 1)}{empty}"
        raise InputError(
            f"found {found}, expected {' <tab> '.join(expected)}", path=path, line=line, shows=text
        )
    return fields


def _empty(path: Path) -> InputError:
    return InputError("is empty", path=path, remedy="Remove the file, or write its scores again.")
