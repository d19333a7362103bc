"""How often each output occurs in use, where somebody knows: numbers from a column or a score of the data.

Equation 1 weighs all outputs of an input alike, which Deviyani and Diaz (2025) leave as an open point. With
weights, an output counts in proportion within its input; every input still counts once. An output of weight 0
does not count at all.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from metaeval.errors import InputError, choices
from metaeval.evalset import EvalSet, Texts
from metaeval.probes.local.pairs import Pairs
from metaeval.rankings import Rankings
from metaeval.scores import FloatArray


def weighted(pairs: Pairs, data: EvalSet | Rankings, column: str) -> Pairs:
    """The pairs that count, each with the weight of its better output.

    Args:
        pairs: pairs of outputs of ``data``.
        data: where the weights are.
        column: numbers of systems or of items, or a score, which has a number for each output.
    """
    weight = _cells(data, column)[pairs.system, pairs.item]
    if not (good := np.isfinite(weight) & (weight >= 0)).all():
        at = int(np.argmin(good))
        found = "no weight" if np.isnan(weight[at]) else f"the weight {weight[at]:g}"
        raise InputError(
            f"the output of {pairs.systems[pairs.system[at]]!r} for item {pairs.items[pairs.item[at]]!r} has "
            f"{found} in {column!r}, expected a number from 0",
            remedy="Give every output a weight, or choose another column.",
        )
    counts = weight > 0
    if not counts.any():
        raise InputError(f"every output has weight 0 in {column!r}", remedy="Choose another column.")
    return replace(replace(pairs, weight=weight).take(counts), dropped=pairs.dropped)


def _cells(data: EvalSet | Rankings, column: str) -> FloatArray:
    """systems x items."""
    by_item, by_system, shape, scores = (
        (data.topic_context, data.run_context, (len(data.runs), len(data.topics)), {})
        if isinstance(data, Rankings)
        else (
            data.item_context,
            data.system_context,
            (len(data.systems), len(data.items)),
            {k: s.segment for k, s in (*data.human.items(), *data.metrics.items()) if s.segment is not None},
        )
    )
    if column in by_system:
        return np.broadcast_to(_numbers(by_system[column], column)[:, None], shape)
    if column in by_item:
        return np.broadcast_to(_numbers(by_item[column], column)[None, :], shape)
    if column in scores:
        return scores[column]
    raise InputError(
        f"there is no column {column!r} of weights", remedy=choices(column, {*by_item, *by_system, *scores})
    )


def _numbers(column: Texts, name: str) -> FloatArray:
    numbers = []
    for text in column:
        try:
            numbers.append(np.nan if text is None else float(text))
        except ValueError:
            raise InputError(
                f"column {name!r} holds {text!r}, expected numbers as weights",
                remedy="Choose another column.",
            ) from None
    return np.array(numbers)
