"""Segment by segment: do two scorers see the same improvement (figures 2 and 3, table 16)?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from metaeval.errors import InputError, choices
from metaeval.evalset import EvalSet
from metaeval.measures.base import ratio
from metaeval.measures.registry import parse_measure
from metaeval.names import Patterns
from metaeval.probes.interference.panel import panel
from metaeval.scores import FloatArray


@dataclass(frozen=True, slots=True)
class Agreement:
    """Differences between two systems as two scorers see them, segment by segment."""

    systems: str
    segments: int
    """Differences: with several baselines a segment counts once for each."""
    both_up: float
    """Shares of the segments by quadrant."""
    both_down: float
    only_first_up: float
    """The first scorer sees an improvement, the second a loss: where a gamed first scorer drives outputs."""
    only_second_up: float
    unchanged: float
    """At least one scorer sees no change."""
    slope: float
    """Of the regression of the first scorer's differences on the second's; NaN where these are constant."""
    shift: float
    """What the first scorer sees, by that line, where the second sees no change; NaN without a slope."""

    @property
    def agree(self) -> float:
        """The share of segments that both see changed in the same direction."""
        return self.both_up + self.both_down


def agreement(
    evalset: EvalSet, first: str, second: str, pairs: Iterable[tuple[str, str | Sequence[str]]]
) -> tuple[Agreement, ...]:
    """Each set of pairs of systems, the later one first: (system, baseline) or (system, baselines).

    Args:
        first: the interfering metric, by key.
        second: another metric, or a human protocol.
        pairs: systems to compare, each with its baseline; with several (figure 3) a segment is compared
            with each of them, and all differences make one set.

    >>> from metaeval.simulate import simulate
    >>> found = agreement(simulate(seed=1, text=False).evalset, "Neural-refA", "mqm", [("Elm", "Fir")])[0]
    >>> found.systems, round(found.both_up + found.both_down, 3) == round(found.agree, 3)
    ('Elm - Fir', True)
    """
    one, other = _scores(evalset, first), _scores(evalset, second)
    found = []
    for system, baselines in pairs:
        against = [baselines] if isinstance(baselines, str) else list(baselines)
        if not against:
            raise InputError(f"{system} has no baseline", remedy="Name one, or several.")
        differences = [
            np.concatenate([_difference(evalset, scores, system, b) for b in against])
            for scores in (one, other)
        ]
        found.append(describe(f"{system} - {', '.join(against)}", *differences))
    return tuple(found)


def describe(name: str, first: FloatArray, second: FloatArray) -> Agreement:
    """Quadrants and regression of differences; NaN where one is missing.

    >>> described = describe("A - B", np.array([3.0, 1.0, 2.0]), np.array([1.0, -1.0, 0.0]))
    >>> described.slope, described.shift, described.only_first_up
    (1.0, 2.0, 0.3333333333333333)
    """
    there = ~np.isnan(first + second)
    x, y = second[there], first[there]
    if not len(x):
        raise InputError(f"{name}: no segment has both scores for both systems")
    centred = x - x.mean()
    slope = float(ratio(np.sum(centred * y), np.sum(centred**2)))
    return Agreement(
        systems=name,
        segments=len(x),
        both_up=float(((y > 0) & (x > 0)).mean()),
        both_down=float(((y < 0) & (x < 0)).mean()),
        only_first_up=float(((y > 0) & (x < 0)).mean()),
        only_second_up=float(((y < 0) & (x > 0)).mean()),
        unchanged=float(((y == 0) | (x == 0)).mean()),
        slope=slope,
        shift=float(y.mean() - slope * x.mean()),
    )


def spearman_by_item(
    evalset: EvalSet, metrics: Patterns | None = None, *, reference: str | None = None
) -> tuple[tuple[str, ...], FloatArray]:
    """Metrics, and Spearman's correlation of every two within items, averaged over items (table 16).

    NaN where no item has a correlation, as for a constant metric. O(metrics^2 cells).

    >>> from metaeval.simulate import simulate
    >>> names, table = spearman_by_item(simulate(seed=1, text=False).evalset, "Neural,Lexical")
    >>> names, bool(table[0, 1] > 0.1), bool(table[0, 1] == table[1, 0])
    (('Neural-refA', 'Lexical-refA'), True, True)
    """
    board = panel(evalset, metrics=metrics, reference=reference)
    measure = parse_measure("spearman@item")
    table = np.full((len(board.keys), len(board.keys)), np.nan)
    for i, one in enumerate(board.scores):
        for j, other in enumerate(board.scores[:i]):
            missing = np.isnan(one + other)
            pair = (np.where(missing, np.nan, one), np.where(missing, np.nan, other))
            table[i, j] = table[j, i] = measure.evaluate(*pair).value
        alone = measure.evaluate(one, one).value
        table[i, i] = alone if np.isnan(alone) else 1.0
    return board.keys, table


def _scores(evalset: EvalSet, key: str) -> FloatArray:
    known = {**evalset.human, **evalset.metrics}
    if key not in known:
        raise InputError(f"there are no scores {key!r}", remedy=choices(key, known))
    found = known[key].segment
    if found is None:
        raise InputError(f"{key} has no segment scores")
    return found


def _difference(evalset: EvalSet, scores: FloatArray, system: str, baseline: str) -> FloatArray:
    for name in (system, baseline):
        if name not in evalset.systems:
            raise InputError(f"there is no system {name!r}", remedy=choices(name, evalset.systems))
    difference: FloatArray = scores[evalset.systems.index(system)] - scores[evalset.systems.index(baseline)]
    return difference
