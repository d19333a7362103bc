"""Candidates: choosing by a metric pleases it more than it helps."""

import numpy as np
import pytest

from metaeval.errors import InputError
from metaeval.simulate import CLEAN, Simulation, candidates, simulate


@pytest.fixture(scope="module")
def simulation() -> Simulation:
    return simulate(CLEAN, seed=4, items=300)


def test_candidates_are_outputs_like_the_systems_own(simulation: Simulation) -> None:
    pool = candidates(simulation, "Gum", 40)
    row = simulation.systems.index("Gum")
    assert pool.quality.shape == (40, 300)
    assert pool.quality.mean() == pytest.approx(simulation.drawn.world.quality[row].mean(), abs=0.1)
    for position, kind in enumerate(simulation.config.kinds):
        own, theirs = simulation.drawn.metrics[position, row], pool.scores[kind.key]
        assert theirs.mean() == pytest.approx(own.mean(), abs=0.15 * own.std())
        by_item = np.corrcoef(theirs.mean(axis=0), simulation.drawn.metrics[position].mean(axis=0))[0, 1]
        assert by_item > 0.9


def test_choosing_by_a_metric_raises_its_score_more_than_quality(simulation: Simulation) -> None:
    pool = candidates(simulation, "Gum", 16)
    choice = pool.scores["Neural-refA"].argmax(axis=0)
    evalset = pool.add_to(simulation.evalset, choice.tolist(), "Gum-Neural")
    row, kind = simulation.systems.index("Gum"), simulation.config.kinds[0]
    scores = evalset.metrics["Neural-refA"].segment
    human = evalset.human["mqm"].segment
    assert scores is not None
    assert human is not None
    by_metric = (scores[-1].mean() - scores[row].mean()) / kind.scale
    truly = pool.quality[choice, np.arange(300)].mean() - simulation.drawn.world.quality[row].mean()
    assert by_metric > 1.5 * truly > 0
    assert np.nanmean(human[-1]) > np.nanmean(human[row])
    assert np.array_equal(np.isnan(human[-1]), np.isnan(human[row]))
    assert evalset.outputs["Gum-Neural"][7] == pool.texts[choice[7]][7]


def test_the_same_candidates_come_again_and_others_for_another_system(simulation: Simulation) -> None:
    once, again = candidates(simulation, "Elm", 3), candidates(simulation, "Elm", 3)
    assert np.array_equal(once.quality, again.quality)
    assert once.texts == again.texts
    assert not np.array_equal(once.quality, candidates(simulation, "Fir", 3).quality)


def test_data_without_texts_stay_without() -> None:
    simulation = simulate(CLEAN, items=10, text=False)
    pool = candidates(simulation, "Elm", 2)
    assert not pool.add_to(simulation.evalset, [0] * 10, "Elm-2").outputs


def test_what_cannot_be_chosen_is_refused(simulation: Simulation) -> None:
    with pytest.raises(InputError, match="there is no system 'Elmo'"):
        candidates(simulation, "Elmo")
    with pytest.raises(InputError, match="expected at least 1 candidate"):
        candidates(simulation, "Elm", 0)
    pool = candidates(simulation, "Elm", 2)
    with pytest.raises(InputError, match="choice must hold 300 numbers from 0 to 1"):
        pool.add_to(simulation.evalset, [2] * 300, "New")
    with pytest.raises(InputError, match="choice must hold"):
        pool.add_to(simulation.evalset, [0], "New")
    with pytest.raises(InputError, match="there is a system 'Fir' already"):
        pool.add_to(simulation.evalset, [0] * 300, "Fir")
