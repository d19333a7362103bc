"""Raw MQM annotations: scores, spans, and files that cannot be used."""

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
from metaeval.evalset import EvalSet
from metaeval.io.languages import pair_in_name
from metaeval.io.mqm import READER, rater_scores, read_mqm, span, word_count
from metaeval.io.mqm_weights import UNBABEL, MqmWeights
from metaeval.io.registry import read
from metaeval.io.segments import item_ids
from metaeval.scores import FloatArray

HEADER = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"
ROWS = (
    "A\td1\t1\t1\tr1\tQuelle\tA <v>bad</v> text\tAccuracy/Mistranslation\tMajor",
    "A\td1\t1\t1\tr1\tQuelle\tA bad <v>text</v>\tFluency/Punctuation\tMinor",
    "A\td1\t1\t1\tr2\tQuelle\tA bad text\tNo-error\tNo-error",
    "A\td1\t2\t2\tr1\tZwei <v>Wort</v>\tTwo\tAccuracy/Omission\tMinor",
    "B\td1\t1\t1\tr2\tQuelle\tA text\tNo-error\tNo-error",
)


@pytest.fixture
def mqm(tmp_path: Path) -> Path:
    path = tmp_path / "mqm_zhen.tsv"
    path.write_text("\n".join((HEADER, *ROWS)) + "\n", encoding="utf-8")
    return path


def changed(path: Path, line: int, text: str) -> Path:
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[line - 1] = text
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def segment_scores(evalset: EvalSet) -> FloatArray:
    segment = evalset.human["mqm"].segment
    assert segment is not None
    return segment


def test_a_segments_score_is_minus_the_weights_of_its_errors_averaged_over_its_raters(mqm: Path) -> None:
    evalset = read(mqm)
    assert evalset.systems == ("A", "B")
    assert evalset.items == ("1", "2")
    np.testing.assert_allclose(segment_scores(evalset), np.array([[-2.55, -1.0], [0.0, np.nan]]))


def test_texts_lose_their_tags_and_the_pair_is_that_of_the_file_name(mqm: Path) -> None:
    evalset = read_mqm(mqm)
    assert evalset.source == ("Quelle", "Zwei Wort")
    assert evalset.outputs == {"A": ("A bad text", "Two"), "B": ("A text", None)}
    assert evalset.item_context == {"document": ("d1", "d1")}
    assert evalset.pair == "zh-en"
    assert read_mqm(mqm, pair="de-en").pair == "de-en"


def test_raters_errors_are_kept_with_offsets_in_the_text_without_tags(mqm: Path) -> None:
    evalset = read_mqm(mqm)
    assert json.loads(evalset.ratings["mqm.r1"]["A"][0] or "") == {
        "errors": [
            {
                "start": 2,
                "end": 5,
                "category": "Accuracy/Mistranslation",
                "severity": "Major",
                "score": 5.0,
                "is_source_error": False,
            },
            {
                "start": 6,
                "end": 10,
                "category": "Fluency/Punctuation",
                "severity": "Minor",
                "score": 0.1,
                "is_source_error": False,
            },
        ]
    }
    omission = json.loads(evalset.ratings["mqm.r1"]["A"][1] or "")["errors"][0]
    assert (omission["start"], omission["end"], omission["is_source_error"]) == (5, 9, True)
    assert evalset.ratings["mqm.r2"]["A"] == ('{"errors": []}', None)


def test_scores_of_single_raters_come_from_their_errors(mqm: Path) -> None:
    by_rater = rater_scores(read_mqm(mqm))
    np.testing.assert_array_equal(by_rater["mqm.r1"], [[-5.1, -1.0], [np.nan, np.nan]])
    np.testing.assert_array_equal(by_rater["mqm.r2"], [[0.0, np.nan], [0.0, np.nan]])


def test_the_length_normalised_score_is_a_hundred_less_the_weights_by_word(mqm: Path) -> None:
    evalset = read_mqm(mqm, weights=UNBABEL, length_normalised=True)
    expected = np.array([[(100 * (1 - 6 / 3) + 100) / 2, 0.0], [100.0, np.nan]])
    np.testing.assert_allclose(segment_scores(evalset), expected)


