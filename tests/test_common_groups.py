"""On common groups every metric is averaged over the groups where the measure exists for all."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pairing import paired_of, random_paired
from strategies import matrices

from metaeval.board import rank
from metaeval.common_groups import left_out, on_common_groups
from metaeval.errors import InputError
from metaeval.evalset import EvalSet
from metaeval.measures.registry import parse_measure
from metaeval.report.structured import as_dict
from metaeval.scores import FloatArray, Scores
from metaeval.significance.plan import Plan

UNTESTED = Plan(test="none", bootstrap="none")


def by_item(text: str, human: FloatArray, metric: FloatArray) -> list[float]:
    """The measure of each item by itself."""
    measure = parse_measure(text)
    return [measure.evaluate(human[:, [i]], metric[:, [i]]).value for i in range(human.shape[1])]


@settings(deadline=None)
@given(matrices(), matrices(), st.sampled_from(["tau_b@item", "tau_13@item", "pearson@item"]))
def test_only_items_where_every_metric_has_a_value_are_used(
    one: tuple[FloatArray, FloatArray], other: tuple[FloatArray, FloatArray], text: str
) -> None:
    human, first = one
    second = np.resize(np.nan_to_num(other[1]), human.shape)
    paired = paired_of(human, np.stack([first, second]))
    alone = [by_item(text, paired.human, scores) for scores in paired.scores]
    common = [i for i, pair in enumerate(zip(*alone, strict=True)) if not any(map(math.isnan, pair))]
    if not common:
        with pytest.raises(InputError, match="no item has a value of"):
            on_common_groups(paired, parse_measure(text))
        return
    used = on_common_groups(paired, parse_measure(text))
    assert [int(i) for i in used.items] == common
    for scores, values in zip(used.scores, alone, strict=True):
        outcome = parse_measure(text).evaluate(used.human, scores)
        assert outcome.value == pytest.approx(np.mean([values[i] for i in common]))
        assert outcome.groups_undefined == 0


@pytest.mark.parametrize("text", ["tau_b@none", "pa", "acc_eq@item", "pdp@item"])
def test_measures_that_leave_no_group_out_use_all(text: str) -> None:
    paired = random_paired(seed=0, systems=4, items=6, metrics=2)
    assert on_common_groups(paired, parse_measure(text)) is paired


def test_systems_are_groups_too() -> None:
    paired = random_paired(seed=0, systems=4, items=6, metrics=2)
    scores = paired.scores.copy()
    scores[1, 2] = 0.0
    used = on_common_groups(paired_of(paired.human, scores), parse_measure("tau_b@system"))
    assert used.systems == ("S0", "S1", "S3")
    assert left_out(paired, used, parse_measure("tau_b@system")) == [
        "tau_b@system uses the 3 of 4 systems where all metrics have it"
    ]


def test_the_board_says_on_what_it_compares() -> None:
    human = np.array([[0.0, 0, 0], [-1, -1, -1], [-2, -2, -5]])
    coarse = np.array([[1.0, 0, 1], [1, 0, 0], [1, 0, 0]])
    evalset = EvalSet(
        systems=("A", "B", "C"),
        items=("1", "2", "3"),
        human={"mqm": Scores("mqm", segment=human)},
        metrics={n: Scores(n, segment=s) for n, s in (("coarse", coarse), ("fine", human + 0.5))},
    )
    apart = rank(evalset, ["tau_b@item"], plan=UNTESTED)
    assert "undefined in different groups" in apart.notes[0]
    together = rank(evalset, ["tau_b@item"], plan=UNTESTED, common_groups=True)
    assert together.notes == ("tau_b@item uses the 1 of 3 items where all metrics have it",)
    assert {row.outcome.groups_used for row in together.tables[0].rows} == {1}
    both = rank(evalset, ["tau_b@item", "pa"], plan=UNTESTED, common_groups=True)
    found = [(r["measure"], r["systems"], r["items"]) for r in as_dict(both)["results"]]
    assert sorted(set(found)) == [("pa", 3, 3), ("tau_b@item", 3, 1)]
    assert "1 items, 3 systems" in str(both)
    assert (apart.signature["common_groups"], together.signature["common_groups"]) == (False, True)


@pytest.mark.parametrize(("lost", "warned"), [([0, 1], True), ([0, 0], False), ([0, None], True)])
def test_the_board_warns_where_as_many_but_other_groups_are_undefined(
    lost: list[int | None], warned: bool
) -> None:
    human = np.array([[0.0, 0, 0], [-1, -2, -1], [-2, -1, -5]])
    metrics = {}
    for name, item in zip("MN", lost, strict=True):
        scores = human.copy()
        if item is not None:
            scores[:, item] = 0.5
        metrics[name] = Scores(name, segment=scores)
    evalset = EvalSet(
        systems=("A", "B", "C"),
        items=("1", "2", "3"),
        human={"mqm": Scores("mqm", segment=human)},
        metrics=metrics,
    )
    notes = rank(evalset, ["tau_b@item", "pdp@item"], plan=UNTESTED).notes
    assert len(notes) == warned
    assert all("tau_b@item is undefined in different groups" in note for note in notes)


def test_tests_and_intervals_run_on_the_common_groups() -> None:
    paired = random_paired(seed=3, systems=5, items=12, metrics=3, levels=1)
    evalset = EvalSet(
        systems=paired.systems,
        items=paired.items,
        human={"mqm": Scores("mqm", segment=paired.human)},
        metrics={m.key: m for m in paired.metrics},
    )
    used = on_common_groups(paired, parse_measure("tau_b@item"))
    assert 0 < len(used.items) < 12
    table = rank(evalset, ["tau_b@item"], plan=Plan(draws=50), common_groups=True).tables[0]
    alone = rank(evalset.select(items=used.items), ["tau_b@item"], plan=Plan(draws=50)).tables[0]
    assert table.comparisons == alone.comparisons
    assert [row.interval for row in table.rows] == [row.interval for row in alone.rows]
