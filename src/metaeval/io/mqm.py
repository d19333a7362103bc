"""Raw MQM annotations as Google publishes them: a TSV with one row for each error a rater marked.

Columns, by their names in the header: ``system``, ``doc``, ``seg_id`` (or ``globalSegId``), ``rater``,
``source``, ``target``, ``category``, ``severity``; others may be there and are not read. Fields are
separated by tabs alone: a quote is a character. A rater who found nothing has one row *No-error* (or one
with empty category and severity).

``<v>`` and ``</v>`` enclose the error, in the target or, for an omission, in the source. A ``<v>`` that is
not closed reaches to the end of its text, a ``</v>`` that is not opened from the beginning (both occur in
published files).

The score of a rater's segment is minus the sum of the weights of its errors; ``human["mqm"]`` is the mean
over the raters of a segment. Sums are exact (``math.fsum``), so that the order of errors cannot break a
tie. Each rater's errors are in ``ratings["mqm.RATER"]``, as mt-metrics-eval writes them, from which
:func:`rater_scores` makes the scores of single raters: as protocols of their own they would be sparse and
many (nine in one TED file).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np

from metaeval.declared import switch
from metaeval.errors import InputError
from metaeval.evalset import EvalSet, Texts
from metaeval.io.languages import pair_in_name
from metaeval.io.lines import numbered_lines
from metaeval.io.mqm_weights import GOOGLE, MqmWeights
from metaeval.io.registry import Reader
from metaeval.io.segments import Segment, item_ids
from metaeval.scores import FloatArray, Scores

COLUMNS = ("system", "doc", "seg_id", "rater", "source", "target", "category", "severity")
SEGMENT_NAMES = ("seg_id", "globalsegid", "global_seg_id", "segment_id")

MqmError: TypeAlias = dict[str, object]
"""``start``, ``end``, ``category``, ``severity``, ``score``, ``is_source_error``."""


class Row(NamedTuple):
    """One line of the file."""

    line: int
    system: str
    doc: str
    seg_id: str
    rater: str
    source: str
    target: str
    category: str
    severity: str


def read_mqm(
    path: Path, *, pair: str | None = None, weights: MqmWeights = GOOGLE, length_normalised: bool = False
) -> EvalSet:
    """The EvalSet of a file of MQM annotations. O(rows).

    Args:
        path: the TSV.
        pair: the language pair; by default what the name of the file says (``mqm_ted_zhen.tsv``).
        weights: what an error costs.
        length_normalised: 100 (1 - sum of weights / words of the translation), see :func:`word_count`,
            instead of minus the sum: Unbabel's score (Rei et al. 2020), to be used with its weights.
            100 is a translation without errors; it has no lower bound. Longer translations of equal
            errors score higher, so it ties less.
    """
    rows = list(_rows(path))
    if not rows:
        raise InputError("holds no annotations, only a header", path=path)
    ids = item_ids((row.doc, row.seg_id) for row in rows)
    systems = tuple(dict.fromkeys(row.system for row in rows))
    at = {segment: number for number, segment in enumerate(ids)}
    sources, targets = _texts(path, rows)
    found = _errors(path, rows, weights)
    scores = np.full((len(systems), len(ids)), np.nan)
    by_cell: dict[tuple[str, Segment], list[float]] = {}
    for (_, system, segment), errors in found.items():
        cost = math.fsum(float(str(error["score"])) for error in errors)
        if length_normalised:
            score = 100.0 * (1.0 - cost / max(1, word_count(targets[system, segment])))
        else:
            score = 0.0 - cost
        by_cell.setdefault((system, segment), []).append(score)
    for (system, segment), values in by_cell.items():
        scores[systems.index(system), at[segment]] = math.fsum(values) / len(values)
    return EvalSet(
        systems=systems,
        items=tuple(ids.values()),
        human={"mqm": Scores("mqm", segment=scores)},
        source=tuple(sources[segment] for segment in ids),
        outputs={s: tuple(targets.get((s, segment)) for segment in ids) for s in systems},
        item_context={"document": tuple(doc for doc, _ in ids)},
        ratings=_ratings(found, systems, ids),
        name=path.stem,
        pair=pair or pair_in_name(path.name),
    )


def rater_scores(evalset: EvalSet, protocol: str = "mqm") -> dict[str, FloatArray]:
    """Minus the sum of weights by rater, systems x items, NaN where the rater did not look.

    Made from the span annotations of any EvalSet (mt-metrics-eval's ``*.seg.rating`` too).
    """
    found = {}
    for rater, by_system in evalset.ratings.items():
        if rater.split(".")[0] != protocol:
            continue
        scores = np.full((len(evalset.systems), len(evalset.items)), np.nan)
        for row, system in enumerate(evalset.systems):
            for column, text in enumerate(by_system.get(system, ())):
                if text is not None:
                    scores[row, column] = 0.0 - math.fsum(
                        e["score"] or 0.0 for e in json.loads(text)["errors"]
                    )
        found[rater] = scores
    return found


def word_count(text: str) -> int:
    """Words of a translation: runs between blanks, where each Chinese or Japanese character is a word.

    >>> word_count("A word, two"), word_count("你好 GPT4")
    (3, 3)
    """
    return len(_WORD.findall(text))


def _rows(path: Path) -> Iterator[Row]:
    lines = numbered_lines(path)
    _, header = next(lines, (1, ""))
    if not header.strip():
        raise InputError("is empty, expected a header line", path=path)
    where = _positions(header.split("\t"), path)
    width = len(header.split("\t"))
    for line, text in lines:
        fields = text.split("\t")
        if not text:
            continue
        if len(fields) != width:
            raise InputError(
                f"found {len(fields)} fields, expected {width} as in the header",
                path=path,
                line=line,
                shows=text,
                remedy="Fields are separated by tabs; a text must not hold one.",
            )
        row = Row(line, *(fields[i] for i in where))
        for column in ("system", "doc", "seg_id", "rater"):
            if not getattr(row, column).strip():
                raise InputError(f"the {column} is empty", path=path, line=line, shows=text)
        yield row


def _positions(header: list[str], path: Path) -> list[int]:
    names = [name.strip().casefold() for name in header]
    names = ["seg_id" if name in SEGMENT_NAMES else name for name in names]
    for column in COLUMNS:
        if names.count(column) != 1:
            found = "no" if column not in names else "more than one"
            raise InputError(
                f"there is {found} column {column}",
                path=path,
                line=1,
                shows=" | ".join(header),
                remedy=f"Expected {', '.join(COLUMNS)}, in any order.",
            )
    return [names.index(column) for column in COLUMNS]


def _texts(path: Path, rows: list[Row]) -> tuple[dict[Segment, str], dict[tuple[str, Segment], str]]:
    """Source by segment and target by system and segment; rows that contradict each other are an error.

    In the published files no two rows differ, once the tags are out.
    """
    sources: dict[Segment, tuple[str, int]] = {}
    targets: dict[tuple[str, Segment], tuple[str, int]] = {}
    for row in rows:
        segment = (row.doc, row.seg_id)
        source, target = _TAG.sub("", row.source), _TAG.sub("", row.target)
        of_source = sources.setdefault(segment, (source, row.line))
        of_target = targets.setdefault((row.system, segment), (target, row.line))
        for what, text, (first, line) in (("source", source, of_source), ("target", target, of_target)):
            if text != first:
                raise InputError(
                    f"the {what} of segment {row.seg_id} differs from that on line {line}",
                    path=path,
                    line=row.line,
                    shows=text,
                    remedy="Rows of one segment must hold the same text, apart from <v> and </v>.",
                )
    return {k: text for k, (text, _) in sources.items()}, {k: text for k, (text, _) in targets.items()}


def _errors(
    path: Path, rows: list[Row], weights: MqmWeights
) -> dict[tuple[str, str, Segment], list[MqmError]]:
    """The errors that each rater marked in each segment of each system; none, where there are none."""
    found: dict[tuple[str, str, Segment], list[MqmError]] = {}
    for row in rows:
        errors = found.setdefault((row.rater, row.system, (row.doc, row.seg_id)), [])
        severity = row.severity.strip() or ("no-error" if not row.category.strip() else "")
        weight = weights.weight(severity, row.category)
        if weight is None:
            raise InputError(
                f"no weight is known for severity {row.severity!r} of category {row.category!r}",
                path=path,
                line=row.line,
                remedy=f"Give it one in the weights, which are: {weights}",
            )
        if severity.casefold() != "no-error":
            errors.append(_error(row, weight))
    return found


def _error(row: Row, weight: float) -> MqmError:
    in_source = "<v>" in row.source or "</v>" in row.source
    start, end = span(row.source if in_source else row.target)
    return {
        "start": start,
        "end": end,
        "category": row.category,
        "severity": row.severity,
        "score": weight,
        "is_source_error": in_source,
    }


_TAG = re.compile("</?v>")
_IDEOGRAPHS = r"\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_IDEOGRAPHS}]|[^\s{_IDEOGRAPHS}]+")


def span(text: str) -> tuple[int, int]:
    """Where the marked part stands in the text without tags; -1 and -1 where nothing is marked.

    Of several marked parts, from the first to the last: together they are one error.

    >>> span("a <v>bad</v> word"), span("not <v>closed"), span("none")
    ((2, 5), (4, 10), (-1, -1))
    """
    tags = [match.group() for match in _TAG.finditer(text)]
    if not tags:
        return -1, -1
    pieces = _TAG.split(text)
    start = 0 if tags[0] == "</v>" else len(pieces[0])
    whole = sum(map(len, pieces))
    return start, whole if tags[-1] == "<v>" else whole - len(pieces[-1])


def _ratings(
    found: Mapping[tuple[str, str, Segment], list[MqmError]],
    systems: tuple[str, ...],
    ids: Mapping[Segment, str],
) -> dict[str, dict[str, Texts]]:
    texts = {key: json.dumps({"errors": errors}, ensure_ascii=False) for key, errors in found.items()}
    return {
        f"mqm.{rater}": {s: tuple(texts.get((rater, s, segment)) for segment in ids) for s in systems}
        for rater in dict.fromkeys(rater for rater, _, _ in found)
    }


def _sniff(path: Path) -> bool:
    if path.suffix.lower() not in (".tsv", ".txt") or not path.is_file():
        return False
    try:
        header = next(numbered_lines(path), (1, ""))[1]
        _positions(header.split("\t"), path)
    except (InputError, OSError):
        return False
    return True


READER = Reader(
    name="mqm",
    about="raw MQM annotations, a TSV with a row for each error",
    sniff=_sniff,
    read=read_mqm,
    order=30,
    options={"weights": MqmWeights.parse, "length_normalised": switch},
)
