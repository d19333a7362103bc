"""Precision, recall and F1 of ties and of ranks: table 5 of Deutsch et al. 2023."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval.measures.registry import parse_measure

NAMES = [f"{of}_{what}" for of in ("ties", "rank") for what in ("precision", "recall", "f1")]


def by_classifying(name: str, human: np.ndarray, metric: np.ndarray) -> float:
    """Each pair has a true and a predicted class; only those of the class asked for matter."""
    of, what = name.split("_")
    right = predicted = actual = 0
    for i, j in itertools.combinations(range(len(human)), 2):
        true, said = np.sign(human[i] - human[j]), np.sign(metric[i] - metric[j])
        wanted = {0.0} if of == "ties" else {-1.0, 1.0}
        right += true == said and true in wanted
        predicted += said in wanted
        actual += true in wanted
    share = {
        "precision": (right, predicted),
        "recall": (right, actual),
        "f1": (2 * right, predicted + actual),
    }
    above, below = share[what]
    return above / below if below else math.nan


@pytest.mark.parametrize("name", NAMES)
@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=9))
def test_equals_classifying_every_pair(name: str, pairs: list[tuple[int, int]]) -> None:
    human, metric = (np.array(side, dtype=float) for side in zip(*pairs, strict=True))
    value = parse_measure(f"{name}@item").evaluate(human[:, None], metric[:, None]).value
    assert value == pytest.approx(by_classifying(name, human, metric), nan_ok=True)


def test_f1_is_the_harmonic_mean_and_they_take_an_epsilon() -> None:
    human = np.array([[0.0, 0, 0, 1, 2]]).T
    metric = np.array([[0.1, 0.2, 0.6, 0.5, 0.9]]).T
    for of in ("ties", "rank"):
        p, r, f = (
            parse_measure(f"{of}_{what}(epsilon=0.15)@item").evaluate(human, metric).value
            for what in ("precision", "recall", "f1")
        )
        assert f == pytest.approx(2 * p * r / (p + r))


def test_the_best_epsilon_for_ties_need_not_be_that_for_accuracy() -> None:
    human = np.array([[0.0, 0, 1]]).T
    metric = np.array([[0.0, 3, 1]]).T
    ties = parse_measure("ties_f1(epsilon=best)@item").evaluate(human, metric)
    accuracy = parse_measure("acc_eq(epsilon=best)@item").evaluate(human, metric)
    assert ties.epsilon == 3.0
    assert accuracy.epsilon == 0.0
