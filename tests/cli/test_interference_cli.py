"""``metaeval interference`` and ``metaeval adjust``, as they are called."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from conftest import real

from metaeval.cli.main import main
from metaeval.io.registry import choose_writer, read
from metaeval.scores import Scores
from metaeval.simulate import CLEAN, simulate

METRIC = "Neural-refA"


@pytest.fixture(scope="module")
def gamed(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("gamed") / "scores.csv"
    data = simulate(systems=10, items=120, text=False, gaming=3.0, seed=1)
    assert data.truth.gamed is not None
    assert data.truth.gamed.metric == METRIC
    choose_writer(path, None).write(data.evalset, path)
    return str(path)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = 0
    try:
        main(list(arguments))
    except SystemExit as stop:
        code = int(stop.code or 0)
    out, err = capsys.readouterr()
    return code, out, err


def planted(path: str, capsys: pytest.CaptureFixture[str]) -> str:
    code, out, _ = run(capsys, "interference", path, "--json")
    assert code == 0
    first = json.loads(out)["pairs"][0]
    assert (first["metric"], first["suspect"]) == (METRIC, True)
    return str(first["system"])


def test_suspects_come_first_with_the_command_that_corrects_them(
    capsys: pytest.CaptureFixture[str], gamed: str
) -> None:
    system = planted(gamed, capsys)
    code, out, _ = run(capsys, "interference", gamed)
    assert code == 0
    assert "more than the other metrics explain." in out.splitlines()[0]
    assert f"--metric {METRIC} --systems {system}" in out
    assert out.splitlines()[4].split()[:2] == [METRIC, system]


def test_the_correction_is_told_of_all_suspects(
    capsys: pytest.CaptureFixture[str], gamed: str, tmp_path: Path
) -> None:
    path, data = tmp_path / "twice.csv", read(Path(gamed))
    first = planted(gamed, capsys)
    other = next(s for s in ("Elm", "Fir") if s != first)
    lexical = np.array(data.metrics["Lexical-refA"].segment)
    lexical[data.systems.index(other)] += 3 * lexical.std()
    choose_writer(path, None).write(data.with_metrics(Scores("Lexical", "refA", lexical)), path)
    _, out, _ = run(capsys, "interference", str(path))
    advice = next(line for line in out.splitlines() if "metaeval adjust" in line)
    assert sorted(advice.split()[-1].split(",")) == sorted([first, other])


def test_without_suspects_it_says_so(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "clean.csv"
    choose_writer(path, None).write(simulate(CLEAN, items=80, text=False, seed=3).evalset, path)
    code, out, _ = run(capsys, "interference", str(path))
    assert code == 0
    assert "No metric likes a system more than the other metrics explain." in out
    assert "metaeval adjust" not in out


def test_adjusting_shows_the_ranking_before_and_after_and_writes_the_data(
    capsys: pytest.CaptureFixture[str], gamed: str, tmp_path: Path
) -> None:
    system, out = planted(gamed, capsys), tmp_path / "adjusted"
    code, shown, _ = run(
        capsys, "adjust", gamed, "-m", "Neural", "--systems", system, "--features", "Lexical,Coarse,QE",
        "--trees", "30", "--out", str(out),
    )  # fmt: skip
    assert code == 0
    assert f"{system} <" in shown
    assert "importance: " in shown
    assert f"{system}: humans rank it" in shown
    assert "Neural-adjusted-refA" in read(out).metrics


def test_what_a_table_cannot_hold_is_said(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    data, out = tmp_path / "data", tmp_path / "adjusted.csv"
    choose_writer(data, None).write(simulate(CLEAN, systems=6, items=40, seed=1).evalset, data)
    call = ("adjust", str(data), "-m", "Neural", "--systems", "Elm", "--learner", "linear", "--out", str(out))
    code, _, err = run(capsys, *call)
    assert code == 0
    assert "! not in it: " in err
    assert "Neural-adjusted-refA" in read(out).metrics


def test_adjusting_gives_json(capsys: pytest.CaptureFixture[str], gamed: str) -> None:
    system = planted(gamed, capsys)
    arguments = ("adjust", gamed, "-m", "Neural", "--systems", system, "--features", "Lexical,Coarse,QE")
    code, out, _ = run(capsys, *arguments, "--trees", "30", "--json")
    found = json.loads(out)
    assert code == 0
    assert found["signature"]["adjusted"] == "Neural-adjusted-refA"
    before_after = next(s for s in found["systems"] if s["system"] == system)
    assert before_after["suspect"]
    assert before_after["rank_after"] > before_after["rank_before"]
    assert [v["metric"] for v in found["judgements"][0]["verdicts"]] == [METRIC, "Neural-adjusted-refA"]
    assert found["importances"].keys() == {"Lexical-refA", "Coarse-refA", "QE-src"}
    code, out, _ = run(capsys, *arguments, "--learner", "linear", "--json")
    assert json.loads(out)["importances"] is None


def test_what_would_fail_in_the_end_fails_before_the_learning(
    capsys: pytest.CaptureFixture[str], gamed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("metaeval.probes.interference.adjust.mint_adjust", None)
    taken = tmp_path / "taken.csv"
    taken.write_text("mine", encoding="utf-8")
    call = ("adjust", gamed, "-m", "Neural", "--systems", "Elm")
    code, _, err = run(capsys, *call, "--out", str(taken))
    assert (code, taken.read_text(encoding="utf-8")) == (2, "mine")
    assert "already exists" in err
    code, _, err = run(capsys, *call, "--human", "nobody")
    assert code == 2
    assert "there are no human scores 'nobody'" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("interference", "--exclude", "*"), "no system is left"),
        (("interference", "--metrics", "Neural"), "found 1 metrics that compare outputs"),
        (("adjust", "--metric", "Neurl", "--systems", "Elm"), "no metric is called 'Neurl'"),
        (("adjust", "--metric", "Neural", "--systems", "Elmm"), "no system matches 'Elmm'"),
        (("adjust", "--metric", "Neural", "--systems", "Elm", "--jobs", "0"), "--jobs"),
    ],
)
def test_a_wrong_call_is_one_message_and_exit_code_2(
    capsys: pytest.CaptureFixture[str], gamed: str, arguments: tuple[str, ...], message: str
) -> None:
    code, out, err = run(capsys, arguments[0], gamed, *arguments[1:])
    assert (code, out) == (2, "")
    assert message in err


@pytest.mark.real
def test_wmt22_names_exactly_the_systems_that_metrics_chose(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "interference", str(real("wmt22")), "--pair", "zh-en", "--json")
    assert code == 0
    suspects = {(p["metric"], p["system"]) for p in json.loads(out)["pairs"] if p["suspect"]}
    assert suspects == {
        ("BLEURT-20-refA", "bleurt_bestmbr"),
        ("COMET-QE-src", "comet_bestmbr"),
        ("chrF-refA", "chrf_bestmbr"),
    }
