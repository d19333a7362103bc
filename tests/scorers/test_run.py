"""Scoring a data set: what is scored, once, from the cache, in parallel, and what is refused."""

from __future__ import annotations

import dataclasses
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from metaeval.errors import InputError
from metaeval.evalset import EvalSet
from metaeval.scorers.base import CorpusScorer, Need, Segment, SegmentScorer, divide
from metaeval.scorers.cache import FILE, Cache, content_key, default_folder
from metaeval.scorers.run import Workshop, measure, score, statistics
from metaeval.scores import FloatArray, Scores


@dataclasses.dataclass(frozen=True, repr=False)
class Length(SegmentScorer):
    """Characters of the output; remembers what it was asked."""

    name = "length"
    direction = "higher"
    needs: ClassVar[tuple[Need, ...]] = ("output",)
    extra = None
    batch = 2
    asked: ClassVar[list[str]] = []

    def statistics(self, segments: Sequence[Segment]) -> FloatArray:
        Length.asked.extend(segment.output for segment in segments)
        return np.array([[float(len(segment.output))] for segment in segments])


@dataclasses.dataclass(frozen=True, repr=False)
class Wrong(CorpusScorer):
    """Words that the reference lacks, over all words."""

    name = "wrong"
    direction = "lower"
    needs = ("reference", "output")
    extra = None

    def statistics(self, segments: Sequence[Segment]) -> FloatArray:
        pairs = [(set(s.output.split()), set(s.reference.split())) for s in segments]
        return np.array([[len(output - reference), len(output)] for output, reference in pairs], dtype=float)

    def from_statistics(self, sums: FloatArray) -> FloatArray:
        return divide(sums[..., 0], sums[..., 1])


@dataclasses.dataclass(frozen=True, repr=False)
class FromSource(Length):
    name = "from-source"
    needs = ("source", "output")


@pytest.fixture(autouse=True)
def _nothing_asked() -> None:
    Length.asked.clear()


def texts(**changes: Any) -> EvalSet:
    parts: dict[str, Any] = {
        "systems": ("A", "B", "refA"),
        "items": ("1", "2", "3"),
        "references": {"refA": ("a b", "c", "d"), "refB": ("a", "c", None)},
        "outputs": {"A": ("a b", "c c", "x"), "B": ("a b", None, ""), "refA": ("a b", "c", "d")},
    }
    return EvalSet(**{**parts, **changes})


def segment(evalset: EvalSet, key: str) -> FloatArray:
    found = evalset.metrics[key].segment
    assert found is not None
    return found


def test_every_reference_is_compared_with_but_not_with_itself() -> None:
    scored = score(texts(), [Wrong()], natural=True)
    assert list(scored.metrics) == ["wrong-refA", "wrong-refB"]
    expected = [[0, 0.0, 1], [0, np.nan, np.nan], [np.nan] * 3]
    np.testing.assert_array_equal(segment(scored, "wrong-refA"), expected)
    assert np.isnan(segment(scored, "wrong-refB")[:, 2]).all()


def test_a_systems_score_is_the_score_of_its_sums_and_lower_is_stored_negated() -> None:
    scored = score(texts(), [Wrong()], references="refA", systems="A")
    assert segment(scored, "wrong-refA")[0].tolist() == [0, 0, -1]
    system = scored.metrics["wrong-refA"].system
    assert system is not None
    np.testing.assert_array_equal(system, [-1 / 4, np.nan, np.nan])


def test_a_scorer_that_reads_no_reference_gives_scores_for_src() -> None:
    scored = score(texts(), [Length()])
    assert segment(scored, "length-src").tolist()[0] == [3, 3, 1]
    assert scored.metrics["length-src"].reference_free


def test_statistics_give_the_corpus_score_of_any_recombination() -> None:
    rows = statistics(texts(), Wrong(), reference="refA")
    assert rows.shape == (3, 3, 2)
    swapped = rows[0, 0] + rows[1, 2] + rows[0, 1]
    assert Wrong().from_statistics(swapped) == 0


def test_equal_segments_are_measured_once() -> None:
    score(texts(), [Length()])
    assert sorted(Length.asked) == sorted({"a b", "c c", "x", "", "c", "d"})


def test_what_the_cache_knows_is_not_measured_again(tmp_path: Path) -> None:
    with Cache(tmp_path) as cache:
        first = score(texts(), [Length()], workshop=Workshop(cache))
        Length.asked.clear()
        again = score(texts(), [Length()], workshop=Workshop(cache))
        assert first == again
        assert Length.asked == []


def test_an_interrupted_run_goes_on_where_it_was(tmp_path: Path) -> None:
    seen: list[int] = []

    def interrupt(what: str, done: int, total: int) -> None:
        seen.append(done)
        if len(seen) == 2:
            raise KeyboardInterrupt

    with Cache(tmp_path) as cache, pytest.raises(KeyboardInterrupt):
        score(texts(), [Length()], workshop=Workshop(cache, progress=interrupt))
    assert len(Length.asked) == 4
    with Cache(tmp_path) as cache:
        score(texts(), [Length()], workshop=Workshop(cache))
    assert len(Length.asked) == 6


