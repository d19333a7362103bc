"""TREC runs and qrels: ordered as trec_eval orders them, plain or gzip, hostile or not."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from conftest import real
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metaeval.errors import InputError
from metaeval.io import packed_lines as packing
from metaeval.io.registry import read
from metaeval.io.trec import read_qrels, read_trec, read_trec_folder
from metaeval.scorers.run_rankings import score_rankings

QRELS = "1 0 d1 1\n1 0 d2 0\n2 0 d1 2\n"
RUN = "1 Q0 d2 0 2.0 a\n1\tQ0\td1\t1\t1.5\ta\n9 Q0 d1 0 1 a\n"


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def pressed(content: bytes) -> bytes:
    """The same bytes at any time: they are in the names of tests."""
    return gzip.compress(content, mtime=0)


def pack(path: Path, content: bytes) -> Path:
    path.write_bytes(pressed(content))
    return path


@pytest.fixture
def qrels(tmp_path: Path) -> Path:
    return write(tmp_path / "my_qrels.txt", QRELS)


def test_lists_are_ordered_by_score_and_by_document_where_scores_are_equal(
    qrels: Path, tmp_path: Path
) -> None:
    text = "1 Q0 d1 0 1.0 a\n1 Q0 d3 1 1.00000001 a\n1 Q0 d2 2 3e0 a\n2 Q0 d1 0 1 a\n"
    rankings = read_trec(qrels, write(tmp_path / "run", text))
    first = rankings.lists["a"][0]
    assert first is not None
    assert first.documents == ("d2", "d3", "d1")
    assert first.scores.tolist() == [3.0, 1.00000001, 1.0]
    assert rankings.topics == ("1", "2")


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    scores=st.dictionaries(
        st.sampled_from([f"d{i}" for i in range(9)]), st.sampled_from([0.0, 1, 1 + 1e-9, 2]), min_size=1
    )
)
def test_a_run_with_equal_scores_is_scored_as_trec_eval_does(
    tmp_path: Path, scores: dict[str, float]
) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval", reason="the extra 'scorers' is not installed")
    grades = {"d1": 1, "d4": 2, "d7": 1, "d8": 0}
    qrels = write(tmp_path / "qrels", "".join(f"t 0 {d} {g}\n" for d, g in grades.items()))
    run = write(tmp_path / "run", "".join(f"t Q0 {d} 0 {s!r} a\n" for d, s in scores.items()))
    ours = score_rankings(read_trec(qrels, run), ["map", "ndcg_cut_5"]).metrics
    theirs = pytrec_eval.RelevanceEvaluator({"t": grades}, {"map", "ndcg_cut_5"}).evaluate({"t": scores})
    for name in ("map", "ndcg_cut_5"):
        segment = ours[f"{name}-qrels"].segment
        assert segment is not None
        assert segment[0, 0] == pytest.approx(theirs["t"][name], abs=1e-12)


def test_what_is_left_out_is_said(qrels: Path, tmp_path: Path) -> None:
    notes: list[str] = []
    path = write(tmp_path / "run", RUN)
    rankings = read_trec(qrels, path, note=notes.append)
    assert rankings.lists["a"][1] is None
    assert notes == [
        f"{path}: 1 topics have no judgments and are left out (9, ...)",
        f"{path}: 1 of 2 topics have no list: no score (2, ...)",
    ]


def test_gzip_files_are_read_whatever_they_are_called(qrels: Path, tmp_path: Path) -> None:
    plain = read_trec(qrels, write(tmp_path / "run", RUN))
    packed = read_trec(
        pack(tmp_path / "q", b"\xef\xbb\xbf" + QRELS.encode()), pack(tmp_path / "r", RUN.encode())
    )
    assert score_rankings(plain) == score_rankings(packed)


def test_a_folder_is_read_with_its_runs_beside_the_qrels_or_in_a_folder(qrels: Path, tmp_path: Path) -> None:
    write(tmp_path / "input.a", RUN)
    beside = read(tmp_path)
    (tmp_path / "runs").mkdir()
    (tmp_path / "input.a").rename(tmp_path / "runs" / "input.a")
    assert read(tmp_path) == beside
    assert beside.systems == ("a",)
    assert beside.items == ("1", "2")
    segment = beside.metrics["map-qrels"].segment
    np.testing.assert_array_equal(segment, np.array([[0.5, np.nan]]))
    assert read_trec_folder(tmp_path).name == tmp_path.name


def test_runs_may_be_named(qrels: Path, tmp_path: Path) -> None:
    path = write(tmp_path / "run", RUN)
    assert read_trec(qrels, {"mine": path}).runs == ("mine",)
    with pytest.raises(InputError, match=r"a second run is called 'a'\n.*Name the runs"):
        read_trec(qrels, [path, path])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 Q0 d1 0 1.0\n", "run, line 1: found 5 fields, expected TOPIC Q0 DOCUMENT RANK SCORE TAG"),
        ("1 Q0 d1 0 high a\n", "run, line 1: found a score that is not a finite number\n    high"),
        ("1 Q0 d1 0 nan a\n", "found a score that is not a finite number"),
        ("1 Q0 d1 0 1_0 a\n", "found a score that is not a finite number"),
        ("1 Q0 d1 0 2 a\n\n1 Q0 d1 1 1 a\n", "run, line 3: document 'd1' is there twice for topic '1'"),
        ("1 Q0 d1 0 2 a\n1 Q0 d2 1 1 b\n", "line 2: found the tag 'b' after 'a', expected one run a file"),
        ("\n", "holds no ranked documents"),
    ],
)
def test_a_run_that_cannot_be_read_is_refused(qrels: Path, tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_trec(qrels, write(tmp_path / "run", text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 0 d1\n", "line 1: found 3 fields, expected TOPIC ITERATION DOCUMENT GRADE"),
        ("1 0 d1 1.5\n", "line 1: found the grade '1.5', expected a whole number"),
        ("1 0 d1 99999999999\n", "expected a whole number"),
        ("1 0 d1 1\n1 0 d1 0\n", "line 2: document 'd1' is judged twice for topic '1'"),
        ("", "holds no judgments"),
    ],
)
def test_qrels_that_cannot_be_read_are_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_qrels(write(tmp_path / "qrels", text))


def test_folders_without_runs_or_with_two_qrels_are_refused(qrels: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no runs"):
        read_trec_folder(tmp_path)
    write(tmp_path / "more.qrels", QRELS)
    with pytest.raises(InputError, match="found 2 files with qrels in their name, expected one"):
        read_trec_folder(tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (pressed(b"1 0 d1 1\n1 0 d2 1\n")[:-9], "is not a whole gzip file"),
        (pressed(b"1 0 d1 1\n")[:10] + b"\xff" * 20, "is not a whole gzip file"),
        (pressed(b"1 0 d1 1\n1 0 d\xff2 1\n"), "line 2: is not UTF-8 text"),
        (pressed(b"1 0 d1 1\n\0"), "line 2: found a NUL byte"),
    ],
)
def test_a_gzip_file_that_cannot_be_read_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "qrels.gz"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_qrels(path)


def test_what_a_gzip_file_unpacks_to_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "MAX_LINE_CHARS", 20)
    with pytest.raises(InputError, match="line 1: the line has over 20 bytes"):
        read_qrels(pack(tmp_path / "long", b"1" * 10_000))
    monkeypatch.setattr(packing, "MAX_FILE_BYTES", 15)
    with pytest.raises(InputError, match="unpacks to more than"):
        read_qrels(pack(tmp_path / "large", QRELS.encode()))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read_qrels(tmp_path / "absent")


@pytest.mark.real
def test_the_robust_track_is_read_whole() -> None:
    rankings = read_trec_folder(real("trec-robust03"))
    assert (len(rankings.runs), len(rankings.topics)) == (17, 100)
    assert all(ranked is not None for lists in rankings.lists.values() for ranked in lists)
    depths = {run: sum(len(r.documents) for r in lists if r) for run, lists in rankings.lists.items()}
    assert sorted(depths.values())[:3] == [1004, 10000, 99969]
    assert sum(len(grades) for grades in rankings.qrels.values()) == 128796
