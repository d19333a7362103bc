"""Blind detection: what gaming looks like from the scores alone."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import interference as oracle
from untouchable import without_people

from metaeval.errors import InputError
from metaeval.evalset import EvalSet
from metaeval.probes.interference.detect import Detection, detect
from metaeval.probes.interference.lines import beyond_line
from metaeval.scores import Scores
from metaeval.simulate import CLEAN, simulate


def suspected(found: Detection) -> list[tuple[str, str]]:
    return [(pair.metric, pair.system) for pair in found.suspects]


def test_gaming_of_the_default_size_comes_first_and_is_nearly_always_found() -> None:
    """200 sets, see benchmarks/interference.py: 200 first, 191 flagged after correction."""
    flagged = 0
    for seed in range(12):
        simulation = simulate(seed=seed, text=False)
        planted = simulation.truth.gamed
        assert planted is not None
        found = detect(simulation.evalset)
        assert (found.pairs[0].metric, found.pairs[0].system) == (planted.metric, planted.system)
        flagged += (planted.metric, planted.system) in suspected(found)
    assert flagged >= 11


def test_clean_data_are_rarely_flagged() -> None:
    """200 sets, see benchmarks/interference.py; here 40: 6 or more would be a 1% event at 5%."""
    assert sum(bool(detect(simulate(CLEAN, seed=s, text=False).evalset).suspects) for s in range(40)) < 6


def test_the_size_of_the_bias_is_that_of_the_gain() -> None:
    simulation = simulate(seed=3, text=False, gaming=3.0)
    planted = simulation.truth.gamed
    assert planted is not None
    assert detect(simulation.evalset).pairs[0].bias == pytest.approx(planted.gain, rel=0.35)


@pytest.mark.parametrize("gaming", [2.0, 4.0, 16.0])
def test_the_more_it_is_gamed_the_surer_it_is_found(gaming: float) -> None:
    simulation = simulate(systems=10, items=120, seed=1, text=False, gaming=gaming)
    planted = simulation.truth.gamed
    assert planted is not None
    assert (planted.metric, planted.system) in suspected(detect(simulation.evalset))


def test_no_human_score_is_read() -> None:
    data = simulate(seed=1, text=False).evalset
    assert detect(without_people(data)) == detect(data)


@given(st.integers(0, 50), st.integers(6, 14))
def test_without_outliers_t_is_scipys_deletion_residual(seed: int, systems: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(2, systems))
    fitted = beyond_line(y[None], np.broadcast_to(x, (1, systems, systems)))
    for row in range(systems):
        if fitted.freedom[0, row] == systems - 3:
            assert fitted.t[0, row] == pytest.approx(oracle.deletion_t(x.tolist(), y.tolist(), row))


def test_an_outlier_does_not_hide_another() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=14)
    y = x + 0.1 * rng.normal(size=14)
    y[3] += 5
    y[7] += 5
    fitted = beyond_line(y[None], np.broadcast_to(x, (1, 14, 14)))
    assert (fitted.t[0, [3, 7]] > 15).all()


def test_a_human_reference_is_no_suspect_unless_named() -> None:
    simulation = simulate(seed=1, text=False)
    data = dataclasses.replace(simulation.evalset, references={"Elm": ("x",) * 400, "refA": ("x",) * 400})
    found = detect(data)
    assert "Elm" not in found.systems
    assert "Elm: a human reference" in found.untested
    assert "Elm" in detect(data, systems="*").systems


def test_metrics_that_compare_no_outputs_are_not_tested() -> None:
    found = detect(simulate(seed=1, text=False).evalset)
    assert "Constant-refA: scores that differ by system or item alone" in found.untested
    assert "Favourite-src: scores that differ by system or item alone" in found.untested


def test_a_system_far_from_all_others_is_not_tested() -> None:
    qualities = (*np.linspace(-0.3, 0.3, 9), -6.0)
    found = detect(simulate(CLEAN, systems=10, system_quality=qualities, text=False, seed=1).evalset)
    assert "Juniper: far outside the range of the others" in found.untested
    assert all(pair.system != "Juniper" for pair in found.pairs)


def test_items_that_lack_a_score_are_left_out() -> None:
    data = simulate(seed=1, text=False).evalset
    segment = np.array(data.metrics["Neural-refA"].segment)
    segment[2, :5] = np.nan
    found = detect(data.with_metrics(Scores("Neural", "refA", segment)))
    assert "5 items: some metric has no score there" in found.untested


def few(systems: int) -> EvalSet:
    return simulate(CLEAN, systems=systems, items=20, text=False).evalset


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        (few(5), {}, "found 5 systems, expected at least 6"),
        (few(8), {"metrics": "Neural"}, "found 1 metrics that compare outputs, expected at least 2"),
        (few(8), {"alpha": 2.0}, "alpha is 2.0, expected a number between 0 and 1"),
        (few(8), {"metrics": "Nural"}, "no metric .* matches 'Nural'"),
        (few(8), {"exclude": "*"}, "no system is left"),
    ],
)
def test_what_cannot_be_done_is_said(data: EvalSet, options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        detect(data, **options)  # type: ignore[arg-type] # deliberately any options


def test_scores_with_gaps_everywhere_are_refused() -> None:
    data = few(8)
    gaps = np.array(data.metrics["Neural-refA"].segment)
    gaps[0, 1:] = np.nan
    with pytest.raises(InputError, match=r"1 items are scored by all .* Neural-refA lacks 95% of"):
        detect(data.with_metrics(Scores("Neural", "refA", gaps)))


def test_rounding_is_no_suspicion() -> None:
    rng = np.random.default_rng(0)
    one, other = (scores - scores.mean(axis=1, keepdims=True) for scores in rng.normal(size=(2, 10, 60)))
    data = EvalSet(
        systems=tuple(f"S{i}" for i in range(10)),
        items=tuple(map(str, range(60))),
        metrics={"A-src": Scores("A", "src", one), "B-src": Scores("B", "src", other)},
    )
    assert {(pair.bias, pair.t, pair.p) for pair in detect(data).pairs} == {(0.0, 0.0, 0.5)}
    twin = data.with_metrics(Scores("B", "src", 2 * rng.normal(size=(10, 60))))
    twin = twin.with_metrics(Scores("A", "src", 3 * np.asarray(twin.metrics["B-src"].segment)))
    assert {pair.t for pair in detect(twin).pairs} == {0.0}


def test_data_without_metrics_are_refused() -> None:
    with pytest.raises(InputError, match="no metric has segment scores here"):
        detect(EvalSet(systems=("A",), items=("1",)))


@pytest.mark.real
def test_wmt22_names_the_systems_that_metrics_chose(wmt22: EvalSet) -> None:
    pairs = [(pair.metric, pair.system) for pair in detect(wmt22).pairs[:10]]
    assert ("chrF-refA", "chrf_bestmbr") in pairs[:3]
    assert ("BLEURT-20-refA", "bleurt_bestmbr") in pairs[:3]
    assert any(metric.startswith("COMET") and system == "comet_bestmbr" for metric, system in pairs)
