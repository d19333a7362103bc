"""Pairwise accuracy of systems, hard and soft (Kocmi et al. 2021; Thompson et al. 2024)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from metaeval.declared import param
from metaeval.errors import InputError, choices
from metaeval.kernels.corpus import CorpusSums
from metaeval.kernels.corpus_pvalues import corpus_normal_p, corpus_permutation_p
from metaeval.kernels.flips import Flips
from metaeval.kernels.pvalues import SystemPairs, normal_p, permutation_p
from metaeval.measures.base import Measure, Outcome, SystemMeasure, ratio
from metaeval.measures.registry import measure
from metaeval.measures.system import pair_signs
from metaeval.scores import FloatArray

Method: TypeAlias = Literal["perm", "normal"]


def parse_name(text: str) -> str:
    if not text:
        raise ValueError("expected the name of a system")
    return text


def parse_draws(text: str) -> int:
    draws = int(text)
    if draws < 1:
        raise ValueError("expected a whole number from 1 up")
    return draws


def parse_seed(text: str) -> int:
    seed = int(text)
    if seed < 0:
        raise ValueError("expected a whole number from 0 up")
    return seed


def parse_method(text: str) -> Method:
    if text == "perm":
        return "perm"
    if text == "normal":
        return "normal"
    raise ValueError("expected perm or normal")


@dataclass(frozen=True, repr=False)
class SystemPairMeasure(Measure):
    """A mean over pairs of systems: over all, or over those that contain one system."""

    level = "system"

    containing: str = param("", parse=parse_name, about="only the pairs that contain this system")
    row: int | None = field(default=None, kw_only=True)
    """Where that system stands; ``bind`` knows."""

    def bind(self, systems: Sequence[str]) -> Self:
        if not self.containing:
            return self
        if self.containing not in systems:
            raise InputError(
                f"{self}: there is no system {self.containing!r}", remedy=choices(self.containing, systems)
            )
        return replace(self, row=list(systems).index(self.containing))

    def chosen(self, first: NDArray[np.intp], second: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Which of the pairs count."""
        if self.row is None:
            if self.containing:
                raise InputError(f"{self} needs the systems' names", remedy="Call bind(systems) before.")
            return np.ones(len(first), dtype=np.bool_)
        return np.asarray((first == self.row) | (second == self.row))


@measure(
    "pa",
    formula="pairs of systems that human and metric means order alike / pairs of systems",
    cites="Kocmi et al. 2021; WMT 2021-23, pooled over language pairs",
    bounds=(0.0, 1.0),
)
class PairwiseAccuracy(SystemPairMeasure, SystemMeasure):
    """How often the metric prefers the system that humans prefer.

    The signs of the two differences must be equal, as WMT counts: a tie agrees with a tie and with nothing
    else. (Thompson et al. 2024, equation 3, round p up from one half, so that a tie counts as the second
    system winning: the value would depend on the order of the systems.) Undefined for fewer than two
    systems. O(systems^2).

    >>> human, metric = np.array([3.0, 2.0, 1.0]), np.array([30.0, 10.0, 20.0])
    >>> float(PairwiseAccuracy().from_system_scores(human, metric))
    0.6666666666666666
    """

    def from_system_scores(self, human: FloatArray, metric: FloatArray) -> FloatArray:
        agreements, pairs = self.agreements(human, metric)
        return ratio(agreements, np.asarray(pairs, dtype=np.float64))

    def agreements(self, human: FloatArray, metric: FloatArray) -> tuple[FloatArray, int]:
        """How many pairs agree, and how many there are: (..., systems) in, (...) out; sums can be pooled."""
        first, second = np.triu_indices(human.shape[-1], k=1)
        kept = self.chosen(first, second)
        agree = pair_signs(human)[..., kept] == pair_signs(metric)[..., kept]
        return np.sum(agree, axis=-1, dtype=np.float64), int(kept.sum())


def pooled_pa(sets: Iterable[tuple[FloatArray, FloatArray]]) -> FloatArray:
    """Pairwise accuracy over the pairs of several evaluation sets together, as WMT 2021 to 2023 report it.

    Args:
        sets: human and metric scores of the systems of each set, the metric's (..., systems).

    >>> float(pooled_pa([(np.array([2.0, 1.0]), np.array([1.0, 2.0])), (np.arange(3.0), np.arange(3.0))]))
    0.75
    """
    agreements, pairs = np.zeros(()), 0
    for human, metric in sets:
        agree, count = PairwiseAccuracy().agreements(human, metric)
        agreements, pairs = agreements + agree, pairs + count
    return ratio(agreements, np.asarray(pairs, dtype=np.float64))


