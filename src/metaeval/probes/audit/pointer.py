"""The cheap look that ``rank`` takes: is there something serious, so that an audit is worth running?

No sentinel is trained and little is resampled: below a second on WMT 2022 and 2023 zh-en, all metrics.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np

from metaeval.board import Board, Table
from metaeval.errors import MetaevalError
from metaeval.evalset import EvalSet
from metaeval.measures.base import SegmentMeasure
from metaeval.paired import Paired, pair_up
from metaeval.probes.audit.checks.blind import MOST
from metaeval.probes.audit.checks.length import SERIOUS
from metaeval.probes.sentinel.base import is_sentinel
from metaeval.probes.sentinel.lengths import length_bias, lengths_on

DRAWS = 100


def pointed(board: Board, evalset: EvalSet) -> Board:
    """The board with one more note where something serious holds; ``evalset`` is what was ranked."""
    keys = list(dict.fromkeys(row.metric.key for table in board.tables for row in table.rows))
    signature = board.signature
    reference = signature["reference"]
    try:
        paired = pair_up(
            evalset,
            human=str(signature["human"]),
            reference=None if reference is None else str(reference),
            metrics=keys,
            missing="drop",
        )
    except MetaevalError:
        return board
    for reason in _reasons(board.tables, evalset, paired):
        return replace(board, notes=(*board.notes, f"{reason}: run metaeval audit on these data"))
    return board


def _reasons(tables: Sequence[Table], evalset: EvalSet, paired: Paired) -> Iterator[str]:
    """What is serious, one look at a time; a look whose texts are not there sees nothing."""
    with suppress(MetaevalError):
        if (blind := _blind(tables, evalset, paired)) is not None:
            yield blind
    with suppress(MetaevalError):
        if (leaning := _leaning(evalset, paired)) is not None:
            yield leaning


def _blind(tables: Sequence[Table], evalset: EvalSet, paired: Paired) -> str | None:
    """Whether the length of the source alone beats half of the metrics under a correlation that is shown."""
    for table in tables:
        measure = table.measure
        if not isinstance(measure, SegmentMeasure) or measure.grouping == "item":
            continue
        if measure.bounds != (-1.0, 1.0):
            continue
        lengths = lengths_on(evalset, paired, "src")
        blind = measure.evaluate(paired.human, np.where(np.isnan(paired.human), np.nan, -lengths)).value
        values = [row.value for row in table.rows if row.value is not None and not is_sentinel(row.metric)]
        if values and sum(value < blind for value in values) >= MOST * len(values):
            return f"under {measure} the length of the source alone reaches {blind:.3f}"
    return None


def _leaning(evalset: EvalSet, paired: Paired) -> str | None:
    """Whether a metric follows the length of outputs far more than the humans do."""
    bias = length_bias(evalset, paired, draws=DRAWS)
    for found in bias.metrics:
        if not is_sentinel(found.metric) and found.excess >= SERIOUS and found.excess_low > 0:
            return (
                f"{found.metric.name} follows the length of outputs more than the humans do "
                f"({found.slope.standard:+.2f} against {bias.human.standard:+.2f})"
            )
    return None
