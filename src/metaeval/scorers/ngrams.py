"""BLEU, chrF and chrF++ with sacrebleu: its tokenizers and counts, and its scores read off the counts.

The counts of a segment are the library's own. The formulas over the counts are restated for arrays, so that
a thousand permutations of a test set cost one call; they equal sacrebleu's to the last digits of a float.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from metaeval.declared import param, switch
from metaeval.scorers.base import CorpusScorer, Segment, divide
from metaeval.scorers.libraries import library, tokenizing
from metaeval.scorers.registry import scorer
from metaeval.scores import FloatArray

POST = "Post 2018"


@dataclass(frozen=True, repr=False)
class SacrebleuScorer(CorpusScorer):
    """A metric of sacrebleu, which gives the counts of a segment."""

    @abstractmethod
    def build(self, metrics: Any) -> Any:
        """The metric, from the module ``sacrebleu.metrics``."""

    def check(self) -> None:
        _metric(self)

    @property
    def signature(self) -> str:
        """sacrebleu's signature of the segment scores."""
        return f"{self.name}|{_metric(self).get_signature()}"

    def statistics(self, segments: Sequence[Segment]) -> FloatArray:
        """The library's counts. The n-grams of a reference are taken once, however many outputs it has.

        Its public functions count a reference again for every output and keep the counts of TER and chrF
        to themselves; its own significance tests call the methods that are called here.
        """
        metric, rows = _metric(self), []
        known: dict[str, Any] = {}
        for segment in segments:
            reference = known.get(segment.reference)
            if reference is None:
                prepared = metric._preprocess_segment(segment.reference)
                reference = known[segment.reference] = metric._extract_reference_info([prepared])
            rows.append(
                metric._compute_segment_statistics(metric._preprocess_segment(segment.output), reference)
            )
        return np.array(rows, dtype=np.float64) if rows else np.empty((0, 0))


@cache
def _metric(scorer: SacrebleuScorer) -> Any:
    module = library("sacrebleu.metrics", package="sacrebleu", extra="scorers", needed_for=scorer.name)
    with tokenizing(str(scorer)):
        metric = scorer.build(module)
    metric.num_refs = 1  # for its signature, which is otherwise known only after scoring
    return metric


@scorer("BLEU", cites=f"Papineni et al. 2002; {POST}", extra="scorers")
class Bleu(SacrebleuScorer):
    """n-gram precision with a brevity penalty, by sacrebleu.

    Rows are hypothesis length, reference length, 4 counts of matches, 4 of n-grams. Corpus BLEU uses all
    four orders, the BLEU of a segment those it is long enough for (effective order); both smooth
    exponentially, as the metrics of WMT do.
    """

    width = 10
    tokenize: str = param("13a", parse=str, about="sacrebleu's tokenizer: 13a, intl, zh, char, ...")
    lowercase: bool = param(False, parse=switch, about="whether case is ignored")

    def build(self, metrics: Any) -> Any:
        if self.tokenize not in metrics.BLEU.TOKENIZERS:
            from metaeval.errors import InputError, choices

            raise InputError(
                f"sacrebleu has no tokenizer {self.tokenize!r}",
                remedy=choices(self.tokenize, metrics.BLEU.TOKENIZERS, limit=20),
            )
        return metrics.BLEU(
            tokenize=self.tokenize, lowercase=self.lowercase, effective_order=True, force=True
        )

    def from_statistics(self, sums: FloatArray) -> FloatArray:
        return bleu(sums, effective_order=False)

    def segment_scores(self, statistics: FloatArray) -> FloatArray:
        return bleu(statistics, effective_order=True)


@dataclass(frozen=True, repr=False)
class ChrfScorer(SacrebleuScorer):
    """Rows are three numbers for each order: n-grams of the output, of the reference, and matches."""

    word_order = 0
    width = 3 * 6
    lowercase: bool = param(False, parse=switch, about="whether case is ignored")

    def build(self, metrics: Any) -> Any:
        return metrics.CHRF(word_order=self.word_order, lowercase=self.lowercase)

    def from_statistics(self, sums: FloatArray) -> FloatArray:
        return chrf(sums, beta=2)


@scorer("chrF", cites=f"Popović 2015; {POST}", extra="scorers")
class Chrf(ChrfScorer):
    """F-score of character n-grams up to 6, recall weighing twice, by sacrebleu."""


@scorer("chrF++", cites=f"Popović 2017; {POST}", extra="scorers")
class ChrfPlusPlus(ChrfScorer):
    """chrF with word n-grams up to 2, by sacrebleu."""

    word_order = 2
    width = 3 * 8


def bleu(statistics: FloatArray, *, effective_order: bool) -> FloatArray:
    """BLEU with exponential smoothing from counts: (..., 10) in, (...) out.

    Oracle: ``sacrebleu.metrics.BLEU.compute_bleu``.

    >>> float(bleu(np.array([4.0, 4, 4, 3, 2, 1, 4, 3, 2, 1]), effective_order=False).round(9))
    100.0
    """
    length, reference = statistics[..., 0], statistics[..., 1]
    correct, total = statistics[..., 2:6], statistics[..., 6:10]
    possible = total > 0  # orders are possible up to the length of the longest segment
    unmatched = possible & (correct == 0)
    halvings = np.cumsum(unmatched, axis=-1)
    matches = np.where(unmatched, 0.5**halvings, correct)
    precision = divide(100.0 * matches, total, 0.0)
    orders = np.where(effective_order, possible.sum(axis=-1), 4)
    logs = np.log(precision, out=np.full(precision.shape, -9999999999.0), where=precision > 0)
    used = np.arange(4) < orders[..., None]
    mean = divide(np.where(used, logs, 0.0).sum(axis=-1), orders.astype(np.float64), -np.inf)
    penalty = np.exp(np.minimum(1.0 - divide(reference, length, np.inf), 0.0))
    score = penalty * np.exp(mean)
    return np.where(np.isnan(length), np.nan, np.where(correct.sum(axis=-1) > 0, score, 0.0))


def chrf(statistics: FloatArray, *, beta: float) -> FloatArray:
    """chrF from counts: (..., 3 x orders) in, (...) out; orders that either side lacks do not count.

    Oracle: ``sacrebleu.metrics.CHRF``.

    >>> float(chrf(np.array([4.0, 4.0, 2.0]), beta=2))
    50.0
    """
    output, reference, match = (statistics[..., i::3] for i in range(3))
    both = (output > 0) & (reference > 0)
    orders = both.sum(axis=-1).astype(np.float64)
    precision = divide(np.where(both, divide(match, output, 0.0), 0.0).sum(axis=-1), orders, 0.0)
    recall = divide(np.where(both, divide(match, reference, 0.0), 0.0).sum(axis=-1), orders, 0.0)
    factor = beta**2
    score = 100.0 * divide((1 + factor) * precision * recall, factor * precision + recall, 0.0)
    return np.where(np.isnan(statistics).any(axis=-1), np.nan, score)