@measure(
    "spa",
    formula="mean over pairs of systems of 1 - |p_human - p_metric|",
    cites="Thompson et al. 2024, equation 1; WMT 2024-25",
    bounds=(0.0, 1.0),
)
class SoftPairwiseAccuracy(SystemPairMeasure):
    """How well the metric's confidence that one system is better than another matches the humans'.

    p is that of a one-sided paired permutation test, see :mod:`metaeval.kernels.pvalues`: the share of
    draws whose difference is at least the observed one, without the observation itself. The random signs are
    the same for all pairs of systems and for humans and metrics; with few items all signs are visited.
    ``method=normal`` takes p from the normal distribution instead, free of sampling noise: over the WMT 2022
    and 2023 zh-en metrics SPA moves by at most 0.0021 against 1000 draws (four seeds, which differ by as much
    among themselves) and 0.0005 against 30,000. Two systems whose scores are equal have p = 1 by
    permutation and one half by ``normal``. A draw as large as what was observed counts for the first system,
    so that with few items the order of the systems shows in the value (WMT 2022 zh-en: by at most 0.0008).

    A pair is compared on the items rated for both of its systems and is left out where there are none;
    undefined where no pair is left. O(systems items draws) where all systems have the same items, up to
    O(systems^2 items draws) where not.

    >>> human = np.array([[1.0, 2.0, 2.0, 5.0], [0.0, 2.0, 1.0, 4.0]])
    >>> SoftPairwiseAccuracy().evaluate(human, human[::-1]).value
    0.125
    """

    draws: int = param(1000, parse=parse_draws, about="random sign flips")
    seed: int = param(0, parse=parse_seed, about="of the sign flips")
    method: Method = param("perm", parse=parse_method, about="perm: permutation test; normal: its limit")

    def evaluate(self, human: FloatArray, metric: FloatArray) -> Outcome:
        scores = np.stack([human, metric])
        pairs = SystemPairs.of(np.asarray(~np.isnan(scores).any(axis=0)))
        forward, _ = both_ways(scores, pairs, self.draws, self.seed, self.method)
        return SystemMeasure.outcome(self.from_p_values(forward[0], forward[1], pairs))

    def evaluate_corpus(self, human: FloatArray, metric: FloatArray, corpus: CorpusSums) -> Outcome:
        """With p from exchanges of outputs, scored anew as corpora; ``normal`` by the delta method."""
        pairs = SystemPairs.of(~np.isnan(human) & corpus.used)
        forward, _ = both_ways(human[None], pairs, self.draws, self.seed, self.method)
        if self.method == "normal":
            found, _ = corpus_normal_p(corpus, pairs)
        else:
            flips = Flips.of(human.shape[1], self.draws, self.seed)
            found, _ = corpus_permutation_p(corpus, pairs, flips)
        return SystemMeasure.outcome(self.from_p_values(forward[0], found, pairs))

    def from_p_values(self, human: FloatArray, metric: FloatArray, pairs: SystemPairs) -> FloatArray:
        """Equation 1 from the p-values of pairs: (..., pairs) to (...)."""
        kept = self.chosen(pairs.first, pairs.second)
        error = np.abs(human - metric)
        if not kept.all():
            error = error[..., kept]
        return 1.0 - ratio(error.sum(axis=-1), np.asarray(kept.sum(), dtype=np.float64))


def p_values(scores: FloatArray, *, draws: int = 1000, seed: int = 0, method: Method = "perm") -> FloatArray:
    """p that system s is not better than system t, for all s and t: figure 1 of Thompson et al. 2024.

    Args:
        scores: systems x items, NaN where missing.

    Returns:
        systems x systems; near 0 where the row's system is clearly better; NaN on the diagonal and where two
        systems have no item in common.

    >>> p_values(np.array([[1.0, 2.0, 2.0], [0.0, 1.0, 1.0]]))
    array([[  nan, 0.125],
           [1.   ,   nan]])
    """
    pairs = SystemPairs.of(~np.isnan(scores))
    forward, backward = both_ways(scores[None], pairs, draws, seed, method)
    return pairs.matrix(forward[0], backward[0], len(scores))


def both_ways(
    scores: FloatArray, pairs: SystemPairs, draws: int, seed: int, method: Method
) -> tuple[FloatArray, FloatArray]:
    """p of each pair and of each pair reversed: (matrices, systems, items) to twice (matrices, pairs)."""
    if method == "normal":
        return normal_p(scores, pairs)
    return permutation_p(scores, pairs, Flips.of(scores.shape[-1], draws, seed))
