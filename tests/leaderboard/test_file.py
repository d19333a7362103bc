"""Definitions: what a file may say, and the message for everything that it may not."""

from __future__ import annotations

from pathlib import Path

import pytest
from leaderboard_data import definition, task

from metaeval.errors import InputError
from metaeval.leaderboard import find_definition, read_definition, shipped
from metaeval.leaderboard.file import parse_definition

GOOD = definition(task("pa"))


def refusal(text: str) -> str:
    with pytest.raises(InputError) as caught:
        parse_definition(text, "mine.toml")
    return str(caught.value)


def test_a_task_is_one_a_set_unless_it_is_pooled() -> None:
    found = parse_definition(definition(task("pa", pooled=True, weight=3) + task("spa")), "mine.toml")
    assert [(str(t), t.weight) for t in found.tasks] == [
        ("pa aa-bb+cc-dd", 3.0),
        ("spa aa-bb", 1.0),
        ("spa cc-dd", 1.0),
    ]


def test_what_the_defaults_say_holds_for_every_set_that_says_nothing_else() -> None:
    text = """
        name = "mine"
        [defaults]
        path = "wmt23"
        human = "mqm"
        [sets.a]
        [sets.b]
        human = "esa"
        outliers = "synthetic_ref"
        [[tasks]]
        measure = "pa"
    """
    sets = parse_definition(text, "mine.toml").sets
    assert (sets["a"].path, sets["a"].human, sets["a"].outliers) == ("wmt23", "mqm", ())
    assert (sets["b"].path, sets["b"].human, sets["b"].outliers) == ("wmt23", "esa", ("synthetic_ref",))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name = ", "mine.toml: is not TOML: "),
        ("", "mine.toml: there is no key 'name'"),
        ('name = "x"', "mine.toml: there is no key 'sets'"),
        ('name = 3\nsets = {a = {path = "p"}}', "name is 3, expected text"),
        ('name = "x"\nsets = {}', "sets is empty"),
        ('name = "x"\nsets = 3', "sets is 3, expected a table"),
        ('name = "x"\n[sets.a]\npair = "zh-en"', "[sets.a]: there is no key 'path'"),
        ('name = "x"\n[sets.a]\npath = "p"', "mine.toml: there is no key 'tasks'"),
        ('name = "x"\ntasks = []\n[sets.a]\npath = "p"', "expected one or more [[tasks]]"),
        (definition(task("pa"), more="colour = 3"), "mine.toml: there is no key 'colour'"),
        (definition(task("pa"), more="metrics = [3]"), "metrics is [3], expected a list of names"),
        (GOOD.replace("path", "paht", 1), "[sets.aa-bb]: there is no key 'path'"),
        (GOOD.replace('"aa-bb.bundle"', '"x"\nrefernce = "refA"'), "Did you mean reference?"),
        (
            GOOD.replace('"aa-bb.bundle"', '"x"\nmissing = "skip"'),
            "missing is 'skip', expected error or drop",
        ),
        (GOOD.replace('"aa-bb.bundle"', '"x"\nhuman_outputs = 1'), "human_outputs is 1, expected true or"),
        (definition(task("pa", wieght=2)), "[tasks, entry 1]: there is no key 'wieght'"),
        (definition(task("pa", weight=0)), "weight is 0, expected a number above 0"),
        (definition(task("pa", weight=-1)), "weight is -1, expected a number above 0"),
        (definition(task("pa", weight="3")), "weight is '3', expected a number above 0"),
        (definition(task("pa", weight=True)), "weight is True, expected a number above 0"),
        (definition("[[tasks]]\nmeasure = 'pa'\nweight = inf"), "weight is inf, expected a number above 0"),
        (definition(task("pa") + task("bleu")), "[tasks, entry 2]: measure: there is no measure 'bleu'"),
        (definition(task("pa", sets=["ab-cd"])), "there is no set 'ab-cd'"),
        (definition(task("pa", sets=["aa-bb", "aa-bb"])), "sets names one twice"),
        (definition(task("spa", pooled=True)), "spa cannot be pooled over sets"),
        (definition(task("pa", sets=["aa-bb"])), "[sets.cc-dd]: no task uses it"),
    ],
)
def test_one_message_names_the_file_and_the_key(text: str, message: str) -> None:
    said = refusal(text)
    assert said.startswith("mine.toml: ")
    assert message in said


def test_a_file_that_is_not_there_or_is_no_text_is_said_to_be_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.toml: there is no such file"):
        read_definition(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_bytes(b"name = \xff")
    with pytest.raises(InputError, match=r"bad\.toml: cannot be read"):
        read_definition(tmp_path / "bad.toml")


def test_a_name_that_no_leaderboard_has_gets_the_names_there_are() -> None:
    with pytest.raises(InputError, match=r"There are: wmt23, wmt24, wmt25\. Or name a \.toml file"):
        find_definition("wmt")


def test_paths_start_from_the_folder_of_a_file_and_nowhere_for_shipped_ones(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(GOOD)
    assert find_definition(str(tmp_path / "mine.toml"))[1] == tmp_path
    assert find_definition("wmt24")[1] is None


def test_every_shipped_definition_can_be_read() -> None:
    assert [find_definition(name)[0].name for name in shipped()] == [
        "WMT 2023 metrics task",
        "WMT 2024 metrics task",
        "WMT 2025 metrics task",
    ]


def test_wmt23_is_ten_tasks_of_which_pooled_accuracy_weighs_three() -> None:
    found, _ = find_definition("wmt23")
    assert [(str(t.measure), t.sets, t.weight) for t in found.tasks] == [
        ("pa", ("en-de", "he-en", "zh-en"), 3.0),
        *(
            (measure, (pair,), 1.0)
            for measure in ("system_pearson", "pearson@none", "acc_eq(epsilon=best)@item")
            for pair in ("en-de", "he-en", "zh-en")
        ),
    ]
    assert [s.reference for s in found.sets.values()] == ["refA", "refB", "refA"]
    assert [s.human_outputs for s in found.sets.values()] == [False, True, False]
    assert [s.outliers for s in found.sets.values()] == [("synthetic_ref",), (), ("synthetic_ref",)]


@pytest.mark.parametrize(("name", "pairs"), [("wmt24", 3), ("wmt25", 16)])
def test_wmt24_and_wmt25_weigh_two_measures_alike_on_every_pair(name: str, pairs: int) -> None:
    found, _ = find_definition(name)
    assert len(found.sets) == pairs
    assert [str(t.measure) for t in found.tasks] == ["spa"] * pairs + ["acc_eq(epsilon=best)@item"] * pairs
    assert set(found.shares) == {1 / (2 * pairs)}
