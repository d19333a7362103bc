"""Training examples from WMT's direct assessments: a CSV with a row for each rated translation.

Columns, by their names: ``src``, ``mt``, ``ref`` and ``score``; ``lp`` (the language pair) and ``year``
choose rows; ``raw``, ``annotators`` and ``domain`` may be there and are not read.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from metaeval.errors import InputError, choices
from metaeval.probes.sentinel.examples import Examples
from metaeval.probes.sentinel.views import SIDES, View

COLUMN: dict[View, str] = {"src": "src", "ref": "ref", "cand": "mt"}


def read_da(
    path: Path, view: View, *, pairs: Iterable[str] | None = None, years: Iterable[int] | None = None
) -> Examples:
    """The texts of one view with the mean of their scores, each counted as often as it was rated. O(rows).

    A row whose source or reference is empty has none; an empty output is an output.
    """
    languages = None if pairs is None else set(pairs)
    chosen_years = None if years is None else {str(year) for year in years}
    scores: dict[str, list[float]] = {}
    found_pairs: set[str] = set()
    chosen = 0
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            rows = csv.DictReader(lines)
            _check_columns(path, rows.fieldnames, view, languages is not None, chosen_years is not None)
            for row in rows:
                found_pairs.add(row.get("lp") or "")
                if languages is not None and row["lp"] not in languages:
                    continue
                if chosen_years is not None and row["year"] not in chosen_years:
                    continue
                chosen += 1
                text, score = row[COLUMN[view]] or "", _score(path, rows.line_num, row["score"])
                if text or view == "cand":
                    scores.setdefault(text, []).append(score)
    except UnicodeDecodeError as error:
        raise InputError("is not UTF-8", path=path, remedy="Convert it.") from error
    except (OSError, csv.Error) as error:
        raise InputError(f"cannot be read: {getattr(error, 'strerror', None) or error}", path=path) from error
    if not scores and (chosen or not found_pairs):
        what = f"no row has a {SIDES[view]}" if chosen else "there are no rows below the header"
        raise InputError(what, path=path, remedy="Give them, or choose another --view.")
    if not scores:
        wanted = ", ".join(sorted(languages or ()))
        raise InputError(
            f"no row is of {wanted or 'these years'}", path=path, remedy=choices(wanted, found_pairs)
        )
    means = np.array([math.fsum(values) / len(values) for values in scores.values()])
    return Examples(tuple(scores), means, np.array([float(len(values)) for values in scores.values()]))


def is_da(path: Path) -> bool:
    """Whether a file looks like WMT's direct assessments: a CSV whose header has ``mt`` and ``score``."""
    if path.suffix.lower() != ".csv" or not path.is_file():
        return False
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            header = next(csv.reader(lines), [])
    except (OSError, UnicodeDecodeError, csv.Error):
        return False
    return {"mt", "score"} <= set(header)


def _check_columns(
    path: Path, header: Iterable[str] | None, view: View, by_pair: bool, by_year: bool
) -> None:
    there = list(header or ())
    needed = [COLUMN[view], "score", *(["lp"] if by_pair else []), *(["year"] if by_year else [])]
    for name in needed:
        if name not in there:
            raise InputError(f"there is no column {name!r}", path=path, line=1, remedy=choices(name, there))


def _score(path: Path, line: int, text: str | None) -> float:
    try:
        value = float(text or "")
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError("the score is not a number", path=path, line=line, shows=text or "")
    return value
