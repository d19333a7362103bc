"""A long table read as plainly as possible: the csv module, dicts, and no second thought about speed."""

from __future__ import annotations

import csv
import io
import math
import re

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")

Cells = dict[tuple[str, str, str, str], float]
"""Kind, scorer, system and item -> score (NaN where missing)."""


def naive_long(data: bytes) -> tuple[Cells, dict[str, str | None]] | None:
    """Scores, and documents by item, of a CSV with the columns below; None where it cannot be used."""
    try:
        text = data.decode("utf-8-sig")
        if "\0" in text:
            return None
        records = list(csv.reader(io.StringIO(text, newline="\n"), strict=True))
    except (UnicodeDecodeError, csv.Error):
        return None
    header, *rows = [record for record in records if record]
    if header != ["system", "item", "scorer", "kind", "score", "document"]:
        raise ValueError("the header is not to be changed")
    cells: Cells = {}
    documents: dict[str, str | None] = {}
    for row in rows:
        if len(row) != len(header):
            return None
        system, item, scorer, kind, score, document = row
        kind = kind.strip().lower()
        value = naive_score(score)
        key = (kind, scorer, system, item)
        if kind not in ("human", "metric") or value is None or key in cells:
            return None
        if any(not part or part != part.strip() for part in (system, item, scorer, row[3])):
            return None
        cells[key] = value
        if document and documents.setdefault(item, document) not in (document, None):
            return None
        if documents.setdefault(item, document or None) is None and document:
            documents[item] = document
    return (cells, documents) if cells else None


def naive_score(text: str) -> float | None:
    """A finite number, NaN for a missing one, None for anything else."""
    text = text.strip(" ")
    if text in ("", "None", "none", "null", "NULL", "NA"):
        return math.nan
    if not NUMBER.fullmatch(text) or not math.isfinite(float(text)):
        return None
    return float(text)
