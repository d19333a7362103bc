"""Leaderboards on simulated sets, against loops that say what an average over tasks is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from conftest import real
from leaderboard_data import SETS, definition, renamed, simulated, task, write_sets

from metaeval.board import rank
from metaeval.errors import InputError
from metaeval.evalset import EvalSet, by_key
from metaeval.leaderboard import Leaderboard, find_definition, run
from metaeval.leaderboard.data import Contestant, Entry, load, stream_seed
from metaeval.leaderboard.file import parse_definition
from metaeval.measures.registry import parse_measure
from metaeval.paired import pair_up
from metaeval.scores import FloatArray, Scores
from metaeval.significance.engine import gather
from metaeval.significance.plan import Plan

FAST = Plan(draws=60)
MIXED = (
    task("pa", pooled=True, weight=3) + task("system_pearson", weight=0.5) + task("acc_eq(epsilon=best)@item")
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_sets(tmp_path_factory.mktemp("sets"))


def board(
    folder: Path, tasks: str, plan: Plan = FAST, more: str = "", with_borda: bool = False
) -> Leaderboard:
    found = parse_definition(definition(tasks, more=more), "mine.toml")
    return run(found, folder, plan=plan, with_borda=with_borda)


def averages(found: Leaderboard) -> dict[str, float | None]:
    return {row.metric.name: row.value for row in found.average.standings}


def p_values(found: Leaderboard) -> dict[tuple[str, str], float]:
    return {(d.better.name, d.worse.name): d.p for d in found.average.duels}


def test_the_average_is_the_weighted_mean_of_values_mapped_to_the_unit_range(folder: Path) -> None:
    found = board(folder, MIXED)
    entries = load(parse_definition(definition(MIXED), "mine.toml"), folder)
    for name, value in averages(found).items():
        total = weights = 0.0
        agree = pairs = 0
        for entry in entries.values():
            human, metric = matrices(entry, name)
            r = parse_measure("system_pearson").evaluate(human, metric).value
            acc = parse_measure("acc_eq(epsilon=best)@item").evaluate(human, metric).value
            total, weights = total + 0.5 * (1 + r) / 2 + 1 * acc, weights + 1.5
            for s in range(len(human)):
                for t in range(s):
                    sides = (
                        np.sign(human[s].mean() - human[t].mean()),
                        np.sign(metric[s].mean() - metric[t].mean()),
                    )
                    agree, pairs = agree + int(sides[0] == sides[1]), pairs + 1
        assert value == pytest.approx((total + 3 * agree / pairs) / (weights + 3))


def matrices(entry: Entry, name: str) -> tuple[FloatArray, FloatArray]:
    at = [c.name for c in entry.contestants].index(name)
    return entry.paired.human, entry.paired.scores[at]


def test_two_identical_tasks_average_to_the_task(folder: Path) -> None:
    one = board(folder, task("pearson@item", sets=["aa-bb"]) + task("pa", sets=["cc-dd"], weight=1e-12))
    two = board(folder, task("pearson@item", sets=["aa-bb"]) * 2 + task("pa", sets=["cc-dd"], weight=1e-12))
    assert averages(one) == pytest.approx(averages(two), abs=1e-9)
    assert p_values(one) == p_values(two)


def test_a_leaderboard_of_one_task_agrees_with_rank(folder: Path) -> None:
    found = run(parse_definition(definition(task("acc_eq@item"), ["aa-bb"]), "mine.toml"), folder, plan=FAST)
    ranked = rank(simulated("aa-bb", SETS["aa-bb"]), ["acc_eq@item"], plan=FAST).tables[0]
    assert averages(found) == pytest.approx({row.metric.name: row.value for row in ranked.rows})
    by_key = {m.key: m.name for m in (row.metric for row in ranked.rows)}
    assert p_values(found) == {(by_key[c.better], by_key[c.worse]): c.p for c in ranked.comparisons}
    assert [s.cluster for s in found.average.standings] == [row.cluster for row in ranked.rows]
    intervals = [
        (s.interval, row.interval) for s, row in zip(found.average.standings, ranked.rows, strict=True)
    ]
    assert all(ours == pytest.approx(theirs) for ours, theirs in intervals)


def test_the_null_of_the_average_is_the_sum_over_tasks_draw_by_draw(folder: Path) -> None:
    text = task("pa", sets=["aa-bb"], weight=2) + task("pearson@none", sets=["cc-dd"])
    found, plan = board(folder, text), FAST
    nulls: list[FloatArray] = []
    values: list[FloatArray] = []
    for (pair, seed), measure, weight, width in zip(
        SETS.items(), ("pa", "pearson@none"), (2 / 3, 1 / 3), (1, 2), strict=True
    ):
        paired, statistic = pair_up(simulated(pair, seed)), parse_measure(measure)
        outcomes = [statistic.evaluate(paired.human, scores) for scores in paired.scores]
        seeded = replace(plan, seed=stream_seed(plan.seed, len(nulls)))
        evidence = gather(paired, statistic, outcomes, seeded, keep_null=True)
        assert evidence.null is not None
        nulls.append(evidence.null / width * weight)
        values.append(np.array([o.value for o in outcomes]) / width * weight)
        names = [m.name for m in paired.metrics]
    for (better, worse), p in p_values(found).items():
        i, j = names.index(better), names.index(worse)
        observed = sum(v[i] - v[j] for v in values)
        count = 0
        for draw in range(plan.draws):
            count += sum(null[draw, i, j] for null in nulls) >= observed - 1e-10
        assert p == (count + 1) / (plan.draws + 1)


def test_wmts_p_is_the_plain_share(folder: Path) -> None:
    ours = p_values(board(folder, MIXED, FAST))
    theirs = p_values(board(folder, MIXED, replace(FAST, convention="wmt")))
    assert theirs == pytest.approx({pair: (p * 61 - 1) / 60 for pair, p in ours.items()})


def test_pooled_accuracy_counts_the_pairs_of_all_sets(tmp_path: Path) -> None:
    sets = {"aa-bb": simulated("aa-bb", 1, systems=3), "cc-dd": simulated("cc-dd", 2, systems=6)}
    found = board(write_sets(tmp_path, sets), task("pa", pooled=True))
    single = board(tmp_path, task("pa"))
    for name, value in averages(found).items():
        first, second = (
            next(row.value for row in table.standings if row.metric.name == name) for table in single.tasks
        )
        assert value == pytest.approx(((first or 0) * 3 + (second or 0) * 15) / 18)


def test_every_number_is_the_same_whatever_the_jobs(folder: Path) -> None:
    assert board(folder, MIXED).average == board(folder, MIXED, replace(FAST, jobs=2)).average


def test_sets_have_draws_of_their_own_and_the_same_data_the_same_draws(folder: Path) -> None:
    text = definition(task("pa")).replace('"cc-dd.bundle"', '"aa-bb.bundle"')
    twice = load(parse_definition(text, "mine.toml"), folder)
    apart = load(parse_definition(definition(task("pa")), "mine.toml"), folder)
    assert [entry.stream for entry in twice.values()] == [0, 0]
    assert [entry.stream for entry in apart.values()] == [0, 1]


def test_sets_so_small_that_all_exchanges_are_enumerated_are_averaged_too(tmp_path: Path) -> None:
    sets = {"aa-bb": simulated("aa-bb", 1, items=5), "cc-dd": simulated("cc-dd", 2, items=40)}
    found = board(write_sets(tmp_path, sets), task("pearson@none"))
    exact = rank(sets["aa-bb"], ["pearson@none"], plan=FAST).tables[0]
    assert exact.exact
    assert {d.p for d in found.tasks[0].duels} == {c.p for c in exact.comparisons}
    assert all(0 < p <= 1 for p in p_values(found).values())


def test_a_metric_is_the_same_under_another_reference(tmp_path: Path) -> None:
    sets = {"aa-bb": simulated("aa-bb", 1), "cc-dd": renamed(simulated("cc-dd", 2), "refB")}
    found = board(write_sets(tmp_path, sets), task("pa"))
    assert {str(row.metric) for row in found.average.standings} == {
        *("Neural", "Lexical", "Coarse", "Longish", "QE *")
    }


def test_a_metric_that_is_not_in_all_sets_is_shown_but_not_averaged(tmp_path: Path) -> None:
    first, second = simulated("aa-bb", 1), simulated("cc-dd", 2)
    fewer = replace(second, metrics={k: m for k, m in second.metrics.items() if m.name != "Lexical"})
    found = board(write_sets(tmp_path, {"aa-bb": first, "cc-dd": fewer}), task("pa"))
    assert "Lexical" not in averages(found)
    assert Contestant("Lexical", False) in found.tasks[0].by_metric()
    assert "not averaged, not in all sets: Lexical" in found.notes


def test_a_metric_without_a_value_in_some_task_has_no_average(tmp_path: Path) -> None:
    sets: Mapping[str, EvalSet] = {
        pair: simulated(pair, seed).with_metrics(Scores("Flat", "src", segment=np.zeros((5, 24))))
        for pair, seed in SETS.items()
    }
    found = board(write_sets(tmp_path, dict(sets)), task("pearson@item") + task("pa"), with_borda=True)
    last = found.average.standings[-1]
    assert (last.metric.name, last.value, last.rank, last.cluster, last.borda) == (
        "Flat",
        None,
        None,
        None,
        None,
    )


def test_by_borda_the_order_is_that_of_the_counts(folder: Path) -> None:
    found = board(folder, MIXED, with_borda=True)
    counts = [row.borda or 0 for row in found.average.standings]
    assert counts == sorted(counts, reverse=True)
    assert found.average.standings[0].rank == 1


def test_without_a_test_there_are_values_and_nothing_else(folder: Path) -> None:
    found = board(folder, MIXED, Plan(test="none", bootstrap="none"))
    assert found.average.duels == ()
    assert {(row.cluster, row.letters, row.interval) for row in found.average.standings} == {(None, "", None)}


def test_human_outputs_and_outliers_do_not_count_where_the_file_says_so(tmp_path: Path) -> None:
    plain = simulated("aa-bb", 1)
    marked = replace(plain, references={plain.systems[0]: ("",) * 24, "refA": ("",) * 24})
    write_sets(tmp_path, {"aa-bb": marked})
    text = definition(task("pa"), ["aa-bb"])
    extra = f'"aa-bb.bundle"\nhuman_outputs = false\noutliers = ["{plain.systems[1]}"]'
    kept = load(parse_definition(text.replace('"aa-bb.bundle"', extra), "mine.toml"), tmp_path)
    assert kept["aa-bb"].paired.systems == plain.systems[2:]
    assert len(load(parse_definition(text, "mine.toml"), tmp_path)["aa-bb"].paired.systems) == 5


def test_metrics_are_chosen_where_they_are(folder: Path) -> None:
    found = board(folder, task("pa"), more='metrics = ["Neural", "QE-*"]')
    assert set(averages(found)) == {"Neural", "QE"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            ('"aa-bb.bundle"', '"none.bundle"'),
            r"mine.toml: \[sets.aa-bb\]: .*there is no such file or folder",
        ),
        (('"aa-bb.bundle"', '"none.bundle"'), "alone they run with --pairs cc-dd"),
        (
            ('"aa-bb.bundle"', '"aa-bb.bundle"\nhuman = "esa"'),
            r"\[sets.aa-bb\]: there are no human scores 'esa'",
        ),
        (('"aa-bb.bundle"', '"aa-bb.bundle"\noutliers = ["X"]'), r"\[sets.aa-bb\]: no system matches 'X'"),
        (('name = "test"', 'name = "test"\nmetrics = ["BLEU"]'), r"\[sets.aa-bb\]: no metric matches BLEU"),
        (('name = "test"', 'name = "test"\nmetrics = ["Neural", "BLEU"]'), "no metric matches 'BLEU'"),
    ],
)
def test_what_the_data_do_not_have_is_said_with_file_and_key(
    folder: Path, change: tuple[str, str], message: str
) -> None:
    text = definition(task("pa")).replace(*change)
    with pytest.raises(InputError, match=message):
        run(parse_definition(text, "mine.toml"), folder, plan=FAST)


def test_two_variants_of_one_metric_are_refused(tmp_path: Path) -> None:
    twice = simulated("aa-bb", 1).with_metrics(Scores("Neural", segment=np.zeros((5, 24))))
    write_sets(tmp_path, {"aa-bb": twice})
    with pytest.raises(InputError, match="Neural-refA and Neural are the same metric, Neural"):
        run(parse_definition(definition(task("pa"), ["aa-bb"]), "mine.toml"), tmp_path, plan=FAST)


def test_sets_without_a_common_metric_cannot_be_averaged(tmp_path: Path) -> None:
    first, second = simulated("aa-bb", 1), simulated("cc-dd", 2)
    other = replace(second, metrics=by_key(replace(m, name=f"{m.name}2") for m in second.metrics.values()))
    with pytest.raises(InputError, match="no metric is in all sets"):
        board(write_sets(tmp_path, {"aa-bb": first, "cc-dd": other}), task("pa"))


def test_missing_scores_are_an_error_or_dropped(tmp_path: Path) -> None:
    whole = simulated("aa-bb", 1)
    holes = np.array(whole.metrics["Neural-refA"].segment)
    rated = np.argwhere(~np.isnan(np.asarray(whole.human["mqm"].segment)))[0]
    holes[tuple(rated)] = np.nan
    write_sets(tmp_path, {"aa-bb": whole.with_metrics(Scores("Neural", "refA", segment=holes))})
    text = parse_definition(definition(task("pa"), ["aa-bb"]), "mine.toml")
    with pytest.raises(InputError, match=r"\[sets.aa-bb\]: Neural-refA has no score for 1 of"):
        run(text, tmp_path, plan=FAST)
    assert (
        "aa-bb: left out, a metric has no score there: 1 cells"
        in run(text, tmp_path, plan=FAST, missing="drop").notes
    )


@pytest.mark.real
def test_the_wmt23_definition_runs_on_the_pair_that_is_there() -> None:
    chosen = replace(
        find_definition("wmt23")[0].only("zh-en"), metrics=("XCOMET-*", "BLEU", "COMET", "GEMBA-MQM")
    )
    found = run(chosen, real("wmt23").parent, plan=Plan(draws=50, bootstrap="none"))
    assert [(str(t.task), t.share) for t in found.tasks] == [
        ("pa zh-en", 0.25),
        ("system_pearson zh-en", 0.25),
        ("pearson@none zh-en", 0.25),
        ("acc_eq(epsilon=best)@item zh-en", 0.25),
    ]
    best, *_, worst = found.average.standings
    assert (str(best.metric), str(worst.metric)) == ("XCOMET-Ensemble", "BLEU")
    tasks = [table.by_metric()[best.metric].value or 0 for table in found.tasks]
    assert tasks == pytest.approx([0.895, 0.916, 0.650, 0.543], abs=5e-4)
    pa, *correlations, acc = tasks
    assert best.value == pytest.approx((pa + sum((1 + r) / 2 for r in correlations) + acc) / 4)


def test_a_test_that_does_not_hold_its_level_is_said_not_to(folder: Path) -> None:
    found = board(folder, task("pearson@none"), Plan(test="perm-both", draws=20))
    assert any(note.startswith("PERM-BOTH swaps single cells") for note in found.notes)
