"""The ranking measures: trec_eval is the oracle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval.errors import InputError
from metaeval.rankings import RankedList, Rankings
from metaeval.scorers.registry import parse_scorer
from metaeval.scorers.run_rankings import score_rankings, trec_measures

TABLE_7 = (
    ["map", "Rprec", "recip_rank"]
    + [f"iprec_at_recall_0.{tenth}0" for tenth in range(5)]
    + [f"{family}_{k}" for family in ("P", "recall", "ndcg_cut") for k in (5, 10, 15, 20, 30)]
)
DOCUMENTS = [f"d{i}" for i in range(40)]
# What trec_eval says of a topic without relevant documents differs from call to call.
GRADES = st.dictionaries(st.sampled_from(DOCUMENTS), st.sampled_from([-1, 0, 0, 1, 2, 3])).map(
    lambda grades: {**grades, "d3": 1}
)
LISTS = st.lists(st.sampled_from(DOCUMENTS), min_size=1, unique=True)


def rankings(lists: dict[str, tuple[str, ...] | None], grades: dict[str, int]) -> Rankings:
    ranked = {
        run: (None if documents is None else RankedList(documents, -np.arange(float(len(documents)))),)
        for run, documents in lists.items()
    }
    return Rankings(runs=tuple(lists), topics=("t",), lists=ranked, qrels={"t": grades})


def test_the_23_measures_of_table_7_are_there() -> None:
    assert [scorer.name for scorer in trec_measures()] == TABLE_7


@settings(max_examples=100, deadline=None)
@given(grades=GRADES, lists=st.lists(LISTS, min_size=1, max_size=3))
def test_every_measure_is_that_of_trec_eval(grades: dict[str, int], lists: list[list[str]]) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval", reason="the extra 'scorers' is not installed")
    families = {"map", "Rprec", "recip_rank", "iprec_at_recall", "P", "recall", "ndcg_cut"}
    evaluator = pytrec_eval.RelevanceEvaluator({"t": grades}, families)
    data = rankings({str(i): tuple(documents) for i, documents in enumerate(lists)}, grades)
    ours = score_rankings(data)
    for row, documents in enumerate(lists):
        run = {document: float(-rank) for rank, document in enumerate(documents)}
        theirs = evaluator.evaluate({"t": run})["t"]
        for name in TABLE_7:
            segment = ours.metrics[f"{name}-qrels"].segment
            assert segment is not None
            assert segment[row, 0] == pytest.approx(theirs[name], abs=1e-12), name


def test_a_topic_without_relevant_documents_scores_0() -> None:
    for scores in score_rankings(rankings({"a": ("d1",)}, {"d1": -1, "d2": 0})).metrics.values():
        assert scores.segment is not None
        assert scores.segment.tolist() == [[0]]


def test_many_lists_of_a_topic_are_scored_at_once() -> None:
    grades, judged = np.array([[1.0, 0, 2], [0, 0, 1]]), np.array([1.0, 2, 1, 0])
    for scorer in trec_measures():
        together = scorer.of_grades(grades, judged)
        assert together.tolist() == [float(scorer.of_grades(row, judged)) for row in grades]
        assert scorer.of_grades(np.zeros((2, 0)), judged).tolist() == [0, 0]


def test_a_run_without_a_list_for_a_topic_has_no_score_there() -> None:
    scored = score_rankings(rankings({"a": ("d1",), "b": None}, {"d1": 1}), ["map"])
    segment = scored.metrics["map-qrels"].segment
    np.testing.assert_array_equal(segment, np.array([[1.0], [np.nan]]))
    assert scored.item_context["relevant"] == ("1",)


def test_ir_measures_gives_any_measure_by_its_name() -> None:
    ir_measures = pytest.importorskip("ir_measures", reason="the extra 'scorers' is not installed")
    grades = {"d1": 2, "d2": 0, "d3": 1}
    data = rankings({"a": ("d2", "d3", "d9", "d1"), "b": None}, grades)
    run = {"t": {"d2": 4.0, "d3": 3.0, "d9": 2.0, "d1": 1.0}}
    for name in ("nDCG@3", "Bpref", "RR(rel=2)"):
        measure = ir_measures.parse_measure(name)
        theirs = next(iter(measure.iter_calc({"t": grades}, run))).value
        segment = score_rankings(data, [f"ir(measure={name})"]).metrics[f"ir(measure={name})-qrels"].segment
        assert segment is not None
        assert segment[0, 0] == pytest.approx(theirs)
        assert np.isnan(segment[1, 0])


def test_the_signature_of_ir_measures_names_measure_and_version() -> None:
    assert parse_scorer("ir(measure=P@3)").signature.startswith("ir(measure=P@3)|version:")


def test_ir_measures_refuses_a_measure_that_it_does_not_know() -> None:
    pytest.importorskip("ir_measures", reason="the extra 'scorers' is not installed")
    with pytest.raises(InputError, match="ir-measures knows no measure 'nothing'"):
        parse_scorer("ir(measure=nothing)").check()


def test_a_scorer_of_texts_is_refused_for_rankings() -> None:
    with pytest.raises(InputError, match="BLEU scores texts, not rankings"):
        score_rankings(rankings({"a": ("d1",)}, {"d1": 1}), ["BLEU"])
