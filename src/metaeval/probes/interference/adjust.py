"""MINTADJUST: what the interfering metric would say if it had not chosen (Pombal et al. 2025, section 5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from metaeval.errors import InputError
from metaeval.evalset import EvalSet
from metaeval.names import Patterns, matching
from metaeval.probes.interference.learners import Regressor, learner
from metaeval.probes.interference.outside import Outside, outside
from metaeval.probes.interference.panel import Panel, panel
from metaeval.scores import FloatArray, Scores

MINIMUM = 30
"""Segments below which nothing is learned."""


@dataclass(frozen=True, eq=False)
class Adjustment:
    """An interfering metric, predicted from others for every segment of every system."""

    metric: Scores
    """The metric as it was."""
    adjusted: Scores
    """The metric as predicted, on all systems and items of the data, NaN where a feature is missing."""
    features: tuple[str, ...]
    training: tuple[str, ...]
    suspects: tuple[str, ...]
    segments: int
    """How many segments it was learned from."""
    importances: Mapping[str, float] | None
    """By feature, where the regressor knows them."""
    unpredicted: int
    """Segments of all systems that lack a feature, and so have no prediction."""
    outside: tuple[Outside, ...]
    """How far each system that was not learned from lies outside what was learned, worst first."""

    def add_to(self, evalset: EvalSet) -> EvalSet:
        """The data with the adjusted metric under its own name beside the one that interfered."""
        return evalset.with_metrics(self.adjusted)


def mint_adjust(
    evalset: EvalSet,
    metric: str,
    *,
    suspects: Patterns | None = None,
    training: Patterns | None = None,
    features: Patterns | None = None,
    reference: str | None = None,
    regressor: Regressor | None = None,
    trees: int = 1000,
    seed: int = 0,
    jobs: int = 1,
) -> Adjustment:
    """Learns ``metric`` from other metrics on systems free of interference, and predicts it for all.

    Reads no human score. The regressor is a forest of 1000 trees of depth 4 unless another is given. On
    WMT22 zh-en (11 systems x 1875 items, 5 features) a forest takes 20 s of one core.

    Args:
        evalset: data with segment scores of several metrics.
        metric: the interfering metric, by key or name.
        suspects: the systems that it chose; without ``training`` it is learned from all others.
        training: the systems to learn from. By default human references among the systems are left out.
        features: the metrics to learn from; by default all others that can be compared with it, but for an
            earlier adjustment of it.
        reference: the reference in use.
        regressor: any scikit-learn regressor instead of the forest.
    """
    board = panel(evalset, reference=reference)
    target = board.of(metric)
    chosen = _features(board, target, features)
    rows, accused = _training(evalset, board, suspects, training)
    cells, wanted = np.moveaxis(board.scores[chosen], 0, -1), board.scores[target]
    known = np.asarray(~np.isnan(cells).any(axis=-1))
    _refuse_unpredictable(board, chosen, accused)
    learned = known & ~np.isnan(wanted)
    learned[[i for i in range(len(board.systems)) if i not in rows]] = False
    if learned.sum() < MINIMUM:
        raise InputError(
            f"{learned.sum():,} segments to learn {board.keys[target]} from, expected at least {MINIMUM}",
            remedy="Name more training systems, or features that are not missing.",
        )
    model = regressor if regressor is not None else learner("forest", trees=trees, seed=seed, jobs=jobs)
    model.fit(cells[learned], wanted[learned])
    predicted: FloatArray = np.full(wanted.shape, np.nan)
    predicted[known] = np.asarray(model.predict(cells[known]), dtype=np.float64)
    keys = tuple(board.keys[i] for i in chosen)
    far = outside(cells, learned, known, [i for i in range(len(board.systems)) if i not in rows])
    return Adjustment(
        metric=board.metrics[target],
        adjusted=_on_all_systems(evalset, board, board.metrics[target], predicted),
        features=keys,
        training=tuple(board.systems[i] for i in rows),
        suspects=tuple(accused),
        segments=int(learned.sum()),
        unpredicted=int((~known).sum()),
        importances=_importances(model, keys),
        outside=tuple(Outside(board.systems[i], share) for i, share in far),
    )


def _features(board: Panel, target: int, wanted: Patterns | None) -> list[int]:
    if wanted is None:
        earlier = _adjusted_name(board.metrics[target])
        chosen = [i for i, m in enumerate(board.metrics) if i != target and m.name != earlier]
    else:
        names = [name for m in board.metrics for name in (m.key, m.name)]
        kept = set(matching(wanted, names, f"metric (reference {board.reference or 'none'})"))
        chosen = [i for i, m in enumerate(board.metrics) if m.key in kept or m.name in kept]
        if target in chosen:
            raise InputError(
                f"{board.keys[target]} cannot be learned from itself", remedy="Leave it out of the features."
            )
    if not chosen:
        raise InputError(f"there is no metric but {board.keys[target]} to learn it from")
    return chosen


def _training(
    evalset: EvalSet, board: Panel, suspects: Patterns | None, training: Patterns | None
) -> tuple[list[int], list[str]]:
    accused = [] if suspects is None else matching(suspects, board.systems, "system")
    if training is not None:
        rows = board.rows(training)
        both = [board.systems[i] for i in rows if board.systems[i] in accused]
        if both:
            raise InputError(
                f"{both[0]} is both a suspect and a training system", remedy="Make it one of them."
            )
        return rows, accused
    if not accused:
        raise InputError(
            "nothing says which systems are free of interference",
            remedy="Name the suspects, or the training systems. To find suspects: metaeval interference",
        )
    people = set(evalset.references)
    rows = [i for i, s in enumerate(board.systems) if s not in accused and s not in people]
    if not rows:
        raise InputError("every system is a suspect, so there is none to learn from")
    return rows, accused


def _refuse_unpredictable(board: Panel, chosen: list[int], accused: list[str]) -> None:
    """A suspect that nothing can be predicted for would vanish from the ranking without a word."""
    for system in accused:
        row = board.systems.index(system)
        if not np.isnan(board.scores[chosen, row]).any(axis=0).all():
            continue
        silent = [board.keys[i] for i in chosen if np.isnan(board.scores[i, row]).all()]
        lacking = ", ".join(silent[:5]) or "some feature or other"
        raise InputError(
            f"no segment of {system} has all features: no score from {lacking}",
            remedy="Name features that scored it: --features",
        )


def _on_all_systems(evalset: EvalSet, board: Panel, metric: Scores, predicted: FloatArray) -> Scores:
    segment: FloatArray = np.full((len(evalset.systems), len(evalset.items)), np.nan)
    segment[[evalset.systems.index(s) for s in board.systems]] = predicted
    return Scores(_adjusted_name(metric), metric.reference, segment)


def _adjusted_name(metric: Scores) -> str:
    return f"{metric.name}-adjusted"


def _importances(model: Regressor, keys: tuple[str, ...]) -> Mapping[str, float] | None:
    values = getattr(model, "feature_importances_", None)
    return None if values is None else dict(zip(keys, map(float, values), strict=True))
