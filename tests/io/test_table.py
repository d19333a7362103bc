"""Long tables: what they mean, what is refused, and a naive reader that must agree."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.long_table import naive_long

from metaeval.errors import InputError
from metaeval.evalset import EvalSet
from metaeval.io.registry import read
from metaeval.io.table import read_long
from metaeval.scores import FloatArray

HEADER = "system,item,scorer,kind,score,document"
ROWS = (
    "A,1,mqm,human,-1.5,d1",
    "A,1,BLEU,metric,30,d1",
    "B,1,mqm,human,,d1",
    "B,1,BLEU,metric,None,",
    "A,2,mqm,human,0,d2",
    "A,2,BLEU,metric,1e1,d2",
)


def long(folder: Path, *rows: str, header: str = HEADER) -> Path:
    path = folder / "long.csv"
    path.write_text("\n".join((header, *rows)) + "\n", encoding="utf-8")
    return path


def segment(evalset: EvalSet, scorer: str) -> FloatArray:
    scores = {**evalset.human, **evalset.metrics}[scorer].segment
    assert scores is not None
    return scores


def refused(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        read_long(path)
    return str(caught.value)


def test_a_row_is_the_score_of_one_scorer_for_one_system_and_item(tmp_path: Path) -> None:
    evalset = read(long(tmp_path, *ROWS))
    assert (evalset.systems, evalset.items) == (("A", "B"), ("1", "2"))
    np.testing.assert_array_equal(segment(evalset, "mqm"), [[-1.5, 0.0], [np.nan, np.nan]])
    np.testing.assert_array_equal(segment(evalset, "BLEU"), [[30.0, 10.0], [np.nan, np.nan]])
    assert list(evalset.human) == ["mqm"]
    assert evalset.item_context == {"document": ("d1", "d2")}
    assert evalset.name == "long"


def test_ids_keep_the_order_of_first_appearance(tmp_path: Path) -> None:
    rows = [f"{system},{item},mqm,human,1,d" for item in ("10", "9", "b") for system in ("Z", "A")]
    evalset = read_long(long(tmp_path, *rows), pair="en-de")
    assert (evalset.systems, evalset.items, evalset.pair) == (("Z", "A"), ("10", "9", "b"), "en-de")


def test_the_reference_tells_variants_of_a_metric_apart(tmp_path: Path) -> None:
    header = "sys,seg_id,metric,kind,value,ref"
    rows = ("A,1,mqm,human,0,", "A,1,BLEU,metric,30,refA", "A,1,BLEU,metric,31,refB", "A,1,Kiwi,metric,1,src")
    evalset = read_long(long(tmp_path, *rows, header=header))
    assert list(evalset.metrics) == ["BLEU-refA", "BLEU-refB", "Kiwi-src"]
    assert evalset.metrics["Kiwi-src"].reference_free


def test_without_kind_and_reference_the_scorers_name_says_both(tmp_path: Path) -> None:
    rows = ("A,1,human:fluency,1", "A,1,MQM,2", "A,1,metric:da,3", "A,1,COMET@refA,4", "A,1,nDCG@10,5")
    evalset = read_long(long(tmp_path, *rows, header="system,item,scorer,score"))
    assert list(evalset.human) == ["fluency", "MQM"]
    assert list(evalset.metrics) == ["da", "COMET-refA", "nDCG@10"]


def test_texts_and_contexts_go_where_they_are_constant(tmp_path: Path) -> None:
    header = HEADER + ",source,output,reference:refA,year,size,system:team,item:topic"
    rows = (
        "A,1,mqm,human,1,d,s1,a1,r1,2001,big,x,t",
        "A,2,mqm,human,1,d,s2,a2,r2,2002,big,x,t",
        "B,1,mqm,human,1,d,s1,b1,,2001,small,y,",
    )
    evalset = read_long(long(tmp_path, *rows, header=header))
    assert evalset.source == ("s1", "s2")
    assert evalset.references == {"refA": ("r1", "r2")}
    assert evalset.outputs == {"A": ("a1", "a2"), "B": ("b1", None)}
    assert evalset.item_context == {"document": ("d", "d"), "year": ("2001", "2002"), "topic": ("t", "t")}
    assert evalset.system_context == {"size": ("big", "small"), "team": ("x", "y")}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("A,1,mqm,human,2,d1", "long.csv, line 8: the score of a scorer of system 'A' and item '1' is there"),
        ("A,1,mqm,human,2,d1", "is there twice, first on line 2\n  A scorer gives one score"),
        ("C,1,mqm,human,inf,d1", "line 8: found an infinite score in column 'score'\n    inf\n  Leave"),
        ("C,1,mqm,human,-Infinity,d1", "line 8: found an infinite score"),
        ("C,1,mqm,human,nan,d1", "line 8: found nan in column 'score'\n    nan\n  Leave the cell empty"),
        ("C,1,mqm,human,1_0,d1", "line 8: found a score that is not a number in column 'score'\n    1_0"),
        ("C,1,mqm,human,0x1,d1", "line 8: found a score that is not a number"),
        ("C,1,mqm,human,-1e200,d1", "line 8: found a score beyond 1e+100 in column 'score'"),
        ("C,1,mqm,human,1e999,d1", "line 8: found a score beyond 1e+100"),
        ('C,1,mqm,human,"0,5",d1', "line 8: found a score that is not a number in column 'score'\n    0,5"),
        ("C,1,mqm,man,1,d1", "line 8: found the kind 'man', expected human or metric\n  Did you mean human?"),
        ("C,1,mqm,,1,d1", "line 8: the kind is empty"),
        (",1,mqm,human,1,d1", "line 8: the system is empty\n  Every row needs a value in 'system'."),
        ("C,,mqm,human,1,d1", "line 8: the item is empty"),
        ("C,1,,human,1,d1", "line 8: the scorer is empty"),
        ("C ,1,mqm,human,1,d1", "line 8: the system begins or ends with a blank\n    'C '\n  Take it out"),
        ("C,1,mqm,human,1,d9", "line 8: the document differs from an earlier row of the same item\n    d9"),
        ("C,1,mqm,human,1,d9", "d9\n  Column 'document' must say one thing for each item."),
        ("C,1,mqm,human,1", "line 8: found 5 fields, expected 6 as in the header"),
    ],
)  # fmt: skip
def test_a_row_that_cannot_be_used_is_named_with_its_line(tmp_path: Path, row: str, message: str) -> None:
    assert message in refused(long(tmp_path, *ROWS, row))


@pytest.mark.parametrize(
    ("header", "rows", "message"),
    [
        ("system,item,scorer,kind", ("A,1,m,human",), "there is no score column\n  Expected score or value."),
        ("system,sys,item,scorer,score", ("A,A,1,mqm,1",),
         "columns 'system' and 'sys' could both be the system\n  Rename one; item:sys keeps it"),
        ("system,item,scorer,score", ("A,1,BLEU,1",),
         "column 'scorer' names no human scores, and there is no kind column\n  Add a column kind"),
        ("system,item,scorer,score,human:mqm", ("A,1,BLEU,1,2",), "'human:mqm' belongs to a wide table"),
        ("system,item,scorer,score,reference", ("A,1,mqm,1,", "A,1,BLEU,1,A whole text."),
         "and holds a text\n    A whole text.\n  If it holds the reference texts, call it reference:refA."),
        ("system,item,scorer,score,note", ("A,1,mqm,1,x", "A,1,esa,1,y"),
         "line 3: column 'note' is neither constant for each item nor for each system: item '1' has another"),
        ("system,item,scorer,score,output", ("A,1,mqm,1,x", "A,1,esa,1,y"),
         "line 3: the output differs from an earlier row of the same system and item"),
        ("system,item,scorer,score,system:s", ("A,1,mqm,1,x", "A,2,mqm,1,y"),
         "line 3: the system column 's' differs from an earlier row of the same system"),
        ("system,item,scorer,score,item:document,doc", ("A,1,mqm,1,x,y",),
         "two columns are the item column 'document'"),
        ("system,item,scorer,score", ("A,1,metric:BLEU@refA,1", "A,2,BLEU@refA,1", "A,1,mqm,1"),
         "line 3: two scorers are called 'BLEU-refA'\n  Rename one."),
    ],
)  # fmt: skip
def test_columns_that_cannot_be_used_are_named(
    tmp_path: Path, header: str, rows: tuple[str, ...], message: str
) -> None:
    assert message in refused(long(tmp_path, *rows, header=header))


def test_parquet_names_rows_where_text_names_lines(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    frame = pl.DataFrame(
        {"system": ["A", "A"], "item": [1, 2], "scorer": ["mqm"] * 2, "score": [1.0, math.inf]}
    )
    frame.write_parquet(path)
    assert "x.parquet, row 2: found an infinite score in column 'score'" in refused(path)
    frame.with_columns(score=pl.Series([1.0, math.nan])).write_parquet(path)
    np.testing.assert_array_equal(segment(read(path), "mqm"), [[1.0, np.nan]])


def test_missing_and_not_a_number_mean_the_same_as_json_values(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    cell = '{"system": "A", "item": %d, "scorer": "mqm", "score": %s}\n'
    path.write_text("".join(cell % pair for pair in enumerate(["1", "null", "NaN", '"0.5"', '""'])))
    np.testing.assert_array_equal(segment(read(path), "mqm"), [[1.0, np.nan, np.nan, 0.5, np.nan]])
    path.write_text(cell % (1, "1") + cell % (2, "true"))
    assert "line 2: found a score that is not a number" in refused(path)
    path.write_text(cell % (1, "1") + cell % (2, "Infinity"))
    assert "line 2: found an infinite score" in refused(path)


def test_swapped_id_columns_do_not_fill_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    n = 15_000
    pl.DataFrame(
        {"system": range(n), "item": range(n), "scorer": ["mqm"] * n, "score": [1.0] * n}
    ).write_parquet(path)
    assert "15,000 rows name 15,000 systems and 15,000 items\n  Are 'system' and 'item'" in refused(path)


def test_a_wrong_column_of_scorers_does_not_fill_the_memory(tmp_path: Path) -> None:
    path, n = tmp_path / "x.parquet", 8_000
    cells = {
        "system": ["A"] * n,
        "item": range(n),
        "scorer": range(n),
        "kind": ["human"] * n,
        "score": [1.0] * n,
    }
    pl.DataFrame(cells).write_parquet(path)
    message = (
        "8,000 rows name 1 systems and 8,000 items and 8,000 scorers\n  Is 'scorer' the column of scorers?"
    )
    assert message in refused(path)


EDITS = st.sampled_from(
    [b",", b'"', b"\n", b"\r", b"\r\n", b"\0", b"x", b"nan", b"inf", b"\xff", b"\xef\xbb\xbf", b"1", b"-",
     b".", b" ", b"e5", b"A,1,mqm,human,7,d1\n", b'"A",3,mqm,human,7,"d3"\n', b"None", b""]
)  # fmt: skip


@given(st.lists(st.tuples(st.integers(0, 200), EDITS, st.integers(0, 4)), min_size=1, max_size=4))
def test_a_corrupted_table_is_refused_exactly_where_a_naive_reader_refuses_it(
    tmp_path_factory: pytest.TempPathFactory, edits: list[tuple[int, bytes, int]]
) -> None:
    rows = ("\n".join(ROWS) + "\n").encode()
    for at, insert, drop in edits:
        at %= len(rows)
        rows = rows[:at] + insert + rows[at + drop :]
    data = HEADER.encode() + b"\n" + rows
    path = tmp_path_factory.mktemp("long") / "x.csv"
    path.write_bytes(data)
    naive = naive_long(data)
    try:
        evalset = read_long(path)
    except InputError:
        assert naive is None
        return
    assert naive is not None
    cells, documents = naive
    for kind, scorers in (("human", evalset.human), ("metric", evalset.metrics)):
        for name in scorers:
            for row, system in enumerate(evalset.systems):
                for column, item in enumerate(evalset.items):
                    value = cells.pop((kind, name, system, item), math.nan)
                    np.testing.assert_equal(segment(evalset.select(), name)[row, column], value)
    assert not cells
    normal = {item: None if text is None else text.replace("\r\n", "\n") for item, text in documents.items()}
    assert dict(zip(evalset.items, evalset.item_context["document"], strict=True)) == normal
