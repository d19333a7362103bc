"""TREC runs and qrels, plain or gzip: ranked lists with the grades of their documents."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np

from metaeval.errors import InputError
from metaeval.evalset import EvalSet
from metaeval.io.packed_lines import packed_lines
from metaeval.io.registry import Reader
from metaeval.rankings import RankedList, Rankings

PathLike: TypeAlias = str | Path
Found: TypeAlias = dict[str, dict[str, float]]
"""By topic: documents with their scores."""

QRELS = "qrels"
"""What the judgments are called as the reference of a metric."""

_log = logging.getLogger(__name__)


def read_trec(
    qrels: PathLike,
    runs: PathLike | Sequence[PathLike] | Mapping[str, PathLike],
    *,
    name: str = "",
    note: Callable[[str], None] = _log.warning,
) -> Rankings:
    """The ranked lists of runs, with judgments.

    As trec_eval does, lists are ordered by score (as a 32-bit float) and equal scores by document id,
    both falling; the ranks in the file are not read. Topics without judgments are left out, with a note.

    Args:
        qrels: lines of ``topic iteration document grade``.
        runs: one file or a folder of them, files, or files by name; lines of
            ``topic Q0 document rank score tag``. A run is called by its tag.
        name: what the data are called.
        note: called with a sentence on what was left out.
    """
    judged = read_qrels(Path(qrels))
    topics = tuple(judged)
    documents: dict[str, str] = {document: document for grades in judged.values() for document in grades}
    lists: dict[str, tuple[RankedList | None, ...]] = {}
    for given, path in _named(runs):
        tag, found = _read_run(path, documents)
        run = given or tag
        if run in lists:
            raise InputError(
                f"a second run is called {run!r}",
                path=path,
                remedy='Name the runs: runs={"a": ..., "b": ...}',
            )
        for sentence in _gaps(path, found, topics):
            note(sentence)
        lists[run] = tuple(_ranked(found[topic]) if topic in found else None for topic in topics)
    return Rankings(runs=tuple(lists), topics=topics, lists=lists, qrels=judged, name=name)


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """The grade of each judged document, by topic."""
    judged: dict[str, dict[str, int]] = {}
    for line, fields in _fields(path, 4, "TOPIC ITERATION DOCUMENT GRADE"):
        topic, _, document, grade = fields
        if not _is_integer(grade):
            raise InputError(f"found the grade {grade!r}, expected a whole number", path=path, line=line)
        grades = judged.setdefault(topic, {})
        if document in grades:
            raise InputError(
                f"document {document!r} is judged twice for topic {topic!r}", path=path, line=line
            )
        grades[document] = int(grade)
    if not judged:
        raise InputError("holds no judgments", path=path)
    return judged


def _read_run(path: Path, documents: dict[str, str]) -> tuple[str, Found]:
    """The tag and the scored documents of a run; ids that were seen before are not held twice."""
    found: Found = {}
    tag, known = "", ""
    scores: dict[str, float] = {}
    for line, (topic, _, document, _, number, named) in _fields(path, 6, "TOPIC Q0 DOCUMENT RANK SCORE TAG"):
        if topic != known:
            known, scores = topic, found.setdefault(topic, {})
        if document in scores:
            raise InputError(
                f"document {document!r} is there twice for topic {topic!r}", path=path, line=line
            )
        scores[documents.setdefault(document, document)] = _score(number, path, line)
        tag = tag or named
        if tag != named:
            raise InputError(
                f"found the tag {named!r} after {tag!r}, expected one run a file",
                path=path,
                line=line,
                remedy="Split the file by its last field.",
            )
    if not found:
        raise InputError("holds no ranked documents", path=path)
    return tag, found


def _fields(path: Path, number: int, expected: str) -> Iterator[tuple[int, list[str]]]:
    for line, text in packed_lines(path):
        fields = text.split()
        if not fields:
            continue
        if len(fields) != number:
            raise InputError(
                f"found {len(fields)} fields, expected {expected}", path=path, line=line, shows=text
            )
        yield line, fields


def _score(text: str, path: Path, line: int) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or "_" in text:
        raise InputError("found a score that is not a finite number", path=path, line=line, shows=text)
    return value


def _is_integer(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit() and len(digits) < 10


def _ranked(scores: dict[str, float]) -> RankedList:
    with np.errstate(over="ignore"):
        single = np.array(list(scores.values())).astype(np.float32).tolist()
    order = sorted(zip(single, scores, strict=True), reverse=True)
    documents = tuple(document for _, document in order)
    return RankedList(documents, np.array([scores[document] for document in documents]))


def _gaps(path: Path, found: Found, topics: Sequence[str]) -> Iterator[str]:
    judged = set(topics)
    unjudged = [topic for topic in found if topic not in judged]
    absent = [topic for topic in topics if topic not in found]
    if unjudged:
        yield f"{path}: {len(unjudged):,} topics have no judgments and are left out ({unjudged[0]}, ...)"
    if absent:
        yield f"{path}: {len(absent):,} of {len(topics):,} topics have no list: no score ({absent[0]}, ...)"


def _named(
    runs: PathLike | Sequence[PathLike] | Mapping[str, PathLike],
) -> list[tuple[str | None, Path]]:
    if isinstance(runs, Mapping):
        return [(name, Path(path)) for name, path in runs.items()]
    if not isinstance(runs, str | Path):
        return [(None, Path(path)) for path in runs]
    place = Path(runs)
    if not place.is_dir():
        return [(None, place)]
    files = sorted(
        p for p in place.iterdir() if p.is_file() and not p.name.startswith(".") and not _is_qrels(p)
    )
    if not files:
        raise InputError("holds no runs", path=place)
    return [(None, path) for path in files]


def read_trec_folder(path: Path, *, name: str = "") -> Rankings:
    """The rankings of a folder: one file with qrels in its name, and runs beside it or in ``runs``."""
    judgments = [p for p in sorted(path.iterdir()) if _is_qrels(p)]
    if len(judgments) != 1:
        raise InputError(
            f"found {len(judgments)} files with qrels in their name, expected one",
            path=path,
            remedy="Name the files in Python: metaeval.io.trec.read_trec(qrels, runs)",
        )
    return read_trec(
        judgments[0], path / "runs" if (path / "runs").is_dir() else path, name=name or path.name
    )


def sniff(path: Path) -> bool:
    """Whether a folder holds one file of qrels whose first line is one."""
    try:
        judgments = [p for p in path.iterdir() if _is_qrels(p)] if path.is_dir() else []
        return len(judgments) == 1 and bool(next(_fields(judgments[0], 4, ""), None))
    except (InputError, OSError):
        return False


def read(path: Path, *, pair: str | None = None) -> EvalSet:
    """Runs as systems and topics as items, scored with the measures of trec_eval."""
    from metaeval.scorers.run_rankings import score_rankings

    return score_rankings(read_trec_folder(path))


def _is_qrels(path: Path) -> bool:
    return "qrel" in path.name.casefold() and path.is_file()


READER = Reader(
    name="trec",
    about="a folder of TREC runs with qrels, scored with trec_eval's measures",
    sniff=sniff,
    read=read,
    order=44,
)
