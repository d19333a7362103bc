"""Corpus statistics as columns of a bundle, each named by what is needed to read it again.

The name is JSON: the scorer's column, the scorer that reads the numbers, whether scores are negated, and the
place of the number in its row: ``["metric:BLEU-refA", "BLEU", false, 0]``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

import numpy as np

from metaeval.corpus import CorpusStatistics
from metaeval.errors import InputError, printable
from metaeval.scores import FloatArray, Scores


def statistics_columns(scorers: Iterable[tuple[str, Scores]]) -> Iterator[tuple[str, FloatArray]]:
    """A column a number, systems x items long.

    >>> ter = CorpusStatistics("TER", np.array([[[1.0, 7.0]]]), negated=True)
    >>> [name for name, values in statistics_columns([("metric:TER", Scores("TER", corpus=ter))])]
    ['["metric:TER", "TER", true, 0]', '["metric:TER", "TER", true, 1]']
    """
    for column, scores in scorers:
        if (kept := scores.corpus) is not None:
            for place in range(kept.rows.shape[2]):
                yield _name(column, kept.scorer, kept.negated, place), kept.rows[:, :, place]


def read_statistics(
    columns: Iterable[tuple[str, FloatArray]], shape: tuple[int, int]
) -> dict[str, CorpusStatistics]:
    """The statistics by the scorer's column; InputError where names are not those that were written."""
    found: dict[tuple[str, str, bool], list[FloatArray]] = {}
    for name, values in columns:
        column, scorer, negated, place = _parsed(name)
        row = found.setdefault((column, scorer, negated), [])
        if place != len(row):
            raise _unreadable(name)
        row.append(values.reshape(shape))
    read: dict[str, CorpusStatistics] = {}
    for (column, scorer, negated), row in found.items():
        if column in read:
            raise InputError(f"there are two corpus statistics of {printable(column, 60)!r}")
        read[column] = CorpusStatistics(scorer, np.stack(row, axis=-1), negated)
    return read


def _name(*parts: str | bool | int) -> str:
    return json.dumps(parts)


def _parsed(name: str) -> tuple[str, str, bool, int]:
    try:
        column, scorer, negated, place = json.loads(name)
    except (ValueError, TypeError, RecursionError) as error:
        raise _unreadable(name) from error
    if [type(part) for part in (column, scorer, negated, place)] != [str, str, bool, int]:
        raise _unreadable(name)
    return column, scorer, negated, place


def _unreadable(name: str) -> InputError:
    return InputError(f"the column {printable(name, 60)!r} names no number of a corpus statistic")
