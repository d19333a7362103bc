"""Files that hold tables: line numbers, encodings, quotes, and the two paths that must agree."""

from __future__ import annotations

import contextlib
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.errors import InputError
from metaeval.io.plain import read_plain
from metaeval.io.tablefile import peek_columns, read_quoted, read_table


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_lines_are_counted_exactly_where_fields_hold_line_ends(tmp_path: Path) -> None:
    path = written(tmp_path, "x.csv", 'a,b\n"one\ntwo",1\n\n"three\r\nfour\nfive",2\nsix,3\n')
    table = read_table(path)
    assert table.lines is not None
    assert table.lines.tolist() == [2, 5, 8]
    assert table.frame["a"].to_list() == ["one\ntwo", "three\nfour\nfive", "six"]


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("last", ["", "\n"])
def test_line_ends_and_byte_order_marks_make_no_difference(
    tmp_path: Path, ending: str, mark: str, last: str
) -> None:
    path = written(tmp_path, "x.csv", mark + ending.join(["a,b", "1,x", "2,y"]) + last.replace("\n", ending))
    assert read_table(path).frame.rows() == [("1", "x"), ("2", "y")]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.csv", "a,b\n1,\n"),
        ("x.csv", "a;b\n1;\n"),
        ("x.csv", '"a, really";b\n1;\n'.replace("a, really", "a")),
        ("x.tsv", "a\tb\n1\t\n"),
        ("x.TAB", "a\tb\n1\t\n"),
        ("x.jsonl", '{"a": "1", "b": null}\n'),
        ("x.ndjson", '{"a": 1}\n\n{"a": 2, "b": "x"}\n'),
    ],
)
def test_the_separator_is_that_of_the_suffix_or_of_the_header(
    tmp_path: Path, name: str, content: str
) -> None:
    table = read_table(written(tmp_path, name, content))
    assert table.columns == ["a", "b"]
    assert table.frame.row(0) == ("1", None)


def test_a_tsv_may_quote_a_tab(tmp_path: Path) -> None:
    path = written(tmp_path, "x.tsv", 'a\tb\n"one\ttwo"\t"say ""yes"""\n')
    assert read_table(path).frame.row(0) == ("one\ttwo", 'say "yes"')


