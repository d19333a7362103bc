"""Scores of every candidate of a pool against every other, as if each were the reference."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from metaeval.errors import InputError
from metaeval.kernels.pools import pool_matches
from metaeval.scorers.base import Scorer, Segment
from metaeval.scorers.libraries import library
from metaeval.scorers.ngrams import Bleu, Chrf, SacrebleuScorer
from metaeval.scorers.run import measure
from metaeval.scores import FloatArray

CHARACTERS, WORDS = 6, 4


def pairwise(scorer: Scorer, texts: Sequence[str], source: str = "") -> FloatArray:
    """candidates x candidates: the score of the row's text with the column's as its reference.

    BLEU and chrF come from n-gram counts taken once a text; they are the numbers that sacrebleu gives pair by
    pair, to the last digits. Any other scorer is asked for every pair of different texts.
    """
    if "reference" not in scorer.needs:
        raise InputError(
            f"{scorer.name} compares with no reference, so a candidate cannot be one",
            remedy="Choose by its scores alone: metaeval.probes.interference.selection",
        )
    if type(scorer) is Chrf:
        return scorer.segment_scores(_chrf_counts(scorer, texts))
    if type(scorer) is Bleu:
        return scorer.segment_scores(_bleu_counts(scorer, texts))
    segments = [Segment(output, reference, source) for reference in texts for output in texts]
    rows = measure(scorer, segments)
    scores: FloatArray = scorer.segment_scores(rows).reshape(len(texts), len(texts)).T
    return scores


@cache
def _library_metric(scorer: SacrebleuScorer) -> Any:
    """sacrebleu's metric: how it prepares a text is its own affair."""
    module = library("sacrebleu.metrics", package="sacrebleu", extra="scorers", needed_for=scorer.name)
    return scorer.build(module)


def _chrf_counts(scorer: Chrf, texts: Sequence[str]) -> FloatArray:
    metric: Any = _library_metric(scorer)
    bare = ["".join(metric._preprocess_segment(text).split()) for text in texts]
    pool = [np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32).astype(np.int64) for text in bare]
    matches = pool_matches(pool, CHARACTERS)
    table = np.empty((len(texts), len(texts), 3 * CHARACTERS))
    lengths = np.array([len(text) for text in pool])
    for order in range(CHARACTERS):
        grams = np.maximum(lengths - order, 0)
        table[:, :, 3 * order] = np.where(grams[None, :] > 0, grams[:, None], 0)
        table[:, :, 3 * order + 1] = grams[None, :]
        table[:, :, 3 * order + 2] = matches[order]
    return table


def _bleu_counts(scorer: Bleu, texts: Sequence[str]) -> FloatArray:
    metric: Any = _library_metric(scorer)
    known: dict[str, int] = {}
    split = [metric._preprocess_segment(text).split() for text in texts]
    pool = [np.array([known.setdefault(w, len(known)) for w in words], dtype=np.int64) for words in split]
    matches = pool_matches(pool, WORDS)
    table = np.empty((len(texts), len(texts), 2 + 2 * WORDS))
    lengths = np.array([len(text) for text in pool])
    table[:, :, 0], table[:, :, 1] = lengths[:, None], lengths[None, :]
    for order in range(WORDS):
        table[:, :, 2 + order] = matches[order]
        table[:, :, 2 + WORDS + order] = np.maximum(lengths - order, 0)[:, None]
    return table
