"""Power by simulation: the level at no difference, growth with segments, the same numbers for any jobs."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from scipy.stats import binomtest

from metaeval.errors import InputError
from metaeval.power import Cell, PowerStudy, power, wilson
from metaeval.report.power import as_json, as_text
from metaeval.significance.plan import Plan

FAST = Plan(draws=60)


def study(
    better: float = 0.7,
    worse: float = 0.3,
    sets: int = 20,
    plan: Plan = FAST,
    systems: Sequence[int] = (6,),
    segments: Sequence[int] = (40,),
) -> PowerStudy:
    measures = ["pearson@item"]
    return power(better, worse, measures, systems=systems, segments=segments, sets=sets, plan=plan)


def test_power_grows_with_segments() -> None:
    few, many = study(0.6, 0.45, sets=40, segments=[20, 160]).cells
    assert (few.segments, many.segments) == (20, 160)
    assert few.power < many.power


def test_equal_metrics_are_told_apart_as_often_as_the_level_says() -> None:
    (cell,) = study(0.5, 0.5, sets=200).cells
    assert 0.01 <= cell.power <= 0.1
    assert 0.01 <= cell.wrong / cell.sets <= 0.1


def test_a_cell_depends_neither_on_the_others_nor_on_the_jobs() -> None:
    (alone,) = study().cells
    assert alone in study(systems=[5, 6], segments=[30, 40]).cells
    assert alone == study(plan=Plan(draws=60, jobs=2)).cells[0]
    assert study(0.55, 0.45, sets=60).cells != study(0.55, 0.45, sets=60, plan=Plan(draws=60, seed=1)).cells


def test_every_measure_is_tested_on_the_same_sets() -> None:
    found = power(0.7, 0.3, ["pa", "pearson@item"], systems=[6], segments=[40], sets=5, plan=FAST)
    assert [cell.measure for cell in found.cells] == ["pa", "pearson@item"]
    assert found.cells[1] == study(sets=5).cells[0]


@pytest.mark.parametrize(("found", "of"), [(0, 10), (3, 10), (10, 10), (160, 200)])
def test_intervals_are_wilsons(found: int, of: int) -> None:
    theirs = binomtest(found, of).proportion_ci(method="wilson")
    assert wilson(found, of) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_the_cheapest_cell_has_the_fewest_judgments_of_those_with_enough_power() -> None:
    def cell(systems: int, segments: int, found: int) -> Cell:
        return Cell("pa", systems, segments, 10, found, 0)

    cells = (cell(8, 100, 5), cell(8, 400, 8), cell(16, 150, 9), cell(20, 400, 10))
    assert PowerStudy(cells, {}).cheapest("pa") == cells[2]
    assert PowerStudy(cells[:1], {}).cheapest("pa") is None
    assert PowerStudy(cells, {}).cheapest("spa") is None


@pytest.mark.parametrize(
    ("better", "worse", "options", "message"),
    [
        (0.4, 0.6, {}, "the better metric is worse: 0.4 against 0.6"),
        (1.2, 0.6, {}, "correlation is 1.2, expected a number between 0 and 1"),
        (0.6, 0.5, {"sets": 0}, "sets is 0, expected a number from 1 up"),
        (0.6, 0.5, {"plan": Plan(test="none")}, "a study of power needs a test"),
        (0.6, 0.5, {"systems": [1]}, "systems is 1, expected a whole number from 2"),
    ],
)
def test_what_cannot_be_studied_is_said(
    better: float, worse: float, options: dict[str, object], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        study(better, worse, **options)  # type: ignore[arg-type] # options of several types


def test_the_screen_has_systems_down_and_segments_across_and_the_cheapest_cell() -> None:
    said = as_text(study(0.8, 0.3, segments=[40, 120]))
    assert "120 segments" in said
    assert "80% is reached from 6 systems" in said
    assert "No cell reaches 80%" in as_text(study(0.5, 0.5))


def test_json_has_every_cell_with_its_interval() -> None:
    (cell,) = json.loads(as_json(study()))["cells"]
    assert cell["power"] == cell["found"] / cell["sets"]
    assert cell["ci_low"] <= cell["power"] <= cell["ci_high"]


def test_progress_is_told_to_who_wants_it() -> None:
    told: list[tuple[str, int, int]] = []
    power(
        0.7,
        0.3,
        ["pa"],
        systems=[4],
        segments=[10],
        sets=30,
        plan=FAST,
        progress=lambda *said: told.append(said),
    )
    assert told == [("simulated sets", 20, 40), ("simulated sets", 40, 40)]
