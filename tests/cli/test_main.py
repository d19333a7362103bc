"""The command line: exit codes, one message, silence in a pipe, nothing half-written."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import metaeval
from metaeval.cli.main import VERBS, main

TABLE = "system,item,human:mqm,metric:BLEU,metric:chrF\n" + "".join(
    f"S{s},i{i},{-((s * i) % 4)},{10 * s + i},{5 * s - i % 3}\n" for s in range(4) for i in range(6)
)


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


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "--version") == (0, f"metaeval {metaeval.__version__}\n", "")


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_explains_itself(capsys: pytest.CaptureFixture[str], verb: str) -> None:
    code, out, _ = run(capsys, verb, "--help")
    assert code == 0
    assert f"metaeval {verb}" in out


@pytest.mark.parametrize("group", [(), ("sentinel",)])
def test_a_call_that_says_nothing_gets_the_help_and_no_more(
    capsys: pytest.CaptureFixture[str], group: tuple[str, ...]
) -> None:
    code, out, err = run(capsys, *group)
    assert (code, out) == (2, "")
    assert err.startswith(f"Usage: {' '.join(('metaeval', *group))} [OPTIONS] COMMAND")
    assert "See:" not in err


def test_rank_prints_a_table_for_people(capsys: pytest.CaptureFixture[str], table: str) -> None:
    code, out, err = run(capsys, "rank", table, "-m", "acc_eq@item", "--draws", "20")
    assert (code, err) == (0, "")
    assert "acc_eq@item" in out
    assert "BLEU" in out
    assert f"metaeval {metaeval.__version__}" in out


def test_rank_prints_json_for_programs(capsys: pytest.CaptureFixture[str], table: str) -> None:
    code, out, _ = run(
        capsys, "rank", table, "-m", "pearson@none", "-m", "pa", "--draws", "20", "--format", "json"
    )
    said = json.loads(out)
    assert code == 0
    assert {r["measure"] for r in said["results"]} == {"pearson@none", "pa"}
    assert said["signature"]["draws"] == 20


def test_the_command_and_the_function_take_the_same_options() -> None:
    from metaeval.cli.rank import rank

    renamed = {
        "measure": "measures",
        "from_format": "format",
        "raw": "standardise",
        "two_sided": "alternative",
    }
    printing = {"format"}
    of_command = {renamed.get(name, name) for name in inspect.signature(rank).parameters.keys() - printing}
    assert of_command == inspect.signature(metaeval.rank).parameters.keys()


def test_the_same_seed_prints_the_same_bytes_whatever_the_jobs(
    capsys: pytest.CaptureFixture[str], table: str
) -> None:
    call = ("rank", table, "-m", "acc_eq(epsilon=best)@item", "-m", "pearson@none", "--format", "json")
    one, two = (run(capsys, *call, "--draws", "30", "--jobs", jobs)[1] for jobs in ("1", "2"))
    assert one == two


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("rank", "nowhere"), "metaeval: nowhere: there is no such file or folder"),
        (("rank", "{table}", "-m", "taub@item"), "there is no measure 'taub'\n  Did you mean tau_b?"),
        (("rank", "{table}", "--human", "esa"), "there are no human scores 'esa'"),
        (("rank", "{table}", "--systems", "X*"), "no system matches 'X*'"),
        (("rank", "{table}", "--draws", "0"), "--draws"),
        (("rank", "{table}", "--test", "guess"), "--test"),
        (("rank",), "Missing argument 'DATA'.\n  See: metaeval rank --help"),
        (("frobnicate",), "No such command 'frobnicate'"),
        (("describe", "{table}", "--from", "yaml"), "there is no format 'yaml'"),
        (("convert", "{table}", "{table}"), "already exists"),
        (("simulate", "{table}2", "--set", "systms=3"), "there is no knob 'systms'"),
        (("simulate", "{table}2", "--set", "seed=3"), "there is no knob 'seed'"),
        (("simulate", "{table}2", "--set", "self=3"), "there is no knob 'self'"),
        (("simulate", "{table}2", "--set", "systems"), "'systems' is not NAME=VALUE"),
    ],
)
def test_a_wrong_call_is_one_message_and_exit_code_2(
    capsys: pytest.CaptureFixture[str], table: str, arguments: tuple[str, ...], message: str
) -> None:
    code, out, err = run(capsys, *(argument.format(table=table) for argument in arguments))
    assert (code, out) == (2, "")
    assert err.startswith("metaeval: ")
    assert message in err
    assert "Traceback" not in err


def test_a_bug_is_exit_code_1_without_a_traceback(
    capsys: pytest.CaptureFixture[str], table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: object, **kwargs: object) -> None:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr("metaeval.io.registry.read", broken)
    code, _, err = run(capsys, "describe", table)
    assert code == 1
    assert "a bug in metaeval (ZeroDivisionError: oh)" in err
    monkeypatch.setenv("METAEVAL_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        main(("describe", table))


def test_an_interrupt_is_exit_code_130(
    capsys: pytest.CaptureFixture[str], table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*args: object, **kwargs: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("metaeval.io.registry.read", interrupted)
    code, _, err = run(capsys, "describe", table)
    assert (code, err.strip()) == (130, "metaeval: interrupted")


def test_convert_there_and_back_ranks_alike(
    capsys: pytest.CaptureFixture[str], table: str, tmp_path: Path
) -> None:
    bundle, folder, long = (str(tmp_path / name) for name in ("b", "f", "l.csv"))
    assert run(capsys, "convert", table, bundle)[0] == 0
    assert run(capsys, "convert", bundle, folder, "--to", "mtme")[0] == 0
    assert run(capsys, "convert", folder, long)[0] == 0
    call = ("-m", "acc_eq@item", "--test", "none", "--format", "csv")
    boards = {run(capsys, "rank", data, *call)[1] for data in (table, bundle, folder, long)}
    assert len(boards) == 1


def test_what_a_format_cannot_hold_is_said(
    capsys: pytest.CaptureFixture[str], table: str, tmp_path: Path
) -> None:
    simulated = tmp_path / "sim"
    assert run(capsys, "simulate", str(simulated), "--set", "items=20", "--set", "systems=4")[0] == 0
    _, _, err = run(capsys, "convert", str(simulated), str(tmp_path / "x.tsv"))
    assert "! not in it: the name and pair (simulated" in err


def test_simulating_writes_data_and_truth_and_lists_its_knobs(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = tmp_path / "sim.csv"
    code, _, _ = run(capsys, "simulate", str(out), "--set", "items=20", "--set", "gamed=false", "--clean")
    assert code == 0
    truth = json.loads((tmp_path / "sim.csv.truth.json").read_text())
    assert truth["gamed"] is None
    assert out.exists()
    code, _, err = run(capsys, "simulate", str(out))
    assert code == 2
    assert "already exists" in err
    assert "systems = 12" in run(capsys, "simulate")[1]


def test_describe_says_what_is_there(capsys: pytest.CaptureFixture[str], table: str) -> None:
    code, out, _ = run(capsys, "describe", table)
    assert code == 0
    assert "4 systems, 6 items" in out
    said = json.loads(run(capsys, "describe", table, "--json")[1])
    assert [m["key"] for m in said["metrics"]] == ["BLEU", "chrF"]


def test_measures_are_listed_with_formula_and_source(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "measures")
    assert "acc_eq(epsilon=0, relative=no)@none|item|system" in out
    assert "Deutsch et al. 2023" in out
    said = json.loads(run(capsys, "measures", "--json")[1])
    assert {"name", "grammar", "level", "about", "formula", "cites"} == said[0].keys()


@pytest.mark.parametrize("verb", ["measures", "--help", "simulate"])
def test_a_reader_that_is_gone_is_no_error(verb: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "metaeval", verb], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    process.stdout.close()
    _, err = process.communicate()
    assert (process.returncode, err) == (0, "")


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (OSError(28, "No space left on device"), "the system refuses it: No space left on device"),
        (OSError(36, "File name too long", "a\x1bb"), "a\\x1bb: the system refuses it: File name too long"),
        (MemoryError("Unable to allocate 9 GiB"), "there is not enough memory (Unable to allocate 9 GiB)"),
    ],
)
def test_what_the_system_refuses_is_no_bug(
    capsys: pytest.CaptureFixture[str],
    table: str,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    message: str,
) -> None:
    def refused(*args: object, **kwargs: object) -> None:
        raise error

    monkeypatch.setattr("metaeval.io.registry.read", refused)
    code, out, err = run(capsys, "describe", table)
    assert (code, out) == (2, "")
    assert err.startswith(f"metaeval: {message}")


@pytest.mark.parametrize("format", ["mqm", "esa", "trec", "transcripts", "mtme", "bundle", "long", "pairs"])
def test_a_file_named_as_what_it_is_not_is_one_message(
    capsys: pytest.CaptureFixture[str], table: str, format: str
) -> None:
    code, _, err = run(capsys, "describe", table, "--from", format)
    assert code == 2
    assert "bug" not in err


def test_a_terminal_that_cannot_show_a_name_gets_its_spelling(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(TABLE.replace("BLEU", "准确"), encoding="utf-8")
    command = [sys.executable, "-m", "metaeval", "rank", str(path), "-m", "pearson@none", "--test", "none"]
    done = subprocess.run(
        command, env={**os.environ, "PYTHONIOENCODING": "cp1252"}, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert r"\u51c6\u786e" in done.stdout


def test_a_message_cannot_control_the_terminal(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(TABLE.replace("BLEU", "\x1b[31mBLEU").replace("S1,i1,-1,11", "S1,i1,-1,"))
    code, _, err = run(capsys, "rank", str(path))
    assert (code, "\x1b" in err) == (2, False)
    assert r"\x1b[31mBLEU has no score for 1 of 24 rated cells" in err


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys, metaeval.cli.main as m; m.build(); "
        "print([x for x in ('numpy', 'scipy', 'polars', 'numba', 'rich') if x in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