def test_other_weights_give_other_scores(mqm: Path) -> None:
    weights = MqmWeights.parse("major:10 minor:2 no-error:0")
    segment = segment_scores(read_mqm(mqm, weights=weights))
    np.testing.assert_array_equal(segment, [[-6.0, -2.0], [0.0, np.nan]])


def test_the_order_of_errors_cannot_break_a_tie(tmp_path: Path) -> None:
    kinds = ("Fluency/Punctuation\tMinor", "Fluency/Punctuation\tMinor", "Style\tMinor")
    assert 0.1 + 0.1 + 1 != 1 + 0.1 + 0.1
    rows = [f"A\td\t1\t1\tr\ts\tt\t{kind}" for kind in kinds]
    rows += [f"B\td\t1\t1\tr\ts\tt\t{kind}" for kind in reversed(kinds)]
    path = tmp_path / "mqm.tsv"
    path.write_text("\n".join((HEADER, *rows)), encoding="utf-8")
    a, b = segment_scores(read_mqm(path))
    assert a[0] == b[0] == -1.2


def test_columns_may_come_in_any_order_and_with_others(tmp_path: Path, mqm: Path) -> None:
    rows = [line.split("\t") for line in (HEADER, *ROWS)]
    turned = tmp_path / "turned_zhen.tsv"
    turned.write_text("\r\n".join("\t".join([*reversed(row), "note"]) for row in rows), encoding="utf-8-sig")
    assert read_mqm(turned) == read_mqm(mqm)


def test_a_quote_is_a_character(mqm: Path) -> None:
    path = changed(mqm, 6, 'B\td1\t1\t1\tr2\tQuelle\t"A text\tNo-error\tNo-error')
    assert read_mqm(path).outputs["B"][0] == '"A text'


def test_a_row_with_neither_category_nor_severity_says_that_there_is_no_error(mqm: Path) -> None:
    path = changed(mqm, 6, "B\td1\t1\t1\tr2\tQuelle\tA text\t\t")
    assert read_mqm(path).ratings["mqm.r2"]["B"][0] == '{"errors": []}'


def test_segments_that_documents_share_are_told_apart(mqm: Path) -> None:
    path = changed(mqm, 6, "B\td0\t1\t1\tr2\tQuelle\tA text\tNo-error\tNo-error")
    assert read_mqm(path).items == ("d1:1", "d1:2", "d0:1")


def test_ids_that_are_not_numbers_keep_their_order_within_documents() -> None:
    assert list(item_ids([("d", "x"), ("e", "y"), ("d", "a")]).values()) == ["x", "a", "y"]


@pytest.mark.parametrize(
    ("line", "text", "where", "what"),
    [
        (3, ROWS[1].replace("Minor", "Minr"), "line 3", "no weight is known for severity 'Minr'"),
        (3, ROWS[1].replace("bad", "worse"), "line 3", "the target of segment 1 differs from that on line 2"),
        (4, ROWS[2].replace("Quelle", "Q"), "line 4", "the source of segment 1 differs from that on line 2"),
        (5, ROWS[3] + "\tmore", "line 5", "found 10 fields, expected 9"),
        (5, "A\td1", "line 5", "found 2 fields, expected 9"),
        (6, ROWS[4].replace("r2", " "), "line 6", "the rater is empty"),
        (6, ROWS[4].replace("A text", "A\0text"), "line 6", "found a NUL byte"),
        (1, HEADER.replace("rater", "who"), "line 1", "there is no column rater"),
        (1, HEADER.replace("doc_id", "seg_id"), "line 1", "there is more than one column seg_id"),
    ],
)
def test_what_cannot_be_used_is_named_with_its_line(
    mqm: Path, line: int, text: str, where: str, what: str
) -> None:
    with pytest.raises(InputError) as caught:
        read_mqm(changed(mqm, line, text))
    assert f"mqm_zhen.tsv, {where}: {what}" in str(caught.value)


