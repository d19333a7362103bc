"""Blind detection: which metric likes which system more than the other metrics can explain.

For every metric and system:

1. The metric's scores are regressed on the other metrics', cell by cell after taking out the means of items
   and systems, on all systems but this one. Gaming shifts a whole system and so does not touch the weights.
2. The metric's system means are put against the means so predicted. A line through the *other* systems,
   robust against a few that were gamed themselves, says what this system should get.
3. What it gets beyond that, over the spread of the others about the line, is a Student t if nobody gamed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from metaeval.errors import InputError
from metaeval.evalset import EvalSet
from metaeval.names import Patterns
from metaeval.probes.interference.lines import Lines, beyond_line
from metaeval.probes.interference.panel import Panel, panel
from metaeval.scores import FloatArray
from metaeval.significance.correction import Correction, correct

RIDGE = 0.03
"""Penalty of the regression, a share of a system's segments: variants of a metric are nearly collinear."""
DECISIVE = 0.5
"""Leverage from which a system decides about the line alone (Huber 1981)."""
FEWEST = 6
"""Systems below which the spread about a line says nothing."""


@dataclass(frozen=True, slots=True)
class Suspicion:
    """One metric and one system."""

    metric: str
    system: str
    bias: float
    """What the system gets from the metric beyond what the others explain, in points of the metric."""
    size: float
    """The same in standard deviations of the metric's differences between outputs of one item."""
    t: float
    p: float
    """One-sided; not corrected."""
    p_corrected: float

    def suspect(self, alpha: float) -> bool:
        return self.p_corrected < alpha


@dataclass(frozen=True, slots=True)
class Detection:
    """All pairs of metric and system, the most suspicious first."""

    pairs: tuple[Suspicion, ...]
    systems: tuple[str, ...]
    metrics: tuple[str, ...]
    items: int
    reference: str | None
    alpha: float
    correction: Correction
    untested: tuple[str, ...]
    """What could not be tested, and why."""

    @property
    def suspects(self) -> tuple[Suspicion, ...]:
        return tuple(pair for pair in self.pairs if pair.suspect(self.alpha))


def detect(
    evalset: EvalSet,
    *,
    reference: str | None = None,
    metrics: Patterns | None = None,
    systems: Patterns | None = None,
    exclude: Patterns | None = None,
    alpha: float = 0.05,
    correction: Correction = "holm",
) -> Detection:
    """Every metric and system, by how much the metric likes the system beyond what other metrics explain.

    Reads no human score. Human references among the systems are left out unless named in ``systems``:
    they are no outputs of systems and break every pattern. A system that lies far outside the range of the
    others, so that it alone would decide what is to be expected there, is not tested.
    O(metrics^2 systems items).

    >>> from metaeval.simulate import simulate
    >>> simulation = simulate(seed=1, text=False)
    >>> first = detect(simulation.evalset).pairs[0]
    >>> (first.metric, first.system) == (simulation.truth.gamed.metric, simulation.truth.gamed.system)
    True
    """
    if not 0 < alpha < 1:
        raise InputError(f"alpha is {alpha}, expected a number between 0 and 1")
    board = panel(evalset, reference=reference, metrics=metrics, systems=systems, exclude=exclude)
    people = [] if systems is not None else [s for s in board.systems if s in evalset.references]
    if people:
        others = [s for s in board.systems if s not in people]
        board = panel(evalset, reference=reference, metrics=metrics, systems=others)
    if len(board.systems) < FEWEST:
        raise InputError(
            f"found {len(board.systems)} systems, expected at least {FEWEST} to tell who stands out",
            remedy="Add systems.",
        )
    centred, kept, notes = _comparable(board)
    notes += [f"{name}: a human reference" for name in people]
    means, predicted = _explained(centred)
    fitted = beyond_line(means, predicted)
    outlying = _alone(means)
    far = (fitted.leverage > DECISIVE) | outlying
    t = np.where(far, np.nan, fitted.t)
    p = np.where(far, np.nan, student.sf(fitted.t, fitted.freedom))
    notes += [f"{board.systems[i]}: far outside the range of the others" for i in np.flatnonzero(outlying)]
    pairs = _pairs(board, kept, fitted, t, p, correction, _spreads(board, kept))
    keys = tuple(board.keys[i] for i in kept)
    return Detection(
        pairs, board.systems, keys, len(board.items), board.reference, alpha, correction, tuple(notes)
    )


