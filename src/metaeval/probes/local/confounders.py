"""How much an accuracy rests on the perturbations chosen (Deviyani and Diaz 2025, appendix A.2.3).

A metric that a perturbation favours (a length metric under removal) is far better there than under the
others. Over combinations of k perturbations that shows as a variance, which falls as k grows.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, islice

import numpy as np

from metaeval.perturb.randomness import shuffled, stream
from metaeval.probes.local.accuracy import Accuracy, accuracy, units
from metaeval.probes.local.pairs import IntArray, Pairs
from metaeval.scores import FloatArray

COMBINATIONS = 10
"""Combinations of each size that are looked at, as in the paper."""


@dataclass(frozen=True, eq=False, slots=True)
class Confounders:
    """The accuracy under each perturbation, and its variance over combinations of them."""

    kinds: tuple[str, ...]
    """The perturbations that applied at all."""
    by_kind: Accuracy
    sizes: tuple[int, ...]
    """1 to one less than there are perturbations."""
    variance: FloatArray
    """sizes x metrics: over combinations of that size, of the mean of the contexts' accuracies."""

    @property
    def spread(self) -> FloatArray:
        """By metric: the standard deviation of its accuracy over single perturbations."""
        there: FloatArray = self.by_kind.value.std(axis=0)
        return there


def confounders(
    pairs: Pairs,
    context: IntArray,
    contexts: int,
    *,
    limit: int = COMBINATIONS,
    seed: int = 0,
    alpha: float = 0.05,
) -> Confounders | None:
    """What the perturbations do to accuracies; None where there are not two of them.

    Args:
        pairs: pairs from perturbations.
        context: the context of each pair, of so many; pairs of context -1 are left out.
        limit: combinations of a size; all of them where there are no more.
    """
    inside = context >= 0
    pairs, context = pairs.take(inside), context[inside]
    kinds = np.unique(pairs.kind)
    if len(kinds) < 2:
        return None
    code = np.searchsorted(kinds, pairs.kind)
    by_kind = accuracy(units(pairs, code, len(kinds)), alpha)
    sizes = tuple(range(1, len(kinds)))
    variance = np.stack(
        [
            np.array(
                [
                    _mean(pairs, np.where(np.isin(code, chosen), context, -1), contexts)
                    for chosen in _chosen(len(kinds), size, limit, seed)
                ]
            ).var(axis=0)
            for size in sizes
        ]
    )
    return Confounders(tuple(pairs.kinds[kind] for kind in kinds), by_kind, sizes, variance)


def _mean(pairs: Pairs, context: IntArray, contexts: int) -> FloatArray:
    """By metric: the mean accuracy over the contexts that have pairs."""
    by = units(pairs, context, contexts)
    mean: FloatArray = by.mean(by.accuracy)[np.unique(by.context)].mean(axis=0)
    return mean


def _chosen(kinds: int, size: int, limit: int, seed: int) -> list[tuple[int, ...]]:
    every = list(combinations(range(kinds), size))
    return sorted(islice(shuffled(stream(seed, "combinations", str(size)), every), limit))
