"""n-gram matches of all pairs in a pool."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from oracles import interference as oracle

from metaeval.kernels.pools import pool_matches

TEXTS = st.lists(st.lists(st.integers(0, 3), max_size=12), min_size=1, max_size=5)


@given(TEXTS)
def test_matches_equal_counting_pair_by_pair(texts: list[list[int]]) -> None:
    found = pool_matches([np.array(text, dtype=np.int64) for text in texts], 4)
    for order in range(4):
        for i, one in enumerate(texts):
            for j, other in enumerate(texts):
                assert found[order, i, j] == oracle.matches(one, other, order + 1)


def test_large_token_numbers_do_not_run_into_each_other() -> None:
    texts = [np.array([0x10FFFF, 1, 0x10FFFF] * 5), np.array([1, 0x10FFFF, 0x10FFFF] * 5)]
    found = pool_matches(texts, 6)
    expected = [oracle.matches(texts[0].tolist(), texts[1].tolist(), n) for n in range(1, 7)]
    assert found[:, 0, 1].tolist() == expected
