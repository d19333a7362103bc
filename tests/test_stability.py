"""Fewer systems, fewer segments: against loops over subsets and samples."""

from __future__ import annotations

import json
from itertools import combinations

import numpy as np
import pytest
from conftest import real
from pairing import outcomes_of, random_paired

from metaeval.errors import InputError
from metaeval.evalset import EvalSet
from metaeval.io.registry import read
from metaeval.measures.registry import parse_measure
from metaeval.report.stability import as_json, as_text
from metaeval.scores import Scores
from metaeval.simulate import simulate
from metaeval.stability import (
    doubling,
    stability,
    with_fewer_segments,
    with_fewer_systems,
)
from metaeval.subsets import on_systems, subsets_of

MEASURES = ("pa", "spa", "spa(method=normal)", "system_pearson", "pearson@none", "acc_eq@item")


@pytest.fixture(scope="module")
def data() -> EvalSet:
    return simulate(seed=1, systems=7, items=60, text=False).evalset


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("missing", [0, 9])
def test_values_on_a_subset_are_those_of_data_that_hold_no_other_system(measure: str, missing: int) -> None:
    paired, statistic = (
        random_paired(3, systems=5, items=30, metrics=4, missing=missing),
        parse_measure(measure),
    )
    subsets, _ = subsets_of(5, 3, draws=10, seed=0)
    values = on_systems(paired, statistic)(subsets)
    for subset, row in zip(subsets, values, strict=True):
        few = paired.take(systems=subset.astype(bool))
        assert row == pytest.approx([o.value for o in outcomes_of(few, statistic)], abs=1e-9)


def test_all_subsets_are_visited_where_they_are_few() -> None:
    subsets, exact = subsets_of(6, 4, draws=15, seed=0)
    assert exact
    assert {tuple(np.flatnonzero(s).tolist()) for s in subsets} == set(combinations(range(6), 4))


def test_random_subsets_have_the_size_asked_for_and_hold_every_system_equally_often() -> None:
    subsets, exact = subsets_of(12, 5, draws=600, seed=0)
    assert not exact
    assert set(subsets.sum(axis=1).tolist()) == {5}
    assert np.abs(subsets.mean(axis=0) - 5 / 12).max() < 0.1  # five standard deviations


def test_with_all_systems_the_values_correlate_perfectly(data: EvalSet) -> None:
    (point,) = stability(data, ["pa"], fewer_segments=False, sizes=[7]).systems
    assert (point.subsets, point.exact) == (1, True)
    assert (point.mean, point.low, point.high) == pytest.approx((1, 1, 1))


def test_the_mean_over_subsets_is_that_of_a_loop() -> None:
    paired, measure = random_paired(5, systems=5, items=40, metrics=6), parse_measure("spa(method=normal)")
    whole = [o.value for o in outcomes_of(paired, measure)]
    found = []
    for chosen in combinations(range(5), 3):
        mask = np.isin(np.arange(5), chosen)
        few = [o.value for o in outcomes_of(paired.take(systems=mask), measure)]
        found.append(np.corrcoef(few, whole)[0, 1])
    (point,) = with_fewer_systems(paired, measure, [3])
    assert point.mean == pytest.approx(np.mean(found))
    assert (point.low, point.high) == pytest.approx(tuple(np.quantile(found, [0.025, 0.975])))


def test_subsets_on_which_all_metrics_have_one_value_are_counted_and_left_out() -> None:
    paired = random_paired(5, systems=4, items=200, metrics=4)
    (point,) = with_fewer_systems(paired, parse_measure("pa"), [2])
    assert 0 < point.undefined <= point.subsets == 6
    if point.undefined == point.subsets:
        assert point.mean is None


@pytest.mark.parametrize("measure", ["pa", "spa(method=normal)", "acc_eq@item"])
def test_intervals_are_those_of_samples_made_one_by_one(measure: str) -> None:
    paired, statistic = random_paired(7, systems=4, items=20, metrics=3), parse_measure(measure)
    points = with_fewer_segments(paired, statistic, [8], draws=12, seed=4)
    chance = np.random.default_rng(np.random.SeedSequence(4, spawn_key=(1, 8)))
    weights = chance.multinomial(8, np.full(20, 1 / 20), size=12)
    values = []
    for row in weights:
        drawn = np.repeat(np.arange(20), row)
        values.append([statistic.evaluate(paired.human[:, drawn], s[:, drawn]).value for s in paired.scores])
    for point, column in zip(points, np.array(values).T, strict=True):
        assert (point.low, point.high) == pytest.approx(tuple(np.quantile(column, [0.025, 0.975])), abs=1e-9)
        assert point.mean == pytest.approx(column.mean())