def test_the_number_of_jobs_does_not_change_the_scores(tmp_path: Path) -> None:
    pytest.importorskip("jiwer", reason="the extra 'scorers' is not installed")
    with Cache(tmp_path) as cache:
        two = score(texts(), ["WER"], workshop=Workshop(cache, jobs=2))
    assert two == score(texts(), ["WER"])


def test_progress_counts_the_distinct_segments() -> None:
    calls: list[tuple[str, int, int]] = []
    score(texts(), [Length()], workshop=Workshop(progress=lambda *call: calls.append(call)))
    assert calls == [("length", 2, 6), ("length", 4, 6), ("length", 6, 6)]


def test_rows_with_missing_numbers_are_not_kept(tmp_path: Path) -> None:
    class Fails(Length):
        def statistics(self, segments: Sequence[Segment]) -> FloatArray:
            return super().statistics(segments) * np.nan

    with Cache(tmp_path) as cache:
        for _ in range(2):
            measure(Fails(), [Segment("a")], workshop=Workshop(cache))
    assert Length.asked == ["a", "a"]


def test_a_damaged_row_of_the_cache_is_measured_again(tmp_path: Path) -> None:
    with Cache(tmp_path) as cache:
        cache.add({content_key(Length().measured, "a", "", ""): b"odd"})
        assert measure(Length(), [Segment("a")], workshop=Workshop(cache)).tolist() == [[1]]


def test_nothing_to_measure_measures_nothing() -> None:
    assert measure(Length(), []).shape == (0, 0)
    empty = texts(outputs={"A": (None, None, None)})
    assert np.isnan(segment(score(empty, [Length()]), "length-src")).all()


@pytest.mark.parametrize(
    ("changes", "options", "message"),
    [
        ({"outputs": {}}, {}, r"the data hold no output texts to score\n.*metaeval describe"),
        ({"references": {}}, {}, r"wrong compares with a reference, and the data hold none"),
        ({}, {"references": "refC"}, r"no reference matches 'refC'\n.*There are: refA, refB"),
        ({}, {"systems": "C"}, r"no system with outputs matches 'C'"),
        (
            {"metrics": {"": Scores("wrong", "refB")}},
            {},
            r"there are scores wrong-refB already\n.*--replace",
        ),
    ],
)
def test_what_cannot_be_scored_is_refused(
    changes: dict[str, Any], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        score(texts(**changes), [Wrong()], **options)


def test_scores_are_replaced_where_that_is_asked_for() -> None:
    before = texts(metrics={"": Scores("length", "src", np.zeros((3, 3)))})
    assert segment(score(before, [Length()], replace=True), "length-src")[0, 0] == 3


def test_a_scorer_that_reads_sources_needs_them() -> None:
    with pytest.raises(InputError, match="reads sources, and the data hold none"):
        score(texts(), [FromSource()])
    assert segment(score(texts(source=("x", None, "z")), [FromSource()]), "from-source-src")[0, 0] == 3


def test_statistics_need_a_reference_that_is_there() -> None:
    with pytest.raises(InputError, match=r"there is no reference 'refX'\n.*refA"):
        statistics(texts(), Wrong(), reference="refX")


def test_the_cache_refuses_what_is_no_cache_and_a_place_that_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("not a database, but long enough to be taken for one" * 30)
    with pytest.raises(InputError, match=r"(?s)the cache cannot be used: .*Remove the file"):
        Cache(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=r"(?s)the cache folder cannot be made: .*--no-cache"):
        Cache(tmp_path / "file" / "folder")


def test_the_cache_keeps_many_values_and_reads_only_bytes(tmp_path: Path) -> None:
    values = {content_key(str(i)): bytes([i % 256]) for i in range(1200)}
    with Cache(tmp_path) as cache:
        cache.add(values)
        assert cache.find([*values, b"unknown"]) == values
    file = sqlite3.connect(tmp_path / FILE)
    file.execute("INSERT INTO known VALUES (?, ?)", (b"text", "no bytes"))
    file.commit()
    file.close()
    with Cache(tmp_path) as cache:
        assert cache.find([b"text"]) == {}


@pytest.mark.parametrize(
    ("platform", "environment", "folder"),
    [
        ("linux", {"METAEVAL_CACHE": "/c"}, "/c"),
        ("linux", {"XDG_CACHE_HOME": "/x"}, "/x/metaeval"),
        ("linux", {}, "/home/u/.cache/metaeval"),
        ("darwin", {}, "/home/u/Library/Caches/metaeval"),
        ("win32", {"LOCALAPPDATA": "/l"}, "/l/metaeval/cache"),
    ],
)
def test_the_cache_is_where_the_platform_has_caches(
    platform: str, environment: dict[str, str], folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("METAEVAL_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.platform", platform)
    monkeypatch.setattr(Path, "home", lambda: Path("/home/u"))
    assert default_folder() == Path(folder)


def test_a_corpus_scorer_leaves_its_statistics_with_the_scores() -> None:
    for natural in (False, True):
        scores = score(texts(), [Wrong()], references="refA", natural=natural).metrics["wrong-refA"]
        assert scores.corpus is not None
        assert (scores.corpus.scorer, scores.corpus.negated) == ("wrong", not natural)
        np.testing.assert_array_equal(scores.corpus.rows, statistics(texts(), Wrong(), reference="refA"))


def test_other_scorers_leave_none() -> None:
    assert score(texts(), [Length()]).metrics["length-src"].corpus is None
