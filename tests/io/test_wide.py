"""Wide tables: which columns are scores, which are context, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.long_table import naive_score

from metaeval.api import rank
from metaeval.errors import InputError
from metaeval.io.frames import from_wide
from metaeval.io.registry import read
from metaeval.io.wide import read_wide


def wide(folder: Path, *lines: str) -> Path:
    path = folder / "wide.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def refused(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        read_wide(path)
    return str(caught.value)


def test_a_row_is_a_system_and_an_item_and_a_column_a_scorer(tmp_path: Path) -> None:
    evalset = read(
        wide(tmp_path, "Model,Seg-ID,MQM,BLEU,COMET@refA", "A,1,-1,30,0.8", "B,1,,31,", "A,2,0,,0.9")
    )
    assert (evalset.systems, evalset.items) == (("A", "B"), ("1", "2"))
    assert (list(evalset.human), list(evalset.metrics)) == (["MQM"], ["BLEU", "COMET-refA"])
    np.testing.assert_array_equal(evalset.human["MQM"].segment, [[-1, 0], [np.nan, np.nan]])
    np.testing.assert_array_equal(evalset.metrics["COMET-refA"].segment, [[0.8, 0.9], [np.nan, np.nan]])


def test_prefixes_say_what_names_do_not(tmp_path: Path) -> None:
    header = "system,item,human:fluency,metric:da,item:year,system:size,reference:refA,genre"
    evalset = read_wide(wide(tmp_path, header, "A,1,3,0.5,2020,7,ref,news", "B,1,4,0.6,2020,8,ref,news"))
    assert (list(evalset.human), list(evalset.metrics)) == (["fluency"], ["da"])
    assert evalset.item_context == {"year": ("2020",), "genre": ("news",)}
    assert evalset.system_context == {"size": ("7", "8")}
    assert evalset.references == {"refA": ("ref",)}


def test_a_lone_reference_is_a_text_that_is_called_ref(tmp_path: Path) -> None:
    evalset = read_wide(wide(tmp_path, "system,item,mqm,Reference", "A,1,0,text"))
    assert evalset.references == {"ref": ("text",)}
    assert "two columns are the reference column 'ref'" in refused(
        wide(tmp_path, "system,item,mqm,reference,reference:ref", "A,1,0,text,other")
    )


def test_outputs_need_no_human_scores_because_they_can_be_scored(tmp_path: Path) -> None:
    evalset = read(
        wide(tmp_path, "system,item,domain,reference,output", "A,1,news,Hello,Hi", "B,1,news,Hello,Ho")
    )
    assert (dict(evalset.human), dict(evalset.metrics)) == ({}, {})
    assert evalset.outputs == {"A": ("Hi",), "B": ("Ho",)}
    with pytest.raises(InputError, match=r"there are no human scores of segments\n.*human:NAME"):
        rank(evalset)


def test_a_hyphen_belongs_to_the_name_of_a_metric(tmp_path: Path) -> None:
    evalset = read_wide(wide(tmp_path, "system,item,mqm,UniTE-src,BLEU-refA,nDCG@10", "A,1,0,1,2,3"))
    assert [scores.reference for scores in evalset.metrics.values()] == [None, None, None]
    assert list(evalset.metrics) == ["UniTE-src", "BLEU-refA", "nDCG@10"]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            ("system,item,gold,BLEU", "A,1,2,3"),
            "wide.csv: no column holds human scores; there are: system, item, ",
        ),
        (
            ("system,item,gold,BLEU", "A,1,2,3"),
            "Human scores are columns or scorers called human:NAME, or one of",
        ),
        (("name,item,mqm", "A,1,2"), "there is no system column\n  Expected system or sys or system_id"),
        (
            ("system,item,mqm", "A,1,2", "B,1,2", "A,1,3"),
            "line 4: the row of system 'A' and item '1' is there twice, ",
        ),
        (("system,item,mqm", "A,1,2", "B,1,2", "A,1,3"), "first on line 2\n  A wide table has one row"),
        (
            ("system,item,mqm,BLEU", "A,1,2,3", "A,2,2,x"),
            "line 3: column 'BLEU' holds a number on line 2 and none",
        ),
        (("system,item,mqm,BLEU", "A,1,2,3", "A,2,2,x"), "a column of context is called item:BLEU."),
        (
            ("system,item,mqm,BLEU", "A,1,2,nan", "A,2,2,1"),
            "line 2: column 'BLEU' holds a number on line 3 and none",
        ),
        (
            ("system,item,mqm,BLEU", "A,1,2,", "A,2,2,NA"),
            "column 'BLEU' is empty, so that nobody knows what it is",
        ),
        (
            ("system;item;mqm;BLEU", "A;1;2;", "A;2;3;0,5", "B;2;3;-1,25"),
            "line 3: column 'BLEU' holds no number that can be read\n    0,5\n  Write 0.5 for 0,5",
        ),
        (("system,item,mqm,BLEU", "A,1,2,NaN"), "line 2: column 'BLEU' holds no number that can be read"),
        (("system,item,mqm,BLEU", "A,1,2,-inf"), "line 2: column 'BLEU' holds no number that can be read"),
        (("system,item,mqm", "A,1,x"), "line 2: found a score that is not a number in column 'mqm'\n    x"),
        (
            ("system,item,human:x", "A,1,nan"),
            "line 2: found nan in column 'human:x'\n    nan\n  Leave the cell empty",
        ),
        (("system,item,mqm,metric:BLEU,BLEU", "A,1,0,1,2"), "two columns are called 'BLEU'\n  Rename one."),
        (
            ("system,item,mqm,note", "A,1,0,x", "B,1,0,y", "A,2,0,z"),
            "column 'note' is neither constant for each item",
        ),
        (
            ("system,item,id,mqm", "A,1,1,0"),
            "columns 'item' and 'id' could both be the item\n  Rename one; item:id",
        ),
    ],
)
def test_what_cannot_be_used_is_named(tmp_path: Path, lines: tuple[str, ...], message: str) -> None:
    assert message in refused(wide(tmp_path, *lines))


def test_an_empty_column_that_says_that_it_is_a_metric_is_one() -> None:
    evalset = from_wide({"system": ["A"], "item": [1], "mqm": [0], "metric:BLEU": [None]})
    np.testing.assert_array_equal(evalset.metrics["BLEU"].segment, [[np.nan]])


CELLS = st.one_of(
    st.floats(allow_nan=False, width=32).map(str),
    st.text(st.sampled_from("0123456789.eE+-_ xnaif,\"'\u0663"), max_size=5),
    st.sampled_from(["", "None", "NA", "nan", "inf", "1e400", "-.5", "+1.", " 2 ", "1 2"]),
)


@given(st.lists(CELLS, min_size=1, max_size=4))
def test_a_column_of_scores_is_read_as_one_reads_it_by_hand_or_refused(cells: list[str]) -> None:
    by_hand = [naive_score(cell) for cell in cells]
    columns = {"system": ["A"] * len(cells), "item": list(range(len(cells))), "mqm": cells}
    if None in by_hand:
        with pytest.raises(InputError, match=f"row {by_hand.index(None) + 1}: found"):
            from_wide(columns)
    else:
        np.testing.assert_array_equal(from_wide(columns).human["mqm"].segment, [by_hand])
