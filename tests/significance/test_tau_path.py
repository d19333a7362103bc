"""Kendall's tau and its kin on hybrids and samples equal the measure on hybrids and samples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from oracles import resampling as oracle
from pairing import outcomes_of, paired_of, random_paired
from scipy import stats

from metaeval.kernels import lookup
from metaeval.measures.registry import parse_measure
from metaeval.paired import Paired
from metaeval.significance.paths import path_for_exchange
from metaeval.significance.paths.base import Exchange, Task
from metaeval.significance.paths.generic import Generic
from metaeval.significance.paths.tau import TauPath

MEASURES = (
    *(f"{name}@none" for name in ("tau_a", "tau_b", "tau_c", "tau_10", "tau_13", "tau_14", "tau_eq")),
    "acc_eq@none",
    "acc_eq(epsilon=0.5)@none",
    "acc_eq(epsilon=best)@none",
    "tau_b@item",
    "tau_c@item",
    "acc_eq(epsilon=best)@item",
    "tau_13(epsilon=0.5)@item",
    "tau_b@system",
    "acc_eq(epsilon=best)@system",
)
EXCHANGES: tuple[Exchange, ...] = ("items", "systems", "cells")


@st.composite
def data(draw: st.DrawFn) -> Paired:
    systems, items = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    levels = draw(st.sampled_from([None, 1, 2]))
    missing = draw(st.integers(0, systems * items - 1))
    return random_paired(draw(st.integers(0, 9999)), systems, items, 2, missing=missing, levels=levels)


def made(text: str, paired: Paired, exchange: Exchange = "items") -> TauPath:
    measure = parse_measure(text)
    return TauPath(Task(paired, measure, outcomes_of(paired, measure), exchange))


def some_masks(path: TauPath, seed: int, draws: int = 4) -> NDArray[np.bool_]:
    return np.random.default_rng(seed).random((draws, path.positions)) < 0.5


@pytest.mark.parametrize("text", MEASURES)
@pytest.mark.parametrize("exchange", EXCHANGES)
@given(data(), st.integers(0, 100), st.booleans())
@settings(max_examples=15, deadline=None)
def test_hybrids_have_the_value_of_the_measure(
    text: str, exchange: Exchange, paired: Paired, seed: int, tables: bool
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        if not tables:
            patch.setattr(lookup, "LARGEST", 0)
        path = made(text, paired, exchange)
        assert tables or path.lookup is None
        masks = some_masks(path, seed)
        np.testing.assert_allclose(path.swapped(masks), Generic(path.task).swapped(masks), rtol=0, atol=1e-12)


@pytest.mark.parametrize("text", MEASURES)
@given(data(), st.integers(0, 100))
@settings(max_examples=15, deadline=None)
def test_samples_have_the_value_of_the_measure_on_copied_items_and_systems(
    text: str, paired: Paired, seed: int
) -> None:
    path, rng = made(text, paired), np.random.default_rng(seed)
    items, systems = (
        rng.multinomial(n, np.full(n, 1 / n), size=3) for n in (len(paired.items), len(paired.systems))
    )
    for d, row in enumerate(path.resampled(items, systems)):
        for m, value in enumerate(row):
            outcome = path.task.outcomes[m]
            expected = oracle.sample_value(paired, path.measure, outcome, m, items[d], systems[d])
            assert value == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_hybrids_have_the_tau_b_of_scipy() -> None:
    paired = random_paired(seed=1, systems=6, items=50, metrics=2)
    path = made("tau_b@none", paired, "cells")
    masks = some_masks(path, seed=0, draws=3)
    z = [oracle.z_scores(scores) for scores in paired.scores]
    for value, mask in zip(path.swapped(masks), masks, strict=True):
        hybrid = np.where(mask, z[1].ravel(), z[0].ravel())
        expected = stats.kendalltau(paired.human.ravel(), hybrid).statistic
        assert value[0, 1] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("text", ["tau_b@none", "tau_b@item", "acc_eq(epsilon=best)@none"])
def test_the_bytes_do_not_depend_on_how_draws_are_cut(text: str) -> None:
    path = made(text, random_paired(seed=2, systems=5, items=20, metrics=3, missing=9, levels=2), "cells")
    masks = some_masks(path, seed=0, draws=90)
    cut = [path.swapped(masks[:11]), path.swapped(masks[11:])]
    assert np.array_equal(path.swapped(masks), np.concatenate(cut), equal_nan=True)


def test_pairs_of_metrics_that_are_not_wanted_are_left_alone() -> None:
    path = made("tau_b@none", random_paired(seed=3, systems=3, items=5, metrics=3), "cells")
    masks, wanted = some_masks(path, seed=0), np.zeros((3, 3), dtype=np.bool_)
    wanted[0, 1] = wanted[1, 0] = True
    some, every = path.swapped(masks, wanted), path.swapped(masks)
    assert np.array_equal(some[:, wanted], every[:, wanted])
    assert np.isnan(some[:, 2, 0]).all()


def test_a_group_without_a_value_is_left_out_of_the_mean() -> None:
    """The second item's hybrid is constant where both scores come from the constant metric."""
    human = np.array([[1.0, 1.0], [2.0, 2.0]])
    metrics = np.array([[[1.0, 1.0], [2.0, 2.0]], [[1.0, 3.0], [5.0, 3.0]]])
    path = made("tau_b@item", paired_of(human, metrics), "cells")
    mask = np.array([[False, True, False, True]])
    assert path.swapped(mask)[0, 0, 1] == 1.0


def test_what_it_takes_on() -> None:
    for text in MEASURES:
        assert TauPath.accepts(parse_measure(text), "cells")
        assert TauPath.resamples(parse_measure(text), "both")
    for text in ("pearson@none", "spa", "acc_eq(epsilon=0.1,relative=true)@none"):
        assert not TauPath.accepts(parse_measure(text), "cells")
        assert not TauPath.resamples(parse_measure(text), "inputs")
    assert not TauPath.accepts(parse_measure("tau_b@item"), "pairs")
    with pytest.raises(TypeError, match="is no statistic of pairs"):
        TauPath(Task(random_paired(0, 2, 2, 2), parse_measure("pa"), []))


def test_the_engine_finds_it() -> None:
    assert path_for_exchange(parse_measure("tau_b@none"), "items") is TauPath
    assert path_for_exchange(parse_measure("tau_b@item"), "cells") is TauPath
