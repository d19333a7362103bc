"""``metaeval score`` and ``metaeval scorers``: what they print, keep and refuse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from metaeval.cli.main import main
from metaeval.io.registry import read

pytest.importorskip("jiwer", reason="the extra 'scorers' is not installed")


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    try:
        main([str(argument) for argument in arguments])
        code = 0
    except SystemExit as stop:
        code = int(stop.code or 0)
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture
def speech(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("METAEVAL_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "speech"
    folder.mkdir()
    (folder / "ref.csv").write_text("file,text\nu1.wav,one two\nu2.wav,three\n")
    (folder / "a.csv").write_text("file,text\nu1.wav,one two\nu2.wav,tree\n,nothing\n")
    return folder


@pytest.fixture
def trec(tmp_path: Path) -> Path:
    folder = tmp_path / "trec"
    folder.mkdir()
    (folder / "qrels").write_text("1 0 d1 1\n2 0 d2 1\n")
    (folder / "run").write_text("1 Q0 d1 0 1 best\n")
    return folder


def test_scores_are_added_and_shown_with_their_own_sign(
    capsys: pytest.CaptureFixture[str], speech: Path, tmp_path: Path
) -> None:
    code, out, _ = run(
        capsys, "score", speech, "-s", "WER", "-s", "wip", "--skip-unnamed", "--out", tmp_path / "out.csv"
    )
    assert code == 0
    assert out.splitlines()[:2] == ["  system  WER-ref  WIP-ref", "  a        0.3333   0.4444"]
    assert "WER-ref: WER|normalise:no|jiwer:" in out
    assert (
        "! kept with a minus sign, so that higher is better (--natural keeps them as shown): WER-ref" in out
    )
    scored = read(tmp_path / "out.csv").metrics
    segment = scored["WER-ref"].segment
    assert segment is not None
    assert segment.tolist() == [[0, -1]]
    assert (tmp_path / "cache" / "scores.sqlite").exists()


def test_natural_scores_keep_their_sign_and_no_cache_keeps_nothing(
    capsys: pytest.CaptureFixture[str], speech: Path, tmp_path: Path
) -> None:
    out_path = tmp_path / "out"
    options = ("--natural", "--no-cache", "--skip-unnamed", "--out", out_path)
    code, out, _ = run(capsys, "score", speech, "-s", "WER", *options)
    assert code == 0
    assert "minus sign" not in out
    system = read(out_path).metrics["WER-ref"].system
    assert system is not None
    assert system.tolist() == [pytest.approx(1 / 3)]
    assert not (tmp_path / "cache").exists()


def test_rankings_are_scored_by_measures_of_rankings(
    capsys: pytest.CaptureFixture[str], trec: Path, tmp_path: Path
) -> None:
    code, out, _ = run(capsys, "score", trec, "-s", "map", "--out", tmp_path / "out", "--no-cache")
    assert code == 0
    assert out.splitlines()[:2] == ["  system  map-qrels", "  best       1.0000"]


def test_programs_get_json_and_outputs_without_a_score_are_counted(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "gaps.csv"
    path.write_text("system,item,reference,output\nA,1,x y,x z\nA,2,z,\nB,2,z,z\n")
    options = ("-s", "WER", "-s", "WIP", "--no-cache", "--out")
    code, out, err = run(capsys, "score", path, *options, tmp_path / "scored.csv", "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["out"] == str(tmp_path / "scored.csv")
    assert any("system scores" in lost for lost in found["not_in_it"])
    wer = found["results"][0]
    assert wer.pop("signature").startswith("WER|normalise:no|jiwer:")
    assert wer == {
        "metric": "WER-ref",
        "direction": "lower",
        "kept_negated": True,
        "unscored": 2,
        "systems": {"A": 0.5, "B": 0.0},
    }
    _, shown, _ = run(capsys, "score", path, *options, tmp_path / "again")
    assert (
        "! outputs without a score, which count for nothing (no text, or nothing to compare with): " in shown
    )
    assert "WER-ref 2, WIP-ref 2" in shown


def test_topics_without_a_list_are_counted(
    capsys: pytest.CaptureFixture[str], trec: Path, tmp_path: Path
) -> None:
    (trec / "other").write_text("2 Q0 d2 0 1 other\n")
    _, out, _ = run(capsys, "score", trec, "-s", "map", "--out", tmp_path / "out", "--json", "--no-cache")
    found = json.loads(out)["results"][0]
    assert (found["systems"], found["unscored"]) == ({"best": 1.0, "other": 1.0}, 2)


def test_a_reference_is_not_scored_against_itself_its_score_is_null(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "outputs.csv"
    path.write_text("system,item,reference:H,output\nH,1,x y,x y\nA,1,x y,x z\n")
    _, out, _ = run(capsys, "score", path, "-s", "WER", "--out", tmp_path / "out", "--json", "--no-cache")
    found = json.loads(out)["results"][0]
    assert (found["systems"], found["unscored"]) == ({"H": None, "A": 0.5}, 0)


@pytest.mark.parametrize(
    ("which", "arguments", "message"),
    [
        ("speech", ("-s", "WER"), "a.csv, line 4: the row names no utterance or file"),
        ("speech", ("-s", "map", "--skip-unnamed"), "map scores rankings, and the data are texts"),
        ("trec", ("-s", "WER"), "WER scores texts, and the data are rankings"),
        ("speech", ("-s", "WAR", "--skip-unnamed"), "there is no scorer 'WAR'"),
        ("speech", (), "Missing option"),
        ("speech", ("-s", "WER", "--skip-unnamed", "--jobs", "0"), "Invalid value for '--jobs'"),
    ],
)
def test_what_cannot_be_scored_is_one_message_and_nothing_written(
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
    tmp_path: Path,
    which: str,
    arguments: tuple[str, ...],
    message: str,
) -> None:
    data = request.getfixturevalue(which)
    options = ("--cache", tmp_path / "elsewhere", "--out", tmp_path / "out")
    code, out, err = run(capsys, "score", data, *arguments, *options)
    assert (code, out) == (2, "")
    assert message in err
    assert "Traceback" not in err
    assert not (tmp_path / "out").exists()


def test_what_is_there_is_not_overwritten_and_nothing_is_scored_for_it(
    capsys: pytest.CaptureFixture[str], speech: Path, tmp_path: Path
) -> None:
    code, _, err = run(capsys, "score", speech, "-s", "WER", "--skip-unnamed", "--out", speech)
    assert code == 2
    assert "speech: already exists" in err
    assert not (tmp_path / "cache").exists()


def test_a_format_may_be_named(capsys: pytest.CaptureFixture[str], trec: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    assert run(capsys, "score", trec, "-s", "map", "--from", "trec", "--out", out, "--no-cache")[0] == 0
    assert run(capsys, "score", out, "-s", "WER", "--out", tmp_path / "x", "--no-cache")[0] == 2


def test_the_scorers_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "scorers")
    assert code == 0
    assert "  WER(normalise=no)\n" in out
    assert "lower is better; reads reference, output; extra: scorers    [Morris, Maier and Green 2004]" in out
    code, out, _ = run(capsys, "scorers", "--json", "--task", "ranking")
    assert code == 0
    assert {entry["task"] for entry in json.loads(out)} == {"ranking"}
    assert run(capsys, "scorers", "--task", "speech")[0] == 2


def test_scored_outputs_are_ranked_by_true_corpus_scores(
    capsys: pytest.CaptureFixture[str], speech: Path, tmp_path: Path
) -> None:
    table = tmp_path / "rated.csv"
    rows = ["system,item,reference,output,human"]
    rows += ["A,1,one two three,one two three,3", "A,2,four,five,1", "B,1,one two three,one two,1"]
    rows += ["B,2,four,four,2", "C,1,one two three,no,0", "C,2,four,or more,0"]
    table.write_text("\n".join(rows) + "\n")
    scored = tmp_path / "scored"
    code, _, err = run(capsys, "score", table, "-s", "WER", "--no-cache", "--out", scored)
    assert (code, err) == (0, "")
    options = ("-m", "system_pearson", "--test", "none", "--format", "json")
    shown = {}
    for kind in ("corpus", "mean"):
        code, out, _ = run(capsys, "rank", scored, *options, "--system-scores", kind)
        assert code == 0
        shown[kind] = json.loads(out)["results"][0]["value"]
    # human means 2, 1.5, 0; corpus WER 1/4, 1/4, 5/4; mean WER 1/2, 1/6, 3/2
    assert shown["corpus"] == pytest.approx(0.970725, abs=1e-6)
    assert shown["mean"] == pytest.approx(0.884615, abs=1e-6)


def test_a_format_without_room_for_statistics_says_that_they_are_lost(
    capsys: pytest.CaptureFixture[str], speech: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.csv"
    code, _, err = run(capsys, "score", speech, "-s", "WER", "--skip-unnamed", "--no-cache", "--out", out)
    assert code == 0
    assert "! not in it: corpus statistics of 1 scorers" in err
