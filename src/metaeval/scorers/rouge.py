"""ROUGE with the rouge-score package."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from metaeval.declared import param, switch
from metaeval.errors import InputError, choices
from metaeval.scorers.base import Segment, SegmentScorer
from metaeval.scorers.libraries import library, tokenizing, version
from metaeval.scorers.registry import scorer
from metaeval.scores import FloatArray

LIN = "Lin 2004"


@dataclass(frozen=True, repr=False)
class Rouge(SegmentScorer):
    """F1 of overlapping units.

    The package's own tokenizer keeps a-z and 0-9 only, so that every text in another script scores 0;
    name a tokenizer of sacrebleu for those (``zh``, ``char``, ``intl``).
    """

    kind: ClassVar[str]
    stemmer: bool = param(False, parse=switch, about="whether English words are stemmed (Porter)")
    tokenize: str = param("rouge", parse=str, about="rouge: the package's own; else one of sacrebleu's")

    def check(self) -> None:
        if self.stemmer and self.tokenize != "rouge":
            raise InputError(f"{self} cannot be: only the package's own tokenizer stems")
        self._tokenizer()
        self._library()

    @property
    def signature(self) -> str:
        parts = f"stem:{'yes' if self.stemmer else 'no'}|tok:{self.tokenize}|version:{version('rouge-score')}"
        return f"{self.name}|{parts}"

    def statistics(self, segments: Sequence[Segment]) -> FloatArray:
        own = self._library().RougeScorer(
            [self.kind], use_stemmer=self.stemmer, tokenizer=_Remembering(self._tokenizer())
        )
        scores = [own.score(s.reference, s.output)[self.kind].fmeasure for s in segments]
        return np.array(scores, dtype=np.float64).reshape(-1, 1)

    def _library(self) -> Any:
        return library(
            "rouge_score.rouge_scorer", package="rouge-score", extra="scorers", needed_for=self.name
        )

    def _tokenizer(self) -> Callable[[str], list[str]]:
        if self.tokenize == "rouge":
            tokenizers = library(
                "rouge_score.tokenizers", package="rouge-score", extra="scorers", needed_for=self.name
            )
            tokenize: Callable[[str], list[str]] = tokenizers.DefaultTokenizer(self.stemmer).tokenize
            return tokenize
        metrics = library("sacrebleu.metrics", package="sacrebleu", extra="scorers", needed_for=str(self))
        known = ("rouge", *metrics.BLEU.TOKENIZERS)
        if self.tokenize not in known:
            remedy = choices(self.tokenize, known, limit=20)
            raise InputError(f"there is no tokenizer {self.tokenize!r}", remedy=remedy)
        with tokenizing(str(self)):
            words = metrics.BLEU(tokenize=self.tokenize).tokenizer
        return lambda text: words(text.lower().strip()).split()


class _Remembering:
    """A tokenizer in the package's form that splits each text once: references come many times."""

    def __init__(self, tokenize: Callable[[str], list[str]]) -> None:
        self._split = tokenize
        self._known: dict[str, list[str]] = {}

    def tokenize(self, text: str) -> list[str]:
        if text not in self._known:
            self._known[text] = self._split(text)
        return self._known[text]


@scorer("ROUGE-1", cites=LIN, extra="scorers")
class Rouge1(Rouge):
    """F1 of shared words, by rouge-score."""

    kind = "rouge1"


@scorer("ROUGE-2", cites=LIN, extra="scorers")
class Rouge2(Rouge):
    """F1 of shared pairs of words, by rouge-score."""

    kind = "rouge2"


@scorer("ROUGE-L", cites=LIN, extra="scorers")
class RougeL(Rouge):
    """F1 of the longest common subsequence of words, by rouge-score."""

    kind = "rougeL"
