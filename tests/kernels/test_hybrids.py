"""Pearson of hybrids: numpy and compiled code agree, also where little or nothing varies."""

from __future__ import annotations

import numpy as np
import pytest

from metaeval.kernels import hybrids, hybrids_compiled
from metaeval.kernels.hybrids import Cells, Sums, pearson_of_rows


def blocks(seed: int, draws: int = 6, metrics: int = 4) -> tuple[Sums, Cells, np.ndarray]:
    """Groups of which some are constant for a metric, and some vary in the tenth digit only."""
    rng = np.random.default_rng(seed)
    sizes = [2, 3, 5, 4, 3]
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    scores = rng.normal(size=(offsets[-1], metrics))
    scores[2:5, 0] = 0.3
    scores[10:14] = 0.7 + 1e-10 * rng.normal(size=(4, metrics))
    scores[14:] = 0.1
    human = np.concatenate([h - h.mean() for h in (rng.normal(size=n) for n in sizes)])
    features = np.stack([scores, scores**2, human[:, None] * scores], axis=1)
    masks = rng.random((draws, offsets[-1])) < 0.5
    starts = offsets[:-1]
    masked = np.add.reduceat(masks[:, :, None, None] * features, starts, axis=1)
    whole = np.add.reduceat(features, starts, axis=0)
    spread = np.add.reduceat(human**2, starts)
    cells = Cells(scores, human, np.arange(offsets[-1]), offsets.astype(np.int64), spread)
    return Sums(whole - masked, masked), cells, masks


@pytest.mark.parametrize("seed", range(5))
def test_the_twins_agree(seed: int) -> None:
    sums, cells, masks = blocks(seed)
    one, two = (np.zeros((2, 6, 4, 4)) for _ in range(2))
    hybrids.add_pearson(sums, cells, masks, *one)
    hybrids_compiled.add_pearson(sums, cells, masks, *two)
    np.testing.assert_allclose(one, two, atol=1e-12)
    pooled, again = (np.zeros((2, 6, 4, 4)) for _ in range(2))
    hybrids.add_pooled(sums, cells, *pooled)
    hybrids_compiled.add_pooled(sums, cells, *again)
    np.testing.assert_allclose(pooled, again, atol=1e-12)


@pytest.mark.parametrize("kernel", [hybrids, hybrids_compiled])
def test_each_hybrid_is_what_scipy_says(kernel: type) -> None:
    from scipy.stats import pearsonr

    sums, cells, masks = blocks(seed=9)
    total, undefined = np.zeros((2, 6, 4, 4))
    kernel.add_pearson(sums, cells, masks, total, undefined)  # type: ignore[attr-defined] # a module
    for d, i, j in np.ndindex(*total.shape):
        expected, constant = 0.0, 0
        for g in range(5):
            inside = slice(cells.offsets[g], cells.offsets[g + 1])
            x = np.where(masks[d, inside], cells.scores[inside, j], cells.scores[inside, i])
            if len(set(x.tolist())) == 1:
                constant += 1
            else:
                expected += pearsonr(x - x.mean(), cells.human[inside]).statistic
        assert undefined[d, i, j] == constant
        assert total[d, i, j] == pytest.approx(expected, abs=1e-6)


def test_a_weight_is_a_number_of_copies() -> None:
    human, scores, weights = np.array([1.0, 4.0, 2.0]), np.array([2.0, 1.0, 5.0]), np.array([2.0, 1.0, 3.0])
    copied = np.repeat(np.arange(3), weights.astype(int))
    r = pearson_of_rows(scores[None], human, weights)
    assert r == pytest.approx(np.corrcoef(scores[copied], human[copied])[0, 1])
    assert np.isnan(pearson_of_rows(scores[None], human, np.array([0.0, 0.0, 2.0]))).all()
