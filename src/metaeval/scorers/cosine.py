"""Cosine of sentence embeddings, with sentence-transformers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from metaeval.declared import param
from metaeval.scorers.base import Segment, SegmentScorer, divide
from metaeval.scorers.libraries import library, loading, version
from metaeval.scorers.registry import scorer
from metaeval.scores import FloatArray

MODEL = "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2"


@scorer("cosine", cites="Reimers and Gurevych 2019", extra="encoders")
class Cosine(SegmentScorer):
    """Cosine between the embeddings of output and reference, by sentence-transformers."""

    sharing = "none"
    cost = "model"
    batch = 1024
    model: str = param(MODEL, parse=str, about="a sentence encoder: a name or a folder")

    def check(self) -> None:
        _library(self.name)

    @property
    def signature(self) -> str:
        return f"cosine|{self.model}|version:{version('sentence-transformers')}"

    def statistics(self, segments: Sequence[Segment]) -> FloatArray:
        texts = list(dict.fromkeys(text for s in segments for text in (s.output, s.reference)))
        place = {text: i for i, text in enumerate(texts)}
        vectors = np.asarray(_encoder(self.model).encode(texts, show_progress_bar=False), dtype=np.float64)
        outputs = vectors[[place[s.output] for s in segments]]
        references = vectors[[place[s.reference] for s in segments]]
        norms = np.linalg.norm(outputs, axis=1) * np.linalg.norm(references, axis=1)
        return divide((outputs * references).sum(axis=1), norms, 0.0)[:, None]


@cache
def _encoder(model: str) -> Any:
    encoders = _library("cosine")
    with loading(model, needed_for="cosine"):
        return encoders.SentenceTransformer(model)


def _library(needed_for: str) -> Any:
    return library(
        "sentence_transformers", package="sentence-transformers", extra="encoders", needed_for=needed_for
    )
