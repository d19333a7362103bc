"""The stated truth is what large samples show."""

import json

import numpy as np
import pytest
from scipy.stats import kendalltau

from metaeval.errors import InputError
from metaeval.scores import FloatArray
from metaeval.simulate import CLEAN, Kind, Simulation, simulate

GROUPINGS = ("none", "item", "system", "systems")


def _pearson(left: FloatArray, right: FloatArray, grouping: str) -> float | None:
    """Correlation of differences within groups, or of system means."""
    if grouping == "systems":
        left, right = left.mean(axis=1), right.mean(axis=1)
    else:
        axis = {"none": None, "item": 0, "system": 1}[grouping]
        left, right = (each - each.mean(axis=axis, keepdims=True) for each in (left, right))
    spread = np.std(left) * np.std(right)
    return None if spread < 1e-9 else float(((left - left.mean()) * (right - right.mean())).mean() / spread)


@pytest.fixture(scope="module", params=[0, 1])
def large(request: pytest.FixtureRequest) -> Simulation:
    return simulate(items=40_000, documents=20_000, text=False, seed=request.param)


@pytest.mark.parametrize("grouping", GROUPINGS)
def test_measured_correlations_converge_to_the_truth(large: Simulation, grouping: str) -> None:
    for kind, scores in zip(large.config.kinds, large.drawn.metrics, strict=True):
        true = large.truth.metrics[kind.key].correlation[grouping]
        measured = _pearson(scores, large.drawn.world.quality, grouping)
        if true is None:
            assert measured is None or kind.name == "Random"
        else:
            assert measured == pytest.approx(true, abs=0.015), kind.key


def test_a_strong_lean_and_few_levels_are_right_too() -> None:
    simulation = simulate(
        items=40_000, documents=20_000, text=False, domains=1, systems=4, verbosity=1.0,
        metrics=("qe_length", "length_biased", "discrete"), source_lean=2.0, length_bias=-1.5,
        gamed_metric="discrete", gaming=3.0,
    )  # fmt: skip
    for kind, scores in zip(simulation.config.kinds, simulation.drawn.metrics, strict=True):
        for grouping, true in simulation.truth.metrics[kind.key].correlation.items():
            assert _pearson(scores, simulation.drawn.world.quality, grouping) == pytest.approx(true, abs=0.02)


def test_humans_of_many_items_order_metrics_as_the_truth_does(large: Simulation) -> None:
    rated = ~np.isnan(large.drawn.human).any(axis=0)
    human = large.drawn.human[:, rated][:, :4000]
    measured = {
        kind.key: float(kendalltau(human.ravel(), scores[:, rated][:, :4000].ravel())[0])
        for kind, scores in zip(large.config.kinds, large.drawn.metrics, strict=True)
        if kind.quality and not kind.levels  # Kendall's tau-b favours few levels
    }
    expected = [key for key in large.truth.ranking("none") if key in measured]
    assert sorted(measured, key=lambda key: -measured[key]) == expected


def test_the_gamed_system_gains_what_is_stated_and_only_there() -> None:
    with_gaming = simulate(items=100, text=False, seed=3, gaming=1.5)
    without = simulate(items=100, text=False, seed=3, gamed=False)
    gamed = with_gaming.truth.gamed
    assert gamed is not None
    assert without.truth.gamed is None
    row = with_gaming.evalset.systems.index(gamed.system)
    shift = with_gaming.drawn.metrics - without.drawn.metrics
    assert np.allclose(shift[0, row], gamed.gain, atol=2e-6)
    assert gamed.gain == pytest.approx(1.5 * with_gaming.config.kinds[0].residual * 0.06)
    shift[0, row] = 0
    assert not shift.any()
    assert np.array_equal(with_gaming.drawn.human, without.drawn.human, equal_nan=True)
    better = (with_gaming.truth.system_quality > with_gaming.truth.system_quality[row]).sum()
    assert better in (5, 6)


@pytest.mark.parametrize("name", ["lexical", "Lexical-refA"])
def test_any_metric_can_be_gamed_by_key_or_kind(name: str) -> None:
    gamed = simulate(items=10, text=False, gamed_metric=name).truth.gamed
    assert gamed is not None
    assert gamed.metric == "Lexical-refA"


def test_a_declared_metric_can_be_gamed() -> None:
    mine = Kind(name="Mine", quality=1.0, noise=2.0)
    gamed = simulate(items=10, text=False, metrics=("lexical", mine), gamed_metric="Mine-refA", gaming=0.5)
    assert gamed.truth.gamed is not None
    assert gamed.truth.gamed.gain == pytest.approx(1.0)


def test_grouping_by_item_takes_away_what_leaning_on_the_source_earns() -> None:
    truth = simulate(CLEAN, source_lean=1.0, length_difficulty=1.0, text=False).truth
    without = simulate(CLEAN, source_lean=0.0, length_difficulty=1.0, text=False).truth
    key = "QE-src"

    def gained(grouping: str) -> float:
        values = [each.metrics[key].correlation[grouping] for each in (truth, without)]
        assert values[0] is not None
        assert values[1] is not None
        return values[0] - values[1]

    assert gained("none") > 0.01
    assert gained("item") == pytest.approx(0, abs=1e-12)


def test_differences_and_rankings_agree() -> None:
    truth = simulate(text=False).truth
    best, second, *_ = truth.ranking()
    difference = truth.difference(best, second)
    assert difference is not None
    assert difference > 0
    assert truth.difference(best, "Constant-refA") is None
    assert "Constant-refA" not in truth.ranking()
    with pytest.raises(InputError, match="there is no grouping 'items'"):
        truth.ranking("items")
    with pytest.raises(InputError, match="there is no metric 'BLEU'"):
        truth.difference(best, "BLEU")


def test_the_truth_can_be_written_as_json() -> None:
    truth = simulate(systems=3, items=5, text=False, seed=2).truth
    written = json.loads(json.dumps(truth.as_dict(), allow_nan=False))
    assert written["seed"] == 2
    assert written["gamed"]["metric"] == "Neural-refA"
    assert np.shape(written["quality"]) == (3, 5)
    assert "quality" not in truth.as_dict(cells=False)


def test_a_discrete_metric_that_never_varies_has_no_correlation() -> None:
    truth = simulate(CLEAN, metrics=(Kind(name="Still", levels=3),), text=False).truth
    assert set(truth.metrics["Still-refA"].correlation.values()) == {None}
