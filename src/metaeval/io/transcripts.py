"""Transcripts of speech: a file of references and a file a system, joined by utterance."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from metaeval.errors import InputError
from metaeval.evalset import EvalSet, Texts
from metaeval.io.registry import Reader
from metaeval.io.transcript_files import (
    SUFFIXES,
    Names,
    TranscriptFile,
    read_transcript_file,
)
from metaeval.io.transcript_traps import traps

PathLike: TypeAlias = str | Path
Note: TypeAlias = Callable[[str], None]

REFERENCE = "ref"
"""What the reference transcript is called in the EvalSet."""

_log = logging.getLogger(__name__)
_REFERENCE_NAMES = {"ref", "refs", "reference", "references", "actual", "gold", "truth", "transcripts"}
_HYPOTHESIS_NAMES = {"hyp", "hyps", "hypothesis", "hypotheses"}
_SPEAKER_CHAPTER = re.compile(r"(?:\w+_)?(\d+)-(\d+)-(\d+)")


@dataclass(frozen=True, slots=True)
class Part:
    """The files of one set: ``test-clean``."""

    name: str
    reference: Path
    hypotheses: Mapping[str, Path]


def read_transcripts(
    *,
    reference: PathLike,
    hypotheses: PathLike | Sequence[PathLike] | Mapping[str, PathLike],
    id_column: Names = None,
    text_column: Names = None,
    set_name: str = "",
    skip_unnamed: bool = False,
    note: Note = _log.warning,
) -> EvalSet:
    """The EvalSet of a file of references and a file of transcripts from each system.

    Args:
        reference: ``.trn``, TSV or CSV; its utterances are the items.
        hypotheses: one file or folder, files, or files by system name. Systems are called after their files.
        id_column: the column that names utterances or recordings; several names where files differ.
        text_column: the column with the transcripts; several names where files differ.
        set_name: becomes the context ``set`` of all items: test-clean.
        skip_unnamed: leave out, with a note, rows that name no utterance; otherwise they are an error.
        note: called with a sentence on each thing in the files that may mislead.

    Items are sorted where their ids are ``speaker-chapter-utterance``; speaker, chapter and document (the
    chapter of a speaker) then are context columns. A transcript that a system lacks is missing; an empty
    one is an empty text, all deletions.
    """
    part = Part(set_name, Path(reference), _by_system(hypotheses, Path(reference)))
    return _assemble([part], id_column, text_column, skip_unnamed, note)


def read_folder(path: Path, *, pair: str | None = None, skip_unnamed: bool = False) -> EvalSet:
    """The EvalSet of a folder: ``NAME.ref.tsv`` beside ``NAME.hyp.SYSTEM.tsv``, several sets in one.

    The reference may also be called ref, reference, actual, gold or truth; then every other file is a
    system's.
    """
    parts = _parts(path)
    if not parts:
        raise InputError(
            "holds no transcripts: no file is called ref, reference, actual, gold or truth",
            path=path,
            remedy="Name the files in Python: metaeval.io.transcripts.read_transcripts(...)",
        )
    return _assemble(parts, None, None, skip_unnamed, _log.warning, pair or "")


def sniff(path: Path) -> bool:
    """Whether a folder has a file of references beside others of the same kind."""
    try:
        parts = _parts(path) if path.is_dir() else []
        for part in parts:
            read_transcript_file(part.reference, skip_unnamed=True)
    except (InputError, OSError):
        return False
    return bool(parts)


def _assemble(
    parts: Sequence[Part],
    id_column: Names,
    text_column: Names,
    skip_unnamed: bool,
    note: Note,
    pair: str = "",
) -> EvalSet:
    def read(path: Path) -> TranscriptFile:
        file = read_transcript_file(
            path, id_column=id_column, text_column=text_column, skip_unnamed=skip_unnamed
        )
        if file.unnamed:
            lines = ", ".join(map(str, file.unnamed[:5])) + (", ..." if len(file.unnamed) > 5 else "")
            note(
                f"{path}: left out {_count(len(file.unnamed), 'row')} that names no utterance (line {lines})"
            )
        return file

    sets, spoken = [], {}
    written: dict[str, dict[str, str]] = {}
    for part in sorted(parts, key=lambda p: p.name):
        reference = read(part.reference)
        files = {system: read(path) for system, path in part.hypotheses.items()}
        for system, file in files.items():
            _check_joined(file, reference)
            written.setdefault(system, {}).update({name: row.text for name, row in file.rows.items()})
        for sentence in traps(reference, files):
            note(sentence)
        items = _ordered(reference.rows)
        again = next((name for name in items if name in spoken), None)
        if again is not None:
            raise InputError(
                f"utterance {again!r} is in another set already",
                path=part.reference,
                line=reference.rows[again].line,
                remedy="Give ids that differ between the sets, or read each set from a folder of its own.",
            )
        sets.extend([part.name] * len(items))
        spoken.update({name: reference.rows[name].text for name in items})
    return EvalSet(
        systems=tuple(written),
        items=tuple(spoken),
        references={REFERENCE: tuple(spoken.values())},
        outputs={system: tuple(map(texts.get, spoken)) for system, texts in written.items()},
        item_context=_context(list(spoken), sets),
        pair=pair,
    )


def _check_joined(file: TranscriptFile, reference: TranscriptFile) -> None:
    stray = next((name for name in file.rows if name not in reference.rows), None)
    if stray is not None:
        known = next(iter(reference.rows))
        raise InputError(
            f"utterance {stray!r} is not in {reference.path.name}, whose ids look like {known!r}",
            path=file.path,
            line=file.rows[stray].line,
            remedy="Give the reference of the same set, or name the id column.",
        )


def _ordered(names: Iterable[str]) -> list[str]:
    """Ids sorted where all are speaker-chapter-utterance, so that chapters are runs; else as they came."""
    listed = list(names)
    return sorted(listed) if all(map(_SPEAKER_CHAPTER.fullmatch, listed)) else listed


def _context(items: list[str], sets: list[str]) -> dict[str, Texts]:
    context: dict[str, Texts] = {"set": tuple(sets)} if any(sets) else {}
    matches = [_SPEAKER_CHAPTER.fullmatch(item) for item in items]
    if all(matches):
        found = [match.groups() for match in matches if match]
        context["speaker"] = tuple(speaker for speaker, _, _ in found)
        context["chapter"] = tuple(chapter for _, chapter, _ in found)
        context["document"] = tuple(f"{speaker}-{chapter}" for speaker, chapter, _ in found)
    return context


def _by_system(
    hypotheses: PathLike | Sequence[PathLike] | Mapping[str, PathLike], reference: Path
) -> dict[str, Path]:
    if isinstance(hypotheses, Mapping):
        return {name: Path(path) for name, path in hypotheses.items()}
    if isinstance(hypotheses, str | Path):
        place = Path(hypotheses)
        paths = (
            [p for p in _files(place) if p.resolve() != reference.resolve()] if place.is_dir() else [place]
        )
    else:
        paths = [Path(path) for path in hypotheses]
    named: dict[str, Path] = {}
    for path in paths:
        system = _set_and_system(path)[1]
        if system in named:
            raise InputError(
                f"two files are transcripts of {system!r}: {named[system].name} and {path.name}",
                remedy='Name the systems: hypotheses={"a": ..., "b": ...}',
            )
        named[system] = path
    if not named:
        raise InputError("there are no transcripts of systems", path=reference.parent)
    return named


def _parts(folder: Path) -> list[Part]:
    references: dict[str, Path] = {}
    others: dict[str, dict[str, Path]] = {}
    for path in _files(folder):
        name, system = _set_and_system(path)
        if _name_parts(path)[-1].casefold() in _REFERENCE_NAMES:
            references[name] = path
        else:
            others.setdefault(name, {})[system] = path
    return [Part(name, path, others[name]) for name, path in references.items() if name in others]


def _files(folder: Path) -> list[Path]:
    return sorted(p for p in folder.iterdir() if p.suffix.lower() in SUFFIXES and p.is_file())


def _name_parts(path: Path) -> list[str]:
    return path.name[: -len(path.suffix)].split(".") if path.suffix else [path.name]


def _set_and_system(path: Path) -> tuple[str, str]:
    """The set and the system that a file's name says.

    >>> _set_and_system(Path("test-clean.hyp.b1.tsv")), _set_and_system(Path("azure.csv"))
    (('test-clean', 'b1'), ('', 'azure'))
    """
    parts = _name_parts(path)
    for i, part in enumerate(parts):
        if part.casefold() in _HYPOTHESIS_NAMES | _REFERENCE_NAMES:
            return ".".join(parts[:i]), ".".join(parts[i + 1 :]) or part
    return "", ".".join(parts)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


READER = Reader(
    name="transcripts",
    about="a folder of transcripts (.trn, TSV, CSV), one file the reference",
    sniff=sniff,
    read=read_folder,
    order=45,
)
