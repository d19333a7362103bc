"""ESA annotations: which judgments count, how they are averaged, and what is refused."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import numpy as np
import pytest
from conftest import real
from hypothesis import given
from hypothesis import strategies as st

from metaeval.errors import InputError
from metaeval.io.esa import left_out, read_esa
from metaeval.io.registry import read

SPANS = '"[{""start_i"":2,""end_i"":5,""severity"":""minor"",""error_type"":null}]"'
MISSING = '"[{""start_i"":""missing"",""end_i"":""missing"",""severity"":""major"",""error_type"":null}]"'
ROWS = (
    f"ann1,A,10,TGT,eng,jpn,80,test-en-news_x.1,False,{SPANS},1.0,2.0",
    "ann2,A,10,TGT,eng,jpn,90,test-en-news_x.1,False,[],1.0,2.0",
    "ann1,B,10,TGT,eng,jpn,100,test-en-news_x.1,False,[],1.0,2.0",
    f"ann1,A,9,TGT,eng,jpn,50,test-en-social_y,False,{MISSING},1.0,2.0",
    "ann1,A,10,BAD,eng,jpn,0,test-en-news_x.1#bad,False,[],1.0,3.0",
    "ann1,A,10,TGT,eng,jpn,0,test-en-news_x.1#dup,False,[],1.0,3.0",
    "ann1,A,10,TGT,eng,jpn,0,test-en-news_x.1#incomplete,False,[],1.0,3.0",
    "ann1,ende-tutorial1,99,TGT,eng,jpn,0,ende-tutorial1,False,[],1.0,3.0",
    "ann1,A,10,TGT,eng,jpn,0,test-en-news_x.1,True,[],1.0,3.0",
    "ann1,B,10,TGT,eng,jpn,70,test-en-news_x.1,False,[],1.0,1.5",
)


def esa(folder: Path, *rows: str) -> Path:
    path = folder / "esa.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_a_score_is_the_mean_over_annotators_of_the_judgments_that_count(tmp_path: Path) -> None:
    evalset = read(esa(tmp_path, *ROWS))
    assert (evalset.systems, evalset.items, evalset.pair) == (("A", "B"), ("9", "10"), "en-ja")
    np.testing.assert_array_equal(evalset.human["esa"].segment, [[50, 85], [np.nan, 100]])
    assert evalset.item_context == {
        "document": ("test-en-social_y", "test-en-news_x.1"),
        "domain": ("social", "news"),
    }


def test_what_does_not_count_is_counted(tmp_path: Path) -> None:
    assert left_out(esa(tmp_path, *ROWS)) == {
        "quality controls (BAD)": 1,
        "documents #dup": 1,
        "documents #incomplete": 1,
        "tutorials": 1,
        "scores of whole documents": 1,
        "earlier judgments by the same annotator": 1,
    }


def test_error_spans_are_kept_and_an_omission_has_no_place(tmp_path: Path) -> None:
    ratings = read_esa(esa(tmp_path, *ROWS)).ratings
    assert list(ratings) == ["esa.ann1", "esa.ann2"]
    omission, span = (json.loads(text or "")["errors"][0] for text in ratings["esa.ann1"]["A"])
    assert (span["start"], span["end"], span["severity"], span["category"]) == (2, 5, "minor", "")
    assert (omission["start"], omission["end"], omission["category"]) == (-1, -1, "omission")
    assert ratings["esa.ann2"]["A"] == (None, '{"errors": []}')


def test_domains_are_known_only_where_all_documents_say_them(tmp_path: Path) -> None:
    rows = [*ROWS[:3], ROWS[3].replace("test-en-social_y", "talk")]
    assert list(read_esa(esa(tmp_path, *rows)).item_context) == ["document"]


@pytest.mark.parametrize("pair", ["en-zh", "eng-zho", "eng-zh"])
def test_the_pair_chooses_by_two_letters_or_three(tmp_path: Path, pair: str) -> None:
    path = esa(tmp_path, *ROWS, ROWS[0].replace("jpn", "zho").replace(",80,", ",12,"))
    evalset = read(path, pair=pair)
    assert evalset.pair == "en-zh"
    np.testing.assert_array_equal(evalset.human["esa"].segment, [[12]])
    with pytest.raises(InputError, match=r"holds several language pairs\n  Choose with --pair: en-ja, en-zh"):
        read(path)
    with pytest.raises(InputError, match=r"holds no pair 'en-de'\n  .*There are: en-ja, en-zh"):
        read(path, pair="en-de")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            "ann1,A,10,TGT",
            "line 2: found 4 fields, expected 12\n    ann1,A,10,TGT\n  They are: annotator, system",
        ),
        (
            ROWS[1].replace(",90,", ",101,"),
            "line 2: found a score that is not a number from 0 to 100\n    101",
        ),
        (
            ROWS[1].replace(",90,", ",nan,"),
            "line 2: found a score that is not a number from 0 to 100\n    nan",
        ),
        (ROWS[1].replace(",90,", ",1_0,"), "line 2: found a score that is not a number from 0 to 100"),
        (ROWS[1].replace(",A,", ",,"), "line 2: the system is empty"),
        (
            ROWS[1].replace("False", "Maybe"),
            "line 2: found a whole-document flag that is neither True nor False",
        ),
        (ROWS[1].replace("2.0", "later"), "line 2: found an end time that is not a number\n    later"),
        (
            ROWS[1].replace("[]", "[1]"),
            "line 2: the error spans cannot be read\n    [1]\n  Expected JSON such as",
        ),
        (ROWS[1].replace("[]", "[{}]"), "line 2: the error spans cannot be read"),
        (
            ROWS[1].replace("[]", '"[{""start_i"":0,""end_i"":1,""severity"":3}]"'),
            "the error spans cannot be read",
        ),
        (ROWS[1].replace("[]", '"[]'), "line 2: the fields cannot be told apart"),
        (ROWS[1].replace("ann2", "a\0"), "line 2: found a NUL byte"),
    ],
)
def test_what_cannot_be_used_is_named_with_its_line(tmp_path: Path, row: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_esa(esa(tmp_path, ROWS[0], row))
    assert message in str(caught.value)


def test_a_file_without_judgments_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is empty, expected judgments"):
        read_esa(esa(tmp_path))
    with pytest.raises(InputError, match=r"no judgment counts \(quality controls \(BAD\): 1\)"):
        read_esa(esa(tmp_path, ROWS[4]))


@given(st.binary(max_size=6), st.integers(min_value=0), st.integers(min_value=0, max_value=20))
def test_a_corrupted_file_gives_a_set_or_a_message_and_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, junk: bytes, where: int, dropped: int
) -> None:
    content = "\n".join(ROWS).encode()
    at = where % len(content)
    path = tmp_path_factory.mktemp("esa") / "x.csv"
    path.write_bytes(content[:at] + junk + content[at + dropped :])
    with contextlib.suppress(InputError):
        data = read_esa(path)
        assert data.systems
        assert data.items


@pytest.mark.real
@pytest.mark.parametrize("pair", ["en-ja", "en-zh"])
def test_wave_3_of_wmt24_covers_every_cell_once_the_controls_are_out(pair: str) -> None:
    path = real("esa-wmt24", "esa_generalMT2024_wave3.csv")
    evalset = read(path, pair=pair)
    segment = evalset.human["esa"].segment
    assert segment is not None
    assert segment.shape == (13, 337)
    assert not np.isnan(segment).any()
    assert len(evalset.documents) == 85
    assert set(evalset.item_context["domain"]) == {"news", "literary", "social", "speech"}
    assert left_out(path, pair=pair)["documents #incomplete"] == 167
