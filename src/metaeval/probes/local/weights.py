"""How often each output occurs in use, where somebody knows: numbers from a column of the data.

Equation 1 weighs all outputs of an input alike, which Deviyani and Diaz (2025) leave as an open point. With
weights, an output counts in proportion within its input; every input still counts once.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from metaeval.errors import InputError, choices
from metaeval.evalset import EvalSet, Texts
from metaeval.probes.local.pairs import Pairs, weights_of
from metaeval.rankings import Rankings
from metaeval.scores import FloatArray


def weighted(pairs: Pairs, data: EvalSet | Rankings, column: str) -> Pairs:
    """The pairs, each with the weight of its better output: a column of numbers of systems or items."""
    by_item, by_system = (
        (data.topic_context, data.run_context)
        if isinstance(data, Rankings)
        else (data.item_context, data.system_context)
    )
    shape = (len(pairs.systems), len(pairs.items))
    if column in by_system:
        cells = np.broadcast_to(_numbers(by_system[column], column)[:, None], shape)
    elif column in by_item:
        cells = np.broadcast_to(_numbers(by_item[column], column)[None, :], shape)
    else:
        raise InputError(
            f"there is no column {column!r} of weights", remedy=choices(column, {*by_item, *by_system})
        )
    return replace(pairs, weight=weights_of(cells, pairs.system, pairs.item))


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
