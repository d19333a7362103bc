"""``metaeval ties``: the table, each experiment, JSON, and calls that cannot be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from metaeval.cli.main import main

TABLE = "system,item,human:mqm,metric:BLEU,metric:coarse\n" + "".join(
    f"S{s},i{i},{-((s * i) % 4)},{10 * s + i * i % 7},{(s + i) % 2}\n" for s in range(4) for i in range(8)
)
EXPERIMENTS = {
    "statistics": ["--statistics"],
    "curve": ["--curve", "BLEU"],
    "buckets": ["--buckets", "BLEU"],
    "where": ["--where", "BLEU"],
    "break_ties": ["--break-ties"],
    "generalisation": ["--split"],
    "sampling": ["--sample", "0.5"],
}


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of one call."""
    try:
        main(arguments)
        code = 0
    except SystemExit as stop:
        code = int(stop.code or 0)
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture
def table(tmp_path: Path) -> str:
    path = tmp_path / "scores.csv"
    path.write_text(TABLE)
    return str(path)


def test_the_table_has_ranks_in_brackets_and_says_where_groups_were_lost(
    capsys: pytest.CaptureFixture[str], table: str
) -> None:
    code, out, err = run(capsys, "ties", table, "--constant", "--grouping", "item", "--grouping", "none")
    assert (code, err) == (0, "")
    head = next(line for line in out.splitlines() if line.strip().startswith("metric"))
    assert head.split() == [
        *["metric", "tau_a", "tau_b", "groups", "tau_c", "tau_10", "tau_13", "tau_14"],
        *["acc_eq", "acc*_eq", "epsilon*"],
    ]
    assert "by item: 48 pairs" in out
    assert "without grouping: 496 pairs" in out
    constant = next(line for line in out.splitlines() if "Constant-Metric" in line)
    assert "–" in constant
    assert "-1.000 ( 3)" in constant


def test_columns_can_be_chosen(capsys: pytest.CaptureFixture[str], table: str) -> None:
    code, out, _ = run(capsys, "ties", table, "-m", "tau_eq", "-m", "ties_f1(epsilon=1)")
    assert code == 0
    assert "tau_eq" in out
    assert "ties_f1(epsilon=1)" in out
    assert "tau_10" not in out


@pytest.mark.parametrize("kind", EXPERIMENTS)
@pytest.mark.parametrize("grouping", ["none", "item", "system"])
def test_every_experiment_prints_a_screen_and_json(
    capsys: pytest.CaptureFixture[str], table: str, kind: str, grouping: str
) -> None:
    call = ["ties", table, "--grouping", grouping, "--repeats", "2", *EXPERIMENTS[kind]]
    code, out, err = run(capsys, *call)
    assert (code, err) == (0, "")
    assert "BLEU" in out
    code, out, _ = run(capsys, *call, "--json")
    found = json.loads(out)
    assert code == 0
    assert set(found) == {"signature", "notes", kind}
    assert len(found[kind]) == 1
    assert "NaN" not in out


@pytest.mark.parametrize("asked", [["-m", "tau_eq"], ["--constant"], []])
def test_an_experiment_comes_beside_the_table_where_both_are_asked_for(
    capsys: pytest.CaptureFixture[str], table: str, asked: list[str]
) -> None:
    _, out, _ = run(capsys, "ties", table, "--statistics", *asked, "--json")
    found = json.loads(out)
    assert len(found["statistics"]) == 1
    assert ("table" in found) == bool(asked)


def test_json_says_null_where_there_is_no_value(capsys: pytest.CaptureFixture[str], table: str) -> None:
    _, out, _ = run(capsys, "ties", table, "--constant", "-m", "tau_b", "--json")
    (found,) = json.loads(out)["table"]
    (line,) = [line for line in found["lines"] if line["metric"] == "Constant-Metric"]
    assert line == {
        "metric": "Constant-Metric",
        "outcomes": [{"value": None, "epsilon": 0.0, "groups_used": 0, "groups_undefined": 8}],
        "ranks": [None],
    }


def test_json_has_what_is_derived_too(capsys: pytest.CaptureFixture[str], table: str) -> None:
    _, out, _ = run(
        capsys, "ties", table, "--calibrate-on", table, "--sample", "1", "--repeats", "1", "--json"
    )
    found = json.loads(out)
    assert found["generalisation"][0]["metrics"][0]["here"]["change"] == 0
    assert found["sampling"][0]["metrics"][0]["epsilon_off"] == 0


def test_the_groups_follow_whichever_statistic_first_loses_some(
    capsys: pytest.CaptureFixture[str], table: str
) -> None:
    _, out, _ = run(capsys, "ties", table, "--constant", "-m", "acc_eq", "-m", "tau_13", "-m", "tau_c")
    head = next(line for line in out.splitlines() if line.strip().startswith("metric"))
    assert head.split() == ["metric", "acc_eq", "tau_13", "groups", "tau_c"]


def test_groups_that_no_metric_can_use_are_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("system,item,human:mqm,metric:M\nA,1,0,5\nB,1,-1,4\nA,2,0,3\nB,2,0,4\n")
    _, out, _ = run(capsys, "ties", str(path))
    assert (
        "tau_b, tau_c, tau_10, tau_13, tau_14: no metric has a value in more than 1 of 2 groups"
        in out.splitlines()[-3].strip()
    )


@pytest.mark.parametrize("kind", EXPERIMENTS)
@pytest.mark.parametrize("grouping", ["none", "item", "system"])
def test_what_does_not_exist_is_a_dash(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, kind: str, grouping: str
) -> None:
    """One output has no pairs; two items of one system have one, which a split or grouping takes away."""
    path = tmp_path / "scores.csv"
    for rows in ("A,1,-1,0.5\n", "A,1,-1,0.5\nA,2,0,0.7\n"):
        path.write_text("system,item,human:mqm,metric:BLEU\n" + rows)
        call = ["ties", str(path), "--grouping", grouping, "--repeats", "2", *EXPERIMENTS[kind]]
        code, out, err = run(capsys, *call)
        if kind == "generalisation" and rows.count("\n") == 1:
            assert (code, err.splitlines()[0]) == (2, "metaeval: a single item cannot be split")
        else:
            assert (code, err) == (0, "")
            assert "nan" not in out


def test_cells_left_out_are_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("system,item,human:mqm,metric:BLEU\nA,1,0,5\nB,1,-1,4\nC,1,-1,\n")
    note = "left out, a metric has no score there: 1 cells"
    code, out, _ = run(capsys, "ties", str(path), "--missing", "drop")
    assert code == 0
    assert f"  ! {note}" in out
    _, out, _ = run(capsys, "ties", str(path), "--missing", "drop", "--json")
    assert json.loads(out)["notes"] == [note]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--split", "--calibrate-on", "x.csv"], "exclude each other"),
        (["--curve", "chrF"], "no metric matches 'chrF'"),
        (["--sample", "2"], "found a sample of 2"),
        (["-m", "spa"], "spa is no statistic of pairs"),
        (["-m", "tau_b@item"], "'tau_b@item' names a grouping\n  Write tau_b; --grouping"),
        (["-m", "pearson"], "pearson is no statistic of pairs"),
        (["--grouping", "document"], "'document' is not one of"),
        (["--calibrate-on", "nothing.csv"], "nothing.csv"),
    ],
)
def test_a_wrong_call_is_one_message(
    capsys: pytest.CaptureFixture[str], table: str, options: list[str], message: str
) -> None:
    code, out, err = run(capsys, "ties", table, *options)
    assert (code, out) == (2, "")
    assert err.startswith("metaeval: ")
    assert message in err
