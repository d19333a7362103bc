"""WMT's ESA annotations as Appraise exports them: a CSV without header, one judgment a row.

Twelve fields: annotator, system, item, type, source language, target language, score (0 to 100),
document, whole-document flag, error spans (JSON), start and end time.

What counts is what WMT24 counted. Left out are quality controls (type other than TGT), tutorials,
documents ``#incomplete`` (which fill up an annotator's last batch) and ``#dup`` (shown twice to fill a
batch), scores of whole documents, and, where an annotator judged one output several times, all but the
latest. :func:`left_out` counts them. ``human["esa"]`` is the mean over the annotators that are left; each
annotator's error spans are in ``ratings["esa.ANNOTATOR"]``, as mt-metrics-eval writes them.

A file holds several language pairs; ``pair`` chooses (en-ja; eng-jpn will do).
"""

from __future__ import annotations

import csv
import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from metaeval.errors import InputError, choices
from metaeval.evalset import EvalSet, Texts
from metaeval.io.languages import short_code
from metaeval.io.lines import numbered_lines
from metaeval.io.registry import Reader
from metaeval.io.segments import Segment, item_ids
from metaeval.scores import Scores

FIELDS = (
    "annotator", "system", "item", "type", "source language", "target language", "score", "document",
    "whole-document flag", "error spans", "start", "end",
)  # fmt: skip

FLAGS = {"True": True, "False": False}


class Judgment(NamedTuple):
    """One row: what one annotator said of one output."""

    line: int
    annotator: str
    system: str
    segment: Segment
    kind: str
    pair: str
    score: float
    whole_document: bool
    errors: str
    end: float


def read_esa(path: Path, *, pair: str | None = None) -> EvalSet:
    """The EvalSet of one language pair of an Appraise export. O(rows)."""
    kept, _ = _counted(path, pair)
    ids = item_ids(judgment.segment for judgment in kept)
    systems = tuple(sorted({judgment.system for judgment in kept}))
    at = {segment: number for number, segment in enumerate(ids)}
    row_of = {system: number for number, system in enumerate(systems)}
    by_cell: dict[tuple[int, int], list[float]] = {}
    for judgment in kept:
        cell = (row_of[judgment.system], at[judgment.segment])
        by_cell.setdefault(cell, []).append(judgment.score)
    scores = np.full((len(systems), len(ids)), np.nan)
    for cell, values in by_cell.items():
        scores[cell] = math.fsum(values) / len(values)
    return EvalSet(
        systems=systems,
        items=tuple(ids.values()),
        human={"esa": Scores("esa", segment=scores)},
        item_context=_context(ids),
        ratings=_ratings(kept, systems, ids),
        name=path.stem,
        pair=kept[0].pair,
    )


def left_out(path: Path, *, pair: str | None = None) -> Mapping[str, int]:
    """How many judgments of a pair do not count, by reason: for people."""
    return _counted(path, pair)[1]


def _counted(path: Path, pair: str | None) -> tuple[list[Judgment], Counter[str]]:
    """The judgments that count, one for each annotator and output, and how many do not, by reason."""
    judgments = _of_pair(path, list(_judgments(path)), pair)
    reasons: Counter[str] = Counter()
    latest: dict[tuple[str, str, Segment], Judgment] = {}
    for judgment in judgments:
        reason = _reason(judgment)
        if reason:
            reasons[reason] += 1
            continue
        key = (judgment.annotator, judgment.system, judgment.segment)
        before = latest.get(key)
        if before is not None:
            reasons["earlier judgments by the same annotator"] += 1
        if before is None or judgment.end >= before.end:
            latest[key] = judgment
    if not latest:
        found = ", ".join(f"{reason}: {n}" for reason, n in reasons.items())
        raise InputError(f"no judgment counts ({found})", path=path)
    return list(latest.values()), reasons


def _reason(judgment: Judgment) -> str:
    """Why a judgment does not count, or nothing."""
    document = judgment.segment[0]
    if judgment.kind != "TGT":
        return f"quality controls ({judgment.kind})"
    if "tutorial" in document:
        return "tutorials"
    if "#" in document:
        return f"documents #{document.partition('#')[2]}"
    return "scores of whole documents" if judgment.whole_document else ""


