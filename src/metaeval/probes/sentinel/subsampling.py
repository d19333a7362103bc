"""acc_eq and epsilon* as the share of human ties changes (Perrella et al. 2024, figure 2, tables 12 to 14).

Tied pairs are removed with probability p_t, the others with p_n. The paper's tables give 13 such columns for
each language pair; those of zh-en are the default.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metaeval.errors import InputError
from metaeval.paired import Paired
from metaeval.probes.sentinel.item_pairs import BoolArray, ItemPairs
from metaeval.progress import Progress
from metaeval.scores import FloatArray, Scores

PROBABILITIES = (
    *((1.0, 0.0), (0.65, 0.0), (0.3, 0.0), (0.0, 0.0), (0.0, 0.2), (0.0, 0.4), (0.0, 0.5)),
    *((0.0, 0.6), (0.0, 0.65), (0.0, 0.7), (0.0, 0.75), (0.0, 0.8), (0.0, 0.85)),
)
"""(p_t, p_n) of table 12."""
SEEDS = 5


@dataclass(frozen=True, eq=False, slots=True)
class TieShares:
    """One column a pair of probabilities, means over the seeds that leave a pair; NaN where none does."""

    metrics: tuple[Scores, ...]
    probabilities: tuple[tuple[float, float], ...]
    pairs: FloatArray
    """columns x seeds: pairs left."""
    tied: FloatArray
    """columns x seeds: the share of them that humans tie."""
    value: FloatArray
    """metrics x columns: acc_eq, calibrated on the pairs left; averaged over seeds."""
    epsilon: FloatArray
    """metrics x columns: the epsilon that calibration finds; averaged over seeds."""


def tie_shares(
    paired: Paired,
    probabilities: Sequence[tuple[float, float]] = PROBABILITIES,
    *,
    seeds: int = SEEDS,
    seed: int = 0,
    progress: Progress | None = None,
) -> TieShares:
    """By item; the same pairs are drawn for all metrics. One sort a metric, O(pairs) a column and seed.

    >>> from metaeval.paired import pair_up
    >>> from metaeval.simulate import simulate
    >>> found = tie_shares(pair_up(simulate(items=30, seed=1).evalset), [(1.0, 0.0), (0.0, 0.0)], seeds=1)
    >>> float(found.tied[0, 0])
    0.0
    """
    check_probabilities(probabilities, seeds)
    pairs = ItemPairs.of(paired)
    kept = [draw(pairs.tied, *p, seed + n) for p in probabilities for n in range(seeds)]
    weights = [pairs.weights(k) for k in kept]
    found = np.zeros((len(paired.metrics), len(kept), 2))
    for done, scores in enumerate(paired.scores):
        if progress is not None:
            progress("samples of pairs", done, len(paired.scores))
        ordered = pairs.sorted_by(scores)
        found[done] = [ordered.best(w) for w in weights]
    shape = (len(probabilities), seeds)
    means = mean_of_seeds(found.reshape(len(found), *shape, 2), axis=2)
    return TieShares(
        paired.metrics,
        tuple(probabilities),
        np.array([k.sum() for k in kept], dtype=np.float64).reshape(shape),
        np.array([pairs.tied[k].mean() if k.any() else np.nan for k in kept]).reshape(shape),
        value=means[..., 1],
        epsilon=means[..., 0],
    )


def mean_of_seeds(values: FloatArray, axis: int) -> FloatArray:
    """The mean over the seeds that have a value; NaN where none has.

    >>> mean_of_seeds(np.array([[1.0, np.nan], [np.nan, np.nan]]), axis=1)
    array([ 1., nan])
    """
    there = ~np.isnan(values)
    count = there.sum(axis=axis)
    total = np.where(there, values, 0.0).sum(axis=axis)
    return np.asarray(np.divide(total, count, out=np.full(count.shape, np.nan), where=count > 0))


def draw(tied: BoolArray, p_tied: float, p_untied: float, seed: int) -> BoolArray:
    """The pairs that stay when tied ones go with one probability and the others with another.

    >>> draw(np.array([True, False]), 1.0, 0.0, seed=0).tolist()
    [False, True]
    """
    chance = np.random.default_rng([seed, 6]).random(len(tied))
    return np.asarray(chance >= np.where(tied, p_tied, p_untied))


def check_probabilities(probabilities: Sequence[tuple[float, float]], seeds: int) -> None:
    """Refuse what cannot be drawn."""
    for pair in probabilities:
        if not all(0 <= p <= 1 for p in pair) or min(pair) >= 1:
            raise InputError(f"found probabilities {pair}, expected two from 0 to 1 that leave some pairs")
    if seeds < 1:
        raise InputError(f"found {seeds} seeds, expected at least 1")


def parse_probabilities(text: str) -> tuple[float, float]:
    """``p_t,p_n`` from a command line.

    >>> parse_probabilities("0.65,0")
    (0.65, 0.0)
    """
    try:
        p_tied, p_untied = (float(part) for part in text.split(","))
    except ValueError as error:
        raise InputError(f"{text!r} is not P_T,P_N", remedy="Write two numbers: 0.65,0") from error
    return p_tied, p_untied
