"""Pair statistics of hybrids by logic on words, and the table they look values up in."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from oracles import ties as oracle

from metaeval.kernels import lookup
from metaeval.kernels.bitwise import packed, sums_over_groups
from metaeval.kernels.lookup import Lookup
from metaeval.kernels.pairs import Floats, PairCounts, count_pairs
from metaeval.measures.kendall import PairStatistic
from metaeval.measures.registry import parse_measure

NAMES = ("tau_a", "tau_b", "tau_10", "tau_13", "tau_14", "tau_eq", "acc_eq")


def statistic(name: str) -> PairStatistic:
    measure = parse_measure(f"{name}@item")
    assert isinstance(measure, PairStatistic)
    return measure


def odd_weights(n: PairCounts) -> Floats:
    """A statistic that takes a different value for all different counts."""
    parts = (n.concordant, n.discordant, n.tied_human, n.tied_metric, n.tied_both)
    return np.asarray(sum(part * weight for part, weight in zip(parts, (1, 7.5, 61, 411, 3e4), strict=True)))


def table_for(value: Callable[[PairCounts], Floats], human: Floats, offsets: NDArray[np.int64]) -> Lookup:
    counts = count_pairs(human, human, offsets)
    found = Lookup.of(value, np.diff(offsets), counts.tied_both.astype(np.int64))
    assert found is not None
    return found


@pytest.mark.parametrize("draws", [1, 64, 70])
@given(st.lists(st.integers(0, 6), min_size=1, max_size=4), st.integers(0, 9999), st.sampled_from([0.0, 0.3]))
@settings(max_examples=40, deadline=None)
def test_every_count_of_every_hybrid_is_right(
    draws: int, sizes: list[int], seed: int, epsilon: float
) -> None:
    rng = np.random.default_rng(seed)
    human, kept, taken = rng.integers(0, rng.choice([2, 5, 50]), size=(3, sum(sizes))) / 4
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    masks = rng.random((draws, sum(sizes))) < 0.5
    table = table_for(odd_weights, human, offsets)
    total, defined = np.zeros(draws), np.zeros(draws, dtype=np.int64)
    sums_over_groups(
        kept,
        taken,
        human,
        offsets,
        packed(masks),
        epsilon,
        table.begin,
        table.untied,
        table.values,
        total,
        defined,
    )
    for d in range(min(draws, 3)):
        hybrid = np.where(masks[-d], taken, kept)
        groups = zip(
            oracle.groups(human.tolist(), offsets.tolist()),
            oracle.groups(hybrid.tolist(), offsets.tolist()),
            strict=True,
        )
        expected = sum(float(odd_weights(oracle.count_pairs(h, m, epsilon))) for h, m in groups)
        assert total[-d] == pytest.approx(expected, rel=1e-12)
    assert (defined == len(sizes)).all()


@pytest.mark.parametrize("name", NAMES)
def test_the_table_holds_what_the_statistic_gives(name: str) -> None:
    value = statistic(name).value
    human = np.array([0.0, 0.0, 1.0, 2.0, 2.0, 3.0, 7.0])
    table = table_for(value, human, np.array([0, 5, 7]))
    rng = np.random.default_rng(0)
    for group, scores in ((0, human[:5]), (1, human[5:])):
        for _ in range(30):
            n = count_pairs(scores, rng.integers(0, 3, size=len(scores)))
            row = table.untied[group] + 1
            metric, both = int(n.tied_metric), int(n.tied_both)
            corner = both * (row * (row + 1) // 2) + metric * row - metric * (metric - 1) // 2
            found = table.values[table.begin[group] + corner + int(n.concordant)]
            assert found == pytest.approx(float(value(n)), rel=0, abs=0, nan_ok=True)


def test_there_is_no_table_for_a_statistic_of_the_number_of_levels() -> None:
    assert Lookup.of(statistic("tau_c").value, np.array([3]), np.array([0])) is None


def test_there_is_no_table_for_large_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes, ties = np.array([15, 28_125]), np.array([3, 1000])
    assert Lookup.of(statistic("tau_b").value, sizes, ties) is None
    assert Lookup.of(statistic("tau_b").value, sizes[:1], ties[:1]) is not None
    monkeypatch.setattr(lookup, "LARGEST", 10)
    assert Lookup.of(statistic("tau_b").value, sizes[:1], ties[:1]) is None


def test_bits_are_packed_by_draw() -> None:
    masks = np.zeros((65, 2), dtype=np.bool_)
    masks[[0, 63, 64], 1] = True
    assert packed(masks).tolist() == [[0, 0], [2**63 + 1, 1]]
