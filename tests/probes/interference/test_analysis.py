"""What interference does to scores: deltas, quadrants, correlations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from metaeval.errors import InputError
from metaeval.evalset import EvalSet
from metaeval.probes.interference.agreement import agreement, describe, spearman_by_item
from metaeval.probes.interference.deltas import deltas
from metaeval.scores import Scores
from metaeval.simulate import CLEAN, candidates, simulate

DATA = EvalSet(
    systems=("greedy", "mbr"),
    items=("1", "2", "3"),
    metrics={
        "COMET-refA": Scores("COMET", "refA", np.array([[0.1, 0.2, 0.3], [0.4, 0.2, np.nan]])),
        "chrF-refA": Scores("chrF", "refA", np.array([[50.0, 60, 70], [40, 50, 60]])),
        "Kiwi-src": Scores("Kiwi", "src", np.array([[1.0, 1, 1], [1, 1, 1]])),
    },
    human={"mqm": Scores("mqm", segment=np.array([[0.0, -1, -2], [0, -2, -2]]))},
)


def test_deltas_are_of_the_segments_that_both_have_by_family_with_the_diagonal_marked() -> None:
    table = deltas(DATA, "greedy", chosen_by={"mbr": "COMET"})
    assert table.metrics == ("chrF-refA", "COMET-refA", "Kiwi-src")
    chrf, comet, kiwi = table.cells
    assert (comet.value, comet.delta) == pytest.approx((0.3, 0.15))
    assert (comet.interferes, chrf.interferes) == (True, False)
    assert (chrf.delta, chrf.family, kiwi.family) == (-10.0, "lexical", "qe")


def test_who_contradicts_the_majority_is_named() -> None:
    up = DATA.with_metrics(Scores("Other", "refA", np.array([[0.0, 0, 0], [1, 1, 1]])))
    assert deltas(up, "greedy").disagreements("mbr") == ("chrF-refA",)


def test_a_metric_that_lacks_a_system_has_no_say_in_the_majority() -> None:
    silent = DATA.with_metrics(
        Scores("Other", "refA", np.array([[0.0, 0, 0], [1, 1, 1]])),
        Scores("Silent", "refA", np.array([[np.nan] * 3, [1, 1, 1]])),
    )
    assert deltas(silent, "greedy").disagreements("mbr") == ("chrF-refA",)
    with pytest.raises(InputError, match="there is no system 'mrb'"):
        deltas(silent, "greedy").disagreements("mrb")


def test_families_can_be_given_by_name() -> None:
    table = deltas(DATA, "greedy", families={"COMET": "learned"})
    assert {cell.metric: cell.family for cell in table.cells}["COMET-refA"] == "learned"
    with pytest.raises(InputError, match="no metric is called 'COMT'"):
        deltas(DATA, "greedy", families={"COMT": "learned"})


def test_a_set_may_hold_differences_to_several_baselines() -> None:
    data = simulate(systems=5, items=30, seed=1, text=False).evalset
    found = agreement(data, "Neural-refA", "mqm", [("Elm", ["Alder", "Birch"])])[0]
    neural, human = (np.asarray(s.segment) for s in (data.metrics["Neural-refA"], data.human["mqm"]))
    x = (human[4] - human[:2]).ravel()
    y = (neural[4] - neural[:2]).ravel()[~np.isnan(x)]
    line = stats.linregress(x[~np.isnan(x)], y)
    assert (found.systems, found.segments) == ("Elm - Alder, Birch", len(y))
    assert (found.slope, found.shift) == pytest.approx((line.slope, line.intercept))
    with pytest.raises(InputError, match="Elm has no baseline"):
        agreement(data, "Neural-refA", "mqm", [("Elm", [])])


def test_quadrants_slope_and_shift_are_those_of_the_differences() -> None:
    rng = np.random.default_rng(0)
    second = rng.normal(size=200)
    first = 0.5 * second + 1.0 + 0.1 * rng.normal(size=200)
    found = describe("A - B", first, second)
    line = stats.linregress(second, first)
    assert (found.slope, found.shift) == pytest.approx((line.slope, line.intercept))
    shares = (found.both_up, found.both_down, found.only_first_up, found.only_second_up, found.unchanged)
    assert sum(shares) == pytest.approx(1)
    assert found.agree == pytest.approx(np.mean(first * second > 0))


def test_a_metric_can_be_held_against_humans() -> None:
    found = agreement(DATA, "COMET-refA", "mqm", [("mbr", "greedy")])[0]
    assert (found.segments, found.unchanged) == (2, 1.0)
    constant = agreement(DATA, "COMET-refA", "Kiwi-src", [("mbr", "greedy")])[0]
    assert np.isnan(constant.slope)


def test_interference_shifts_what_is_seen_at_no_change() -> None:
    simulation = simulate(CLEAN, items=300, seed=2, text=False)
    pool = candidates(simulation, "Elm", count=12)
    chosen = pool.scores["Neural-refA"].argmax(axis=0)
    data = pool.add_to(simulation.evalset, chosen.tolist(), "Elm-MBR")
    best = simulation.systems[int(simulation.truth.system_quality.argmax())]
    gamed, honest = agreement(data, "Neural-refA", "Lexical-refA", [("Elm-MBR", "Elm"), (best, "Elm")])
    assert gamed.shift > 1.5 * abs(honest.shift)
    assert gamed.only_first_up > 5 * gamed.only_second_up
    assert honest.only_first_up < 3 * honest.only_second_up


def test_correlations_between_metrics_are_averaged_over_items() -> None:
    data = simulate(systems=6, items=20, seed=1, text=False).evalset
    names, table = spearman_by_item(data, "Neural,Lexical,Constant")
    one, other = (np.asarray(data.metrics[name].segment) for name in names[:2])
    expected = np.mean([stats.spearmanr(a, b).statistic for a, b in zip(one.T, other.T, strict=True)])
    assert table[0, 1] == pytest.approx(expected)
    assert np.isnan(table[0, 2])
    assert np.isnan(table[2, 2])
    assert table[0, 0] == 1


def test_what_cannot_be_compared_is_said() -> None:
    with pytest.raises(InputError, match="there is no system 'gredy'"):
        deltas(DATA, "gredy")
    with pytest.raises(InputError, match="no metric is called 'COMT'"):
        deltas(DATA, "greedy", chosen_by={"mbr": "COMT"})
    with pytest.raises(InputError, match="there are no scores 'COMET'"):
        agreement(DATA, "COMET", "mqm", [("mbr", "greedy")])
    with pytest.raises(InputError, match="there is no system 'x'"):
        agreement(DATA, "COMET-refA", "mqm", [("x", "greedy")])
    bare = DATA.with_metrics(Scores("Bare", "refA", system=np.array([1.0, 2.0])))
    with pytest.raises(InputError, match="Bare-refA has no segment scores"):
        agreement(bare, "Bare-refA", "mqm", [("mbr", "greedy")])
    nan = np.full(2, np.nan)
    with pytest.raises(InputError, match="no segment has both scores"):
        describe("A - B", nan, nan)
