"""Studies of level and power: equal metrics are exchangeable, others as good as asked."""

import time

import numpy as np
import pytest

from metaeval.errors import InputError
from metaeval.simulate import Config, draw, equal_metrics, metric_reaching, simulate


def _by_item(drawn_scores: np.ndarray[tuple[int, ...], np.dtype[np.float64]], quality: object) -> float:
    left = drawn_scores - drawn_scores.mean(axis=0)
    right = np.asarray(quality) - np.mean(np.asarray(quality), axis=0)
    return float((left * right).sum() / np.sqrt((left**2).sum() * (right**2).sum()))


@pytest.mark.parametrize("item_effects", [True, False, 1.5])
def test_equal_metrics_have_exactly_equal_truth(item_effects: bool | float) -> None:
    truth = simulate(equal_metrics(3, item_effects=item_effects), seed=1).truth
    first, *others = [each.correlation for each in truth.metrics.values()]
    assert all(other == first for other in others)
    assert truth.difference("Equal1-refA", "Equal2-refA") == 0


def test_equal_metrics_win_equally_often() -> None:
    study = equal_metrics(2, systems=6, items=30)
    wins = 0
    for seed in range(400):
        drawn = draw(study, seed)
        one, other = (_by_item(scores, drawn.world.quality) for scores in drawn.metrics)
        wins += one > other
    assert 160 <= wins <= 240  # four standard deviations of a fair coin


def test_item_effects_are_of_the_size_asked_and_differ_between_metrics() -> None:
    drawn = draw(equal_metrics(2, item_effects=2.0, items=4000), seed=0)
    quality = drawn.world.quality.mean(axis=0)
    own = [(scores.mean(axis=0) - 0.78) / 0.06 - quality for scores in drawn.metrics]
    assert np.std(own[0]) == pytest.approx(2.0, abs=0.1)
    assert abs(np.corrcoef(own[0], own[1])[0, 1]) < 0.05


def test_a_metric_reaches_the_correlation_asked_for() -> None:
    kinds = (metric_reaching(0.7, "Better"), metric_reaching(0.5, "Worse"))
    truths = [
        simulate(Config(metrics=kinds, gamed=False, text=False, items=2), seed=seed, systems=60).truth
        for seed in range(10)
    ]
    for key, expected in (("Better-refA", 0.7), ("Worse-refA", 0.5)):
        reached = [truth.metrics[key].correlation["item"] for truth in truths]
        assert np.mean([value for value in reached if value is not None]) == pytest.approx(expected, abs=0.01)


def test_systems_can_be_held_fixed_while_items_are_drawn() -> None:
    study = equal_metrics(2, systems=3, system_quality=(0.5, 0.0, -0.5))
    assert (draw(study, 1).world.system_quality == draw(study, 2).world.system_quality).all()


def test_a_draw_is_cheap_enough_for_thousands() -> None:
    study = equal_metrics(2, systems=12, items=200)
    draw(study, 0)

    def timed(seed: int) -> float:
        start = time.perf_counter()
        draw(study, seed)
        return time.perf_counter() - start

    assert min(timed(seed) for seed in range(20)) < 0.005  # typically 0.0005


@pytest.mark.parametrize("correlation", [0.0, 1.0, -0.5])
def test_a_correlation_that_cannot_be_reached_is_refused(correlation: float) -> None:
    with pytest.raises(InputError, match="expected a number between 0 and 1"):
        metric_reaching(correlation, "X")


@pytest.mark.parametrize("like", ["discrete", "constant", "random"])
def test_only_continuous_metrics_of_quality_can_be_tuned(like: str) -> None:
    with pytest.raises(InputError, match="cannot be given a correlation"):
        metric_reaching(0.5, "X", like=like)


def test_a_study_has_at_least_one_metric() -> None:
    with pytest.raises(InputError, match="expected at least 1 metric"):
        equal_metrics(0)