def test_fewer_segments_give_wider_intervals(data: EvalSet) -> None:
    found = stability(data, ["pearson@item"], fewer_systems=False, sizes=[10, 50])
    widths = found.widths()
    assert widths["pearson@item", 10] > 1.5 * widths["pearson@item", 50]


def test_sizes_double_up_to_all() -> None:
    assert doubling(20) == [20]
    assert doubling(100) == [25, 50, 100]


def test_the_same_seed_gives_the_same_and_a_size_does_not_depend_on_the_others(data: EvalSet) -> None:
    some = stability(data, ["pa"], fewer_systems=False, sizes=[10], draws=20)
    more = stability(data, ["pa"], fewer_systems=False, sizes=[10, 20], draws=20)
    assert some.segments == more.segments[: len(some.segments)]
    other = stability(data, ["pa"], fewer_systems=False, sizes=[10], draws=20, seed=1)
    assert some.segments != other.segments


def test_a_metric_that_scores_all_systems_alike_is_pointed_out(data: EvalSet) -> None:
    (_, items) = np.asarray(data.human["mqm"].segment).shape
    blind = data.with_metrics(Scores("Blind", "src", segment=np.tile(np.arange(items) / 7, (7, 1))))
    (note,) = stability(blind, ["pa"], fewer_segments=False).notes
    assert note.startswith("one score for all systems: Constant-refA, Blind-src; outliers")
    assert "! one score for all systems" in as_text(stability(blind, ["pa"], fewer_segments=False))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sizes": [3]}, "sizes of what"),
        ({"draws": 0}, "draws is 0, expected a number from 1 up"),
        ({"sizes": [1], "fewer_segments": False}, "there are 7 systems: 1 of them is not possible"),
        ({"sizes": [8], "fewer_segments": False}, "there are 7 systems: 8 of them is not possible"),
        ({"sizes": [900], "fewer_systems": False}, "segments: 900 of them is not possible"),
        ({"metrics": "Neural,Lexical"}, "there are 2 metrics, and a correlation over them needs 3"),
    ],
)
def test_what_cannot_be_done_is_said(data: EvalSet, options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        stability(data, ["pa"], **options)  # type: ignore[arg-type] # options of several types


def test_the_screen_has_a_table_for_systems_and_one_for_segments(data: EvalSet) -> None:
    said = as_text(stability(data, draws=25))
    assert said.index("Fewer systems") < said.index("21 (all)") < said.index("Fewer segments")
    assert "Fewer segments" not in as_text(stability(data, fewer_segments=False, draws=20))
    assert "Fewer systems" not in as_text(stability(data, fewer_systems=False, draws=20))


def test_json_has_every_point_and_null_for_what_does_not_exist() -> None:
    few = simulate(seed=1, systems=4, items=60, text=False).evalset
    found = stability(few, ["pa"], draws=20)
    said = json.loads(as_json(found))
    assert {"measure", "size", "subsets", "exact", "mean", "low", "high", "undefined"} == said["systems"][
        0
    ].keys()
    assert {"measure", "metric", "size", "mean", "low", "high"} == said["segments"][0].keys()
    assert said["widths"][0].keys() == {"measure", "size", "width"}


@pytest.mark.real
def test_soft_accuracy_is_more_stable_than_pairwise_accuracy() -> None:
    data = read(real("wmt23"), pair="zh-en")
    keys = [k for k, m in data.metrics.items() if m.reference == "refA" and not k.startswith("SENTINEL")]
    keys = [k for k in keys if data.metrics[k].segment is not None]
    found = stability(data, metrics=keys, exclude="synthetic_ref", draws=200)
    at = {(p.measure, p.size): p.mean or 0 for p in found.systems}
    assert all(at["spa(method=normal)", size] > at["pa", size] for size in range(6, 15))
    widths = found.widths()
    assert all(
        widths["spa(method=normal)", size] < 0.85 * widths["pa", size] for size in (25, 100, 400, 1177)
    )


def test_progress_is_told_size_by_size(data: EvalSet) -> None:
    told: list[tuple[str, int, int]] = []
    stability(data, ["pa"], draws=5, progress=lambda *said: told.append(said))
    assert ("pa: fewer systems", 0, 5) in told
    assert any(what == "pa: fewer segments" for what, _, _ in told)
