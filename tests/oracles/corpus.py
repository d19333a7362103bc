"""Corpus scores of exchanged, repeated and shortened test sets: the texts are scored again every time."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from metaeval.kernels.flips import Flips
from metaeval.scores import FloatArray

Texts: TypeAlias = Sequence[str]
CorpusScore: TypeAlias = Callable[[Texts, Texts], float]
"""From outputs and references; higher is better."""

CLOSE = 1e-9
"""Scores that differ by less are equal; libraries round in their own ways."""


def libraries() -> Mapping[str, CorpusScore]:
    """The corpus scores of sacrebleu and jiwer."""
    import jiwer
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF
    from sacrebleu.metrics.ter import TER

    def sacrebleu(metric: Any) -> CorpusScore:
        return lambda outputs, references: float(metric.corpus_score(list(outputs), [list(references)]).score)

    ter = sacrebleu(TER())
    return {
        "BLEU": sacrebleu(BLEU()),
        "chrF": sacrebleu(CHRF()),
        "TER": lambda outputs, references: -ter(outputs, references),
        "WER": lambda outputs, references: -float(jiwer.wer(list(references), list(outputs))),
    }


def permutation_p(
    first: Texts, second: Texts, references: Texts, score: CorpusScore, flips: NDArray[np.float64]
) -> float:
    """The share of exchanges, a column of flips each, with at least the observed difference."""
    observed = score(first, references) - score(second, references)
    count, draws = 0, len(flips.T)
    for draw in flips.T:
        one = [b if flipped else a for a, b, flipped in zip(first, second, draw, strict=True)]
        other = [a if flipped else b for a, b, flipped in zip(first, second, draw, strict=True)]
        count += score(one, references) - score(other, references) >= observed - CLOSE
    return count / draws


def p_values(
    outputs: Sequence[Texts],
    references: Texts,
    score: CorpusScore,
    draws: int,
    used: NDArray[np.bool_] | None = None,
) -> list[float]:
    """p of all pairs of systems, each on the items that both have."""
    flips = Flips.of(len(references), draws, seed=0).rows(slice(None))
    found = []
    for s, t in itertools.combinations(range(len(outputs)), 2):
        both = [i for i in range(len(references)) if used is None or (used[s] & used[t])[i]]
        first, second, against = ([texts[i] for i in both] for texts in (outputs[s], outputs[t], references))
        found.append(permutation_p(first, second, against, score, flips[both]))
    return found


def repeated(outputs: Texts, references: Texts, times: Sequence[int], score: CorpusScore) -> float:
    """The score of a test set that has its items several times."""
    drawn = [i for i, count in enumerate(times) for _ in range(count)]
    return score([outputs[i] for i in drawn], [references[i] for i in drawn])


def contributions(outputs: Texts, references: Texts, score: CorpusScore) -> FloatArray:
    """Centred pseudo-values of the jackknife, every item left out of the texts once."""
    items = range(len(outputs))
    without = np.array(
        [
            repeated(outputs, references, [int(kept != gone) for kept in items], score)
            if len(outputs) > 1
            else 0
            for gone in items
        ]
    )
    found: FloatArray = score(outputs, references) + (len(outputs) - 1) * (without.mean() - without)
    return found
