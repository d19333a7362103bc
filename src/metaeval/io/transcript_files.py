r"""One file of transcripts: sclite's ``.trn``, ``id <tab> text``, or a table with named columns.

An utterance is known by its id; where a file names recordings by their path, the id is the name of the
recording: ``/data/1089/134686/1089-134686-0000.flac`` is 1089-134686-0000.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from metaeval.errors import InputError, choices
from metaeval.io.columns import fold
from metaeval.io.lines import numbered_lines

Names: TypeAlias = str | Sequence[str] | None
"""The name of a column, or several of which a file has one; None: found by the usual names."""

IDS = (
    "id",
    "utt",
    "utterance",
    "utterance_id",
    "utt_id",
    "file",
    "files",
    "filename",
    "path",
    "audio",
    "wav",
)
TEXTS = ("text", "sentence", "transcript", "transcription", "hypothesis", "hyp", "output", "normalized_text")
SUFFIXES = (".trn", ".tsv", ".csv", ".txt")

_TRN = re.compile(r"(.*?)\s*\(([^()\s]+)\)\s*")
_RECORDING = re.compile(r"\.(flac|wav|mp3|ogg|opus|m4a|aac|sph|webm)?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Row:
    """One transcript, where it stands, and what else its row says."""

    line: int
    text: str
    others: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TranscriptFile:
    """Transcripts by utterance id, in the order of the file."""

    path: Path
    rows: Mapping[str, Row]
    unnamed: tuple[int, ...] = ()
    """Lines without an id, left out."""


def read_transcript_file(
    path: Path, *, id_column: Names = None, text_column: Names = None, skip_unnamed: bool = False
) -> TranscriptFile:
    """The transcripts of a file. O(file).

    Args:
        path: a ``.trn``, ``.tsv``, ``.csv`` or ``.txt`` file.
        id_column: the column with ids or paths; not asked for in files without columns.
        text_column: the column with transcripts.
        skip_unnamed: leave out rows without an id, and list them, instead of refusing the file.
    """
    records = _trn(path) if path.suffix.lower() == ".trn" else _delimited(path, id_column, text_column)
    rows: dict[str, Row] = {}
    unnamed = []
    for name, row in records:
        if not name and skip_unnamed:
            unnamed.append(row.line)
        elif not name:
            raise InputError(
                "the row names no utterance or file",
                path=path,
                line=row.line,
                shows=" | ".join([row.text, *row.others.values()]),
                remedy="Remove the row, or leave such rows out: skip_unnamed=True, --skip-unnamed.",
            )
        elif name in rows:
            raise InputError(
                f"utterance {name!r} was on line {rows[name].line} already", path=path, line=row.line
            )
        else:
            rows[name] = row
    if not rows:
        raise InputError("holds no transcripts", path=path)
    return TranscriptFile(path, rows, tuple(unnamed))


def utterance_id(cell: str) -> str:
    """The id in a cell: itself, or the name of the recording that a path leads to.

    >>> utterance_id("./LibriSpeech/1089-134686-0000."), utterance_id("utt1.wav"), utterance_id("a.b")
    ('1089-134686-0000', 'utt1', 'a.b')
    """
    name = re.split(r"[/\\]", cell.strip())[-1]
    return _RECORDING.sub("", name)


def _trn(path: Path) -> Iterator[tuple[str, Row]]:
    for line, text in numbered_lines(path):
        if not text.strip() or text.startswith(";;"):
            continue
        match = _TRN.fullmatch(text)
        if match is None:
            raise InputError(
                "found no utterance id, expected: text (id)",
                path=path,
                line=line,
                shows=text,
                remedy="Each line of a .trn file ends with its id in parentheses.",
            )
        yield match[2], Row(line, match[1].strip())


def _delimited(path: Path, id_column: Names, text_column: Names) -> Iterator[tuple[str, Row]]:
    comma = path.suffix.lower() == ".csv"
    first = next((text for _, text in numbered_lines(path) if text.strip()), None)
    if first is None:
        raise InputError("is empty, expected transcripts", path=path)
    try:
        header = next(csv.reader([first], delimiter="," if comma else "\t"))
    except csv.Error:  # no header that names columns
        header = []
    named = id_column is not None or text_column is not None
    has_names = _first_of(header, IDS) is not None and _first_of(header, TEXTS) is not None
    if named or has_names or comma:
        yield from _table(path, "," if comma else "\t", id_column, text_column)
    else:
        yield from _pairs(path)


def _pairs(path: Path) -> Iterator[tuple[str, Row]]:
    for line, text in numbered_lines(path):
        if not text.strip():
            continue
        fields = text.split("\t")
        if len(fields) != 2:
            raise InputError(
                f"found {len(fields)} fields, expected ID <tab> TEXT",
                path=path,
                line=line,
                shows=text,
                remedy="A file with other columns needs a header line that names them.",
            )
        yield utterance_id(fields[0]), Row(line, fields[1].strip())


def _table(path: Path, delimiter: str, id_column: Names, text_column: Names) -> Iterator[tuple[str, Row]]:
    """Rows of a table with a header; columns without a name, as pandas writes its index, are passed over."""
    reader = csv.reader((text + "\n" for _, text in numbered_lines(path)), delimiter=delimiter, strict=True)
    try:
        header = next(reader)
        ids = _column(path, header, id_column, IDS, "id")
        texts = _column(path, header, text_column, TEXTS, "text")
        others = [i for i, name in enumerate(header) if name.strip() and i not in (ids, texts)]
        start = reader.line_num + 1
        for fields in reader:
            if fields and len(fields) != len(header):
                raise InputError(
                    f"found {len(fields)} fields, expected {len(header)} as in the header",
                    path=path,
                    line=start,
                    shows=" | ".join(fields),
                )
            if fields:
                beside = {header[i]: fields[i] for i in others}
                yield utterance_id(fields[ids]), Row(start, fields[texts].strip(), beside)
            start = reader.line_num + 1
    except csv.Error as error:
        raise InputError(
            f"the fields cannot be told apart: {error}", path=path, line=reader.line_num
        ) from error


def _column(path: Path, header: list[str], wanted: Names, usual: Sequence[str], what: str) -> int:
    names = usual if wanted is None else (wanted,) if isinstance(wanted, str) else tuple(wanted)
    found = _first_of(header, names) if wanted is None else _exactly(header, names)
    if found is None:
        asked = f" {' or '.join(map(repr, names))}" if wanted is not None else ""
        there = [name for name in header if name.strip()]
        raise InputError(
            f"there is no {what} column{asked}",
            path=path,
            line=1,
            remedy=f"Name one with {what}_column. {choices(names[0], there)}",
        )
    return found


def _exactly(header: list[str], names: Sequence[str]) -> int | None:
    return next((header.index(name) for name in names if name in header), None)


def _first_of(header: list[str], names: Sequence[str]) -> int | None:
    """The column with the first of these names; ``transcription_en-US`` counts as ``transcription``."""
    folded = [fold(name) for name in header]
    for name in names:
        for i, found in enumerate(folded):
            if found == name or (name in TEXTS and found.startswith(f"{name}_")):
                return i
    return None
