"""EvalSet: ids, shapes, selection, documents, equality."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, replace
from types import MappingProxyType

import numpy as np
import pytest

from metaeval.errors import InputError
from metaeval.evalset import EvalSet, by_key
from metaeval.scores import GroupScores, Scores

NAN = float("nan")


def small() -> EvalSet:
    return EvalSet(
        systems=("A", "B", "refA"),
        items=("1", "2", "3"),
        human=by_key([Scores("mqm", segment=np.array([[0.0, -5, NAN], [-1, 0, NAN], [0, 0, 0]]))]),
        metrics=by_key(
            [
                Scores(
                    "BLEU",
                    "refA",
                    segment=np.arange(9.0).reshape(3, 3),
                    system=np.array([1.0, 2.0, 3.0]),
                    groups={"domain": GroupScores(("news",), np.array([[1.0], [2.0], [3.0]]))},
                ),
                Scores("Kiwi", "src", segment=np.ones((3, 3))),
            ]
        ),
        source=("s1", "s2", "s3"),
        references={"refA": ("r1", "r2", "r3")},
        outputs={"A": ("a1", "a2", "a3"), "B": ("b1", "b2", "b3")},
        item_context={"document": ("d1", "d1", "d2"), "domain": ("news", "news", "talk")},
        system_context={"kind": ("nmt", "llm", "human")},
        ratings={"mqm.rater1": {"A": ('{"errors": []}', None, None)}},
        name="toy",
        pair="zh-en",
    )


def test_documents_are_the_contiguous_runs_of_items() -> None:
    assert small().documents == (("d1", slice(0, 2)), ("d2", slice(2, 3)))


def test_a_document_name_that_returns_later_is_another_run() -> None:
    again = replace(small(), item_context={"document": ("d1", "d2", "d1")})
    assert [name for name, _ in again.documents] == ["d1", "d2", "d1"]


def test_without_documents_all_items_are_one_run() -> None:
    assert replace(small(), item_context={}).documents == (("", slice(0, 3)),)


def test_selecting_cuts_scores_texts_and_context_alike() -> None:
    chosen = small().select(systems="A,B", domain="news")
    assert chosen.systems == ("A", "B")
    assert chosen.items == ("1", "2")
    assert chosen.metrics["BLEU-refA"].segment is not None
    assert chosen.metrics["BLEU-refA"].segment.tolist() == [[0.0, 1.0], [3.0, 4.0]]
    assert chosen.source == ("s1", "s2")
    assert chosen.outputs["B"] == ("b1", "b2")
    assert chosen.system_context["kind"] == ("nmt", "llm")
    assert chosen.ratings["mqm.rater1"]["A"] == ('{"errors": []}', None)


def test_published_system_scores_do_not_survive_a_choice_of_items() -> None:
    assert small().select(systems="A").metrics["BLEU-refA"].system is not None
    fewer = small().select(items=["1"]).metrics["BLEU-refA"]
    assert fewer.system is None
    assert fewer.groups == {}


def test_excluding_is_the_complement_of_selecting() -> None:
    assert small().select(exclude="ref*").systems == ("A", "B")


def test_a_metric_is_chosen_by_its_name_or_its_variant() -> None:
    assert list(small().select(metrics="BLEU").metrics) == ["BLEU-refA"]
    assert list(small().select(metrics="*-src").metrics) == ["Kiwi-src"]


def test_choosing_what_is_not_there_is_an_error_that_names_what_is() -> None:
    with pytest.raises(InputError, match="no system matches 'C'"):
        small().select(systems="C")
    with pytest.raises(InputError, match=r"no metric matches 'BLUE'\n  Did you mean BLEU\?"):
        small().select(metrics="BLUE")
    with pytest.raises(InputError, match="there is no item '9'"):
        small().select(items=["9"])
    with pytest.raises(InputError, match="the items have no domain"):
        replace(small(), item_context={}).select(domain="news")


def test_equal_content_is_equal_whatever_the_order_of_systems_and_the_name() -> None:
    one = small()
    swapped = one.select(systems="A,B,refA")
    assert one == swapped == replace(one, name="other")
    assert len({one, swapped}) == 1


def test_any_change_of_content_changes_the_digest() -> None:
    one = small()
    scores = np.arange(9.0).reshape(3, 3)
    scores[2, 2] = NAN
    changed = [
        replace(one, pair="de-en"),
        replace(one, source=("s1", "s2", "x")),
        replace(one, outputs={"A": ("a1", "a2", "a3")}),
        replace(one, item_context={**one.item_context, "domain": ("news", "news", None)}),
        replace(one, system_context={}),
        replace(one, ratings={}),
        replace(one, human={}),
        one.with_metrics(Scores("BLEU", "refA", segment=scores)),
    ]
    assert len({one.digest, *(other.digest for other in changed)}) == len(changed) + 1


def test_a_missing_score_is_not_zero_and_negative_zero_is() -> None:
    def with_score(value: float) -> EvalSet:
        return EvalSet(
            systems=("A",), items=("1",), human=by_key([Scores("mqm", segment=np.array([[value]]))])
        )

    assert with_score(0.0) == with_score(-0.0)
    assert with_score(0.0) != with_score(NAN)


def test_nothing_can_be_changed_in_place() -> None:
    one = small()
    with pytest.raises(FrozenInstanceError):
        one.systems = ()  # type: ignore[misc] # that is the point
    with pytest.raises(ValueError, match="read-only"):
        one.metrics["Kiwi-src"].segment[0, 0] = 5  # type: ignore[index] # it has segment scores
    with pytest.raises(TypeError):
        one.outputs["A"] = ()  # type: ignore[index] # that is the point


def test_ids_must_be_unique_and_not_empty() -> None:
    with pytest.raises(InputError, match="two items are called '1'"):
        EvalSet(systems=("A",), items=("1", "1"))
    with pytest.raises(InputError, match="a system has no id"):
        EvalSet(systems=("",), items=("1",))
    with pytest.raises(InputError, match="two scorers are called 'mqm'"):
        by_key([Scores("mqm"), Scores("mqm")])
    with pytest.raises(InputError, match="a scorer has an empty name"):
        Scores("")


def test_shapes_that_do_not_fit_are_refused() -> None:
    one = small()
    with pytest.raises(InputError, match="scores x are 1 x 2, expected 3 systems x 3 items"):
        replace(one, human=by_key([Scores("x", segment=np.zeros((1, 2)))]))
    with pytest.raises(InputError, match="x has 2 system scores, expected 3"):
        replace(one, human=by_key([Scores("x", system=np.zeros(2))]))
    with pytest.raises(InputError, match="doc scores of x are not one row a system"):
        replace(one, human=by_key([Scores("x", groups={"doc": GroupScores(("d",), np.zeros((2, 1)))})]))
    with pytest.raises(InputError, match="source has 1 entries, expected 3"):
        replace(one, source=("s",))
    with pytest.raises(InputError, match="system context kind has 1 entries, expected 3"):
        replace(one, system_context={"kind": ("x",)})
    with pytest.raises(InputError, match="texts of an unknown system 'C'"):
        replace(one, outputs={"C": ("1", "2", "3")})
    with pytest.raises(InputError, match="ratings r of A has 1 entries"):
        replace(one, ratings={"r": {"A": ("x",)}})


def test_infinite_scores_are_refused() -> None:
    with pytest.raises(InputError, match="segment scores of x hold infinite values"):
        Scores("x", segment=np.array([[np.inf]]))


def test_scores_whose_squares_would_be_infinite_are_refused() -> None:
    assert Scores("x", segment=np.array([[-1e100, NAN]])).segment is not None
    with pytest.raises(InputError, match=r"segment scores of x hold values beyond 1e\+100\n  Divide them"):
        Scores("x", segment=np.array([[-1e101]]))


def test_a_copy_is_equal_and_as_frozen() -> None:
    one = small()
    assert pickle.dumps(one)  # copies are made by the same means
    other = copy.deepcopy(one)
    assert other == one
    assert other is not one
    for values in (other.metrics["Kiwi-src"].segment, other.metrics["BLEU-refA"].groups["domain"].values):
        assert values is not None
        assert not values.flags.writeable
    assert isinstance(other.outputs, MappingProxyType)


def test_a_name_cannot_control_a_terminal() -> None:
    named = replace(small(), human=by_key([Scores("\x1b[31mmqm")]))
    assert "human: \\x1b[31mmqm" in repr(named)
