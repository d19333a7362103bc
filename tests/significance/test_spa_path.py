"""Soft pairwise accuracy of hybrids and samples equals the measure on hybrids and samples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import resampling as oracle
from pairing import outcomes_of, paired_of, random_paired

from metaeval.kernels import flipped
from metaeval.kernels.flips import Flips
from metaeval.measures.registry import parse_measure
from metaeval.paired import Paired
from metaeval.scores import FloatArray
from metaeval.significance.paths import path_for_exchange, path_for_resampling, spa
from metaeval.significance.paths.base import Exchange, IntArray, Path, Task
from metaeval.significance.paths.spa import SpaByPermutation
from metaeval.significance.paths.spa_normal import SpaInClosedForm

EXCHANGES: tuple[Exchange, ...] = ("items", "systems", "cells")

ROUNDING = 1e-9
"""sum d / sqrt(sum d^2) is summed in another order than in the oracle; a nearly constant d magnifies that."""


@st.composite
def data(draw: st.DrawFn) -> Paired:
    """Few systems, items and metrics; ties, missing cells, constant metrics."""
    systems, items, metrics = draw(st.integers(2, 4)), draw(st.integers(1, 9)), draw(st.integers(2, 3))
    seed = draw(st.integers(0, 10_000))
    levels = draw(st.sampled_from([None, 1, 2]))
    missing = draw(st.integers(0, systems * items - 1))
    paired = random_paired(seed, systems, items, metrics, missing=missing, levels=levels)
    if not draw(st.booleans()):
        return paired
    constant = np.where(np.isnan(paired.human), np.nan, 3.0)
    return paired_of(paired.human, np.concatenate([paired.scores[:-1], constant[None]]))


def made(text: str, paired: Paired, exchange: Exchange = "items", standardise: bool = True) -> Path:
    measure = parse_measure(text).bind(paired.systems)
    cls = path_for_exchange(measure, exchange)
    return cls(Task(paired, measure, outcomes_of(paired, measure), exchange, standardise))


def some_masks(path: Path, seed: int, draws: int = 3) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    return np.random.default_rng(seed).random((draws, path.positions)) < 0.5


def naive(path: Path, masks: np.ndarray[tuple[int, int], np.dtype[np.bool_]]) -> FloatArray:
    task, metrics = path.task, range(len(path.task.paired.scores))
    return np.array(
        [
            [
                [
                    oracle.hybrid_value(
                        task.paired, task.measure, task.exchange, mask, i, j, task.standardise
                    )
                    for j in metrics
                ]
                for i in metrics
            ]
            for mask in masks
        ]
    )


@pytest.mark.parametrize("text", ["spa(draws=40)", "spa(draws=600,seed=3)", "spa(method=normal)"])
@pytest.mark.parametrize("exchange", EXCHANGES)
@given(data(), st.integers(0, 100), st.booleans())
@settings(max_examples=25, deadline=None)
def test_hybrids_have_the_value_of_the_measure(
    text: str, exchange: Exchange, paired: Paired, seed: int, standardise: bool
) -> None:
    path = made(text, paired, exchange, standardise)
    masks = some_masks(path, seed)
    np.testing.assert_allclose(path.swapped(masks), naive(path, masks), rtol=0, atol=ROUNDING)


@pytest.mark.parametrize("text", ["spa(draws=40)", "spa(method=normal)"])
@given(data(), st.integers(0, 100))
@settings(max_examples=40, deadline=None)
def test_samples_have_the_value_of_the_measure_on_copied_items_and_systems(
    text: str, paired: Paired, seed: int
) -> None:
    measure = parse_measure(text)
    path = path_for_resampling(measure, "both")(Task(paired, measure, outcomes_of(paired, measure)))
    items, systems = drawn(paired, seed)
    outcome = measure.evaluate(paired.human, paired.scores[0])
    for d, row in enumerate(path.resampled(items, systems)):
        for m, value in enumerate(row):
            expected = oracle.sample_value(paired, measure, outcome, m, items[d], systems[d])
            assert value == pytest.approx(expected, abs=ROUNDING, nan_ok=True)


def drawn(paired: Paired, seed: int, draws: int = 3) -> tuple[IntArray, IntArray]:
    rng = np.random.default_rng(seed)
    items, systems = (
        rng.multinomial(n, np.full(n, 1 / n), size=draws) for n in (len(paired.items), len(paired.systems))
    )
    return items, systems


def test_hybrids_have_exactly_the_inner_p_values_of_the_measure() -> None:
    """Same masks, same inner signs: with two systems the value is one p-value, and nothing rounds."""
    paired = random_paired(seed=4, systems=2, items=60, metrics=3)
    for exchange in EXCHANGES:
        path = made("spa", paired, exchange)
        masks = some_masks(path, seed=0, draws=10)
        assert np.array_equal(path.swapped(masks), naive(path, masks))


def test_the_pairs_that_contain_a_system_can_be_tested_alone() -> None:
    paired = random_paired(seed=5, systems=4, items=30, metrics=2)
    for text in ("spa(containing=S2)", "spa(containing=S2,method=normal)"):
        for exchange in EXCHANGES:
            path = made(text, paired, exchange)
            masks = some_masks(path, seed=1)
            np.testing.assert_allclose(path.swapped(masks), naive(path, masks), rtol=0, atol=ROUNDING)


def test_a_named_system_cannot_be_drawn_twice() -> None:
    measure = parse_measure("spa(containing=S2)").bind(("S1", "S2"))
    assert not SpaByPermutation.resamples(measure, "systems")
    assert SpaByPermutation.resamples(measure, "inputs")


@pytest.mark.parametrize("text", ["spa(draws=100)", "spa(method=normal)"])
@pytest.mark.parametrize("exchange", EXCHANGES)
def test_the_bytes_do_not_depend_on_how_draws_are_cut(
    text: str, exchange: Exchange, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = made(text, random_paired(seed=6, systems=5, items=40, metrics=3, missing=9), exchange)
    masks = some_masks(path, seed=2, draws=7)
    whole = path.swapped(masks)
    assert np.array_equal(whole, np.concatenate([path.swapped(masks[:3]), path.swapped(masks[3:])]))
    items, systems = drawn(path.task.paired, seed=1, draws=5)
    sampled = path.resampled(items, systems)
    cut = [path.resampled(items[:2], systems[:2]), path.resampled(items[2:], systems[2:])]
    assert np.array_equal(sampled, np.concatenate(cut))
    for limit in ("SUMS", "COUNTS"):
        monkeypatch.setattr(spa, limit, 1)
    assert np.array_equal(whole, path.swapped(masks))
    assert np.array_equal(sampled, path.resampled(items, systems))


def test_pairs_of_metrics_that_are_not_wanted_cost_nothing_and_change_nothing() -> None:
    path = made("spa(draws=100)", random_paired(seed=7, systems=3, items=20, metrics=3))
    masks = some_masks(path, seed=0)
    wanted = np.array([[False, True, False], [True, False, False], [False, False, False]])
    assert np.array_equal(path.swapped(masks)[:, wanted], path.swapped(masks, wanted)[:, wanted])


def test_cells_are_not_exchanged_in_closed_form() -> None:
    assert not SpaInClosedForm.accepts(parse_measure("spa(method=normal)"), "cells")
    for cls in (SpaByPermutation, SpaInClosedForm):
        assert not cls.accepts(parse_measure("pa"), "items")
        assert not cls.resamples(parse_measure("pa"), "inputs")
        with pytest.raises(TypeError, match="is not soft pairwise accuracy"):
            cls(Task(random_paired(0, 2, 2, 2), parse_measure("pa"), []))


def test_compiled_counts_equal_counts_by_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    kept, taken = rng.integers(-3, 4, size=(2, 3, 4, 300)).astype(np.float64)
    left, right = np.triu_indices(4, k=1)
    wanted = rng.random((3, 3)) < 0.7
    counts = np.zeros((2, 3, 3, 6), dtype=np.int64)
    flipped.count_hybrids(kept, taken, left, right, 1.0, wanted, counts[0])
    monkeypatch.setattr(flipped, "COMPILED_FROM", 0)
    flipped.count_hybrids(kept, taken, left, right, 1.0, wanted, counts[1])
    assert np.array_equal(counts[0], counts[1])
    assert counts[0][wanted].all()
    assert not counts[0][~wanted].any()


@pytest.mark.parametrize(("rows", "items", "draws"), [(1, 1, 2), (3, 8, 100), (64, 9, 65), (130, 31, 7)])
def test_sums_by_table_equal_the_matrix_product(
    rows: int, items: int, draws: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = np.random.default_rng(0).integers(-(2**40), 2**40, size=(rows, items)).astype(np.float64)
    flips = Flips.of(items, draws, seed=0)
    product = flipped.sums_of_flipped(values, flips)
    monkeypatch.setattr(flipped, "TABLES_FROM", 0)
    assert np.array_equal(flipped.sums_of_flipped(values, flips), product)


def test_copies_of_an_item_are_flipped_each_on_its_own() -> None:
    """So that the null of a sample is as wide as that of the test set it stands for."""
    rng = np.random.default_rng(0)
    human = rng.normal(size=(2, 400)) + np.array([[0.05], [0.0]])
    paired = paired_of(human, human[None])
    path = made("spa(method=normal)", paired)
    sampled = made("spa(draws=4000)", paired)
    items, _ = drawn(paired, seed=3, draws=20)
    ones = np.ones((20, 2), dtype=np.int64)
    assert np.abs(path.resampled(items, ones) - sampled.resampled(items, ones)).max() < 0.05


@pytest.mark.parametrize("draws", [1, 8, 63, 64, 1000])
@pytest.mark.parametrize("largest", [1, 8, 100, 5000])
def test_flips_in_parts_are_all_the_flips(draws: int, largest: int) -> None:
    flips = Flips.of(12, draws, seed=1)
    parts = [part.rows(slice(None)) for part in flips.parts(largest)]
    assert np.array_equal(np.concatenate(parts, axis=1), flips.rows(slice(None)))
    assert max(part.shape[1] for part in parts) <= max(8, largest)
