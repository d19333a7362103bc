"""Calibration on a held-out fifth whose ties are sub-sampled (Perrella et al. 2024, figures 3 and 12).

If calibration were fair, acc_eq on the rest would not depend on how many ties the held-out part happens to
have. Discrete metrics hardly move; continuous ones lose where it has few.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metaeval.errors import InputError
from metaeval.paired import Paired
from metaeval.probes.sentinel.item_pairs import ItemPairs
from metaeval.probes.sentinel.subsampling import (
    PROBABILITIES,
    SEEDS,
    check_probabilities,
    draw,
    mean_of_seeds,
)
from metaeval.progress import Progress
from metaeval.scores import FloatArray, Scores

SHARE = 0.2


@dataclass(frozen=True, eq=False, slots=True)
class HeldOutTies:
    """One column a pair of probabilities, means over the seeds that leave a pair; NaN where none does."""

    metrics: tuple[Scores, ...]
    probabilities: tuple[tuple[float, float], ...]
    held_out: int
    """Items held out, of ``items``."""
    items: int
    tied: FloatArray
    """columns x seeds: the share of ties in what is left of the held-out part."""
    tied_rest: float
    value: FloatArray
    """metrics x columns: acc_eq on the rest, at the epsilon of the held-out part."""
    epsilon: FloatArray
    own: FloatArray
    """metrics: acc_eq on the rest, calibrated there."""


def held_out_ties(
    paired: Paired,
    probabilities: Sequence[tuple[float, float]] = PROBABILITIES,
    *,
    share: float = SHARE,
    seeds: int = SEEDS,
    seed: int = 0,
    progress: Progress | None = None,
) -> HeldOutTies:
    """Items are held out whole, once; only the held-out part's pairs are drawn anew with each seed."""
    check_probabilities(probabilities, seeds)
    if not 0 < share < 1:
        raise InputError(f"found a share of {share}, expected one between 0 and 1")
    pairs = ItemPairs.of(paired)
    count = round(share * pairs.items)
    if not 0 < count < pairs.items:
        raise InputError(f"{share:g} of {pairs.items} items leaves one of the two parts empty")
    chosen = np.random.default_rng([seed, 7]).permutation(pairs.items)[:count]
    held = np.isin(pairs.item, chosen)
    kept = [held & draw(pairs.tied, *p, seed + n) for p in probabilities for n in range(seeds)]
    weights, rest = [pairs.weights(k) for k in kept], pairs.weights(~held)
    found, own = np.zeros((len(paired.metrics), len(kept), 2)), np.zeros(len(paired.metrics))
    for done, scores in enumerate(paired.scores):
        if progress is not None:
            progress("held-out calibration", done, len(paired.scores))
        ordered = pairs.sorted_by(scores)
        epsilons = [ordered.best(w)[0] for w in weights]
        found[done] = [(epsilon, ordered.at(rest, epsilon)) for epsilon in epsilons]
        own[done] = ordered.best(rest)[1]
    shape = (len(probabilities), seeds)
    means = mean_of_seeds(found.reshape(len(found), *shape, 2), axis=2)
    return HeldOutTies(
        paired.metrics,
        tuple(probabilities),
        count,
        pairs.items,
        np.array([pairs.tied[k].mean() if k.any() else np.nan for k in kept]).reshape(shape),
        float(pairs.tied[~held].mean()),
        value=means[..., 1],
        epsilon=means[..., 0],
        own=own,
    )
