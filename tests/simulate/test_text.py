"""Texts: invented words, lengths that follow the items, and errors that follow quality."""

from collections import Counter

import numpy as np
import pytest

from metaeval.scores import FloatArray
from metaeval.simulate import CLEAN, Simulation, simulate
from metaeval.simulate.text import SOURCE, TARGET, VOCABULARY, vocabulary


@pytest.fixture(scope="module")
def simulation() -> Simulation:
    return simulate(CLEAN, seed=4)


def _grams(text: str) -> Counter[str]:
    return Counter(text[start : start + 3] for start in range(len(text) - 2))


def _similarity(one: str | None, other: str | None) -> float:
    left, right = _grams(one or ""), _grams(other or "")
    return 2 * (left & right).total() / max(1, left.total() + right.total())


def _words(texts: tuple[str | None, ...]) -> FloatArray:
    return np.array([len((text or "").split()) for text in texts], dtype=np.float64)


def test_words_are_distinct_and_the_two_languages_share_no_letter() -> None:
    source, target = vocabulary(SOURCE), vocabulary(TARGET)
    assert len(set(source)) == len(set(target)) == VOCABULARY
    assert not set("".join(source)) & set("".join(target))


def test_lengths_follow_the_items(simulation: Simulation) -> None:
    evalset, items = simulation.evalset, simulation.drawn.world.items
    assert evalset.source is not None
    counted = _words(evalset.source)
    assert np.array_equal(counted, _words(evalset.references["refA"]))
    assert np.corrcoef(np.log(counted), items.length)[0, 1] > 0.98
    assert np.median(counted) == pytest.approx(18, rel=0.2)
    for row, system in enumerate(evalset.systems):
        ratio = np.log(_words(evalset.outputs[system]) / counted)
        wordiness = simulation.drawn.world.output_length[row] - items.length
        assert np.corrcoef(ratio[counted > 10], wordiness[counted > 10])[0, 1] > 0.9


def test_outputs_resemble_the_reference_the_more_the_better_they_are(simulation: Simulation) -> None:
    evalset, world = simulation.evalset, simulation.drawn.world
    alike = np.array(
        [
            [_similarity(o, r) for o, r in zip(evalset.outputs[s], evalset.references["refA"], strict=True)]
            for s in evalset.systems
        ]
    )
    assert np.corrcoef(alike.ravel(), world.quality.ravel())[0, 1] > 0.7
    assert np.corrcoef(alike.mean(axis=1), world.system_quality)[0, 1] > 0.9


def test_texts_are_sentences(simulation: Simulation) -> None:
    evalset = simulation.evalset
    assert evalset.source is not None
    for text in (*evalset.source, *evalset.references["refA"], *evalset.outputs["Elm"]):
        assert text is not None
        assert text.endswith(".")
        assert text[0].isupper()
        assert "\t" not in text


def test_longer_items_on_request() -> None:
    few, many = (simulate(items=100, words=words).evalset.source for words in (5, 60))
    assert few is not None
    assert many is not None
    assert _words(many).mean() > 8 * _words(few).mean()
