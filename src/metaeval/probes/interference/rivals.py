"""What MINTADJUST competes with: AUTORANK, AUTORANK-Ins and METAMETRICS-MT."""

from __future__ import annotations

import numpy as np

from metaeval.errors import InputError
from metaeval.evalset import EvalSet
from metaeval.measures.base import system_means
from metaeval.names import Patterns
from metaeval.paired import choose_protocol, pair_up
from metaeval.probes.interference.learners import Regressor, learner
from metaeval.probes.interference.panel import Panel, panel
from metaeval.scores import FloatArray, Scores

GP_ROWS = 1000
"""Rows that a Gaussian process is trained on: its cost grows with their cube."""


def auto_rank(
    evalset: EvalSet, ensemble: Patterns, *, reference: str | None = None, systems: Patterns | None = None
) -> Scores:
    """AUTORANK (Kocmi et al. 2024): the mean of system scores, each metric's scaled to 1 (worst) to N (best).

    Scaling is linear, so that AUTORANK is also the mean of a score of segments: the sum over metrics of the
    segment score times (N - 1) / (range of the systems' means). These are given, so that p-values exist.
    O(metrics systems items).

    >>> from metaeval.simulate import simulate
    >>> means = np.nanmean(auto_rank(simulate(seed=1, text=False).evalset, "Neural,QE").segment, axis=1)
    >>> bool(1 <= means.min() < means.max() <= 12)
    True
    """
    chosen = panel(evalset, metrics=ensemble, reference=reference, systems=systems)
    complete = _complete(chosen.scores)
    means = _means(complete)
    low, high = np.nanmin(means, axis=1), np.nanmax(means, axis=1)
    scored = int((~np.isnan(means[0])).sum())
    return _scaled(evalset, chosen, complete, low, high, scored, "AUTORANK")


def auto_rank_ins(
    evalset: EvalSet, ensemble: Patterns, *, reference: str | None = None, systems: Patterns | None = None
) -> Scores:
    """AUTORANK-Ins (Pombal et al. 2025): the mean of segment scores, each scaled to 1 to their number."""
    chosen = panel(evalset, metrics=ensemble, reference=reference, systems=systems)
    complete = _complete(chosen.scores)
    low, high = np.nanmin(complete, axis=(1, 2)), np.nanmax(complete, axis=(1, 2))
    instances = int((~np.isnan(complete[0])).sum())
    return _scaled(evalset, chosen, complete, low, high, instances, "AUTORANK-Ins")


def meta_metrics(
    evalset: EvalSet,
    other: EvalSet,
    ensemble: Patterns,
    *,
    regressor: Regressor | str = "forest",
    reference: str | None = None,
    systems: Patterns | None = None,
    human: str | None = None,
    trees: int = 1000,
    seed: int = 0,
    jobs: int = 1,
) -> Scores:
    """METAMETRICS-MT (Anugraha et al. 2024): human scores of other data learned from metrics, predicted here.

    Args:
        evalset: where scores are wanted; its human scores are not read.
        other: rated data with the same metrics; metrics are matched by name.
        ensemble: the metrics to learn from.
        regressor: ``forest``, as Pombal et al. 2025 have it, ``gp`` as the authors do (on 1000 segments
            drawn at random), or any scikit-learn regressor.
    """
    chosen = panel(evalset, metrics=ensemble, reference=reference, systems=systems)
    there = pair_up(other, human=choose_protocol(other, human), missing="drop")
    places = [_same(metric, there.metrics) for metric in chosen.metrics]
    rated = ~np.isnan(there.human)
    features, wanted = np.moveaxis(there.scores[places], 0, -1)[rated], there.human[rated]
    if regressor == "gp" and len(wanted) > GP_ROWS:
        drawn = np.random.default_rng(seed).choice(len(wanted), GP_ROWS, replace=False)
        features, wanted = features[drawn], wanted[drawn]
    name = f"METAMETRICS-{regressor}" if isinstance(regressor, str) else "METAMETRICS"
    model = learner(regressor, trees=trees, seed=seed, jobs=jobs) if isinstance(regressor, str) else regressor
    model.fit(features, wanted)
    cells = np.moveaxis(chosen.scores, 0, -1)
    known = ~np.isnan(cells).any(axis=-1)
    predicted: FloatArray = np.full(known.shape, np.nan)
    predicted[known] = np.asarray(model.predict(cells[known]), dtype=np.float64)
    return _joined(evalset, chosen, predicted, name)


def _same(metric: Scores, known: tuple[Scores, ...]) -> int:
    """The metric of the same name in other data, whatever its reference is called there."""
    found = [
        i for i, m in enumerate(known) if m.name == metric.name and m.reference_free == metric.reference_free
    ]
    if not found:
        raise InputError(
            f"the other data have no metric {metric.name!r}", remedy="Leave it out, or score the other data."
        )
    return found[0]


def _complete(scores: FloatArray) -> FloatArray:
    """Only cells that all metrics scored: a metric must not be averaged over other segments than the rest."""
    complete = np.where(np.isnan(scores).any(axis=0), np.nan, scores)
    if np.isnan(complete).all():
        raise InputError(
            "no segment is scored by all metrics of the ensemble", remedy="Leave some metric out."
        )
    return complete


def _means(complete: FloatArray) -> FloatArray:
    return np.stack([system_means(scores) for scores in complete])


def _scaled(
    evalset: EvalSet,
    chosen: Panel,
    scores: FloatArray,
    low: FloatArray,
    high: FloatArray,
    top: int,
    name: str,
) -> Scores:
    spread = high - low
    useful = spread > 0
    if not useful.any():
        raise InputError("every metric of the ensemble is constant, so there is nothing to rank by")
    scale = np.where(useful, (top - 1) / np.where(useful, spread, 1.0), 0.0)
    scaled = 1.0 + (scores - low[:, None, None]) * scale[:, None, None]
    return _joined(evalset, chosen, scaled.mean(axis=0), name)


def _joined(evalset: EvalSet, chosen: Panel, scores: FloatArray, name: str) -> Scores:
    segment: FloatArray = np.full((len(evalset.systems), len(evalset.items)), np.nan)
    segment[[evalset.systems.index(s) for s in chosen.systems]] = scores
    return Scores(name, chosen.reference, segment)
