"""Corpus statistics as part of an evaluation set: cut, checked, signed, written and read again."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from metaeval.corpus import CorpusStatistics
from metaeval.digest import content_digest
from metaeval.errors import InputError
from metaeval.evalset import EvalSet
from metaeval.io.bundle import read, verify, write_bundle
from metaeval.io.bundle_statistics import read_statistics
from metaeval.io.registry import writers
from metaeval.scores import FloatArray, Scores

ROWS = np.arange(12.0).reshape(2, 3, 2)


def evalset(corpus: CorpusStatistics | None, system: FloatArray | None = None) -> EvalSet:
    segment = np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])
    return EvalSet(
        systems=("A", "B"),
        items=("1", "2", "3"),
        human={"mqm": Scores("mqm", segment=segment)},
        metrics={"TER-refA": Scores("TER", "refA", segment, system, corpus=corpus)},
    )


def kept(data: EvalSet) -> CorpusStatistics:
    found = data.metrics["TER-refA"].corpus
    assert found is not None
    return found


def test_a_smaller_set_keeps_the_rows_of_its_systems_and_items() -> None:
    smaller = evalset(CorpusStatistics("TER", ROWS, negated=True)).select(systems="B", items=["1", "3"])
    assert kept(smaller).rows.tolist() == [[[6, 7], [10, 11]]]
    assert (kept(smaller).scorer, kept(smaller).negated) == ("TER", True)


def test_the_rows_cannot_be_changed() -> None:
    rows = ROWS.copy()
    held = CorpusStatistics("TER", rows)
    rows[:] = 0
    assert held.rows.tolist() == ROWS.tolist()
    with pytest.raises(ValueError, match="read-only"):
        held.rows[0, 0, 0] = 1


def test_the_digest_of_a_set_without_statistics_is_what_it_always_was() -> None:
    assert content_digest(evalset(None)) == "537f3a08f24c830ddc0323e6823abda65683e0204786f016119a8290f468cc08"


def test_statistics_their_scorer_and_their_sign_are_part_of_the_content() -> None:
    sets = [
        evalset(None),
        evalset(CorpusStatistics("TER", ROWS)),
        evalset(CorpusStatistics("TER", ROWS, negated=True)),
        evalset(CorpusStatistics("WER", ROWS)),
        evalset(CorpusStatistics("TER", ROWS + 1)),
    ]
    assert len({data.digest for data in sets}) == len(sets)


def test_the_order_of_systems_does_not_change_the_digest() -> None:
    data = evalset(CorpusStatistics("TER", ROWS))
    backwards = np.array([1, 0], dtype=np.intp)
    metric = data.metrics["TER-refA"].take(backwards, np.arange(3))
    human = data.human["mqm"].take(backwards, np.arange(3))
    turned = dataclasses.replace(data, systems=("B", "A"), human={"mqm": human}, metrics={"TER-refA": metric})
    assert turned == data


@pytest.mark.parametrize("negated", [False, True])
def test_a_bundle_gives_the_statistics_back(tmp_path: Path, negated: bool) -> None:
    rows = ROWS.copy()
    rows[1, 1] = np.nan
    data = evalset(CorpusStatistics("TER(normalized=yes)", rows / 3, negated))
    write_bundle(data, tmp_path / "x")
    again = verify(tmp_path / "x")
    assert again == data
    np.testing.assert_array_equal(kept(again).rows, rows / 3)
    assert '"version": 2' in (tmp_path / "x" / "metaeval.json").read_text()


def test_a_bundle_without_statistics_is_one_that_older_readers_know(tmp_path: Path) -> None:
    write_bundle(evalset(None), tmp_path / "x")
    assert '"version": 1' in (tmp_path / "x" / "metaeval.json").read_text()
    assert not (tmp_path / "x" / "statistics.parquet").exists()
    assert read(tmp_path / "x").metrics["TER-refA"].corpus is None


@pytest.mark.parametrize("format", ["mtme", "long"])
def test_other_formats_say_that_statistics_are_lost(format: str) -> None:
    lost = "corpus statistics of 1 scorers"
    assert lost in writers()[format].loses(evalset(CorpusStatistics("TER", ROWS)))
    assert lost not in writers()[format].loses(evalset(None))


@pytest.mark.parametrize(
    ("rows", "scorer", "message"),
    [
        (ROWS, "", "corpus statistics name no scorer"),
        (ROWS[0], "TER", "corpus statistics of TER are 3 x 2, expected systems x items x numbers"),
        (ROWS[:, :, :0], "TER", "corpus statistics of TER are 2 x 3 x 0, expected systems x items x numbers"),
        (ROWS + np.inf, "TER", "corpus statistics of TER hold an infinite number or a row with gaps"),
        (
            np.array([[[1.0, np.nan]]]),
            "TER",
            "corpus statistics of TER hold an infinite number or a row with gaps",
        ),
    ],
)
def test_rows_that_are_none_are_refused(rows: FloatArray, scorer: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        CorpusStatistics(scorer, rows)
    assert caught.value.what == message


def test_rows_of_other_systems_or_items_are_refused() -> None:
    with pytest.raises(InputError) as caught:
        evalset(CorpusStatistics("TER", ROWS[:, :2]))
    assert caught.value.what == "corpus statistics of TER-refA are 2 x 2, expected 2 systems x 3 items"


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["x"], "the column 'x' names no number of a corpus statistic"),
        (["[" * 99999], "names no number of a corpus statistic"),
        (["3"], "the column '3' names no number of a corpus statistic"),
        (['["metric:A", "TER", 0]'], "names no number of a corpus statistic"),
        (['["metric:A", "TER", 1, 0]'], "names no number of a corpus statistic"),
        (['["metric:A", "TER", true, 1]'], "names no number of a corpus statistic"),
        (
            ['["metric:A", "TER", true, 0]', '["metric:A", "TER", false, 0]'],
            "there are two corpus statistics of 'metric:A'",
        ),
    ],
)
def test_columns_that_were_not_written_are_refused(names: list[str], message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_statistics([(name, np.zeros(1)) for name in names], (1, 1))
    assert message in caught.value.what
