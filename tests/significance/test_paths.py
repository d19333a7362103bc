"""Every path, on every unit, gives what building the hybrids one by one gives."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from oracles import resampling as oracle
from pairing import outcomes_of, random_paired

from metaeval.errors import InputError
from metaeval.measures.base import SegmentMeasure
from metaeval.measures.registry import parse_measure
from metaeval.paired import Paired
from metaeval.scores import FloatArray
from metaeval.significance.engine import gather
from metaeval.significance.paths import path_for_exchange, path_for_resampling
from metaeval.significance.paths.base import Exchange, Resample, Task
from metaeval.significance.paths.generic import Generic
from metaeval.significance.plan import Plan, Test
from metaeval.significance.units import EXCHANGES

CONTINUOUS = random_paired(seed=1, systems=3, items=2, metrics=3)
MISSING = random_paired(seed=2, systems=3, items=3, metrics=3, missing=2)
TIES = random_paired(seed=3, systems=4, items=2, metrics=3, levels=1)
DATA = {"continuous": CONTINUOUS, "missing": MISSING, "ties": TIES}

SCALE_FREE = (
    *(f"pearson@{g}" for g in ("none", "item", "system")),
    *(f"pdp@{g}" for g in ("none", "item", "system")),
    *(f"tau_b@{g}" for g in ("none", "item", "system")),
    "spearman@item",
    "acc_eq@item",
    "acc_eq@none",
    "pa",
    "system_pearson",
    "system_spearman",
    "system_tau_b",
)
TESTS: tuple[Test, ...] = ("perm-inputs", "perm-both", "perm-systems")


def naive_values(
    paired: Paired, measure_text: str, exchange: Exchange, masks: NDArray[np.bool_]
) -> FloatArray:
    measure = parse_measure(measure_text)
    metrics = range(len(paired.scores))
    return np.array(
        [
            [[oracle.hybrid_value(paired, measure, exchange, mask, i, j) for j in metrics] for i in metrics]
            for mask in masks
        ]
    )


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("text", SCALE_FREE)
def test_hybrids_and_p_values_equal_exact_enumeration_by_naive_loops(
    text: str, test: Test, data: str
) -> None:
    paired, measure, exchange = DATA[data], parse_measure(text), EXCHANGES[test]
    outcomes = outcomes_of(paired, measure)
    path = path_for_exchange(measure, exchange)(Task(paired, measure, outcomes, exchange))
    masks = np.array(list(oracle.all_masks(path.positions)))
    values = path.swapped(masks)
    naive = naive_values(paired, text, exchange, masks)
    np.testing.assert_allclose(values, naive, atol=1e-8)

    evidence = gather(paired, measure, outcomes, Plan(test=test, draws=4096, bootstrap="none"))
    assert evidence.exact
    null = naive - naive.transpose(0, 2, 1)
    for i, j in np.ndindex(*evidence.p.shape):
        if i != j:
            observed = outcomes[i].value - outcomes[j].value
            count, draws = oracle.hits(null[:, i, j], observed)
            expected = count / draws if draws and not math.isnan(observed) else math.nan
            assert evidence.p[i, j] == pytest.approx(expected, abs=0, nan_ok=True)


@pytest.mark.parametrize(
    "text", ["acc_eq(epsilon=best)@item", "tau_eq(epsilon=best)@item", "tau_b(epsilon=0.3)@item"]
)
@pytest.mark.parametrize("data", DATA)
def test_items_are_exchanged_with_their_metrics_own_epsilon(text: str, data: str) -> None:
    paired, measure = DATA[data], parse_measure(text)
    assert isinstance(measure, SegmentMeasure)
    outcomes = outcomes_of(paired, measure)
    path = path_for_exchange(measure, "items")(Task(paired, measure, outcomes, "items"))
    masks = np.array(list(oracle.all_masks(path.positions)))
    metrics = range(len(paired.scores))
    naive = np.array(
        [
            [
                [oracle.group_hybrid_value(paired, measure, m, i, j, outcomes) for j in metrics]
                for i in metrics
            ]
            for m in masks
        ]
    )
    np.testing.assert_allclose(path.swapped(masks), naive, atol=1e-9)


@pytest.mark.parametrize("text", SCALE_FREE)
@pytest.mark.parametrize("exchange", ["items", "cells", "systems"])
def test_the_generic_path_agrees_with_the_fast_one(text: str, exchange: Exchange) -> None:
    paired, measure = MISSING, parse_measure(text)
    task = Task(paired, measure, outcomes_of(paired, measure), exchange)
    fast, slow = path_for_exchange(measure, exchange)(task), Generic(task)
    masks = np.random.default_rng(0).random((20, slow.positions)) < 0.5
    np.testing.assert_allclose(fast.swapped(masks), slow.swapped(masks), atol=1e-8)


@pytest.mark.parametrize("text", SCALE_FREE)
@pytest.mark.parametrize("exchange", ["items", "cells", "systems"])
def test_raw_scores_are_exchanged_when_standardising_is_off(text: str, exchange: Exchange) -> None:
    paired, measure = MISSING, parse_measure(text)
    path = path_for_exchange(measure, exchange)(
        Task(paired, measure, outcomes_of(paired, measure), exchange, standardise=False)
    )
    masks = np.random.default_rng(0).random((8, path.positions)) < 0.5
    metrics = range(len(paired.scores))
    naive = [
        [[oracle.hybrid_value(paired, measure, exchange, m, i, j, False) for j in metrics] for i in metrics]
        for m in masks
    ]
    np.testing.assert_allclose(path.swapped(masks), np.array(naive), atol=1e-8)


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("what", ["inputs", "systems", "both"])
@pytest.mark.parametrize("text", [*SCALE_FREE, "acc_eq(epsilon=best)@item"])
def test_samples_equal_copying_rows_and_columns(text: str, what: Resample, data: str) -> None:
    paired, measure = DATA[data], parse_measure(text)
    outcomes = outcomes_of(paired, measure)
    path = path_for_resampling(measure, what)(Task(paired, measure, outcomes))
    rng = np.random.default_rng(5)
    systems, items = paired.human.shape
    of_items = rng.multinomial(items, [1 / items] * items, size=12)
    of_systems = rng.multinomial(systems, [1 / systems] * systems, size=12)
    if what == "inputs":
        of_systems = np.ones_like(of_systems)
    if what == "systems":
        of_items = np.ones_like(of_items)
    naive = [
        [oracle.sample_value(paired, measure, o, m, w, v) for m, o in enumerate(outcomes)]
        for w, v in zip(of_items, of_systems, strict=True)
    ]
    np.testing.assert_allclose(path.resampled(of_items, of_systems), np.array(naive), atol=1e-8)


def test_exchanging_pairs_needs_a_sum_over_pairs() -> None:
    with pytest.raises(
        InputError, match="perm-pairs exchanges what pairs contribute, and pearson@item is no sum"
    ):
        path_for_exchange(parse_measure("pearson@item"), "pairs")


@pytest.mark.parametrize("data", ["continuous", "missing"])
@pytest.mark.parametrize(
    "text", ["acc_eq(epsilon=0.4)@none", "tau_b(epsilon=0.4)@item", "acc_eq(epsilon=best)@none"]
)
def test_a_hybrid_has_the_epsilon_of_its_first_metric_in_that_metrics_units(text: str, data: str) -> None:
    paired, measure = DATA[data], parse_measure(text)
    outcomes = outcomes_of(paired, measure)
    path = path_for_exchange(measure, "cells")(Task(paired, measure, outcomes, "cells"))
    masks = np.random.default_rng(0).random((20, path.positions)) < 0.5
    used = ~np.isnan(paired.human)
    values = path.swapped(masks)
    for d, i, j in np.ndindex(*values.shape):
        own, other = paired.scores[i], paired.scores[j]
        moved = oracle.z_scores(other) * own[used].std() + own[used].mean() if i != j else own
        hybrid = np.where(oracle.cells_of(paired, "cells", masks[d]), moved, own)
        expected = measure.held(outcomes[i]).evaluate(paired.human, hybrid).value
        assert values[d, i, j] == pytest.approx(expected, abs=1e-9, nan_ok=True)


def test_a_relative_epsilon_needs_no_units_but_the_spread() -> None:
    paired, measure = CONTINUOUS, parse_measure("acc_eq(epsilon=0.3,relative=true)@none")
    outcomes = outcomes_of(paired, measure)
    path = path_for_exchange(measure, "cells")(Task(paired, measure, outcomes, "cells"))
    masks = np.random.default_rng(0).random((20, path.positions)) < 0.5
    values = path.swapped(masks)
    for d, (i, j) in ((d, ij) for d in range(20) for ij in ((0, 1), (1, 2), (2, 0))):
        own, other = paired.scores[i], paired.scores[j] * paired.scores[i].std() / paired.scores[j].std()
        hybrid = np.where(oracle.cells_of(paired, "cells", masks[d]), other, own)
        assert values[d, i, j] == pytest.approx(measure.evaluate(paired.human, hybrid).value)