def _of_pair(path: Path, judgments: list[Judgment], pair: str | None) -> list[Judgment]:
    found = sorted({judgment.pair for judgment in judgments})
    if not found:
        raise InputError("is empty, expected judgments", path=path)
    wanted = found[0] if pair is None and len(found) == 1 else None
    if pair is not None:
        wanted = "-".join(short_code(language) for language in pair.split("-"))
    if wanted not in found:
        what = "holds several language pairs" if pair is None else f"holds no pair {pair!r}"
        remedy = f"Choose with --pair: {', '.join(found)}" if pair is None else choices(pair, found)
        raise InputError(what, path=path, remedy=remedy)
    return [judgment for judgment in judgments if judgment.pair == wanted]


def _judgments(path: Path) -> Iterator[Judgment]:
    reader = csv.reader((text + "\n" for _, text in numbered_lines(path)), strict=True)
    line = 1
    try:
        for fields in reader:
            if fields:
                yield _judgment(fields, path, line)
            line = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"the fields cannot be told apart: {error}", path=path, line=line) from error


def _judgment(fields: list[str], path: Path, line: int) -> Judgment:
    def wrong(what: str, shows: str, remedy: str | None = None) -> InputError:
        return InputError(what, path=path, line=line, shows=shows, remedy=remedy)

    if len(fields) != len(FIELDS):
        raise wrong(
            f"found {len(fields)} fields, expected {len(FIELDS)}",
            ",".join(fields),
            f"They are: {', '.join(FIELDS)}.",
        )
    for name, text in zip(FIELDS[:8], fields[:8], strict=True):
        if not text.strip():
            raise wrong(f"the {name} is empty", ",".join(fields))
    annotator, system, item, kind, source, target, score, document, flag, spans, _, end = fields
    if flag not in FLAGS:
        raise wrong("found a whole-document flag that is neither True nor False", flag)
    value = _number(score)
    if not 0 <= value <= 100:
        raise wrong("found a score that is not a number from 0 to 100", score)
    ended = _number(end)
    if math.isnan(ended):
        raise wrong("found an end time that is not a number", end)
    try:
        errors = _errors(spans)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise wrong(
            "the error spans cannot be read",
            spans,
            'Expected JSON such as [{"start_i": 0, "end_i": 4, "severity": "minor"}].',
        ) from error
    pair = f"{short_code(source)}-{short_code(target)}"
    return Judgment(line, annotator, system, (document, item), kind, pair, value, FLAGS[flag], errors, ended)


def _number(text: str) -> float:
    """A finite number, else NaN."""
    try:
        value = float(text)
    except ValueError:
        return math.nan
    return value if math.isfinite(value) and "_" not in text else math.nan


def _errors(text: str) -> str:
    """Spans as mt-metrics-eval writes them. ESA has neither weights nor categories.

    What is missing from a translation stands nowhere in it: start and end are -1, the category omission.
    """
    errors = []
    for span in json.loads(text or "[]"):
        missing = span["start_i"] == "missing"
        start, end = (-1, -1) if missing else (span["start_i"], span["end_i"])
        if not (type(start) is int and type(end) is int and isinstance(span["severity"], str)):
            raise ValueError(span)
        errors.append(
            {
                "start": start,
                "end": end,
                "category": "omission" if missing else span.get("error_type") or "",
                "severity": span["severity"],
                "score": None,
                "is_source_error": False,
            }
        )
    return json.dumps({"errors": errors}, ensure_ascii=False)


def _context(ids: Mapping[Segment, str]) -> dict[str, Texts]:
    """The documents; and the domains, where all documents are called as in WMT24 (test-en-news_...)."""
    domains = [re.match(r"test-[a-z]{2,3}-([a-z]+)_", document) for document, _ in ids]
    context: dict[str, Texts] = {"document": tuple(document for document, _ in ids)}
    if all(domains):
        context["domain"] = tuple(match[1] for match in domains if match)
    return context


def _ratings(
    kept: list[Judgment], systems: tuple[str, ...], ids: Mapping[Segment, str]
) -> dict[str, dict[str, Texts]]:
    texts = {(j.annotator, j.system, j.segment): j.errors for j in kept}
    return {
        f"esa.{annotator}": {s: tuple(texts.get((annotator, s, segment)) for segment in ids) for s in systems}
        for annotator in sorted({j.annotator for j in kept})
    }


def _sniff(path: Path) -> bool:
    if path.suffix.lower() != ".csv" or not path.is_file():
        return False
    try:
        first = next(csv.reader([next(numbered_lines(path), (1, ""))[1]]), [])
    except (InputError, OSError, csv.Error):
        return False
    return len(first) == len(FIELDS) and first[8] in FLAGS and not math.isnan(_number(first[6]))


READER = Reader(
    name="esa",
    about="WMT's ESA annotations, a CSV as Appraise exports it",
    sniff=_sniff,
    read=read_esa,
    order=30,
)
