"""Formats are found by name or by looking, and say what they can be told."""

from __future__ import annotations

from pathlib import Path

import pytest

from metaeval.errors import InputError
from metaeval.io.registry import choose_writer, read, readers, writers

MQM = (
    "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
    "A\td\t1\t1\tr\tone two\t<v>un</v> deux\tAccuracy/Mistranslation\tMajor\n"
)


@pytest.fixture
def marked(tmp_path: Path) -> Path:
    path = tmp_path / "mqm_enfr.tsv"
    path.write_text(MQM)
    return path


def test_every_format_that_is_written_is_read_too() -> None:
    assert set(writers()) <= set(readers())


@pytest.mark.parametrize(
    ("path", "format", "name"),
    [("x", None, "bundle"), ("x.csv", None, "long"), ("x.PARQUET", None, "long"), ("x.csv", "mtme", "mtme")],
)
def test_what_is_written_follows_the_name_unless_told(path: str, format: str | None, name: str) -> None:
    assert choose_writer(path, format).name == name


def test_a_reader_takes_the_options_it_declares(marked: Path) -> None:
    def score(**options: str) -> float:
        segment = read(marked, options=options).human["mqm"].segment
        assert segment is not None
        return float(segment[0, 0])

    assert score() == -5.0
    assert score(weights="major:2") == -2.0
    assert score(weights="unbabel", length_normalised="true") == 100 * (1 - 5 / 2)


def test_an_option_that_cannot_be_read_is_refused_not_taken_for_its_default(marked: Path) -> None:
    assert read(marked, options={"length_normalised": "yes"}) != read(marked)
    assert read(marked, options={"length_normalised": "no"}) == read(marked)
    with pytest.raises(InputError, match="length_normalised=1 is not possible: expected yes or no"):
        read(marked, options={"length_normalised": "1"})


def test_an_option_that_a_format_does_not_have_names_those_it_has(marked: Path) -> None:
    with pytest.raises(InputError, match=r"the format mqm has no option 'wights'\n  Did you mean weights\?"):
        read(marked, options={"wights": "google"})


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.csv", b"", r"is empty, expected a header line"),
        ("x.csv", b"system,item,mqm\nA,1,\xe9\n", r"line 2: is not UTF-8 text\n.*\n  .*iconv -f latin1"),
        ("x.csv", "system,item\n".encode("utf-16"), r"line 1: is not UTF-8 text\n.*\n  .*iconv -f utf-16"),
        ("x.tsv", b"system\titem\0\n", r"line 1: found a NUL byte"),
        ("x.csv", b'system,"item\n', r"line 1: the fields cannot be told apart"),
        ("x.jsonl", b'{"system": \n', r"line 1: is not one JSON object"),
        ("x.parquet", b"PAR1", r"cannot be read as Parquet"),
    ],
)
def test_a_broken_table_is_told_what_is_wrong_with_it(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=rf"{name}.*{message}"):
        read(tmp_path / name)


def test_unknown_formats_and_unrecognised_data_name_what_is_known(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no format 'mtm'\n  Did you mean mtme\?"):
        read(tmp_path, format="mtm")
    with pytest.raises(InputError, match="there is no format 'yaml' to write"):
        choose_writer("x", "yaml")
    with pytest.raises(
        InputError, match=r"the format is not recognised\n  Known: bundle \(metaeval bundle\)"
    ):
        read(tmp_path)
    with pytest.raises(InputError, match="there is no such file or folder"):
        read(tmp_path / "nowhere")
