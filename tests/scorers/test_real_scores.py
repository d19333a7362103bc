"""Published scores come out of the published texts."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import real
from numpy.typing import NDArray

from metaeval.evalset import EvalSet
from metaeval.io.registry import read
from metaeval.io.transcripts import read_folder
from metaeval.scorers.registry import parse_text_scorer
from metaeval.scorers.run import score, statistics
from metaeval.scores import FloatArray

pytest.importorskip("sacrebleu", reason="the extra 'scorers' is not installed")
pytest.importorskip("jiwer", reason="the extra 'scorers' is not installed")
pytestmark = pytest.mark.real


@pytest.mark.parametrize("year", ["wmt22", "wmt23"])
@pytest.mark.parametrize("name", ["BLEU", "chrF"])
def test_segment_and_corpus_scores_are_the_official_ones_for_every_system(
    year: str, name: str, request: pytest.FixtureRequest
) -> None:
    evalset: EvalSet = request.getfixturevalue(year)
    key = f"{name}-refA"
    official = evalset.metrics[key]
    ours = score(evalset, [name], references="refA", replace=True).metrics[key]
    assert official.segment is not None
    assert ours.segment is not None
    np.testing.assert_allclose(ours.segment, official.segment, rtol=0, atol=1e-9)
    assert (official.system is not None) == (year == "wmt23")
    if official.system is not None:
        assert ours.system is not None
        np.testing.assert_allclose(ours.system, official.system, rtol=0, atol=1e-9)


def rates(evalset: EvalSet, name: str, items: NDArray[np.intp] | None = None) -> dict[str, float]:
    scorer = parse_text_scorer(name)
    rows: FloatArray = statistics(evalset, scorer, reference="ref")
    system = scorer.system_score(rows if items is None else rows[:, items])
    return {s: 100 * float(rate) for s, rate in zip(evalset.systems, system, strict=True)}


def test_the_error_rates_of_four_unrelated_systems() -> None:
    found = rates(read_folder(real("asr-librispeech", "cloud"), skip_unnamed=True), "WER(normalise=yes)")
    known = {"deepspeech": 8.49, "google": 11.28, "watson": 18.11, "azure": 19.15}
    assert found == pytest.approx(known, abs=0.1)


@pytest.mark.parametrize(
    ("name", "lowest", "highest"), [("test-clean", 1.98, 3.65), ("test-other", 5.86, 9.61)]
)
def test_the_error_rates_of_seven_related_systems(name: str, lowest: float, highest: float) -> None:
    evalset = read(real("asr-librispeech", "rnnt"))
    items = np.flatnonzero(np.array(evalset.item_context["set"]) == name)
    found = rates(evalset, "WER", items)
    assert len(found) == 7
    assert min(found.values()) == pytest.approx(lowest, abs=0.01)
    assert max(found.values()) == pytest.approx(highest, abs=0.01)
