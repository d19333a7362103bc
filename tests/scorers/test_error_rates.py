"""WER and its relatives: jiwer is the oracle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval.scorers.base import CorpusScorer, Segment
from metaeval.scorers.normalise import normalised
from metaeval.scorers.registry import parse_text_scorer

jiwer = pytest.importorskip("jiwer", reason="the extra 'scorers' is not installed")

NAMES = ("WER", "MER", "WIL", "WIP", "CER")
SPEECH = st.text(alphabet="ab  c'", max_size=12)


def oracle(name: str, references: list[str], outputs: list[str]) -> float:
    return float(getattr(jiwer, name.lower())(references, outputs))


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=60, deadline=None)
@given(texts=st.lists(st.tuples(SPEECH, SPEECH), min_size=1, max_size=5))
def test_rates_are_those_of_jiwer_for_segments_and_corpora(name: str, texts: list[tuple[str, str]]) -> None:
    scorer = parse_text_scorer(name)
    table = scorer.statistics([Segment(output, reference) for reference, output in texts])
    single = [oracle(name, [reference], [output]) for reference, output in texts]
    np.testing.assert_allclose(scorer.segment_scores(table), single, atol=1e-14)
    references, outputs = (list(column) for column in zip(*texts, strict=True))
    assert float(scorer.system_score(table)) == pytest.approx(oracle(name, references, outputs), abs=1e-14)


@pytest.mark.parametrize("name", NAMES)
def test_swapped_segments_score_as_jiwer_scores_them(name: str) -> None:
    references = ["one two three", "four", "five six"]
    first, second = ["one two", "four", "six"], ["one to three", "for four", ""]
    scorer = parse_text_scorer(name)
    assert isinstance(scorer, CorpusScorer)
    a, b = (
        scorer.statistics([Segment(o, r) for o, r in zip(x, references, strict=True)])
        for x in (first, second)
    )
    mixed = [first[0], second[1], second[2]]
    swapped = scorer.from_statistics(a[0] + b[1] + b[2])
    assert float(swapped) == pytest.approx(oracle(name, references, mixed), abs=1e-14)


def test_the_four_word_rates_share_one_alignment() -> None:
    assert len({parse_text_scorer(name).measured for name in ("WER", "MER", "WIL", "WIP")}) == 1
    assert parse_text_scorer("CER").measured != parse_text_scorer("WER").measured
    assert parse_text_scorer("WER(normalise=yes)").measured != parse_text_scorer("WER").measured


def test_normalised_transcripts_have_neither_case_nor_punctuation_but_apostrophes() -> None:
    assert normalised("HE’S here -- well-known, 3.5%!") == "he's here well known 3 5"
    assert normalised("Ça, été.") == "ça été"
    assert normalised("हिन्दी।") == "हिन्दी"
    segment = [Segment("It's well-known.", "IT'S WELL KNOWN")]
    assert parse_text_scorer("WER").score(segment) == 1
    assert parse_text_scorer("WER(normalise=yes)").score(segment) == 0


def test_a_missing_transcript_has_no_rate() -> None:
    for name in NAMES:
        assert np.isnan(parse_text_scorer(name).segment_scores(np.full((1, 4), np.nan))).all()


def test_no_segments_have_no_rates() -> None:
    assert parse_text_scorer("WER").statistics([]).shape == (0, 4)
