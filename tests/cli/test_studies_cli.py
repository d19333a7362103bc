"""The verbs leaderboard, compare, stability and power, from the call to what is printed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from leaderboard_data import definition, task, write_sets

from metaeval.cli.main import main


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = write_sets(tmp_path_factory.mktemp("sets"))
    (made / "mine.toml").write_text(definition(task("pa", pooled=True, weight=2) + task("pearson@item")))
    return made


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of one call."""
    try:
        main([str(argument) for argument in arguments])
        code = 0
    except SystemExit as stop:
        code = int(stop.code or 0)
    out, err = capsys.readouterr()
    return code, out, err


def test_a_leaderboard_is_found_by_its_file_and_its_data_beside_it(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    code, out, err = run(capsys, "leaderboard", folder / "mine.toml", "--draws", 20)
    assert (code, err) == (0, "")
    assert "test: average of 3 tasks" in out


def test_the_data_may_be_elsewhere(capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text((folder / "mine.toml").read_text())
    assert run(capsys, "leaderboard", tmp_path / "mine.toml", "--draws", 20)[0] == 2
    assert run(capsys, "leaderboard", tmp_path / "mine.toml", "--data", folder, "--draws", 20)[0] == 0


def test_a_leaderboard_takes_the_options_of_rank(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    options = "--pairs aa-bb --metrics Neural,QE --draws 20 --seed 3 --alpha 0.1 --convention wmt --borda"
    code, out, _ = run(capsys, "leaderboard", folder / "mine.toml", *options.split(), "--format", "json")
    said = json.loads(out)
    assert code == 0
    assert (said["signature"]["draws"], said["signature"]["seed"], said["signature"]["alpha"]) == (20, 3, 0.1)
    assert {r["metric"] for r in said["results"]} == {"Neural", "QE"}
    assert [t["task"] for t in said["tasks"]] == ["pa aa-bb", "pearson@item aa-bb"]
    assert all(r["borda"] is not None for r in said["results"] if r["task"] == "average")


def test_the_same_seed_prints_the_same_bytes_whatever_the_jobs(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    call = ("leaderboard", folder / "mine.toml", "--draws", 30, "--format", "json")
    assert run(capsys, *call, "--jobs", 1) == run(capsys, *call, "--jobs", 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("leaderboard", "wmt23"), "wmt23 does not say where its data are"),
        (("leaderboard", "nothing"), "there is no leaderboard 'nothing'"),
        (("leaderboard", "none.toml"), "none.toml: there is no such file"),
        (
            ("leaderboard", "wmt23", "--data", "nowhere"),
            "wmt23.toml: [sets.en-de]: nowhere/wmt23: there is no such",
        ),
        (("leaderboard", "wmt23", "--data", ".", "--pairs", "xx"), "matches 'xx'"),
        (("leaderboard", "wmt23", "--data", ".", "--format", "yaml"), "yaml"),
        (("power", "--systems", "4,x"), "'4,x' is not a list of whole numbers"),
        (("power", "--set", "systems"), "is not NAME=VALUE"),
        (("power", "--better", "0.2", "--worse", "0.3"), "the better metric is worse"),
    ],
)
def test_a_wrong_call_is_one_message_and_exit_code_2(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("metaeval: ")
    assert message in err
    assert "Traceback" not in err


def test_two_metrics_are_compared_in_words_and_as_json(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    call = ("compare", folder / "aa-bb.bundle", "Neural", "Lexical", "-m", "pearson@none", "--draws", 50)
    code, out, _ = run(capsys, *call)
    assert code == 0
    assert "PERM-INPUTS" in out
    said = json.loads(run(capsys, *call, "--json", "--items", 1, "--test", "none")[1])
    assert said["comparisons"][0]["p"] is None
    assert len(said["comparisons"][0]["first_is_right"]) <= 1


def test_stability_of_systems_or_segments_or_both(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    call = ("stability", folder / "aa-bb.bundle", "--draws", 20)
    both = run(capsys, *call)[1]
    assert "Fewer systems" in both
    assert "Fewer segments" in both
    assert "Fewer segments" not in run(capsys, *call, "--systems", "--sizes", "3,4")[1]
    only = json.loads(run(capsys, *call, "--segments", "-m", "pa", "--json")[1])
    assert only["systems"] == []
    assert {point["measure"] for point in only["segments"]} == {"pa"}


def test_power_is_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    grid = "power --better 0.8 --worse 0.3 --systems 5 --segments 20,60 --sets 10 --draws 50 -m pearson@item"
    code, out, _ = run(capsys, *grid.split(), "--set", "raters=2")
    assert code == 0
    assert "60 segments" in out
    assert len(json.loads(run(capsys, *grid.split(), "--json")[1])["cells"]) == 2