def _comparable(board: Panel) -> tuple[FloatArray, list[int], list[str]]:
    """Scores less their item's mean, in standard deviations, of the metrics that compare outputs at all."""
    complete = ~np.isnan(board.scores).any(axis=(0, 1))
    if complete.sum() < 2:
        lacking = np.isnan(board.scores).mean(axis=2)
        metric, system = np.unravel_index(int(lacking.argmax()), lacking.shape)
        raise InputError(
            f"{int(complete.sum())} items are scored by all metrics for all systems, expected at least 2;"
            f" {board.keys[metric]} lacks {lacking.max():.0%} of {board.systems[system]}",
            remedy="Leave out the metrics or systems that lack scores: --metrics, --exclude",
        )
    scores = board.scores[:, :, complete]
    centred = scores - scores.mean(axis=1, keepdims=True)
    particular = (centred - centred.mean(axis=2, keepdims=True)).std(axis=(1, 2))
    whole = np.abs(scores).max(axis=(1, 2))
    kept = [i for i, spread in enumerate(particular) if spread > 1e-9 * whole[i]]
    notes = [
        f"{board.keys[i]}: scores that differ by system or item alone"
        for i in range(len(board.keys))
        if i not in kept
    ]
    if len(kept) < 2:
        raise InputError(
            f"found {len(kept)} metrics that compare outputs, expected at least 2",
            remedy="One metric alone explains nothing; score more: metaeval score --help",
        )
    left_out = int((~complete).sum())
    notes += [f"{left_out:,} items: some metric has no score there"] if left_out else []
    return centred[kept] / particular[kept][:, None, None], kept, notes


def _spreads(board: Panel, kept: Sequence[int]) -> FloatArray:
    """By metric, the standard deviation of what is particular to an output: a unit of ``size`` in points."""
    scores = board.scores[list(kept)][:, :, ~np.isnan(board.scores).any(axis=(0, 1))]
    centred = scores - scores.mean(axis=1, keepdims=True)
    spreads: FloatArray = (centred - centred.mean(axis=2, keepdims=True)).std(axis=(1, 2))
    return spreads


def _explained(centred: FloatArray) -> tuple[FloatArray, FloatArray]:
    """System means, and what the other metrics predict for them without the system in question.

    Returns:
        metrics x systems means, and metrics x (system left out) x systems predictions.
    """
    metrics, systems, items = centred.shape
    means = centred.mean(axis=2)
    within = centred - means[:, :, None]
    products = np.stack([within[:, s] @ within[:, s].T for s in range(systems)])
    total = products.sum(axis=0)
    predicted = np.empty((metrics, systems, systems))
    penalty = RIDGE * items * np.eye(metrics - 1)
    for left_out in range(systems):
        others = total - products[left_out]
        for metric in range(metrics):
            rest = np.delete(np.arange(metrics), metric)
            weights = np.linalg.solve(others[np.ix_(rest, rest)] + penalty, others[rest, metric])
            predicted[metric, left_out] = weights @ means[rest]
    return means, predicted


def _alone(means: FloatArray) -> NDArray[np.bool_]:
    """Which systems are far from all others: by the median of the metrics, which no gamed metric moves much.

    Far is a leverage above one half, or three times the mean of a line's (Velleman and Welsch 1981).
    """
    spread = means.std(axis=1, keepdims=True)
    place = np.median(np.divide(means, spread, out=np.zeros_like(means), where=spread > 0), axis=0)
    away = (place - place.mean()) ** 2
    leverage = 1 / len(place) + away / max(float(away.sum()), np.finfo(np.float64).tiny)
    return np.asarray(leverage > min(DECISIVE, 6 / len(place)))


def _pairs(
    board: Panel,
    kept: Sequence[int],
    fitted: Lines,
    t: FloatArray,
    p: FloatArray,
    correction: Correction,
    spreads: FloatArray,
) -> tuple[Suspicion, ...]:
    corrected = correct(p, correction)
    found = [
        Suspicion(
            board.keys[kept[m]],
            board.systems[s],
            float(fitted.excess[m, s] * spreads[m]),
            float(fitted.excess[m, s]),
            float(t[m, s]),
            float(p[m, s]),
            float(corrected[m, s]),
        )
        for m, s in np.ndindex(p.shape)
        if not np.isnan(p[m, s])
    ]
    return tuple(sorted(found, key=lambda pair: (pair.p, -pair.t)))
