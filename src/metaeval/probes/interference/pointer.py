"""The look that ``rank`` takes: does a metric judge outputs that it seems to have chosen itself?"""

from __future__ import annotations

from dataclasses import replace

from metaeval.board import Board
from metaeval.errors import MetaevalError
from metaeval.evalset import EvalSet
from metaeval.probes.interference.detect import detect

MOST_NUMBERS = 5_000_000
"""Scores above which no look is taken; 35 metrics on WMT 2022 zh-en are 1.2 million and take 0.4 s."""


def pointed(board: Board, evalset: EvalSet) -> Board:
    """The board with one more note where a metric on it has a suspect; ``evalset`` is what was ranked."""
    keys = list(dict.fromkeys(row.metric.key for table in board.tables for row in table.rows))
    if len(keys) * len(evalset.systems) * len(evalset.items) > MOST_NUMBERS:
        return board
    reference = board.signature["reference"]
    try:
        found = detect(evalset, metrics=keys, reference=None if reference is None else str(reference))
    except MetaevalError:
        return board
    if not found.suspects:
        return board
    first, more = found.suspects[0], len(found.suspects) - 1
    also = f", and {more} more" if more else ""
    note = f"{first.metric} may have chosen the outputs of {first.system}{also}: run metaeval interference"
    return replace(board, notes=(*board.notes, note))
