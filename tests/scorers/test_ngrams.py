"""BLEU, chrF, chrF++ and TER: sacrebleu is the oracle, for segments, corpora and recombined corpora."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval.errors import InputError, MetaevalError
from metaeval.scorers.base import CorpusScorer, Segment
from metaeval.scorers.registry import parse_text_scorer
from metaeval.scores import FloatArray

metrics = pytest.importorskip("sacrebleu.metrics", reason="the extra 'scorers' is not installed")

REFERENCES = (
    "The cat sat on the mat.",
    "A quick brown fox jumps over the lazy dog, doesn't it?",
    "Yes.",
    "",
    "Prices rose by 3.5% in May; wages did not.",
)
FIRST = (
    "The cat sat on a mat.",
    "The quick brown fox jumped over a lazy dog, did it?",
    "Yes.",
    "Nothing",
    "In May prices rose 3.5%; wages didn't.",
)
SECOND = ("A cat is on the mat", "", "No.", "", "Prices rose by 3.5% in May; wages did not.")

ORACLES = {
    "BLEU": lambda: metrics.BLEU(),
    "chrF": lambda: metrics.CHRF(),
    "chrF++": lambda: metrics.CHRF(word_order=2),
    "TER": lambda: metrics.TER(),
}
TEXTS = st.text(alphabet="ab .,", max_size=14)
PAIRS = st.lists(st.tuples(TEXTS, TEXTS, TEXTS), min_size=1, max_size=5)


def corpus_scorer(name: str) -> CorpusScorer:
    found = parse_text_scorer(name)
    assert isinstance(found, CorpusScorer)
    return found


def rows(name: str, outputs: tuple[str, ...], references: tuple[str, ...] = REFERENCES) -> FloatArray:
    pairs = zip(outputs, references, strict=True)
    return corpus_scorer(name).statistics([Segment(output, reference) for output, reference in pairs])


def sentence_oracle(name: str) -> Any:
    return metrics.BLEU(effective_order=True) if name == "BLEU" else ORACLES[name]()


@pytest.mark.parametrize("name", ORACLES)
def test_the_corpus_score_is_that_of_sacrebleu(name: str) -> None:
    for outputs in (FIRST, SECOND):
        ours = corpus_scorer(name).system_score(rows(name, outputs))
        theirs = ORACLES[name]().corpus_score(list(outputs), [list(REFERENCES)]).score
        assert float(ours) == pytest.approx(theirs, rel=1e-14, abs=0)


@pytest.mark.parametrize("name", ORACLES)
def test_segment_scores_are_those_of_sacrebleu(name: str) -> None:
    oracle = sentence_oracle(name)
    theirs = [oracle.sentence_score(o, [r]).score for o, r in zip(FIRST, REFERENCES, strict=True)]
    ours = parse_text_scorer(name).score([Segment(o, r) for o, r in zip(FIRST, REFERENCES, strict=True)])
    np.testing.assert_allclose(ours, theirs, rtol=1e-14)


@pytest.mark.parametrize("name", ORACLES)
def test_segments_may_be_swapped_between_systems_by_swapping_rows(name: str) -> None:
    scorer, ours = corpus_scorer(name), np.stack([rows(name, FIRST), rows(name, SECOND)])
    masks = np.random.default_rng(0).integers(0, 2, size=(20, len(FIRST)))
    sums = masks @ ours[0] + (1 - masks) @ ours[1]
    scores = scorer.from_statistics(sums)
    for mask, score in zip(masks, scores, strict=True):
        mixed = [a if kept else b for kept, a, b in zip(mask, FIRST, SECOND, strict=True)]
        theirs = ORACLES[name]().corpus_score(mixed, [list(REFERENCES)]).score
        assert float(score) == pytest.approx(theirs, rel=1e-14, abs=0)


@pytest.mark.parametrize("name", ORACLES)
@settings(max_examples=40, deadline=None)
@given(texts=PAIRS)
def test_any_texts_score_as_in_sacrebleu(name: str, texts: list[tuple[str, str, str]]) -> None:
    outputs, references, _ = zip(*texts, strict=True)
    ours = corpus_scorer(name).system_score(rows(name, outputs, references))
    theirs = ORACLES[name]().corpus_score(list(outputs), [list(references)]).score
    assert float(ours) == pytest.approx(theirs, rel=1e-13, abs=1e-300)
    oracle = sentence_oracle(name)
    single = [oracle.sentence_score(o, [r]).score for o, r, _ in texts]
    scores = corpus_scorer(name).segment_scores(rows(name, outputs, references))
    np.testing.assert_allclose(scores, single, rtol=1e-13, atol=1e-300)


@pytest.mark.parametrize("name", ORACLES)
def test_a_missing_segment_has_no_score_and_does_not_count_for_the_system(name: str) -> None:
    table = rows(name, FIRST)
    table[1] = np.nan
    scorer = corpus_scorer(name)
    assert np.isnan(scorer.segment_scores(table)).tolist() == [False, True, False, False, False]
    assert scorer.system_score(table) == scorer.system_score(np.delete(table, 1, axis=0))
    assert np.isnan(scorer.system_score(np.full_like(table, np.nan)))


def test_the_signature_is_sacrebleus_own() -> None:
    oracle = metrics.BLEU(effective_order=True, tokenize="zh")
    oracle.sentence_score("a", ["a"])
    assert parse_text_scorer("BLEU(tokenize=zh)").signature == f"BLEU|{oracle.get_signature()}"


def test_parameters_reach_the_library() -> None:
    segment = [Segment("THE CAT", "the cat")]
    assert parse_text_scorer("chrF(lowercase=yes)").score(segment) == 100
    assert parse_text_scorer("BLEU(lowercase=yes)").score(segment) == pytest.approx(100)
    assert parse_text_scorer("TER(case_sensitive=yes)").score(segment) == 100
    assert parse_text_scorer("TER").score(segment) == 0


@pytest.mark.parametrize("name", ["BLEU(tokenize=ja-mecab)", "ROUGE-1(tokenize=ja-mecab)"])
def test_what_a_tokenizer_lacks_is_said_before_any_work(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise RuntimeError("Please install it like so.\n\n  pip install sacrebleu[ja]")

    monkeypatch.setattr(metrics.BLEU, "__init__", refuse)
    with pytest.raises(MetaevalError) as caught:
        parse_text_scorer(name).check()
    assert str(caught.value).splitlines() == [
        f"{name} cannot make its tokenizer:",
        "    RuntimeError: Please install it like so. pip install sacrebleu[ja]",
        "  Install what it asks for, or name another tokenizer: 13a, intl, zh, char",
    ]


def test_an_unknown_tokenizer_is_refused() -> None:
    with pytest.raises(InputError, match=r"sacrebleu has no tokenizer 'char2'\n.*Did you mean char"):
        parse_text_scorer("BLEU(tokenize=char2)").check()


def test_no_segments_have_no_scores() -> None:
    assert parse_text_scorer("chrF").statistics([]).shape[0] == 0