def test_a_cell_that_begins_with_an_equals_sign_is_text(tmp_path: Path) -> None:
    path = written(tmp_path, "x.csv", "a,b\n=1+1,@x\n")
    assert read_table(path).frame.row(0) == ("=1+1", "@x")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.csv", "", "x.csv: is empty, expected a header line"),
        ("x.jsonl", "", "x.jsonl: is empty, expected one JSON object a line"),
        ("x.csv", "a,b\n", "x.csv: holds no rows"),
        (
            "x.csv",
            "a,b\n1,2,3\n",
            "line 2: found 3 fields, expected 2 as in the header\n    1 | 2 | 3",
        ),
        ("x.csv", 'a,b\n"1\n",2\n3\n', "x.csv, line 4: found 1 fields, expected 2"),
        ("x.csv", 'a,b\n"1"x,2\n', "x.csv, line 2: the fields cannot be told apart"),
        ("x.csv", 'a,b\n1,2\n"3,4\n5,6', "x.csv, line 3: the fields cannot be told apart"),
        ("x.csv", "a,b\n1,2\n3\0,4\n", "x.csv, line 3: found a NUL byte"),
        ("x.csv", "a,b\r1,2\r", "x.csv, line 1: a carriage return stands alone"),
        ("x.csv", "a,b\n1,2\n\xe4,4\n".encode("latin-1"), "x.csv, line 3: is not UTF-8 text"),
        ("x.csv", "a,,c\n1,2,3\n", "x.csv, line 1: column 2 has no name"),
        ("x.csv", "\n\na,a\n1,2\n", "x.csv, line 3: two columns are called 'a'"),
        (
            "x.csv",
            "a,b\n1,2\n3," + "x" * 200_000,
            "line 3: the fields cannot be told apart: field larger",
        ),
        ("x.csv", "a,b\n1,2\n3," + "x" * 5_000_000, "x.csv, line 3: the line has over 4,194,304 characters"),
        ("x.jsonl", '{"a": 1}\n[1]\n', "x.jsonl, line 2: is not one JSON object of texts and numbers"),
        ("x.jsonl", '{"a": 1}\n{"a": \n', "x.jsonl, line 2: is not one JSON object"),
        (
            "x.jsonl",
            '{"a": 1, "a" : 2}\n',
            "line 1: is not one JSON object of texts and numbers: the key",
        ),
        ("x.jsonl", '{"a": [1]}\n', "line 1: is not one JSON object of texts and numbers: found a list"),
        ("x.jsonl", '{"a": "\\ud800"}\n', "line 1: is not one JSON object"),
        ("x.jsonl", '{"a": ' + "[" * 100_000 + "\n", "line 1: is not one JSON object"),
        ("x.jsonl", '{"a": ' + "1" * 5_000 + "}\n", "line 1: is not one JSON object"),
        ("x.jsonl", '{"": 1}\n', "x.jsonl, line 1: column 1 has no name"),
        ("x.parquet", b"PAR1 and then nothing", "x.parquet: cannot be read as Parquet"),
        ("x.parquet", b"", "x.parquet: cannot be read as Parquet"),
        ("x.xlsx", "a", "x.xlsx: is not a table\n  Known: .csv, .tsv"),
    ],
)
def test_what_cannot_be_used_is_named_with_its_line(
    tmp_path: Path, name: str, content: str | bytes, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        read_table(written(tmp_path, name, content))
    assert message in str(caught.value)


@pytest.mark.parametrize("name", ["none.csv", "none.tsv", "none.jsonl", "none.parquet"])
def test_a_file_that_is_not_there_or_a_folder_is_a_message(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="none"):
        read_table(tmp_path / name)
    (tmp_path / name).mkdir()
    with pytest.raises(InputError, match="none"):
        read_table(tmp_path / name)
    assert peek_columns(tmp_path / name) == []


@pytest.mark.parametrize("name", ["x.csv", "x.tsv", "x.jsonl", "x.parquet", "x.txt"])
@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b'"', b"\0", b"{", b"[]\n", b"a"])
def test_a_look_at_the_columns_never_fails(tmp_path: Path, name: str, content: bytes) -> None:
    assert isinstance(peek_columns(written(tmp_path, name, content)), list)


def test_the_columns_are_known_before_the_table_is_read(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": [1], "b": ["x"]})
    frame.write_parquet(tmp_path / "x.parquet")
    frame.write_ndjson(tmp_path / "x.jsonl")
    frame.write_csv(tmp_path / "x.csv")
    assert [peek_columns(tmp_path / f"x.{kind}") for kind in ("parquet", "jsonl", "csv")] == [["a", "b"]] * 3


@given(st.lists(st.sampled_from([*'ab1,,\n\n\r"\t \0', "\ufeff", "\u2028", "é"]), max_size=25).map("".join))
def test_the_fast_path_reads_what_the_careful_one_reads_or_nothing(
    tmp_path_factory: pytest.TempPathFactory, content: str
) -> None:
    path = written(tmp_path_factory.mktemp("plain"), "x.csv", "a,b,c\n" + content)
    fast = read_plain(path, ",")
    if fast is not None:
        careful = read_quoted(path, ",")
        assert fast.frame.rows() == careful.frame.rows()
        assert fast.columns == careful.columns
        assert fast.lines is not None
        assert careful.lines is not None
        assert fast.lines.tolist() == careful.lines.tolist()


def test_the_fast_path_is_taken_where_nothing_is_quoted(tmp_path: Path) -> None:
    assert read_plain(written(tmp_path, "x.csv", "a,b\r\n1,2\r\n,4"), ",") is not None
    assert read_plain(written(tmp_path, "x.csv", 'a,b\n1,"2"\n'), ",") is None


def test_a_damaged_parquet_file_is_a_message_even_where_it_would_end_the_process(tmp_path: Path) -> None:
    whole, path = tmp_path / "whole.parquet", tmp_path / "x.parquet"
    pl.DataFrame({"system": ["A", "B"] * 9, "score": range(18)}).write_parquet(whole)
    data = whole.read_bytes()
    for at in (4, 6, 8, 10, len(data) // 2, len(data) - 9):
        path.write_bytes(data[:at] + b"\xff\xff" + data[at + 2 :])
        with contextlib.suppress(InputError):
            assert read_table(path).columns
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(InputError, match=r"cannot be read as Parquet: .*\n  Write it again"):
        read_table(path)
