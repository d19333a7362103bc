"""mt-metrics-eval folders: what is read, what is refused and how it is said, and that nothing is lost."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from conftest import real
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.mtme import read_folder
from tiny_mtme import TINY, Damage, damages, evalsets, tiny, written

from metaeval.errors import InputError
from metaeval.evalset import EvalSet
from metaeval.io import registry
from metaeval.io.mtme import pairs, read, sniff
from metaeval.io.mtme_scores import Expected, _blocks, _plain_scores, _score
from metaeval.io.mtme_write import write_mtme
from metaeval.scores import Scores

NAN = float("nan")
SEG, BLEU = "human-scores/zh-en.mqm.seg.score", "metric-scores/zh-en/BLEU-refA.seg.score"
RATING, DOMAIN = "human-scores/zh-en.mqm.r1.seg.rating", "human-scores/zh-en.mqm.domain.score"
EXTRAS = "metaeval/zh-en.json"


def side(**parts: object) -> str:
    """The text of a side file."""
    return json.dumps({"format": "metaeval-mtme-extras", "version": 1, **parts})


def refusal(folder: Path, pair: str | None = None) -> InputError:
    with pytest.raises(InputError) as caught:
        read(folder, pair=pair)
    return caught.value


# what is read


def test_the_folder_says_what_there_is(tmp_path: Path) -> None:
    found = read(tiny(tmp_path / "wmt99"))
    assert (found.name, found.pair) == ("wmt99", "zh-en")
    assert found.systems == ("A", "B_2", "refA")
    assert found.items == ("1", "2", "3")
    assert found.source == ("一", "二\t2", "三")
    assert found.references == {"refA": ("one", "two", "three")}
    assert found.outputs["A"] == ("1", "", "3")
    assert found.item_context == {"document": ("d1", "d1", "d2"), "domain": ("news", "news", "chat")}


def test_a_missing_score_and_a_missing_system_are_nan(tmp_path: Path) -> None:
    mqm = read(tiny(tmp_path)).human["mqm"]
    np.testing.assert_array_equal(mqm.segment, [[0, -5, -25], [-1, NAN, -0.1], [NAN, NAN, NAN]])
    np.testing.assert_array_equal(mqm.system, [-5, -1, NAN])


def test_group_scores_are_read_by_label_and_by_document_order(tmp_path: Path) -> None:
    found = read(tiny(tmp_path))
    domain, doc = found.human["mqm"].groups["domain"], found.metrics["BLEU-refA"].groups["doc"]
    assert (domain.labels, doc.labels) == (("news", "chat"), ("d1", "d2"))
    np.testing.assert_array_equal(domain.values, [[-2, -1], [-3, NAN], [NAN, NAN]])
    np.testing.assert_array_equal(doc.values, [[0.15, 0.3], [1.5, 3], [NAN, NAN]])


def test_a_metric_may_have_system_scores_only(tmp_path: Path) -> None:
    metric = read(tiny(tmp_path)).metrics["chrF-src"]
    assert metric.reference_free
    assert metric.segment is None
    np.testing.assert_array_equal(metric.system, [60.25, NAN, 100])


def test_ratings_are_kept_as_they_were_written(tmp_path: Path) -> None:
    assert read(tiny(tmp_path)).ratings == {
        "mqm.r1": {"A": (None, '{"errors": []}', '{"errors": [{"score": 1.0}]}')}
    }


def test_without_outputs_the_systems_are_those_with_scores(tmp_path: Path) -> None:
    folder = written(tmp_path, {name: text for name, text in TINY.items() if "outputs" not in name})
    assert read(folder).systems == ("A", "B_2", "refA")


@pytest.mark.parametrize(
    ("stem", "name", "reference"),
    [
        ("UniTE-src-refA", "UniTE-src", "refA"),
        ("X-refA.refA", "X", "refA.refA"),
        ("X-all", "X", "all"),
        ("MS-COMET", "MS-COMET", None),
        ("X-refB", "X-refB", None),
    ],
)
def test_the_reference_of_a_metric_is_one_that_there_is(
    tmp_path: Path, stem: str, name: str, reference: str | None
) -> None:
    scores = read(tiny(tmp_path, **{f"metric-scores/zh-en/{stem}.sys.score": "A\t1\n"})).metrics[stem]
    assert (scores.name, scores.reference) == (name, reference)


def test_byte_order_marks_and_windows_line_ends_change_nothing(tmp_path: Path) -> None:
    windows = {name: "\ufeff" + text.replace("\n", "\r\n") for name, text in TINY.items()}
    assert read(written(tmp_path / "a", windows)) == read(tiny(tmp_path / "b"))


def test_hidden_files_and_unknown_folders_are_left_alone(tmp_path: Path) -> None:
    there: dict[str, str | bytes] = {
        "sources/._zh-en.txt": b"\xff",
        "metric-scores/zh-en/.DS_Store": b"\0",
        "notes/x": "?",
    }
    assert read(tiny(tmp_path / "a", **there)) == read(tiny(tmp_path / "b"))


def test_the_format_is_recognised(tmp_path: Path) -> None:
    assert registry.read(tiny(tmp_path / "a")) == read(tmp_path / "a")
    assert not sniff(tmp_path)
    assert not sniff(tmp_path / "a" / SEG)


def test_one_of_several_pairs_must_be_chosen(tmp_path: Path) -> None:
    folder = tiny(
        tmp_path, **{"sources/zh-en.v2.txt": "x\n", "human-scores/zh-en.v2.mqm.sys.score": "Z\t1\n"}
    )
    assert pairs(folder) == ["zh-en", "zh-en.v2"]
    assert list(read(folder, pair="zh-en").human) == ["mqm"]
    assert read(folder, pair="zh-en.v2").systems == ("Z",)
    error = refusal(folder)
    assert error.what == "holds 2 language pairs"
    assert error.remedy == "Choose one with --pair: zh-en, zh-en.v2"
    assert "Did you mean zh-en?" in str(refusal(folder, pair="zh-eb"))


# what is refused


@pytest.mark.parametrize(
    ("name", "content", "line", "message"),
    [
        (
            BLEU,
            "A\t1\nA\t2\nB_2\t1\nB_2\t2\n",
            2,
            "found 2 lines for A, expected 3 (one for each line of",
        ),
        (BLEU, "A\t1\n" * 5, 4, "found 5 lines for A, expected 3 (one for each line of sources/zh-en.txt)"),
        (BLEU, "A\t1\nB_2\t1\n" * 3, 1, "found 1 line for A, expected 3"),
        (BLEU, "A\t1\n" * 3 + "B_2\t1\n" * 3 + "A\t1\n" * 3, 7, "found a second block of lines for A"),
        (BLEU, "A\t1\nA\t2\nA\t3\t4\n", 3, "found 3 fields, expected SYSTEM <tab> SCORE"),
        (BLEU, "A\t1\n\nA\t3\n", 2, "found 0 fields, expected SYSTEM <tab> SCORE"),
        (BLEU, "A\t1\nA\t\nA\t3\n", 2, "found 2 fields, one of them empty, expected SYSTEM <tab> SCORE"),
        (BLEU, "A\t1\nA\tinf\nA\t3\n", 2, "found a score that is not a finite number"),
        (BLEU, "A\t1\nA\tnan\nA\t3\n", 2, "found a score that is not a finite number"),
        (BLEU, "A\t1\nA\t1e999\nA\t3\n", 2, "found a score that is not a finite number"),
        (BLEU, "A\t1\nA\t-1e101\nA\t3\n", 2, "found a score beyond 1e+100"),
        (BLEU, "A\t1\nA\t1_0\nA\t3\n", 2, "found a score that is not a finite number"),
        (BLEU, "A\t1\nA\t0,5\nA\t3\n", 2, "found a score that is not a finite number"),
        (BLEU, "A\t1\nA\t2\0\nA\t3\n", 2, "found a NUL byte"),
        (BLEU, b"A\t1\nA\t\xe4\n", 2, "is not UTF-8 text"),
        (BLEU, "", None, "is empty"),
        (BLEU, "A\t1\nA\t2\nA\t3\n" + "C\t1\n" * 3, 4, "names the unknown system C"),
        (
            "metric-scores/zh-en/chrF-src.sys.score",
            "A\t1\nA\t1\n",
            2,
            "found 2 lines for A, expected 1 (one for",
        ),
        (
            "metric-scores/zh-en/chrF-src.doc.score",
            "A\t1\n",
            1,
            "found 1 line for A, expected 2 (one for each doc",
        ),
        (
            "metric-scores/zh-en/chrF-src.segment.score",
            "A\t1\n",
            None,
            "the name of a score file does not say",
        ),
        ("human-scores/zh-en.seg.score", "A\t1\n", None, "the name of a score file does not say"),
        ("human-scores/zh-en.mqm.r1.doc.rating", "A\tNone\n", None, "the name of a rating file"),
        ("references/zh-en.txt", "x\n", None, "the file name lacks the name of what it holds"),
        (DOMAIN, "news\tA\t1\nnews\tA\t2\n", 2, "found a second score for this system"),
        (DOMAIN, "news\tA\t1\nnews\tC\t2\n", 2, "names the unknown system C"),
        (DOMAIN, "news\tA\t1\nsport\tA\t2\n", 2, "names the unknown domain sport"),
        (DOMAIN, "A\t1\n", 1, "found 2 fields, expected DOMAIN <tab> SYSTEM <tab> SCORE"),
        (DOMAIN, "", None, "is empty"),
        (RATING, 'A\t{"errors": 3}\n', 1, "found a rating that is not a JSON object"),
        (RATING, 'A\tNone\nA\t{"errors": [\n', 2, "found a rating that is not a JSON object"),
        (RATING, "A\tNone\nA\t" + "[" * 99_999, 2, "found a rating that is not a JSON object"),
        (RATING, "A\n", 1, "found 1 field, expected SYSTEM <tab> RATING"),
        (RATING, "A\tNone\n" * 2, 2, "found 2 lines for A, expected 3"),
        (RATING, "C\tNone\n" * 3, 1, "names the unknown system C"),
        (
            "system-outputs/zh-en/A.txt",
            "1\n2\n",
            2,
            "found 2 lines, expected 3 (one for each line of",
        ),
        (
            "references/zh-en.refA.txt",
            "1\n" * 9,
            4,
            "found 9 lines, expected 3 (one for each line of",
        ),
        ("documents/zh-en.docs", "news\td1\nnews\nnews\td1\n", 2, "expected DOMAIN <tab> DOCUMENT"),
        ("documents/zh-en.docs", "news\td1\nnews\td1\n", 2, "found 2 lines, expected 3"),
        ("sources/zh-en.txt", "", None, "is empty: found no segments"),
        (EXTRAS, "{", 1, "is not valid JSON"),
        (EXTRAS, "[" * 99_999, None, "is not valid JSON"),
        (EXTRAS, "{}", None, "is not a side file of metaeval"),
        (EXTRAS, side(version=2), None, "is not of version 1"),
        (
            EXTRAS,
            side(itms=[]),
            None,
            "has an unknown part 'itms'",
        ),
        (
            EXTRAS,
            side(items=[1]),
            None,
            "the part 'items' does not",
        ),
        (
            EXTRAS,
            side(items=["a"]),
            None,
            "scores mqm are 3 x 3",
        ),
        (
            EXTRAS,
            side(human={"x": []}),
            None,
            "a scorer is not a",
        ),
    ],
)
def test_a_bad_file_gets_one_message_with_file_line_and_remedy(
    tmp_path: Path, name: str, content: str | bytes, line: int | None, message: str
) -> None:
    error = refusal(tiny(tmp_path, **{name: content}))
    assert error.path == tmp_path / name
    assert error.line == line
    assert error.what.startswith(message)


def test_scores_of_another_pair_are_told_from_their_number_of_lines(tmp_path: Path) -> None:
    error = refusal(tiny(tmp_path, **{BLEU: "A\t1\n" * 1976}))
    assert str(error) == (
        f"{tmp_path / BLEU}, line 4: "
        "found 1,976 lines for A, expected 3 (one for each line of sources/zh-en.txt)\n"
        "  The lines of a system must stand together, in the order of the sources. "
        "Are these the scores of another language pair or test set?"
    )


def test_a_line_at_fault_is_shown(tmp_path: Path) -> None:
    assert refusal(tiny(tmp_path, **{BLEU: "A 1\nA 2 3\x1b[31m\n"})).shows == "A 2 3\x1b[31m"


def test_document_scores_need_documents(tmp_path: Path) -> None:
    folder = written(tmp_path, {name: text for name, text in TINY.items() if "documents" not in name})
    assert refusal(folder).remedy == "Add documents/SRC-TGT.docs, or remove this file."


def test_a_folder_that_is_none_says_what_was_expected(tmp_path: Path) -> None:
    assert refusal(tmp_path / "nowhere").what == "there is no such folder"
    assert refusal(tmp_path).what == "is not an mt-metrics-eval folder: found no sources/SRC-TGT.txt"


def test_a_folder_in_the_place_of_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / BLEU).mkdir(parents=True)
    assert refusal(tiny(tmp_path, **{BLEU: None})).what == "is not a file"


def test_an_enormous_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("metaeval.io.mtme_scores.MAX_FAST_BYTES", 10)
    monkeypatch.setattr("metaeval.io.lines.MAX_FILE_BYTES", 99)
    error = refusal(tiny(tmp_path, **{BLEU: "A\t1\n" * 99}))
    assert error.path == tmp_path / BLEU
    assert "more than the 0 GB that are read" in error.what


def test_a_line_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("metaeval.io.mtme_scores.MAX_LINE_CHARS", 99)
    monkeypatch.setattr("metaeval.io.lines.MAX_LINE_CHARS", 99)
    error = refusal(tiny(tmp_path, **{BLEU: "A\t1\nA\t2\nA\t" + "0" * 99}))
    assert (error.what, error.line) == ("the line has over 99 characters", 3)


def test_missing_texts_of_the_side_file_must_be_empty_lines(tmp_path: Path) -> None:
    error = refusal(tiny(tmp_path, **{EXTRAS: side(missing_source=[2])}))
    assert (error.what, error.line) == ("is listed as missing, and is not empty", 2)


# whatever the bytes are


def test_the_oracle_agrees_on_the_tiny_folder(tmp_path: Path) -> None:
    assert read(tiny(tmp_path)) == read_folder(tmp_path, "zh-en")


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(sorted(TINY)), damages()), min_size=1, max_size=2))
def test_a_damaged_folder_is_refused_or_read_as_the_oracle_reads_it(
    damaged: list[tuple[str, Damage]],
) -> None:
    contents = {name: text.encode() for name, text in TINY.items()}
    for name, damage in damaged:
        contents[name] = damage(contents[name])
    with tempfile.TemporaryDirectory() as place:
        folder = written(Path(place), contents)
        try:
            found = read(folder)
        except InputError:
            return
        assert found == read_folder(folder, "zh-en")


TOKENS = [
    "A",
    "B",
    "_",
    "\t",
    "\t",
    " ",
    "\n",
    "\n",
    "1",
    "-0.5",
    "e9",
    "None",
    "nan",
    "inf",
    "\r",
    "\ufeff",
    "\0",
]
LINES = [
    f"{system}\t{score}\n" for system in ("A", "B_") for score in ("1", "None", "-0.1", "nan", "1_0", "٣")
]


@settings(max_examples=500, deadline=None)
@given(
    st.integers(1, 3),
    st.lists(st.sampled_from(TOKENS), max_size=12) | st.lists(st.sampled_from(LINES), max_size=6),
)
def test_what_the_fast_way_accepts_the_careful_way_reads_alike(size: int, tokens: list[str]) -> None:
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "x.score"
        path.write_text("".join(tokens), encoding="utf-8", newline="")
        fast = _plain_scores(path, size)
        if fast is None:
            return
        careful = _blocks(path, Expected(size, ""), _score)
        assert fast.keys() == careful.keys()
        for system, values in fast.items():
            np.testing.assert_array_equal(values, careful[system])


# writing


@settings(max_examples=150, deadline=None)
@given(evalsets(odd=False))
def test_reading_what_was_written_gives_the_same(evalset: EvalSet) -> None:
    with tempfile.TemporaryDirectory() as place:
        write_mtme(evalset, Path(place) / "new")
        assert read(Path(place) / "new") == evalset
        assert [path.name for path in Path(place).iterdir()] == ["new"]


@settings(max_examples=150, deadline=None)
@given(evalsets(odd=True))
def test_what_no_text_file_can_hold_is_refused_and_nothing_is_written(evalset: EvalSet) -> None:
    with tempfile.TemporaryDirectory() as place:
        try:
            write_mtme(evalset, Path(place) / "new")
        except InputError:
            assert not any(Path(place).iterdir())
        else:
            assert read(Path(place) / "new") == evalset


def test_a_plain_folder_is_written_without_a_side_file(tmp_path: Path) -> None:
    write_mtme(read(tiny(tmp_path / "a")), tmp_path / "b")
    found = {
        path.relative_to(tmp_path / "b").as_posix() for path in (tmp_path / "b").rglob("*") if path.is_file()
    }
    assert found == set(TINY)


def test_scores_are_written_in_their_shortest_form_and_unscored_systems_left_out(tmp_path: Path) -> None:
    write_mtme(read(tiny(tmp_path / "a")), tmp_path / "b")
    assert (
        tmp_path / "b" / SEG
    ).read_text() == "A\t0.0\nA\t-5.0\nA\t-25.0\nB_2\t-1.0\nB_2\tNone\nB_2\t-0.1\n"


def test_a_pair_is_added_to_a_folder_that_lacks_it(tmp_path: Path) -> None:
    first = read(tiny(tmp_path / "a"))
    second = replace(first, pair="en-de")
    for evalset in (first, second):
        write_mtme(evalset, tmp_path / "b")
    assert read(tmp_path / "b", pair="zh-en") == first
    assert read(tmp_path / "b", pair="en-de") == second


@pytest.mark.parametrize("pair", ["zh-en", "zh-en.v2"])
def test_a_pair_that_is_there_is_not_overwritten(tmp_path: Path, pair: str) -> None:
    folder = tiny(tmp_path / "a")
    before = read(folder)
    with pytest.raises(InputError, match="already holds files of") as caught:
        write_mtme(replace(before, pair=pair), folder)
    assert caught.value.path == folder
    assert read(folder) == before
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_another_folder_is_not_written_to(tmp_path: Path) -> None:
    evalset = read(tiny(tmp_path / "a"))
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "thesis.txt").write_text("x")
    with pytest.raises(InputError, match="already exists, and is not an mt-metrics-eval folder"):
        write_mtme(evalset, tmp_path / "b")
    with pytest.raises(InputError, match="already exists, and is not"):
        write_mtme(evalset, tmp_path / "b" / "thesis.txt")
    assert [path.name for path in (tmp_path / "b").iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize("name", ["a/b", "..", ".hidden", "a\\b", "a\0", "a\tb", " a"])
def test_a_name_that_cannot_be_a_file_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="cannot name a file") as caught:
        write_mtme(EvalSet(systems=(name,), items=("1",)), tmp_path / "b")
    assert "Rename it" in str(caught.value)
    for evalset in (
        EvalSet(systems=("A",), items=("1",), pair=name),
        EvalSet(systems=("A",), items=("1",), references={name: ("x",)}),
        EvalSet(systems=("A",), items=("1",), metrics={name: Scores(name, system=np.ones(1))}),
    ):
        with pytest.raises(InputError, match="cannot name a file"):
            write_mtme(evalset, tmp_path / "b")


def test_a_text_with_a_line_break_is_refused_and_named(tmp_path: Path) -> None:
    evalset = EvalSet(systems=("A",), items=("1", "2"), outputs={"A": ("x", "y\nz")})
    with pytest.raises(InputError) as caught:
        write_mtme(evalset, tmp_path / "b")
    assert str(caught.value) == (
        "the output of A holds a line break in item 2\n    y\\nz\n"
        "  An mt-metrics-eval folder has one text a line: replace it, or write a bundle."
    )
    assert not any(tmp_path.iterdir())


def test_a_set_without_systems_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing to write"):
        write_mtme(EvalSet(systems=(), items=("1",)), tmp_path / "b")


def test_what_the_file_system_refuses_is_said(tmp_path: Path) -> None:
    evalset = EvalSet(systems=("A" * 300,), items=("1",), outputs={"A" * 300: ("x",)})
    with pytest.raises(InputError, match="cannot be written: File name too long"):
        write_mtme(evalset, tmp_path / "b")
    assert not any(tmp_path.iterdir())


@pytest.mark.real
@pytest.mark.parametrize("name", ["wmt22", "wmt23"])
def test_the_real_folders_come_back_equal(tmp_path: Path, name: str) -> None:
    evalset = read(real(name))
    write_mtme(evalset, tmp_path / name)
    assert read(tmp_path / name) == evalset
    assert not (tmp_path / name / "metaeval").exists()
