"""A leaderboard in every format."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

from metaeval.errors import InputError
from metaeval.leaderboard.blend import Statistic
from metaeval.leaderboard.data import Contestant
from metaeval.leaderboard.definition import TaskSpec
from metaeval.leaderboard.run import AVERAGE, Leaderboard, tabulate
from metaeval.measures.registry import parse_measure
from metaeval.report.leaderboard import FORMATS, render
from metaeval.significance.plan import Plan

METRICS = tuple(
    Contestant(name, free) for name, free in (("=BLEU_2", False), ("Kiwi", True), ("Flat", False))
)


def made(tasks: int = 2, *, tested: bool = True, with_borda: bool = False) -> Leaderboard:
    """Values, draws and all, without any data."""
    plan = Plan(draws=40) if tested else Plan(test="none", bootstrap="none")
    chance = np.random.default_rng(0)
    null = chance.normal(scale=0.01, size=(40, 3, 3)) if tested else None
    samples = chance.normal(0.5, 0.1, size=(40, 3)) if tested else None
    values = np.array([0.25, 0.75, np.nan])
    differences = None if null is None else null - null.swapaxes(1, 2)
    statistic = Statistic(METRICS, values, differences, samples, units=30)
    spec = TaskSpec(measure=parse_measure("pa"), sets=("zh-en", "en-de"))
    return Leaderboard(
        "Mine",
        tabulate(AVERAGE, statistic, plan, counts=values if with_borda else None),
        tuple(tabulate(f"pa {n}", statistic, plan, 1 / tasks, spec) for n in range(tasks)),
        {
            "version": "0",
            "sets": {"zh-en": {"data": "12345678"}},
            "test": plan.test,
            "draws": plan.draws,
            "alpha": plan.alpha,
            "seed": 0,
        },
        with_borda,
        ("a note",),
    )


def test_the_screen_shows_the_average_then_the_tasks_then_notes_and_signature() -> None:
    said = render(made(), "text")
    places = [
        "Mine: average of 2 tasks",
        "95% interval",
        "weight",
        "pa",
        "en-de pooled",
        "! a note",
        "| Mine |",
    ]
    found = [said.index(place) for place in places]
    assert found == sorted(found)
    assert "0.750 (1)" in said
    assert "* needs no reference" in said


def test_many_tasks_are_shown_a_few_at_a_time() -> None:
    said = render(made(14), "text").splitlines()
    assert sum(line.startswith("  metric ") for line in said) == 3
    assert max(map(len, said)) < 110


def test_nothing_about_tests_is_said_where_nothing_was_tested() -> None:
    said = render(made(tested=False), "text")
    assert "in brackets, ranks" in said
    assert "interval" not in said
    assert "draws" not in said


def test_json_has_the_average_as_a_task_and_null_for_what_does_not_exist() -> None:
    said = json.loads(render(made(), "json"))
    average = [r for r in said["results"] if r["task"] == "average"]
    assert [(r["metric"], r["reference_free"], r["value"], r["rank"]) for r in average] == [
        ("Kiwi", True, 0.75, 1),
        ("=BLEU_2", False, 0.25, 2),
        ("Flat", False, None, None),
    ]
    assert said["tasks"][0] == {"task": "pa 0", "measure": "pa", "sets": ["zh-en", "en-de"], "weight": 0.5}
    assert {(c["better"], c["worse"], c["delta"]) for c in said["comparisons"]} == {
        ("Kiwi *", "=BLEU_2", 0.5)
    }


def test_csv_has_a_line_a_metric_and_task_and_no_formulas() -> None:
    rows = list(csv.DictReader(io.StringIO(render(made(), "csv"))))
    assert len(rows) == 9
    assert {row["metric"] for row in rows} == {"Kiwi", "'=BLEU_2", "Flat"}


@pytest.mark.parametrize("format", ["markdown", "latex"])
def test_tables_for_papers_escape_and_have_a_column_a_task(format: str) -> None:
    said = render(made(with_borda=True), format)
    assert "=BLEU\\_2" in said
    assert "Borda" in said
    line = next(line for line in said.splitlines() if "BLEU" in line)
    assert line.count("&" if format == "latex" else "|") == (4 if format == "latex" else 6)


def test_borda_counts_stand_beside_the_average() -> None:
    assert "Borda  average" in render(made(with_borda=True), "text")


def test_a_leaderboard_prints_itself() -> None:
    assert str(made()) == render(made(), "text")


def test_a_format_that_does_not_exist_gets_those_that_do() -> None:
    with pytest.raises(InputError, match="there is no format 'yaml'"):
        render(made(), "yaml")
    assert set(FORMATS) == {"text", "json", "csv", "markdown", "latex"}
