"""What is in the data, and what looks suspicious."""

from __future__ import annotations

import json

import numpy as np
import pytest

from metaeval.describe import describe
from metaeval.evalset import EvalSet, by_key
from metaeval.report.description import as_json, as_text
from metaeval.scores import Scores

NAN = float("nan")
HUMAN = np.array([[0.0, -1.0, NAN], [0.0, -5.0, NAN], [-2.0, 0.0, NAN]])


def evalset(*metrics: Scores, **more: object) -> EvalSet:
    return EvalSet(
        systems=("A", "B", "refA"),
        items=("1", "2", "3"),
        human=by_key([Scores("mqm", segment=HUMAN)]),
        metrics=by_key(metrics),
        **more,  # type: ignore[arg-type] # whatever the test needs
    )


def test_coverage_counts_what_is_there_and_what_should_be() -> None:
    gap = np.array([[1.0, NAN, NAN], [1.0, 2.0, 3.0], [NAN, NAN, NAN]])
    found = describe(evalset(Scores("BLEU", "refA", segment=gap, system=np.ones(3))))
    (mqm,) = found.human
    assert (mqm.cells, mqm.systems, mqm.items, mqm.missing) == (6, 3, 2, 3)
    (bleu,) = found.metrics
    assert bleu.levels == ("seg", "sys")
    assert bleu.missing == 1, "A on item 2; the reference it used is not missing"


def test_ties_are_told_without_grouping_and_by_item() -> None:
    (ties,) = describe(evalset()).ties
    assert ties.tied_none == pytest.approx(3 / 15)
    assert ties.tied_item == pytest.approx(1 / 6)


def test_a_constant_metric_is_suspicious() -> None:
    found = describe(evalset(Scores("Flat", segment=np.full((3, 3), 0.5))))
    assert found.suspicious == ("Flat gives every segment the same score",)


def test_a_metric_of_the_wrong_sign_is_suspicious() -> None:
    found = describe(evalset(Scores("TER", segment=-HUMAN)))
    assert found.suspicious[0].startswith("TER goes against human mqm (Pearson by item -1.00)")


def test_equal_outputs_and_equal_scores_are_suspicious() -> None:
    scores = np.arange(9.0).reshape(3, 3)
    found = describe(
        evalset(
            Scores("one", segment=scores),
            Scores("two", segment=scores),
            outputs={"A": ("x", "y", "z"), "B": ("x", "y", "z")},
        )
    )
    assert "A and B have the same outputs" in found.suspicious
    assert "one and two have the same scores" in found.suspicious


def test_a_set_without_scores_is_described_too() -> None:
    bare = EvalSet(systems=("A",), items=("1",), source=("hello",), name="toy", pair="de-en")
    assert "toy de-en: 1 systems, 1 items" in as_text(describe(bare))


def test_a_metric_without_humans_should_cover_every_cell() -> None:
    alone = EvalSet(
        systems=("A",), items=("1", "2"), metrics=by_key([Scores("BLEU", segment=np.array([[1.0, NAN]]))])
    )
    assert describe(alone).metrics[0].missing == 1


def test_json_and_text_say_the_same() -> None:
    found = describe(evalset(Scores("BLEU", "refA", segment=np.ones((3, 3)), system=np.ones(3))))
    said = json.loads(as_json(found))
    assert said["items"] == 3
    assert said["metrics"][0]["key"] == "BLEU-refA"
    text = as_text(found)
    assert "3 systems, 3 items" in text
    assert "BLEU-refA" in text
    assert found.digest[:8] in text


def test_system_scores_alone_are_a_level_without_cells() -> None:
    (corpus,) = describe(evalset(Scores("Corpus", "refA", system=np.array([1.0, 2.0, NAN])))).metrics
    assert (corpus.cells, corpus.systems, corpus.levels) == (0, 2, ("sys",))
