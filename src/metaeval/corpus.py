"""Sufficient statistics of corpus scores: rows that add up, kept beside the scores that were read off them.

Corpus BLEU is no mean of sentence BLEU, and a word error rate no mean of rates: each is a function of sums.
Whoever keeps the summands of every output can have the true corpus score of any items, in any combination.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError


@dataclass(frozen=True, eq=False, slots=True)
class CorpusStatistics:
    """One row of numbers an output, and the scorer that reads a score off their sum.

    :mod:`metaeval.scorers.corpus` reads them.

    >>> CorpusStatistics("WER", np.array([[[3.0, 1.0, 0.0, 0.0]]]), negated=True).shape
    (1, 1)
    """

    scorer: str
    """As it prints: ``BLEU(tokenize=zh)``."""
    rows: NDArray[np.float64]
    """systems x items x F; a row of NaN where an output has none."""
    negated: bool = False
    """Whether the scores beside them are stored with a minus sign, so that higher is better."""

    def __post_init__(self) -> None:
        rows = np.array(self.rows, dtype=np.float64)
        if not self.scorer:
            raise InputError("corpus statistics name no scorer", remedy="Say which scorer reads them.")
        if rows.ndim != 3 or not rows.shape[2]:
            found = " x ".join(map(str, rows.shape))
            raise InputError(
                f"corpus statistics of {self.scorer} are {found}, expected systems x items x numbers"
            )
        missing = np.isnan(rows)
        if np.isinf(rows).any() or np.any(missing.any(axis=2) & ~missing.all(axis=2)):
            raise InputError(
                f"corpus statistics of {self.scorer} hold an infinite number or a row with gaps",
                remedy="A row is whole, or all of it is missing.",
            )
        rows.flags.writeable = False
        object.__setattr__(self, "rows", rows)

    @property
    def shape(self) -> tuple[int, int]:
        """Systems and items."""
        return self.rows.shape[0], self.rows.shape[1]

    def take(self, systems: NDArray[np.intp], items: NDArray[np.intp]) -> CorpusStatistics:
        """Those of fewer systems and items."""
        return CorpusStatistics(self.scorer, self.rows[np.ix_(systems, items)], self.negated)
