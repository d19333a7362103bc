"""How scorers are named, listed and missed."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from metaeval.declared import switch
from metaeval.errors import InputError, MetaevalError, MissingExtra
from metaeval.scorers import libraries
from metaeval.scorers.base import Scorer, divide, one_of
from metaeval.scorers.registry import (
    describe_scorers,
    parse_scorer,
    parse_text_scorer,
    scorer,
    scorers,
)

HEAVY = ("cosine", "BERTScore", "COMET", "CometKiwi", "UniTE-src", "BLEURT(checkpoint=/models/BLEURT-20)")


@pytest.mark.parametrize("name", scorers())
def test_a_scorer_prints_the_name_that_gives_it_back(name: str) -> None:
    found = parse_scorer(name.upper())
    assert str(found) == name == repr(found)
    assert parse_scorer(str(found)) == found


def test_parameters_are_part_of_the_name_where_they_are_not_the_default() -> None:
    assert str(parse_scorer("wer( normalise = true )")) == "WER(normalise=yes)"
    assert str(parse_scorer("BLEU(tokenize=13a)")) == "BLEU"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("BLUE", r"there is no scorer 'BLUE'\n.*Did you mean BLEU"),
        ("BLEU(", r"'BLEU\(' is not a scorer\n.*Write it like BLEU\(tokenize=zh\)"),
        ("BLEU(tokeniser=zh)", r"BLEU has no parameter 'tokeniser=zh'\n.*lowercase, tokenize"),
        ("BLEU(zh)", "BLEU has no parameter 'zh'"),
        ("BLEU(lowercase=yes,lowercase=no)", "BLEU has 'lowercase' twice"),
        ("WER(normalise=maybe)", "WER: normalise=maybe is not possible: expected yes or no"),
    ],
)
def test_what_is_no_scorer_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_scorer(text)


def test_a_scorer_of_rankings_is_no_scorer_of_texts() -> None:
    with pytest.raises(InputError, match=r"map scores rankings, not texts\n.*runs and qrels"):
        parse_text_scorer("map")


def test_every_scorer_declares_direction_needs_meaning_and_source() -> None:
    for entry in describe_scorers():
        assert entry["direction"] in ("higher", "lower"), entry
        assert set(entry["needs"].split(", ")) <= {"source", "reference", "output"}, entry
        assert entry["about"].endswith("."), entry
        assert entry["cites"], entry


def test_error_rates_are_better_when_lower() -> None:
    lower = {name for name, kind in scorers().items() if kind.direction == "lower"}
    assert lower == {"TER", "WER", "MER", "WIL", "CER"}


def test_no_two_scorers_have_one_name() -> None:
    with pytest.raises(ValueError, match="two scorers are called bleu"):
        scorer("bleu", cites="")(Scorer)


@pytest.mark.parametrize("name", HEAVY)
def test_a_missing_library_is_named_with_its_installation(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("sentence_transformers", "bert_score", "comet", "bleurt", "bleurt.score"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match="which is not installed\n  Install it: pip install"):
        parse_scorer(name).check()


@pytest.mark.parametrize("name", ["BLEU", "WER", "ROUGE-1", "METEOR", "ir"])
def test_a_missing_light_library_is_named_too(name: str) -> None:
    blocked = "sacrebleu.metrics jiwer rouge_score.rouge_scorer rouge_score.tokenizers nltk ir_measures"
    script = (
        f"import sys\nfor m in {blocked!r}.split(): sys.modules[m] = None\n"
        "from metaeval.scorers.registry import parse_scorer\n"
        "from metaeval.errors import MissingExtra\n"
        f"try: parse_scorer({name!r}).check()\n"
        "except MissingExtra as error: print(error)"
    )
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert "which is not installed" in said
    assert "pip install 'metaeval[scorers]'" in said


def test_a_library_that_cannot_be_imported_shows_its_own_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str) -> None:
        raise ImportError("built for another numpy")

    monkeypatch.setattr("importlib.import_module", broken)
    with pytest.raises(MetaevalError, match=r"(?s)cannot be imported.*ImportError: built for another numpy"):
        libraries.library("x", package="x", extra="scorers", needed_for="X")


def test_a_library_that_misses_another_is_not_called_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str) -> None:
        raise ModuleNotFoundError("No module named 'y'", name="y")

    monkeypatch.setattr("importlib.import_module", broken)
    with pytest.raises(MetaevalError, match="ModuleNotFoundError: No module named 'y'"):
        libraries.library("x.part", package="x", extra="scorers", needed_for="X")


def test_listing_the_scorers_imports_no_library() -> None:
    script = (
        "import sys\nfrom metaeval.scorers.registry import scorers\nscorers()\n"
        "print([m for m in ('sacrebleu', 'jiwer', 'nltk', 'torch', 'ir_measures') if m in sys.modules])"
    )
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert said == "[]\n"


def test_values_of_parameters_are_checked() -> None:
    assert switch("Yes")
    assert one_of("a", "b")("a") == "a"
    with pytest.raises(ValueError, match="expected a or b"):
        one_of("a", "b")("c")


def test_division_says_what_stands_where_the_denominator_is_0_and_keeps_what_is_missing() -> None:
    quotient = divide(np.array([1.0, 1.0, np.nan]), np.array([0.0, 2.0, 1.0]), 7.0)
    np.testing.assert_array_equal(quotient, [7.0, 0.5, np.nan])


def test_the_version_of_what_is_not_installed_is_0() -> None:
    assert libraries.version("no-such-package-at-all") == "0"
