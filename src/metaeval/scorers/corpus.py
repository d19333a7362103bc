"""Corpus scores from the statistics that scores bring along."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.corpus import CorpusStatistics
from metaeval.errors import InputError
from metaeval.kernels.corpus import CorpusSums
from metaeval.scorers.base import CorpusScorer
from metaeval.scorers.registry import parse_scorer
from metaeval.scores import FloatArray

_AGAIN = "Score the outputs again: metaeval score DATA -s SCORER --replace --out NEW"


@dataclass(frozen=True, slots=True)
class CorpusScore:
    """Reads scores off sums, with the sign that the scores beside them have."""

    scorer: CorpusScorer
    negated: bool

    def __call__(self, sums: FloatArray) -> FloatArray:
        """(..., F) to (...)."""
        scores = self.scorer.from_statistics(sums)
        return 0.0 - scores if self.negated else scores


def corpus_score(statistics: CorpusStatistics) -> CorpusScore:
    """The corpus score that statistics are of.

    >>> errors = CorpusStatistics("WER", np.array([[[6.0, 1.0, 1.0, 0.0]]]), negated=True)
    >>> corpus_score(errors)(errors.rows.sum(axis=1)).tolist()
    [-0.25]
    """
    scorer = parse_scorer(statistics.scorer)
    if not isinstance(scorer, CorpusScorer):
        raise InputError(f"{scorer} reads no corpus statistics", remedy=_AGAIN)
    found = statistics.rows.shape[2]
    if found != scorer.width:
        raise InputError(
            f"the corpus statistics of {scorer} have {found} numbers, expected {scorer.width}", remedy=_AGAIN
        )
    return CorpusScore(scorer, statistics.negated)


def corpus_sums(statistics: CorpusStatistics, used: NDArray[np.bool_], key: str) -> CorpusSums:
    """The statistics on the cells used; InputError where one of these has none."""
    read = corpus_score(statistics)
    lacking = int(np.isnan(statistics.rows[used]).any(axis=-1).sum())
    if lacking:
        raise InputError(
            f"{key} has no corpus statistics for {lacking:,} of {int(used.sum()):,} cells used", remedy=_AGAIN
        )
    return CorpusSums(np.where(used[..., None], statistics.rows, 0.0), used, read)
