"""Preference pairs: who won, on what scale, and what cannot be told apart."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.errors import InputError
from metaeval.io.frames import from_pairs
from metaeval.io.pairs import read_pairs
from metaeval.io.registry import read
from metaeval.scores import FloatArray

LINES = (
    "item,system_a,system_b,output_a,output_b,winner,BLEU_a,BLEU_b,source,document,judge",
    "1,X,Y,xa,yb,a,30,20,s,d,j1",
    "1,Y,Z,ya,zb,Z,10,11,s,d,j2",
    "2,Z,X,za,xb,tie,5,,t,d,j1",
)


def pairs(folder: Path, *lines: str) -> Path:
    path = folder / "pairs.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def preference(winners: list[object], **columns: list[object]) -> FloatArray:
    segment = (
        from_pairs({"item": list(range(len(winners))), "winner": winners, **columns})
        .human["preference"]
        .segment
    )
    assert segment is not None
    return segment


def test_a_row_is_an_item_of_its_own_where_its_two_systems_have_scores(tmp_path: Path) -> None:
    evalset = read(pairs(tmp_path, *LINES))
    nan = np.nan
    assert (evalset.systems, evalset.items) == (("X", "Y", "Z"), ("1", "1#2", "2"))
    np.testing.assert_array_equal(
        evalset.human["preference"].segment, [[1, nan, 0.5], [0, 0, nan], [nan, 1, 0.5]]
    )
    np.testing.assert_array_equal(
        evalset.metrics["BLEU"].segment, [[30, nan, nan], [20, 10, nan], [nan, 11, 5]]
    )
    assert evalset.outputs == {"X": ("xa", None, "xb"), "Y": ("yb", "ya", None), "Z": (None, "zb", "za")}
    assert evalset.source == ("s", "s", "t")
    assert evalset.item_context == {
        "document": ("d",) * 3,
        "judge": ("j1", "j2", "j1"),
        "item": ("1", "1", "2"),
    }


def test_without_systems_the_two_sides_are_a_and_b() -> None:
    evalset = from_pairs({"id": [1], "winner": ["b"], "COMET@refA_a": [0.1], "COMET@refA_b": [0.2]})
    assert evalset.systems == ("A", "B")
    np.testing.assert_array_equal(evalset.human["preference"].segment, [[0], [1]])
    assert evalset.metrics["COMET-refA"].reference == "refA"


def test_a_pair_has_references() -> None:
    columns = {"item": [1], "winner": ["a"], "reference": ["r"], "reference:refB": ["s"]}
    assert from_pairs(columns).references == {"ref": ("r",), "refB": ("s",)}


def test_a_wrong_column_of_systems_does_not_fill_the_memory() -> None:
    n = 6_000
    columns = {"item": range(n), "winner": ["a"] * n, "system_a": range(n), "system_b": range(n, 2 * n)}
    with pytest.raises(InputError, match="6,000 pairs name 12,000 systems"):
        from_pairs(columns)


def test_human_scores_of_both_sides_are_a_protocol_of_their_own() -> None:
    columns = {
        "mqm_a": [-1],
        "mqm_b": [0],
        "human:x_a": [1],
        "human:x_b": [2],
        "metric:da_A": [3],
        "metric:da_B": [4],
    }
    evalset = from_pairs({"item": [1], "winner": ["b"], **columns})
    assert list(evalset.human) == ["preference", "mqm", "x"]
    assert list(evalset.metrics) == ["da"]


@pytest.mark.parametrize(
    ("winners", "of_a"),
    [
        (["a", "B", "tie", "Tied", "model_a", "system_b", "output_a"], [1, 0, 0.5, 0.5, 1, 0, 1]),
        ([1, 2, 0], [1, 0, 0.5]),
        ([1, 2], [1, 0]),
        ([1, 0, 0.5], [1, 0, 0.5]),
        (["1", "0.5"], [1, 0.5]),
        ([1, "a", 2, None], [1, 1, 0, np.nan]),
        (["a", ""], [1, np.nan]),
    ],
)
def test_a_winner_may_be_a_side_or_a_number_whose_meaning_is_clear(
    winners: list[object], of_a: list[float]
) -> None:
    np.testing.assert_array_equal(preference(winners), [of_a, 1 - np.array(of_a)])


@pytest.mark.parametrize(
    "winners", [[0, 1], [1], [0], [1, 2, 0.5], [3], [1, -1], [2, 2, 5], ["nan"], ["X"], ["left"]]
)
def test_a_winner_that_could_mean_either_side_is_refused(winners: list[object]) -> None:
    with pytest.raises(InputError, match=r"row \d: the winner cannot be understood") as caught:
        preference(winners)
    assert "Write a, b or tie, or the name of one of the two systems." in str(caught.value)
    assert "0 and 1 alone could mean either side" in str(caught.value)


def test_a_system_that_is_called_like_the_other_side_is_refused() -> None:
    systems: dict[str, list[object]] = {"system_a": ["b"], "system_b": ["c"]}
    np.testing.assert_array_equal(preference(["c"], **systems), [[0], [1]])
    with pytest.raises(InputError, match="the winner cannot be understood"):
        preference(["b"], **systems)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (("item,winner,system_a,system_b", "1,a,X,X"), "line 2: the same system is on both sides"),
        (
            ("item,winner,system_a,system_b", "1,a,X,X"),
            "X\n  Name the outputs differently, or leave the system columns",
        ),
        (
            ("item,winner,system_a", "1,a,X"),
            "only one of system_a and system_b is there\n  Give both, or none.",
        ),
        (
            ("item,winner,BLEU_a", "1,a,3"),
            "there is a column 'BLEU_a', but no 'BLEU_b'\n  Give the scores of both",
        ),
        (
            ("item,winner,metric:BLEU", "1,a,3"),
            "column 'metric:BLEU' is for neither side\n  Call it metric:BLEU_a",
        ),
        (
            ("item,winner,note_a,note_b", "1,a,x,y"),
            "line 2: found a score that is not a number in column 'note_a'",
        ),
        (("item,winner,note_a,note_b", "1,a,x,y"), "Or call it item:note_a to keep it as context."),
        (("item,winner,BLEU_a,BLEU_b", "1,a,3,inf"), "line 2: found an infinite score in column 'BLEU_b'"),
        (
            ("item,winner,x_a,x_b,metric:x_a,metric:x_b", "1,a,3,1,2,4"),
            "two scorers are called 'x'\n  Rename one.",
        ),
        (("item,winner,item:item", "1,a,3"), "two columns are the item column 'item'\n  Rename one."),
        (("item,winner,system:x", "1,a,3"), "column 'system:x': pairs have no columns of systems"),
        (("item,winner", ",a"), "line 2: the item is empty"),
        (("item,winner", '"1', '",a'), "line 2: the item begins or ends with a blank"),
    ],
)
def test_what_cannot_be_used_is_named(tmp_path: Path, lines: tuple[str, ...], message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_pairs(pairs(tmp_path, *lines))
    assert message in str(caught.value)


@given(st.lists(st.sampled_from(["1", "2", "1#2", "1#3", "2#2"]), max_size=8))
def test_every_pair_gets_an_id_of_its_own(items: list[str]) -> None:
    evalset = from_pairs({"item": ["x", *items], "winner": ["a"] * (len(items) + 1)})
    assert len(set(evalset.items)) == len(items) + 1
    assert evalset.item_context["item"] == ("x", *items)


@given(st.binary(max_size=6), st.integers(min_value=0), st.integers(min_value=0, max_value=20))
def test_a_corrupted_file_gives_a_set_or_a_message_and_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, junk: bytes, where: int, dropped: int
) -> None:
    content = "\n".join(LINES).encode()
    at = where % len(content)
    path = tmp_path_factory.mktemp("pairs") / "x.csv"
    path.write_bytes(content[:at] + junk + content[at + dropped :])
    try:
        evalset = read_pairs(path)
    except InputError:
        return
    segment = evalset.human["preference"].segment
    assert segment is not None
    assert set(np.nansum(segment, axis=0)) <= {0.0, 1.0}
