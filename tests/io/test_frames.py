"""Tables in memory: every kind of frame gives the same set, and a set gives its table back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.errors import InputError
from metaeval.evalset import EvalSet
from metaeval.io.frames import as_table, from_dict, from_long, from_wide, not_in_long, to_long
from metaeval.scores import MAX_SCORE, GroupScores, Scores

ROWS: list[dict[str, Any]] = [
    {"system": "A", "item": 1, "mqm": -1, "BLEU": 30.5, "document": "d"},
    {"system": "B", "item": 1, "mqm": None, "BLEU": 20, "document": "d"},
    {"system": "A", "item": 2, "mqm": 0, "BLEU": float("nan"), "document": None},
]
COLUMNS = {name: [row[name] for row in ROWS] for name in ROWS[0]}


@pytest.mark.parametrize(
    "frame",
    [
        ROWS,
        COLUMNS,
        {name: tuple(values) for name, values in COLUMNS.items()},
        pd.DataFrame(ROWS),
        pd.DataFrame(ROWS, index=[7, 7, 7]).convert_dtypes(),
        pl.DataFrame(ROWS, strict=False),
        pl.LazyFrame(ROWS, strict=False),
        {**COLUMNS, "item": np.array([1, 1, 2]), "BLEU": np.array([30.5, 20, np.nan])},
        {**COLUMNS, "item": ["1", 1.0, 2], "mqm": ["-1", "", 0]},
        pl.DataFrame(ROWS, strict=False).with_columns(pl.col("system").cast(pl.Categorical)),
    ],
)
def test_every_kind_of_table_gives_the_same_set(frame: object) -> None:
    evalset = from_wide(frame, pair="en-de")
    expected = EvalSet(
        systems=("A", "B"),
        items=("1", "2"),
        human={"mqm": Scores("mqm", segment=np.array([[-1, 0], [np.nan, np.nan]]))},
        metrics={"BLEU": Scores("BLEU", segment=np.array([[30.5, np.nan], [20, np.nan]]))},
        item_context={"document": ("d", None)},
        pair="en-de",
    )
    assert evalset == expected


def test_ids_that_became_floats_are_whole_numbers_again() -> None:
    table = as_table({"a": [1.0, 2.0, float("nan")], "b": [1.0, 2.5, None]})
    assert table.texts("a").to_list() == ["1", "2", None]
    assert table.texts("b").to_list() == ["1.0", "2.5", None]


def test_nested_dicts_need_no_table() -> None:
    evalset = from_dict(
        {"mqm": {"A": {"1": -1.0, "2": None}, "B": {"2": 0.0}}}, {"COMET@refA": {"A": {"1": 0.5}}}
    )
    np.testing.assert_array_equal(evalset.human["mqm"].segment, [[-1, np.nan], [np.nan, 0]])
    np.testing.assert_array_equal(evalset.metrics["COMET-refA"].segment, [[0.5, np.nan], [np.nan, np.nan]])


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ([], "the table holds no rows\n  Expected a row for each score."),
        ({}, "the table holds no rows"),
        (7, "found a int, expected a table\n  Give a polars or pandas frame, a dict of columns, or a list"),
        ("system", "found a str, expected a table"),
        ([ROWS[0], 7], "row 2: found a int, expected a dict"),
        ({"system": ["A"], "item": [1, 2]}, "the columns differ in length: system 1, item 2"),
        ({"system": "A"}, "column 'system' is a str, expected a list of values"),
        (
            {**COLUMNS, "BLEU": [1, 2, [3]]},
            "row 3: column 'BLEU': found a list in a cell, expected text or a number",
        ),
        ({**COLUMNS, "BLEU": [1, 2, "\ud800"]}, "row 3: column 'BLEU': 'utf-8' codec can't encode"),
        ({**COLUMNS, "BLEU": [[1], [2], [3]]}, "column 'BLEU' holds List(Int64), expected text or numbers"),
        (
            {**COLUMNS, "BLEU": [1, 2, float("inf")]},
            "row 3: column 'BLEU' holds a number on row 1 and none here",
        ),
        ({**COLUMNS, "mqm": [1, 2, float("inf")]}, "row 3: found an infinite score in column 'mqm'"),
        (
            {**COLUMNS, "mqm": [True, False, True]},
            "row 1: found a score that is not a number in column 'mqm'",
        ),
        ({**COLUMNS, "system": ["A", None, "A"]}, "row 2: the system is empty"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "two columns are called 'a'\n  Rename one."),
    ],
)
def test_what_is_no_table_is_named_with_its_row(frame: object, message: str) -> None:
    with pytest.raises(InputError) as caught:
        from_wide(frame)
    assert message in str(caught.value)


def test_numbers_too_large_for_a_column_are_text_or_a_message() -> None:
    assert as_table({"a": [10**30, 1]}).texts("a").to_list() == [str(10**30), "1"]
    with pytest.raises(InputError, match=r"found a score beyond 1e\+100"):
        from_wide({**COLUMNS, "mqm": [10**400, 1, 2]})


NAMES = (
    st.text(st.sampled_from("aAé:@#-_. 1,\"'\n=\u2028"), min_size=1, max_size=5).map(str.strip).filter(bool)
)
TEXTS = st.one_of(st.none(), st.text(st.characters(exclude_categories=["Cs"]), max_size=4))
VALUES = st.one_of(st.just(np.nan), st.floats(-MAX_SCORE, MAX_SCORE))


def scorer_key(named: tuple[str, str | None]) -> str:
    return Scores(*named).key


@st.composite
def evalsets(draw: st.DrawFn) -> EvalSet:
    systems = draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))
    items = draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))
    n, m = len(systems), len(items)

    def texts(size: int) -> st.SearchStrategy[tuple[str | None, ...]]:
        return st.lists(TEXTS, min_size=size, max_size=size).map(tuple)

    def matrix() -> Any:
        return np.array(draw(st.lists(VALUES, min_size=n * m, max_size=n * m))).reshape(n, m)

    references = st.sampled_from([None, "refA", "src", "refA.refB"])
    keys = draw(st.lists(st.tuples(NAMES, references), max_size=3, unique_by=scorer_key))
    humans = draw(st.lists(NAMES, min_size=1, max_size=2, unique=True))
    context = st.one_of(st.sampled_from(["document", "domain", "score", "id", "human:x", "year"]), NAMES)
    outputs = {s: draw(texts(m)) for s in systems if draw(st.booleans())}
    return EvalSet(
        systems=tuple(systems),
        items=tuple(items),
        human={name: Scores(name, segment=matrix()) for name in humans},
        metrics={str(i): Scores(name, reference, matrix()) for i, (name, reference) in enumerate(keys)},
        source=draw(st.one_of(st.none(), texts(m))),
        references=draw(st.dictionaries(NAMES, texts(m), max_size=2)),
        outputs={s: t for s, t in outputs.items() if any(text is not None for text in t)},
        item_context=draw(st.dictionaries(context, texts(m), max_size=3)),
        system_context=draw(st.dictionaries(context, texts(n), max_size=2)),
    )


@given(evalsets())
def test_a_set_gives_its_long_table_and_the_table_gives_the_set(evalset: EvalSet) -> None:
    again = from_long(to_long(evalset))
    assert again == evalset
    assert again.systems == evalset.systems
    assert list(again.metrics) == list(evalset.metrics)
    assert not_in_long(evalset) == ()


@pytest.mark.parametrize("through", [pl.DataFrame.to_pandas, pl.DataFrame.to_dicts])
def test_the_long_table_survives_other_frames(through: Callable[[pl.DataFrame], object]) -> None:
    evalset = from_wide(ROWS)
    assert from_long(through(to_long(evalset))) == evalset


def test_texts_can_be_left_out_of_a_long_table() -> None:
    evalset = from_wide([{**row, "output": "text", "source": "s", "reference:refA": "r"} for row in ROWS])
    assert {"output", "source", "reference:refA"} <= set(to_long(evalset).columns)
    assert from_long(to_long(evalset, texts=False)) == from_wide(ROWS)


def test_what_a_long_table_cannot_hold_is_said() -> None:
    evalset = EvalSet(
        systems=("A",),
        items=("1",),
        human={
            "mqm": Scores(
                "mqm",
                segment=np.zeros((1, 1)),
                system=np.zeros(1),
                groups={"doc": GroupScores(("d",), np.zeros((1, 1)))},
            )
        },
        ratings={"mqm.r1": {"A": ("{}",)}},
        pair="en-de",
    )
    assert not_in_long(evalset) == (
        "published system scores of 1 scorers",
        "published document or domain scores of 1 scorers",
        "error spans of 1 raters",
        "the name and pair (en-de)",
    )


def test_a_set_without_segment_scores_has_no_long_table() -> None:
    with pytest.raises(InputError, match="the set has no segment scores"):
        to_long(EvalSet(systems=("A",), items=("1",)))
