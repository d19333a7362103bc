"""BERTScore with the bert-score package."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np

from metaeval.declared import param
from metaeval.scorers.base import Segment, SegmentScorer
from metaeval.scorers.libraries import library, loading, version
from metaeval.scorers.registry import scorer
from metaeval.scores import FloatArray

ZHANG = "Zhang et al. 2020"


@dataclass(frozen=True, repr=False)
class BertScore(SegmentScorer):
    """Rows are precision, recall and F1: the three scorers share one pass of the model."""

    sharing = "none"
    cost = "model"
    batch = 512
    part: ClassVar[int]
    lang: str = param("en", parse=str, about="language of the texts, which chooses the model")
    model: str = param("", parse=str, about="another model")

    def check(self) -> None:
        _library(self.name)

    @property
    def signature(self) -> str:
        return f"{self.name}|{self.measured}"

    @property
    def measured(self) -> str:
        return f"bert-score|{self.model or self.lang}|version:{version('bert-score')}"

    def statistics(self, segments: Sequence[Segment]) -> FloatArray:
        outputs, references = [s.output for s in segments], [s.reference for s in segments]
        parts = _model(self.model, self.lang).score(outputs, references)
        return np.stack([np.asarray(part, dtype=np.float64) for part in parts], axis=1)

    def segment_scores(self, statistics: FloatArray) -> FloatArray:
        return statistics[..., self.part]


@cache
def _model(model: str, lang: str) -> Any:
    named = {"model_type": model} if model else {"lang": lang}
    bert_score = _library("BERTScore")
    with loading(model or lang, needed_for="BERTScore"):
        return bert_score.BERTScorer(**named)


def _library(needed_for: str) -> Any:
    return library("bert_score", package="bert-score", extra="bertscore", needed_for=needed_for)


@scorer("BERTScore-P", cites=ZHANG, extra="bertscore")
class BertScorePrecision(BertScore):
    """How well the reference covers the output's words in context, by bert-score."""

    part = 0


@scorer("BERTScore-R", cites=ZHANG, extra="bertscore")
class BertScoreRecall(BertScore):
    """How well the output covers the reference's words in context, by bert-score."""

    part = 1


@scorer("BERTScore", cites=ZHANG, extra="bertscore")
class BertScoreF1(BertScore):
    """F1 of words matched in context, by bert-score."""

    part = 2
