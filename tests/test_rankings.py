"""Rankings: what they hold and refuse."""

from __future__ import annotations

import numpy as np
import pytest

from metaeval.errors import InputError
from metaeval.rankings import RankedList, Rankings

LIST = RankedList(("d1", "d2"), np.array([2.0, 1.0]))


def test_grades_follow_the_ranks_and_are_padded_with_zeros() -> None:
    short = RankedList(("d2",), np.array([1.0]))
    data = Rankings(
        runs=("a", "b", "c"), topics=("t",), lists={"a": (LIST,), "b": (None,), "c": (short,)},
        qrels={"t": {"d2": 2, "d7": 1}},
    )  # fmt: skip
    rows, grades = data.grades("t")
    assert rows.tolist() == [0, 2]
    assert grades.tolist() == [[0, 2], [2, 0]]
    assert data.judged("t").tolist() == [2, 1]
    assert repr(data) == "<Rankings: 3 runs, 1 topics>"


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"runs": ("a", "a")}, "two runs have one name"),
        ({"topics": ("t", "t")}, "two topics have one name"),
        ({"lists": {"a": ()}}, "run 'a' has no entry for each of the 1 topics"),
        ({"qrels": {}}, "topic 't' has no judgments"),
        ({"topic_context": {"kind": ()}}, "topic context kind has 0 entries, expected 1"),
        ({"run_context": {"kind": ("x", "y")}}, "run context kind has 2 entries, expected 1"),
    ],
)
def test_parts_that_do_not_fit_are_refused(changed: dict[str, object], message: str) -> None:
    parts: dict[str, object] = {
        "runs": ("a",), "topics": ("t",), "lists": {"a": (LIST,)}, "qrels": {"t": {}},
    }  # fmt: skip
    with pytest.raises(InputError, match=message):
        Rankings(**{**parts, **changed})  # type: ignore[arg-type] # parts by name


def test_a_ranked_list_has_one_score_a_document_and_no_document_twice() -> None:
    with pytest.raises(InputError, match="found 1 scores for 2 documents"):
        RankedList(("d1", "d2"), np.array([1.0]))
    with pytest.raises(InputError, match="a ranked list holds a document twice"):
        RankedList(("d1", "d1"), np.array([1.0, 2.0]))


def test_an_unknown_topic_is_refused() -> None:
    data = Rankings(runs=("a",), topics=("t1",), lists={"a": (LIST,)}, qrels={"t1": {}})
    with pytest.raises(InputError, match=r"there is no topic 't2'\n.*There are: t1"):
        data.grades("t2")
