"""One metric against another."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from metaeval.compare import Comparison, Comparisons, compare, units_needed
from metaeval.errors import InputError
from metaeval.evalset import EvalSet, by_key
from metaeval.measures.registry import parse_measure
from metaeval.paired import pair_up
from metaeval.report.compare import as_json, as_text
from metaeval.scores import FloatArray, Scores
from metaeval.significance.engine import gather
from metaeval.significance.plan import Plan
from metaeval.simulate import simulate

FAST = Plan(draws=100)


def tiny(*metrics: FloatArray, source: tuple[str, ...] | None = None) -> EvalSet:
    human = np.array([[3.0, 2.0, 2.0, 9.0], [1.0, 1.0, 0.0, 1.0], [0.0, 2.0, 1.0, 0.0]])
    return EvalSet(
        systems=("A", "B", "C"),
        items=("1", "2", "3", "4"),
        human=by_key([Scores("mqm", segment=human)]),
        metrics=by_key(Scores(f"M{i}", segment=scores) for i, scores in enumerate(metrics)),
        item_context={"document": ("d1", "d1", "d2", "d2")},
        source=source,
    )


GOOD = np.array([[3.0, 2.0, 2.0, 9.0], [1.0, 1.0, 0.0, 1.0], [0.0, 2.0, 1.0, 0.0]])


@pytest.fixture(scope="module")
def data() -> EvalSet:
    return simulate(seed=1, items=150, systems=6).evalset


def one(
    data: EvalSet, first: str, second: str, measure: str = "acc_eq@item", plan: Plan = FAST
) -> Comparison:
    return compare(data, first, second, [measure], plan=plan).found[0]


@pytest.mark.parametrize("measure", ["acc_eq(epsilon=best)@item", "pearson@none", "pa", "spa(method=normal)"])
def test_values_difference_and_p_are_those_of_the_engine(data: EvalSet, measure: str) -> None:
    found = one(data, "Lexical", "Neural", measure)
    paired, statistic = pair_up(data, metrics=["Neural", "Lexical"]), parse_measure(measure)
    outcomes = [statistic.evaluate(paired.human, scores) for scores in paired.scores]
    evidence = gather(paired, statistic, outcomes, FAST)
    i, j = paired.keys.index("Lexical-refA"), paired.keys.index("Neural-refA")
    assert (found.first.value, found.second.value) == (outcomes[i].value, outcomes[j].value)
    assert found.delta == evidence.delta[i, j]
    second_leads = bool(evidence.delta[i, j] < 0)
    assert found.p == (evidence.p[j, i] if second_leads else evidence.p[i, j])
    assert found.ahead == (found.second if second_leads else found.first)
    assert found.behind == (found.first if second_leads else found.second)
    assert found.first.interval == (evidence.ci_low[i], evidence.ci_high[i])


def test_the_order_of_the_two_changes_signs_and_nothing_else(data: EvalSet) -> None:
    one_way, other = one(data, "Lexical", "Neural"), one(data, "Neural", "Lexical")
    assert other.delta == -(one_way.delta or 0)
    assert (one_way.p, one_way.needed) == (other.p, other.needed)
    assert one_way.interval is not None
    assert other.interval == pytest.approx((-one_way.interval[1], -one_way.interval[0]))
    assert [item.item for item in one_way.for_first] == [item.item for item in other.for_second]


def test_items_are_those_where_one_agrees_with_the_humans_more() -> None:
    turned = GOOD.copy()
    turned[:, 3] = -GOOD[:, 3]
    found = one(tiny(GOOD, turned, source=("a", "b", "c", "\x1b[31md")), "M0", "M1")
    assert [(item.item, item.document) for item in found.for_first] == [("4", "d2")]
    assert (found.for_first[0].first, found.for_first[0].second) == (1.0, 0.0)
    assert found.for_second == ()


def test_of_items_alike_those_on_which_humans_differ_most_come_first() -> None:
    found = one(tiny(GOOD, -GOOD), "M0", "M1")
    assert [item.item for item in found.for_first] == ["4", "1", "3", "2"]


def test_under_a_measure_of_systems_items_are_judged_by_calibrated_accuracy(data: EvalSet) -> None:
    found = one(data, "Lexical", "Neural", "pa")
    assert str(found.judged_by) == "acc_eq(epsilon=best)@item"
    assert found.for_first
    assert found.for_second


def test_as_many_items_are_shown_as_asked_for(data: EvalSet) -> None:
    assert len(compare(data, "Lexical", "Neural", plan=FAST, shown=2).found[0].for_first) == 2
    assert compare(data, "Lexical", "Neural", plan=FAST, shown=0).found[0].for_first == ()


@given(st.integers(10, 10_000), st.floats(0.001, 0.5), st.floats(0.001, 0.5))
def test_the_units_needed_give_the_power_asked_for(units: int, delta: float, spread: float) -> None:
    needed = units_needed(units, delta, spread, alpha=0.05, power=0.8)
    assert needed is not None

    def power(n: int) -> float:
        return float(norm.sf(norm.isf(0.05) - delta / (spread * (units / n) ** 0.5)))

    assert power(needed) >= 0.8 - 1e-9
    assert needed == 2 or power(needed - 1) < 0.8


def test_no_difference_needs_no_number_of_units() -> None:
    assert units_needed(100, 0.0, 0.1, alpha=0.05) is None
    assert units_needed(100, float("nan"), 0.1, alpha=0.05) is None
    assert units_needed(100, 0.1, float("nan"), alpha=0.05) is None


def test_documents_are_counted_where_documents_are_exchanged(data: EvalSet) -> None:
    found = compare(data, "Lexical", "Neural", plan=replace(FAST, unit="document"))
    assert found.found[0].units == len(set(pair_up(data).document_of_item.tolist()))
    assert "documents" in as_text(found)


def test_metrics_with_the_same_scores_leave_nothing_to_settle() -> None:
    found = compare(tiny(GOOD, GOOD), "M0", "M1", plan=FAST)
    assert (found.found[0].delta, found.found[0].ahead, found.found[0].behind) == (0.0, None, None)
    assert found.found[0].needed is None
    assert "nothing to settle" in as_text(found)


def test_a_metric_without_a_value_cannot_be_compared() -> None:
    found = compare(tiny(GOOD, np.zeros((3, 4))), "M0", "M1", ["pearson@item"], plan=FAST)
    assert (found.found[0].delta, found.found[0].p, found.found[0].second.value) == (None, None, None)
    assert "cannot be compared" in as_text(found)
    assert json.loads(as_json(found))["comparisons"][0]["delta"] is None


def test_without_a_test_the_bootstrap_says_what_would_settle_it(data: EvalSet) -> None:
    found = compare(data, "Lexical", "Neural", plan=replace(FAST, test="none"))
    assert found.found[0].p is None
    assert not found.found[0].settled
    assert found.found[0].needed is not None
    assert "nothing was tested" in as_text(found)


def test_without_test_and_bootstrap_there_are_values_only(data: EvalSet) -> None:
    found = compare(data, "Lexical", "Neural", plan=Plan(test="none", bootstrap="none"))
    only = found.found[0]
    assert (only.p, only.interval, only.needed, only.first.interval) == (None, None, None, None)
    assert "interval" not in as_text(found)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ("BLEU", "Neural", "no metric .*matches 'BLEU'"),
        ("Neural", "Neural-refA", "Neural and Neural-refA are the same metric"),
        ("*", "Neural", r"no metric is called '\*'"),
    ],
)
def test_two_metrics_have_to_be_named(data: EvalSet, first: str, second: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        compare(data, first, second, plan=FAST)


def test_a_name_with_two_variants_is_refused(data: EvalSet) -> None:
    more = data.with_metrics(replace(data.metrics["Neural-refA"], reference="src"))
    with pytest.raises(InputError, match="'Neural' stands for several metrics"):
        compare(more, "Neural", "Lexical", plan=FAST)


def both(data: EvalSet) -> Comparisons:
    return compare(data, "Lexical", "Neural", ["acc_eq@item", "pa"], plan=FAST)


def test_the_screen_says_who_is_better_how_sure_and_what_it_takes(data: EvalSet) -> None:
    said = as_text(both(data))
    assert "Neural-refA is better than Lexical-refA (p = 0.0099, PERM-INPUTS, 100 draws)." in said
    assert "is found 80% of the time with about" in said
    assert said.count("agrees with the humans where") == 4  # by acc_eq as it is, and calibrated for pa


def test_what_is_not_settled_is_said_to_be_chance_perhaps(data: EvalSet) -> None:
    said = as_text(compare(data, "Coarse", "Neural", plan=replace(FAST, alpha=0.0001)))
    assert "but this may be chance" in said
    assert "If the difference is real, it takes about" in said


def test_texts_cannot_move_the_cursor() -> None:
    turned = GOOD.copy()
    turned[:, 3] = -GOOD[:, 3]
    found = compare(tiny(GOOD, turned, source=("a", "b", "c", "\x1b[31md\n")), "M0", "M1", plan=FAST)
    assert "\x1b" not in as_text(found)
    assert "\\x1b[31md\\n" in as_text(found)


def test_json_holds_everything(data: EvalSet) -> None:
    said = json.loads(as_json(both(data)))
    assert [c["measure"] for c in said["comparisons"]] == ["acc_eq@item", "pa"]
    first = said["comparisons"][0]
    assert (first["better"], first["worse"], first["settled"]) == ("Neural-refA", "Lexical-refA", True)
    assert {"item", "document", "first", "second", "source"} == first["first_is_right"][0].keys()
    assert said["signature"]["draws"] == 100


def test_a_test_that_does_not_hold_its_level_is_said_not_to(data: EvalSet) -> None:
    found = compare(data, "Lexical", "Neural", plan=Plan(test="perm-both", draws=20))
    assert "! PERM-BOTH swaps single cells" in as_text(found)
