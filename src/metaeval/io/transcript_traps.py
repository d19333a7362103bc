"""What in files of transcripts may mislead: said in a sentence each, with the evidence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from metaeval.errors import printable
from metaeval.io.transcript_files import TranscriptFile
from metaeval.scorers.normalise import normalised

_ERROR_RATE = re.compile(r"(word|char(acter)?)?[_ -]?error[_ -]?rate|[wc]er", re.IGNORECASE)
_PUNCTUATION = re.compile(r"[.,;:?!\"]")
_CLOSE_TO_ONE = 0.999
_ENOUGH = 0.9
"""The share of right transcripts whose error rate is 1 from which the column is called upside down."""


def traps(reference: TranscriptFile, files: Mapping[str, TranscriptFile]) -> Iterator[str]:
    """Sentences for people. O(texts)."""
    for file in files.values():
        empty = sum(not row.text for row in file.rows.values())
        if empty:
            yield f"{file.path}: {_are(empty, 'transcript')} empty: all words deleted"
        absent = len(reference.rows) - len(file.rows)
        if absent:
            yield f"{file.path}: no transcript of {absent:,} of {len(reference.rows):,} utterances: no score"
        yield from _error_rates(reference, file)
    yield from _conventions(reference, files)


def _error_rates(reference: TranscriptFile, file: TranscriptFile) -> Iterator[str]:
    """Error rates that a file brings: not used, and whether they are accuracies in truth."""
    first = next(iter(file.rows.values()))
    for column in first.others:
        if not _ERROR_RATE.fullmatch(column.strip()):
            continue
        right = [
            value
            for name, row in file.rows.items()
            if (value := _number(row.others.get(column, ""))) is not None
            and row.text
            and normalised(row.text) == normalised(reference.rows[name].text)
        ]
        ones = sum(value > _CLOSE_TO_ONE for value in right)
        said = f"{file.path}: the column {printable(column, 40)!r} is not used"
        if right and ones >= _ENOUGH * len(right):
            said += f"; it is 1 for {ones:,} of {len(right):,} transcripts without an error: it holds 1 - WER"
        yield said


def _conventions(reference: TranscriptFile, files: Mapping[str, TranscriptFile]) -> Iterator[str]:
    """Case and punctuation that reference and systems do not share."""
    spoken = " ".join(row.text for row in reference.rows.values())
    cased, punctuated = [], []
    for system, file in files.items():
        written = " ".join(row.text for row in file.rows.values())
        if _case(written) != _case(spoken):
            cased.append(system)
        if bool(_PUNCTUATION.search(written)) != bool(_PUNCTUATION.search(spoken)):
            punctuated.append(system)
    for what, systems in (("case", cased), ("punctuation", punctuated)):
        if systems:
            yield (
                f"{reference.path}: {what} differs from that of {', '.join(systems)}; "
                "every such word counts as an error unless you score with WER(normalise=yes)"
            )


def _case(text: str) -> tuple[bool, bool]:
    return text != text.lower(), text != text.upper()


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None


def _are(number: int, noun: str) -> str:
    return f"{number:,} {noun} is" if number == 1 else f"{number:,} {noun}s are"
