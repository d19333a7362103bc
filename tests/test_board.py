"""The board: values, ranks, notes and the signature."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from metaeval.board import OFFICIAL_MEASURES, competition_ranks, rank
from metaeval.errors import InputError
from metaeval.evalset import EvalSet, by_key
from metaeval.measures.registry import parse_measure
from metaeval.scores import Scores
from metaeval.significance.plan import Plan
from metaeval.simulate import simulate

QUIET = Plan(test="none", bootstrap="none")
NAN = float("nan")


def evalset(**metrics: list[list[float]]) -> EvalSet:
    human = np.array([[3.0, 2.0, 2.0, 3.0], [1.0, 1.0, 0.0, 2.0], [0.0, 2.0, 1.0, 1.0]])
    given = {name: np.array(values) for name, values in metrics.items()}
    scorers = {"good": human, "bad": -human, "flat": np.zeros((3, 4))} | given
    return EvalSet(
        systems=("A", "B", "C"),
        items=("1", "2", "3", "4"),
        human=by_key([Scores("mqm", segment=human)]),
        metrics=by_key(Scores(name, segment=values) for name, values in scorers.items()),
        item_context={"domain": ("news", "news", "talk", "talk")},
    )


def values(data: EvalSet, measure: str) -> dict[str, float | None]:
    board = rank(data, [measure], plan=QUIET)
    return {row.metric.key: row.value for row in board.tables[0].rows}


def test_metrics_come_best_first_and_one_without_a_value_last() -> None:
    rows = rank(evalset(), ["pearson@item"], plan=QUIET).tables[0].rows
    assert [(row.metric.key, row.rank) for row in rows] == [("good", 1), ("bad", 2), ("flat", None)]
    assert rows[-1].value is None


def test_equal_values_share_a_rank() -> None:
    assert competition_ranks(np.array([0.5, 0.7, 0.5, NAN, 0.1])) == [2, 1, 2, None, 4]


def test_without_measures_the_official_ones_are_shown() -> None:
    board = rank(evalset(), plan=QUIET)
    assert [str(table.measure) for table in board.tables] == list(OFFICIAL_MEASURES)


def test_an_official_measure_that_the_data_do_not_allow_is_left_out_and_noted() -> None:
    lone = evalset().select(systems="A")
    with pytest.raises(InputError, match="no official measure exists on this data"):
        rank(lone, plan=QUIET)


def test_one_measure_needs_no_list() -> None:
    name = "pearson@item"
    boards = [rank(evalset(), given, plan=QUIET) for given in ([name], name, parse_measure(name))]
    assert len({str(board) for board in boards}) == 1


def test_unknown_system_scores_are_refused_not_taken_for_means() -> None:
    wrong: Any = "sum"
    with pytest.raises(InputError, match="there are no system scores 'sum'"):
        rank(evalset(), ["pa"], plan=QUIET, system_scores=wrong)


def test_every_pair_of_metrics_is_compared_once_the_better_first() -> None:
    table = rank(evalset(), ["acc_eq@item"], plan=Plan(draws=50)).tables[0]
    pairs = {(c.better, c.worse) for c in table.comparisons}
    assert pairs == {("good", "bad"), ("good", "flat"), ("bad", "flat")}
    assert all(c.delta >= 0 for c in table.comparisons)
    assert table.exact


def test_pairs_that_clusters_part_without_a_difference_are_counted_and_said() -> None:
    board = rank(simulate(systems=8, items=60, text=False, seed=5).evalset, ["tau_b@item"])
    table = board.tables[0]
    cluster = {row.metric.key: row.cluster for row in table.rows}
    apart = [c for c in table.comparisons if cluster[c.better] != cluster[c.worse] and c.p > 0.05]
    assert len(apart) == table.parted > 0
    assert f"the clusters part {table.parted} pair" in str(board)


def test_a_metric_without_a_value_is_in_no_comparison_and_no_cluster() -> None:
    table = rank(evalset(), ["pearson@item"], plan=Plan(draws=50)).tables[0]
    assert {(c.better, c.worse) for c in table.comparisons} == {("good", "bad")}
    flat = table.rows[-1]
    assert (flat.cluster, flat.letters, flat.interval) == (None, "", None)


def test_metrics_compared_on_different_groups_raise_a_note() -> None:
    ties = evalset(gappy=[[1.0, 2, 0, 0], [2.0, 1, 0, 0], [3.0, 3, 0, 0]])
    board = rank(ties, ["tau_b@item"], metrics="good,gappy", plan=QUIET)
    assert len(board.notes) == 1
    assert "tau_b@item is undefined in different groups for different metrics" in board.notes[0]
    assert "(gappy: 2 of 4)" in board.notes[0]
    assert not rank(ties, ["acc_eq@item"], metrics="good,gappy", plan=QUIET).notes


def test_dropped_cells_are_noted() -> None:
    gap = evalset(holey=[[1.0, NAN, 0, 0], [2.0, 1, 0, 0], [3.0, 3, 0, 0]])
    board = rank(gap, ["acc_eq@item"], missing="drop", plan=QUIET)
    assert board.notes == ("left out, a metric has no score there: 1 cells",)


def test_a_domain_is_ranked_on_its_items_alone() -> None:
    board = rank(evalset(), ["acc_eq@item"], domain="talk", plan=QUIET)
    assert (board.systems, board.items) == (3, 2)


def test_the_share_of_human_ties_is_told_for_the_grouping() -> None:
    by_item = rank(evalset(), ["acc_eq@item"], plan=QUIET).tables[0]
    assert by_item.tied == pytest.approx(1 / 12)
    assert rank(evalset(), ["system_pearson"], plan=QUIET).tables[0].tied is None


def test_the_signature_tells_how_to_get_the_numbers_again_but_not_how_the_work_was_spread() -> None:
    one = rank(evalset(), ["acc_eq@item"], plan=Plan(draws=7, seed=3, jobs=2), correction="holm").signature
    assert one["draws"] == 7
    assert one["seed"] == 3
    assert one["correction"] == "holm"
    assert one["data"] == evalset().digest[:8]
    assert "jobs" not in one


def test_a_correction_never_lowers_a_p_value() -> None:
    plain, holm = (
        rank(evalset(), ["acc_eq@item"], plan=Plan(draws=50), correction=c).tables[0].comparisons
        for c in ("none", "holm")
    )
    assert all(b.p >= a.p for a, b in zip(plain, holm, strict=True))
    assert any(b.p > a.p for a, b in zip(plain, holm, strict=True))


def test_progress_is_told_by_measure() -> None:
    told: list[tuple[str, int, int]] = []
    rank(evalset(), ["acc_eq@item"], plan=QUIET, progress=lambda *args: told.append(args))
    assert told
    assert {what for what, _, _ in told} == {"acc_eq@item"}


def test_published_system_scores_are_used_on_request_and_cannot_be_resampled() -> None:
    human = np.array([[3.0, 2.0], [1.0, 1.0], [0.0, 2.0]])
    data = EvalSet(
        systems=("A", "B", "C"),
        items=("1", "2"),
        human=by_key([Scores("mqm", segment=human)]),
        metrics=by_key([Scores("corpus", segment=human, system=np.array([1.0, 2.0, 3.0]))]),
    )
    by_mean, own = (
        rank(data, ["system_tau_b"], plan=QUIET, system_scores=scores).tables[0].rows[0].value
        for scores in ("mean", "published")
    )
    assert (by_mean, own) != (own, own)
    assert rank(data, plan=QUIET, system_scores="published").signature["system_scores"] == "published"
    with pytest.raises(InputError, match=r"published system scores cannot be resampled\n  Add --test none"):
        rank(data, ["pa"], system_scores="published")


def test_a_test_that_does_not_hold_its_level_says_so() -> None:
    board = rank(evalset(), ["acc_eq@item"], plan=Plan(test="perm-pairs", draws=20))
    assert board.notes[0].startswith("PERM-PAIRS takes the pairs of an item for independent")
    assert not rank(evalset(), ["acc_eq@item"], plan=Plan(draws=20)).notes


def test_an_interrupt_keeps_the_measures_that_are_done() -> None:
    def interrupted(what: str, done: int, total: int) -> None:
        if what == "tau_b@item":
            raise KeyboardInterrupt

    board = rank(evalset(), ["acc_eq@item", "tau_b@item", "pa"], plan=QUIET, progress=interrupted)
    assert [str(table.measure) for table in board.tables] == ["acc_eq@item"]
    assert board.notes == ("interrupted: not done are tau_b@item, pa",)
    with pytest.raises(KeyboardInterrupt):
        rank(evalset(), ["tau_b@item"], plan=QUIET, progress=interrupted)