def test_the_remedy_for_an_unknown_severity_lists_the_weights(mqm: Path) -> None:
    with pytest.raises(InputError, match=r"Give it one in the weights, which are: .*major:5 "):
        read_mqm(changed(mqm, 3, ROWS[1].replace("Minor", "Minr")))


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "is empty, expected a header line"),
        (HEADER.encode(), "holds no annotations, only a header"),
        ("\n".join((HEADER, ROWS[0].replace("bad", "schön"))).encode("latin-1"), "is not UTF-8 text"),
    ],
)
def test_files_without_annotations_say_so(tmp_path: Path, content: bytes, what: str) -> None:
    path = tmp_path / "mqm.tsv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=what):
        read_mqm(path)


def test_other_files_are_not_taken_for_annotations(tmp_path: Path, mqm: Path) -> None:
    for name, content in (("x.tsv", b"\xff\xfe"), ("y.tsv", b"system\titem"), ("z.csv", mqm.read_bytes())):
        (tmp_path / name).write_bytes(content)
        assert not READER.sniff(tmp_path / name)
    assert not READER.sniff(tmp_path)
    assert READER.sniff(mqm)


def test_blank_lines_are_no_rows_and_other_protocols_no_raters_of_mqm(mqm: Path) -> None:
    evalset = read_mqm(mqm)
    mqm.write_text(mqm.read_text(encoding="utf-8").replace("\n", "\n\n"), encoding="utf-8")
    assert read_mqm(mqm) == evalset
    assert rater_scores(evalset, "esa") == {}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", (-1, -1)),
        ("<v>all</v>", (0, 3)),
        ("a <v>b</v> c <v>d</v> e", (2, 7)),
        ("open <v>end", (5, 8)),
        ("begin</v> rest", (0, 5)),
    ],
)
def test_a_span_reaches_from_the_first_tag_to_the_last(text: str, expected: tuple[int, int]) -> None:
    assert span(text) == expected


def test_characters_without_blanks_count_as_words() -> None:
    assert word_count("") == 0
    assert word_count("東京は here") == 4


@pytest.mark.parametrize(
    ("name", "pair"),
    [
        ("mqm_ted_ende.tsv", "en-de"),
        ("mqm.zh-en.tsv", "zh-en"),
        ("mqm_data.tsv", ""),
        ("ende_and_zhen.tsv", ""),
        ("enen.tsv", ""),
        ("annotations.tsv", ""),
    ],
)
def test_a_pair_is_taken_from_a_name_only_where_it_is_clear(name: str, pair: str) -> None:
    assert pair_in_name(name) == pair


@given(st.binary(max_size=8), st.integers(min_value=0), st.integers(min_value=0, max_value=20))
def test_a_corrupted_file_gives_a_set_or_a_message_and_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, junk: bytes, where: int, dropped: int
) -> None:
    content = "\n".join((HEADER, *ROWS)).encode()
    at = where % len(content)
    path = tmp_path_factory.mktemp("mqm") / "x.tsv"
    path.write_bytes(content[:at] + junk + content[at + dropped :])
    with contextlib.suppress(InputError):
        data = read_mqm(path)
        assert data.systems
        assert data.items


@pytest.mark.real
@pytest.mark.parametrize(("pair", "name"), [("en-de", "ende"), ("zh-en", "zhen")])
def test_scoring_the_ted_annotations_gives_back_the_published_scores(pair: str, name: str) -> None:
    evalset = read(real("mqm-ted", f"mqm_ted_{name}.tsv"))
    published = real("mqm-ted", f"mqm_ted_{name}.avg_seg_scores.tsv").read_text(encoding="utf-8")
    segment = segment_scores(evalset)
    assert evalset.pair == pair
    called = {"ref-A": "ref", "ref-B": "refB"}
    seen = set()
    for line in published.splitlines()[1:]:
        system, rest = line.split("\t")
        score, item = rest.split(" ")
        row = evalset.systems.index(called.get(system, system))
        if score == "None" and item not in evalset.items:
            continue
        value = segment[row, evalset.items.index(item)]
        seen.add((row, item))
        if score == "None":
            assert np.isnan(value)
        else:
            assert value == pytest.approx(float(score), abs=1e-6)
    assert len(seen) == segment.size
    assert set(called.values()) & set(evalset.systems)
