"""Human scores: MQM's values, its ties, and raters who differ."""

from typing import Any

import numpy as np
import pytest

from metaeval.scores import FloatArray
from metaeval.simulate import CLEAN, Config, simulate


def _ties(human: FloatArray) -> tuple[float, float]:
    """Share of tied pairs within items, and over all cells."""
    rated = human[:, ~np.isnan(human).any(axis=0)]
    first, second = np.triu_indices(len(rated), 1)
    _, counts = np.unique(rated, return_counts=True)
    everywhere = (counts * (counts - 1)).sum() / (rated.size * (rated.size - 1))
    return float((rated[first] == rated[second]).mean()), float(everywhere)


def _mean_ties(**knobs: Any) -> tuple[float, float]:
    found = [_ties(simulate(Config(text=False, **knobs), seed=seed).drawn.human) for seed in range(20)]
    by_item, everywhere = np.mean(found, axis=0)
    return float(by_item), float(everywhere)


def test_by_default_ties_are_as_frequent_as_in_wmt22_zh_en() -> None:
    by_item, everywhere = _mean_ties()
    assert 0.33 < by_item < 0.45  # 0.416 there
    assert 0.22 < everywhere < 0.32  # 0.260 there


def test_in_clean_data_the_length_of_a_source_tells_nothing_about_its_scores() -> None:
    def told(config: Config) -> float:
        drawn = simulate(config, text=False, items=5000, unrated=0.0).drawn
        return float(np.corrcoef(drawn.human.mean(axis=0), drawn.world.items.length)[0, 1])

    assert abs(told(CLEAN)) < 0.05
    assert told(Config()) < -0.15


def test_fewer_errors_make_more_ties() -> None:
    shares = [_mean_ties(errors=errors)[0] for errors in (0.2, 0.6, 2.0)]
    assert shares == sorted(shares, reverse=True)


def test_scores_are_sums_of_weights_and_never_below_the_worst() -> None:
    human = simulate(text=False, punctuation=0.0, unrated=0.0).drawn.human
    assert np.array_equal(human, np.round(human))
    assert human.max() == 0
    assert human.min() == -25
    assert not np.signbit(human[human == 0]).any()


def test_several_raters_are_averaged() -> None:
    human = simulate(text=False, punctuation=0.0, unrated=0.0, raters_per_segment=2).drawn.human
    assert np.array_equal(human * 2, np.round(human * 2))
    assert not np.array_equal(human, np.round(human))


def test_humans_prefer_better_systems_and_easier_items() -> None:
    simulation = simulate(text=False, items=3000, unrated=0.0)
    world, human = simulation.drawn.world, simulation.drawn.human
    assert np.corrcoef(human.mean(axis=1), world.system_quality)[0, 1] > 0.98
    assert np.corrcoef(human.mean(axis=0), -world.items.difficulty)[0, 1] > 0.7


def test_without_spread_all_raters_are_alike() -> None:
    def severity_effect(spread: float) -> float:
        simulation = simulate(
            text=False, items=400, documents=400, unrated=0.0, rater_spread=spread, item_spread=0.0,
            document_spread=0.0, domain_spread=0.0, length_difficulty=0.0, raters=40,
        )  # fmt: skip
        return float(simulation.drawn.human.mean(axis=0).var())

    assert severity_effect(1.0) > 2 * severity_effect(0.0)


@pytest.mark.parametrize("errors", [0, 100])
def test_extreme_rates_stay_within_the_scale(errors: float) -> None:
    human = simulate(text=False, errors=errors, punctuation=0.0, unrated=0.0).drawn.human
    assert human.min() >= -25
    assert (human == 0).all() == (errors == 0)
