"""The recommendation on the paper's table 1, and what is cheap; the screen and the JSON that show it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from metaeval.probes.local.contexts import Context
from metaeval.probes.local.pairs import Pairs
from metaeval.probes.local.recommend import COST
from metaeval.probes.local.study import LocalStudy, study
from metaeval.report.local import as_dict, as_json, as_text
from metaeval.scorers.registry import parse_scorer

TABLE_1 = {"A": (0.9, 0.9, 0.3), "B": (0.7, 0.7, 0.7), "C": (0.3, 0.3, 0.9)}
"""Deviyani and Diaz (2025), table 1: accuracies in the contexts X, Y and Z."""


def table_1(items: int = 20, **given: object) -> LocalStudy:
    """Each context has items of ten pairs, of which exactly the share of table 1 is right."""
    verdict = [
        [1 if (10 * item + pair) % 10 < 10 * TABLE_1[m][context] else -1 for m in TABLE_1]
        for context in range(3)
        for item in range(items)
        for pair in range(10)
    ]
    pairs = Pairs(
        metrics=tuple(TABLE_1), kinds=("k",), items=tuple(map(str, range(3 * items))), systems=("s",),
        item=np.repeat(np.arange(3 * items), 10), system=np.zeros(30 * items, int),
        kind=np.zeros(30 * items, int), verdict=np.array(verdict),
    )  # fmt: skip
    codes = np.repeat(np.arange(3), items)[None, :]
    return study(pairs, [Context("where", ("X", "Y", "Z"), codes)], **given)  # type: ignore[arg-type] # costs


def test_table_1_of_the_paper() -> None:
    found = table_1()
    (table,) = found.tables
    assert found.overall.value[0] == pytest.approx([0.7, 0.7, 0.5])
    assert table.local.value == pytest.approx(np.array(list(TABLE_1.values())).T)
    advice = table.recommendation
    assert [choice.best for choice in advice.choices] == ["A", "A", "C"]
    assert advice.stable == "B"
    assert advice.worst == pytest.approx(0.7)
    assert advice.everywhere.alike == ("B",) if advice.everywhere.best == "A" else ("A",)
    assert table.spread[1] == pytest.approx(0.0)
    assert [test.freedom for test in table.tests] == [2, 2, 2]


def test_a_cheaper_metric_that_is_as_good_is_named() -> None:
    (table,) = table_1(costs={"A": 2, "B": 0, "C": 0}).tables
    everywhere = table.recommendation.everywhere
    assert everywhere.cheap == ("B" if everywhere.best == "A" else None)
    assert [choice.cheap for choice in table.recommendation.choices] == [None, None, None]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("BLEU", "counts"),
        ("WER", "counts"),
        ("map", "counts"),
        ("TER", "lists"),
        ("METEOR", "lists"),
        ("COMET", "model"),
        ("BERTScore", "model"),
        ("BLEURT", "model"),
        ("cosine", "model"),
        ("LLM-DA", "service"),
    ],
)
def test_each_kind_of_metric_says_what_it_costs(name: str, kind: str) -> None:
    assert parse_scorer(name).cost == kind
    assert list(COST) == sorted(COST, key=lambda one: COST[one])
    assert list(COST) == ["counts", "lists", "model", "service"]


def test_the_screen_says_what_to_take_and_shows_the_tables() -> None:
    screen = as_text(table_1())
    assert "  best in X: A" in screen
    assert "  most stable: B, 0.700 in its worst context" in screen
    assert "H1: metric" in screen
    assert "H2: tau_AP between contexts: mean" in screen
    assert all(line == line.rstrip() for line in screen.splitlines())


def test_many_contexts_are_shown_by_their_extremes() -> None:
    pairs = Pairs(
        metrics=("m",), kinds=("k",), items=tuple("abcdefghij"), systems=("s",), item=np.arange(10),
        system=np.zeros(10, int), kind=np.zeros(10, int), verdict=np.array([1] * 9 + [-1])[:, None],
    )  # fmt: skip
    screen = as_text(study(pairs, [Context("item", pairs.items, np.arange(10)[None, :])]))
    assert "by item: 10 contexts (each of them: --json)" in screen
    assert "best in: m 10" in screen
    assert "lowest" in screen
    assert "tau_AP needs two metrics" in screen


def test_the_json_has_everything_and_no_nan() -> None:
    found = table_1()
    data = json.loads(as_json(found))
    assert data == as_dict(found)
    assert {r["context"] for r in data["contexts"][0]["results"]} == {"X", "Y", "Z"}
    assert data["contexts"][0]["h2"]["rows_and_columns"] == ["global", "X", "Y", "Z"]
    assert data["contexts"][0]["h1"][1]["chi2"] == pytest.approx(0.0)
    assert data["confounders"] is None
