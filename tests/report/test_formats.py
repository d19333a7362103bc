"""A board in every format: for people, for programs, for papers; none lets data break it."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import numpy as np
import pytest

from metaeval.board import Board, rank
from metaeval.errors import InputError
from metaeval.evalset import EvalSet, by_key
from metaeval.report.formats import FORMATS, render
from metaeval.scores import Scores
from metaeval.significance.plan import Plan


def board(*names: str, plan: Plan | None = None, human: str = "mqm") -> Board:
    rated = np.array([[3.0, 2.0, 2.0], [1.0, 1.0, 0.0], [0.0, 2.0, 1.0]])
    scorers = [Scores(name, "refA", segment=rated * (-1) ** i) for i, name in enumerate(names)]
    data = EvalSet(
        systems=("A", "B", "C"),
        items=("1", "2", "3"),
        human=by_key([Scores(human, segment=rated)]),
        metrics=by_key([*scorers, Scores("Flat", "src", segment=np.zeros((3, 3)))]),
    )
    return rank(data, ["pearson@item", "acc_eq@item"], plan=plan or Plan(draws=20))


def test_json_has_the_fields_of_the_contract_and_null_for_what_does_not_exist() -> None:
    said = json.loads(render(board("BLEU", "chrF"), "json"))
    assert {"signature", "results", "comparisons"} <= said.keys()
    fields = (
        "measure metric value rank cluster ci_low ci_high epsilon groups_used groups_undefined systems items"
    )
    assert set(fields.split()) <= said["results"][0].keys()
    assert {"measure", "better", "worse", "delta", "p"} == said["comparisons"][0].keys()
    flat = next(r for r in said["results"] if r["metric"] == "Flat-src" and r["measure"] == "pearson@item")
    assert [flat[k] for k in ("value", "rank", "cluster", "ci_low", "ci_high", "epsilon")] == [None] * 6
    assert (flat["groups_used"], flat["groups_undefined"]) == (0, 3)


def test_json_never_says_nan() -> None:
    assert "NaN" not in render(board("BLEU"), "json")


def test_csv_reads_back_and_no_cell_is_a_formula() -> None:
    rows = list(csv.DictReader(io.StringIO(render(board("=cmd()", "+x"), "csv"))))
    assert len(rows) == 6
    names = {row["metric"] for row in rows}
    assert names == {"'=cmd()-refA", "'+x-refA", "Flat-src"}
    assert next(r for r in rows if r["metric"] == "Flat-src")["value"] == ""


def test_text_aligns_decimals_and_marks_metrics_that_need_no_reference() -> None:
    text = render(board("BLEU", "chrF"), "text")
    assert "Flat *" in text
    assert "* needs no reference" in text
    assert "BLEU" in text
    assert "BLEU-refA" not in text
    block = text.split("\n\n")[1].splitlines()
    ends = {line.index(".") for line in block if "." in line}
    assert len(ends) == 1


def test_a_name_that_two_variants_share_is_told_in_full() -> None:
    human = np.array([[3.0, 2.0], [1.0, 1.0]])
    data = EvalSet(
        systems=("A", "B"),
        items=("1", "2"),
        human=by_key([Scores("mqm", segment=human)]),
        metrics=by_key([Scores("GEMBA", "refA", segment=human), Scores("GEMBA", "src", segment=human)]),
    )
    text = render(rank(data, ["acc_eq@item"], plan=Plan(test="none", bootstrap="none")), "text")
    assert "GEMBA-refA" in text
    assert "GEMBA-src *" in text


@pytest.mark.parametrize("format", FORMATS)
def test_no_name_can_control_a_terminal(format: str) -> None:
    named = board("\x1b[31mred", human="\x1b[32mmqm")
    assert "undefined in different groups" in "".join(named.notes)
    shown = render(replace(named, notes=(*named.notes, "\x1b[33mnote")), format)
    assert "[31mred" in shown.replace("\\[", "[")
    assert "\x1b" not in shown


@pytest.mark.parametrize("format", ["markdown", "latex"])
def test_a_line_break_in_a_name_breaks_no_table(format: str) -> None:
    assert len(render(board("a\nb"), format).splitlines()) == len(render(board("ab"), format).splitlines())


def test_markdown_and_latex_escape_names() -> None:
    shown = board("a|b_c", "x&y%z")
    assert r"a\|b\_c" in render(shown, "markdown")
    assert r"x\&y\%z" in render(shown, "latex")


def test_tables_for_papers_have_a_column_a_measure_and_a_dash_without_value() -> None:
    lines = render(board("BLEU"), "markdown").splitlines()
    assert lines[0].count("|") == 4
    assert any(line.startswith("| Flat") and "| – |" in line for line in lines)


def test_without_tests_there_are_no_clusters_to_show() -> None:
    text = render(board("BLEU", plan=Plan(test="none", bootstrap="none")), "text")
    assert "cluster" not in text
    assert "interval" not in text
    assert "share a letter" not in text


def test_an_unknown_format_names_those_there_are() -> None:
    with pytest.raises(InputError, match=r"no format 'yaml'\n  .*csv, json, latex, markdown, text"):
        render(board("BLEU"), "yaml")
    assert set(FORMATS) == {"text", "json", "csv", "markdown", "latex"}
