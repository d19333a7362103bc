"""Judged pairs from people: two outputs of an item of which somebody found one better.

A table of preferences is such a set (each row an item with two outputs); there the column ``item`` says which
rows belong together.
"""

from __future__ import annotations

import numpy as np

from metaeval.errors import InputError, choices
from metaeval.evalset import EvalSet
from metaeval.names import Patterns
from metaeval.paired import choose_reference, rated_cells, usable_with
from metaeval.probes.local.pairs import IntArray, Pairs, verdicts
from metaeval.scores import FloatArray

ORIGINAL_ITEM = "item"


def people_pairs(
    evalset: EvalSet,
    human: str,
    *,
    metrics: Patterns | None = None,
    systems: Patterns | None = None,
    reference: str | None = None,
) -> Pairs:
    """All pairs of outputs of an item that the human scores order, the better one first.

    Only outputs that have a human score and a score of every metric; pairs that people tie say nothing.
    The output that is the reference in use is left out, and so are metrics that used another.
    O(items x systems²) with a step of Python an item.

    Args:
        evalset: human scores and scores of metrics.
        human: whose order counts.
        metrics: by default all; systems: by default all.
        reference: the one in use; by default the one that most of the metrics used.
    """
    chosen = evalset.select(metrics=metrics, systems=systems)
    used = choose_reference(chosen, reference)
    if human not in chosen.human:
        raise InputError(f"there are no human scores {human!r}", remedy=choices(human, chosen.human))
    if chosen.human[human].segment is None:
        raise InputError(
            f"{human} has no segment scores", remedy="Choose other human scores, or perturb the outputs."
        )
    judged = rated_cells(chosen, human, used)
    known = {
        key: scores.segment
        for key, scores in chosen.metrics.items()
        if scores.segment is not None and usable_with(scores, used)
    }
    if not known:
        raise InputError(
            "the data hold no segment scores of metrics", remedy="Add them: metaeval score --help"
        )
    scores = np.stack(list(known.values()), axis=-1)
    row_of = {system: i for i, system in enumerate(evalset.systems)}
    rows = np.array([row_of[system] for system in chosen.systems], dtype=np.intp)
    better, worse, column, dropped = _ordered(judged, scores)
    if not len(better):
        raise InputError(
            f"{human} orders no pair of outputs that every metric scored",
            remedy="Choose metrics that scored the same outputs: --metrics",
        )
    return Pairs(
        metrics=tuple(known),
        kinds=(human,),
        items=evalset.items,
        systems=evalset.systems,
        item=column,
        system=rows[better],
        kind=np.zeros(len(better), dtype=np.intp),
        verdict=verdicts(scores[better, column], scores[worse, column]),
        together=_together(chosen),
        dropped=dropped,
    )


def _ordered(judged: FloatArray, scores: FloatArray) -> tuple[IntArray, IntArray, IntArray, int]:
    """Rows of the better and the worse output, their column; and how many pairs lack a metric's score."""
    scored = np.asarray(~np.isnan(scores).any(axis=-1))
    better, worse, columns, dropped = [], [], [], 0
    for column in range(judged.shape[1]):
        present = np.flatnonzero(~np.isnan(judged[:, column]))
        values = judged[present, column]
        above, below = np.nonzero(values[:, None] > values[None, :])
        first, second = present[above], present[below]
        both = scored[first, column] & scored[second, column]
        dropped += int((~both).sum())
        better.append(first[both])
        worse.append(second[both])
        columns.append(np.full(int(both.sum()), column, dtype=np.intp))
    if not columns:
        nothing = np.empty(0, dtype=np.intp)
        return nothing, nothing, nothing, 0
    return np.concatenate(better), np.concatenate(worse), np.concatenate(columns), dropped


def _together(evalset: EvalSet) -> IntArray | None:
    """Which items of a table of preferences are about one input."""
    original = evalset.item_context.get(ORIGINAL_ITEM)
    if original is None:
        return None
    return np.unique([name or "" for name in original], return_inverse=True)[1].astype(np.intp)
