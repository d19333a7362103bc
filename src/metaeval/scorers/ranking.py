"""What a scorer of rankings is, and the 23 measures of trec_eval, read off the grades in rank order.

All of them depend on a list only through the grades of its documents, so a list is a row of grades, many
lists of a topic are a matrix, and a measure is a few cumulative sums: scoring 100 perturbed lists costs
little more than scoring one. The numbers are trec_eval's; it is the oracle in the tests.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from metaeval.scorers.base import AnyScorer
from metaeval.scorers.registry import scorer
from metaeval.scores import FloatArray

if TYPE_CHECKING:
    from metaeval.rankings import Rankings

BoolArray: TypeAlias = NDArray[np.bool_]

BUCKLEY = "Buckley and Voorhees 2005; as computed by trec_eval"
CUTOFFS = (5, 10, 15, 20, 30)
RECALLS = (0.0, 0.1, 0.2, 0.3, 0.4)


@dataclass(frozen=True, repr=False)
class RankingScorer(AnyScorer):
    """A scorer of ranked lists: the output is a list of documents, the reference the qrels."""

    task = "ranking"

    @abstractmethod
    def of_rankings(self, rankings: Rankings) -> FloatArray:
        """runs x topics; NaN where a run has no list for a topic."""


@dataclass(frozen=True, repr=False)
class TrecMeasure(RankingScorer):
    """A measure of trec_eval. A document is relevant from grade 1; one without a judgment is not."""

    @abstractmethod
    def of_grades(self, grades: FloatArray, judged: FloatArray) -> FloatArray:
        """Scores of lists of one topic: (..., depth) grades in rank order to (...).

        Args:
            grades: grades by rank; lists may be padded with 0 at the end.
            judged: the grades of all documents judged for the topic, in any order.
        """

    def of_rankings(self, rankings: Rankings) -> FloatArray:
        scores = np.full((len(rankings.runs), len(rankings.topics)), np.nan)
        for column, topic in enumerate(rankings.topics):
            rows, grades = rankings.grades(topic)
            scores[rows, column] = self.of_grades(grades, rankings.judged(topic))
        return scores


@scorer("map", cites=BUCKLEY)
class AveragePrecision(TrecMeasure):
    """Precision at each relevant document, averaged over all that there are."""

    def of_grades(self, grades: FloatArray, judged: FloatArray) -> FloatArray:
        hits = grades >= 1
        return _share((_precisions(hits) * hits).sum(axis=-1), _relevant(judged))


@scorer("Rprec", cites=BUCKLEY)
class RPrecision(TrecMeasure):
    """Precision at rank R, where R documents are relevant."""

    def of_grades(self, grades: FloatArray, judged: FloatArray) -> FloatArray:
        relevant = _relevant(judged)
        return _share((grades[..., :relevant] >= 1).sum(axis=-1), relevant)


@scorer("recip_rank", cites=BUCKLEY)
class ReciprocalRank(TrecMeasure):
    """One over the rank of the first relevant document."""

    def of_grades(self, grades: FloatArray, judged: FloatArray) -> FloatArray:
        hits = grades >= 1
        if not hits.shape[-1]:
            return np.zeros(hits.shape[:-1])
        return np.where(hits.any(axis=-1), 1.0 / (1 + hits.argmax(axis=-1)), 0.0)


@dataclass(frozen=True, repr=False)
class InterpolatedPrecision(TrecMeasure):
    """The best precision from the rank on where this share of the relevant documents is found."""

    recall: ClassVar[float]

    def of_grades(self, grades: FloatArray, judged: FloatArray) -> FloatArray:
        hits = grades >= 1
        # trec_eval's rounding: at least this many relevant documents must be found
        wanted = int(self.recall * _relevant(judged) + 0.9)
        reached = hits.cumsum(axis=-1) >= wanted
        if not hits.shape[-1]:
            return np.zeros(hits.shape[:-1])
        best: FloatArray = np.where(reached, _precisions(hits), 0.0).max(axis=-1)
        return best


@dataclass(frozen=True, repr=False)
class Precision(TrecMeasure):
    """Share of relevant documents among the first."""

    cutoff: ClassVar[int]

    def of_grades(self, grades: FloatArray, judged: FloatArray) -> FloatArray:
        found: FloatArray = (grades[..., : self.cutoff] >= 1).sum(axis=-1) / self.cutoff
        return found


@dataclass(frozen=True, repr=False)
class Recall(TrecMeasure):
    """Share of the relevant documents that are among the first."""

    cutoff: ClassVar[int]

    def of_grades(self, grades: FloatArray, judged: FloatArray) -> FloatArray:
        return _share((grades[..., : self.cutoff] >= 1).sum(axis=-1), _relevant(judged))


@dataclass(frozen=True, repr=False)
class NdcgCut(TrecMeasure):
    """Grades discounted by the logarithm of the rank, over those of the best possible list."""

    cutoff: ClassVar[int]

    def of_grades(self, grades: FloatArray, judged: FloatArray) -> FloatArray:
        best = np.sort(np.maximum(judged, 0.0))[::-1]
        return _share(self._gain(np.maximum(grades, 0.0)), self._gain(best))

    def _gain(self, grades: FloatArray) -> FloatArray:
        first = grades[..., : self.cutoff]
        return first @ (1.0 / np.log2(np.arange(2, first.shape[-1] + 2)))


def _declare_families() -> None:
    """Declares a measure for each cut-off and recall of the paper's table 7 (Deviyani and Diaz 2025)."""
    for recall in RECALLS:
        kind = type("AtRecall", (InterpolatedPrecision,), _about(InterpolatedPrecision, recall=recall))
        scorer(f"iprec_at_recall_{recall:.2f}", cites=BUCKLEY)(kind)
    for prefix, family in (("P", Precision), ("recall", Recall), ("ndcg_cut", NdcgCut)):
        cites = "Järvelin and Kekäläinen 2002; as computed by trec_eval" if family is NdcgCut else BUCKLEY
        for cutoff in CUTOFFS:
            kind = type(family.__name__, (family,), _about(family, cutoff=cutoff))
            scorer(f"{prefix}_{cutoff}", cites=cites)(kind)


def _about(family: type[TrecMeasure], **fixed: float) -> dict[str, object]:
    return {"__doc__": family.__doc__, "__module__": __name__, **fixed}


def _relevant(judged: FloatArray) -> int:
    return int((judged >= 1).sum())


def _precisions(hits: BoolArray) -> FloatArray:
    precisions: FloatArray = hits.cumsum(axis=-1) / np.arange(1, hits.shape[-1] + 1)
    return precisions


def _share(part: FloatArray, whole: FloatArray | int) -> FloatArray:
    """Part of whole; 0 where the whole is nothing, as trec_eval has it."""
    return np.asarray(part, dtype=np.float64) / whole if whole else np.zeros(np.shape(part))


_declare_families()
