"""``metaeval local``: what it prints and refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from metaeval.cli.main import main

pytest.importorskip("jiwer", reason="the extra 'scorers' is not installed")


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    try:
        main(["local", *map(str, arguments)])
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
    said = ["the cake she baked", "he did not like it", "the water was cold", "concord returned to its place"]
    for name, texts in (("ref", said), ("a", said), ("b", [t.replace("the", "a") for t in said])):
        (folder / f"{name}.csv").write_text(
            "file,text\n" + "".join(f"u{i}.wav,{t}\n" for i, t in enumerate(texts))
        )
    return folder


@pytest.fixture
def trec(tmp_path: Path) -> Path:
    folder = tmp_path / "trec"
    folder.mkdir()
    (folder / "qrels").write_text("".join(f"{t} 0 d{d} {d % 2}\n" for t in (1, 2) for d in range(6)))
    for run_name in ("one", "two"):
        (folder / run_name).write_text(
            "".join(
                f"{t} Q0 d{d} 0 {d if run_name == 'one' else -d} {run_name}\n"
                for t in (1, 2)
                for d in range(6)
            )
        )
    return folder


def test_speech_is_shown_and_given_as_json(capsys: pytest.CaptureFixture[str], speech: Path) -> None:
    call = (speech, "--task", "asr", "-c", "system")
    code, out, err = run(capsys, *call)
    assert (code, err) == (0, "")
    assert "by system: 2 contexts" in out
    assert "WER" in out
    code, out, _ = run(capsys, *call, "--json", "-p", "removal", "-s", "wer", "--draws", 2)
    found = json.loads(out)
    assert found["pairs"] == 16
    assert found["contexts"][0]["h1"][0]["degrees_of_freedom"] == 1
    assert found["signature"]["perturbations"] == ["removal"]
    assert run(capsys, *call, "--json", "-p", "removal", "-s", "wer", "--draws", 2)[1] == out


def test_rankings_are_studied_by_run(capsys: pytest.CaptureFixture[str], trec: Path) -> None:
    code, out, err = run(
        capsys, trec, "--task", "ranking", "-c", "run", "-s", "map", "-s", "P_5", "--no-cache"
    )
    assert (code, err) == (0, "")
    assert "by run: 2 contexts" in out


def test_pairs_that_people_ordered(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text("item,winner,BLEU_a,BLEU_b\nx,a,2,1\ny,b,2,1\n")
    code, out, _ = run(capsys, path, "--human", "preference", "-c", "system", "--no-cache")
    assert code == 0
    assert "pairs ordered by preference" in out


def test_a_table_of_outputs_and_references_is_enough(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "outputs.csv"
    path.write_text("system,item,reference,output\nA,1,he is here,he is here\nB,1,he is here,he was here\n")
    code, out, err = run(capsys, path, "--task", "asr", "-s", "WER", "--no-cache")
    assert (code, err) == (0, "")
    assert "by system: 2 contexts" in out


def test_wrong_calls_are_answered(
    capsys: pytest.CaptureFixture[str], speech: Path, trec: Path, tmp_path: Path
) -> None:
    for call, message in (
        ((speech,), "give either --task, to damage outputs, or --human"),
        ((speech, "--task", "mt", "--human", "x"), "give either --task, to damage outputs, or --human"),
        ((speech, "--human", "x", "-s", "WER"), "nothing is scored or damaged with --human"),
        ((speech, "--human", "x", "-p", "removal"), "nothing is scored or damaged with --human"),
        ((speech, "--human", "x", "--language", "en"), "nothing is scored or damaged with --human"),
        ((speech, "--task", "asr", "--metrics", "WER*"), "damaged copies have no scores in DATA"),
        ((speech, "--task", "ranking"), "the data are texts, the task is ranking"),
        ((trec, "--human", "x"), "nobody ordered rankings"),
        ((speech, "--task", "asr", "-p", "synonym"), "synonym is a perturbation for mt, not for asr"),
        ((speech, "--task", "asr", "-c", "speeker"), "there is no context 'speeker'"),
    ):
        code, out, err = run(capsys, *call)
        assert (code, out) == (2, "")
        assert message in err
