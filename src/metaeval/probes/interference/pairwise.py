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
    """candidates x candidates: the score of the row's text with the column's as its reference."""
    return pairwise_pools(scorer, [(texts, source)])[0]


def pairwise_pools(scorer: Scorer, pools: Sequence[tuple[Sequence[str], str]]) -> list[FloatArray]:
    """The same for several pools of texts, each with its source.

    BLEU and chrF come from n-gram counts taken once a text; they are the numbers that sacrebleu gives pair by
    pair, to the last digits. Any other scorer is asked for every pair of different texts, all pools at once.
    """
    if "reference" not in scorer.needs:
        raise InputError(
            f"{scorer.name} compares with no reference, so a candidate cannot be one",
            remedy="Choose by its scores alone: metaeval.probes.interference.selection",
        )
    if type(scorer) is Chrf:
        rows = np.concatenate([_chrf_counts(scorer, texts) for texts, _ in pools])
    elif type(scorer) is Bleu:
        rows = np.concatenate([_bleu_counts(scorer, texts) for texts, _ in pools])
    else:
        pairs = [Segment(hyp, ref, source) for texts, source in pools for ref in texts for hyp in texts]
        rows = measure(scorer, pairs)
    sizes = [len(texts) for texts, _ in pools]
    parts = np.split(scorer.segment_scores(rows), np.cumsum([n * n for n in sizes])[:-1])
    return [part.reshape(n, n).T for part, n in zip(parts, sizes, strict=True)]


@cache
def _library_metric(scorer: SacrebleuScorer) -> Any:
    """sacrebleu's metric: how it prepares a text is its own affair."""
    module = library("sacrebleu.metrics", package="sacrebleu", extra="scorers", needed_for=scorer.name)
    return scorer.build(module)


def _chrf_counts(scorer: Chrf, texts: Sequence[str]) -> FloatArray:
    """The rows of all pairs, those of one reference together."""
    metric: Any = _library_metric(scorer)
    bare = ["".join(metric._preprocess_segment(text).split()) for text in texts]
    pool = [np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32).astype(np.int64) for text in bare]
    matches = pool_matches(pool, CHARACTERS)
    table = np.empty((len(texts), len(texts), 3 * CHARACTERS))
    lengths = np.array([len(text) for text in pool])
    for order in range(CHARACTERS):
        grams = np.maximum(lengths - order, 0)
        table[:, :, 3 * order] = np.where(grams[:, None] > 0, grams[None, :], 0)
        table[:, :, 3 * order + 1] = grams[:, None]
        table[:, :, 3 * order + 2] = matches[order]
    return table.reshape(-1, table.shape[2])


def _bleu_counts(scorer: Bleu, texts: Sequence[str]) -> FloatArray:
    """The rows of all pairs, those of one reference together."""
    metric: Any = _library_metric(scorer)
    known: dict[str, int] = {}
    split = [metric._preprocess_segment(text).split() for text in texts]
    pool = [np.array([known.setdefault(w, len(known)) for w in words], dtype=np.int64) for words in split]
    matches = pool_matches(pool, WORDS)
    table = np.empty((len(texts), len(texts), 2 + 2 * WORDS))
    lengths = np.array([len(text) for text in pool])
    table[:, :, 0], table[:, :, 1] = lengths[None, :], lengths[:, None]
    for order in range(WORDS):
        table[:, :, 2 + order] = matches[order]
        table[:, :, 2 + WORDS + order] = np.maximum(lengths - order, 0)[None, :]
    return table.reshape(-1, table.shape[2])
