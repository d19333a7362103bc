"""Spearman of hybrids by scanning merged scores: what ranking each hybrid gives."""

from __future__ import annotations

import numpy as np
import pytest
from oracles import resampling as oracle
from pairing import outcomes_of, paired_of, random_paired

from metaeval.measures.registry import parse_measure
from metaeval.significance.paths import path_for_exchange
from metaeval.significance.paths.base import Exchange, Task
from metaeval.significance.paths.ranks import Ranks


@pytest.fixture(autouse=True)
def always_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("metaeval.significance.paths.ranks.COMPILED_FROM", 0)


@pytest.mark.parametrize("levels", [None, 1])
@pytest.mark.parametrize("exchange", ["items", "systems", "cells"])
@pytest.mark.parametrize("grouping", ["none", "item", "system"])
def test_equals_ranking_every_hybrid(grouping: str, exchange: Exchange, levels: int | None) -> None:
    paired = random_paired(seed=4, systems=4, items=6, metrics=3, missing=5, levels=levels)
    measure = parse_measure(f"spearman@{grouping}")
    path = Ranks(Task(paired, measure, outcomes_of(paired, measure), exchange))
    masks = np.random.default_rng(1).random((15, path.positions)) < 0.5
    naive = [
        [[oracle.hybrid_value(paired, measure, exchange, m, i, j) for j in range(3)] for i in range(3)]
        for m in masks
    ]
    np.testing.assert_allclose(path.swapped(masks), np.array(naive), atol=1e-9)


def test_is_the_path_of_spearman() -> None:
    assert path_for_exchange(parse_measure("spearman@none"), "items") is Ranks


def test_groups_without_a_value_are_left_out_and_a_constant_metric_has_none() -> None:
    human = np.array([[1.0, 2.0], [1.0, 3.0], [1.0, 5.0]])
    paired = paired_of(human, np.stack([np.full((3, 2), 0.5), human + np.array([0.0, 0.1])]))
    measure = parse_measure("spearman@item")
    path = Ranks(Task(paired, measure, outcomes_of(paired, measure), "items"))
    values = path.swapped(np.zeros((1, 2), dtype=np.bool_))
    assert np.isnan(values[0, 0]).all()
    assert values[0, 1] == pytest.approx([1.0, 1.0])
