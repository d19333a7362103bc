"""One-sided paired p-values of all pairs of systems by their corpus scores.

The test of :mod:`metaeval.kernels.pvalues` with a corpus score instead of a mean: two systems exchange their
outputs of the flipped items, and both corpora are scored anew. The sums of an exchanged corpus are those of
the one system, less what it gives, plus what it gets, so one matrix product serves all draws and pairs.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from metaeval.kernels.corpus import CorpusSums, Floats, contributions
from metaeval.kernels.flips import Flips
from metaeval.kernels.pvalues import SystemPairs, flipped_sums, normal_p

SUMS = 2**22
"""Sums held at a time: columns x F x draws, 32 MB."""
ROUNDING = 1e-12
"""Differences of scores closer than this share of the largest score are equal."""


def corpus_permutation_p(corpus: CorpusSums, pairs: SystemPairs, flips: Flips) -> tuple[Floats, Floats]:
    """p of every pair and of every pair reversed, each (pairs,).

    p[s, t] is the share of draws in which the difference of corpus scores, after the flipped items were
    exchanged, is at least the observed one. O(columns items F draws) for the products, O(pairs draws F) for
    reading scores. Oracle: tests/oracles/corpus.py::permutation_p, by sacrebleu and jiwer.
    """
    whole = _column_sums(corpus, pairs, None)
    scores = corpus.read(whole)
    slack = ROUNDING * float(np.max(np.abs(scores), initial=0.0))
    observed = scores[pairs.left] - scores[pairs.right]
    forward, backward = np.zeros((2, len(pairs)))
    for part in flips.parts(SUMS // max(1, whole.size)):
        given = _column_sums(corpus, pairs, part)
        for pair, (left, right) in enumerate(zip(pairs.left, pairs.right, strict=True)):
            moved = given[right] - given[left]
            after = corpus.read(whole[left] + moved) - corpus.read(whole[right] - moved)
            forward[pair] += np.count_nonzero(after >= observed[pair] - slack)
            backward[pair] += np.count_nonzero(after <= observed[pair] + slack)
    return forward / flips.draws, backward / flips.draws


def corpus_normal_p(corpus: CorpusSums, pairs: SystemPairs) -> tuple[Floats, Floats]:
    """The same in closed form by the delta method, from what the items contribute to either score.

    O(columns items F). Oracle: tests/oracles/spa.py::normal_p on contributions.
    """
    table = np.zeros(pairs.used.shape)
    for column, (system, used) in enumerate(zip(pairs.system, pairs.used, strict=True)):
        table[column, used] = contributions(corpus.rows[system, used], corpus.read)
    of_columns = SystemPairs(
        pairs.left, pairs.right, pairs.left, pairs.right, np.arange(len(table)), pairs.used
    )
    forward, backward = normal_p(table[None], of_columns)
    return forward[0], backward[0]


def _column_sums(corpus: CorpusSums, pairs: SystemPairs, flips: Flips | None) -> Floats:
    """Sums of rows over the items of each column: (columns, F), or (columns, draws, F) of those flipped."""
    features = _features(corpus, pairs)
    sums = [f.sum(axis=1) if flips is None else flipped_sums(f, flips) for f in features]
    return np.stack(sums, axis=-1)


def _features(corpus: CorpusSums, pairs: SystemPairs) -> Iterator[Floats]:
    """The columns of one number after the other, so that only one table of them is held."""
    for place in range(corpus.rows.shape[2]):
        yield pairs.columns(corpus.rows[:, :, place])
