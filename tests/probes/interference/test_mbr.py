"""MBR decoding: fast, and the same as choosing with sacrebleu pair by pair."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import pytest

from metaeval.errors import InputError
from metaeval.probes.interference.mbr import decode, first_best
from metaeval.probes.interference.pairwise import pairwise
from metaeval.probes.interference.selection import best_by, jaccard, top_k
from metaeval.scorers.base import Need, Segment, SegmentScorer
from metaeval.scorers.registry import parse_text_scorer
from metaeval.scores import FloatArray
from metaeval.simulate import CLEAN, candidates, simulate

POOL = candidates(simulate(CLEAN, systems=2, items=12, seed=1), "Alder", count=8).texts
TRICKY = (
    ("", "a", "a b c d e", "a  b\tc", "Ä ö ü 東京 😀", "a, b. (c)", None, "the the the the"),
    ("a", "a", "a b c d", "A B C D E", "ä ö ü 東京 😀!", "a , b . c", "x", "the the"),
    (" ", "b", "e d c b a", "a b c", "Ä ö ü 東京 😁", "a, b. c", "y", "the"),
)


def by_sacrebleu(name: str, candidates: Sequence[Sequence[str | None]]) -> FloatArray:
    """Expected utilities with a call of sacrebleu for every pair."""
    from sacrebleu.metrics.bleu import BLEU  # what is tested needs the extra as well
    from sacrebleu.metrics.chrf import CHRF

    metric = CHRF() if name == "chrF" else BLEU(effective_order=True)
    table = np.full((len(candidates), len(candidates[0])), np.nan)
    for item in range(len(candidates[0])):
        texts = [column[item] for column in candidates]
        others = [text for text in texts if text is not None]
        for number, text in enumerate(texts):
            if text is not None:
                scores = [metric.sentence_score(text, [other]).score for other in others]
                table[number, item] = sum(scores) / len(scores)
    return table


@pytest.mark.parametrize("name", ["chrF", "BLEU"])
@pytest.mark.parametrize("texts", [POOL, TRICKY], ids=["simulated", "tricky"])
def test_it_chooses_what_sacrebleu_chooses_pair_by_pair(
    name: str, texts: Sequence[Sequence[str | None]]
) -> None:
    """200 pools of 20 candidates: benchmarks/interference.py."""
    expected = by_sacrebleu(name, texts)
    found = decode(texts, name)
    assert np.allclose(found.utility, expected, rtol=0, atol=1e-9, equal_nan=True)
    assert found.choice.tolist() == [first_best(column) for column in expected.T]
    assert found.texts == tuple(texts[c][i] for i, c in enumerate(found.choice.tolist()))


def test_any_other_scorer_is_asked_for_every_pair() -> None:
    fast, slow = (decode(POOL, name) for name in ("chrF", "chrF++"))
    assert slow.utility.shape == fast.utility.shape
    texts = ["a b c d", "a b x d"]
    assert (
        pairwise(parse_text_scorer("chrF++"), texts)[0, 1] != pairwise(parse_text_scorer("chrF"), texts)[0, 1]
    )


def test_scores_where_lower_is_better_are_turned() -> None:
    pool = [("a b c",), ("a b c",), ("x y z",)]
    found = decode(pool, "WER")
    assert found.choice.tolist() == [0]
    assert found.utility[2, 0] < found.utility[0, 0]


def test_of_equal_candidates_the_first_is_chosen() -> None:
    assert decode([("x y",), ("a b",), ("a b",)], "chrF").choice.tolist() == [1]
    assert decode([("a b",), ("a b",)], "chrF").choice.tolist() == [0]


def test_without_itself_a_candidate_is_compared_with_the_others_alone() -> None:
    pool = [("a b c d",), ("a b c e",), ("q q q q",)]
    pair = pairwise(parse_text_scorer("chrF"), [texts[0] for texts in pool])
    found = decode(pool, "chrF", with_itself=False)
    assert found.utility[0, 0] == pytest.approx((pair[0, 1] + pair[0, 2]) / 2)
    assert decode([("only",)], "chrF", with_itself=False).choice.tolist() == [0]


def test_batches_and_jobs_do_not_change_a_digit() -> None:
    one, other = decode(POOL, "chrF"), decode(POOL, "chrF", batch=5)
    assert one.utility.tobytes() == other.utility.tobytes()


@dataclasses.dataclass(frozen=True, repr=False)
class ReadsSources(SegmentScorer):
    """1 where the output holds the source and the reference."""

    name = "ReadsSources"
    direction = "higher"
    needs: ClassVar[tuple[Need, ...]] = ("source", "reference", "output")
    extra = None
    cites = ""

    def statistics(self, segments: Sequence[Segment]) -> FloatArray:
        return np.array([[float(s.source in s.output and s.reference in s.output)] for s in segments])


def test_a_scorer_may_read_sources() -> None:
    pool = [("ab c",), ("c",), ("ab",)]
    assert decode(pool, ReadsSources(), sources=["ab"]).choice.tolist() == [0]
    with pytest.raises(InputError, match="ReadsSources reads sources"):
        decode(pool, ReadsSources())


class SilentOnEmpty(ReadsSources):
    """The length of the output, and nothing where it or the reference is empty."""

    name = "SilentOnEmpty"
    needs = ("reference", "output")

    def statistics(self, segments: Sequence[Segment]) -> FloatArray:
        return np.array([[float(len(s.output)) if s.output and s.reference else np.nan] for s in segments])


def test_a_pair_without_a_score_is_left_out_of_the_mean() -> None:
    found = decode([("",), ("a b",), ("a b c",), ("a b",)], SilentOnEmpty())
    assert found.choice.tolist() == [2]
    assert np.array_equal(found.utility[:, 0], [np.nan, 3, 5, 3], equal_nan=True)
    with pytest.raises(InputError, match="SilentOnEmpty gave no candidate of item 1 a score"):
        decode([("a", ""), ("b", "")], SilentOnEmpty())


@pytest.mark.parametrize(
    ("texts", "options", "message"),
    [
        ([], {}, "there are no candidates to choose from"),
        ([("a",), ("b", "c")], {}, "candidate 1 has 2 texts, the first has 1"),
        ([("a", None), ("b", None)], {}, "item 1 has no candidate with a text"),
        ([("a",)], {"batch": 0}, "found a batch of 0 items"),
        ([("a",)], {"jobs": 0}, "found 0 jobs, expected at least 1"),
        ([("a",)], {"sources": ["a", "b"]}, "found 2 sources, expected 1"),
    ],
)
def test_what_cannot_be_decoded_is_said(
    texts: list[tuple[str | None, ...]], options: dict[str, object], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        decode(texts, "chrF", **options)  # type: ignore[arg-type] # deliberately any options


def test_a_scorer_without_reference_cannot_compare_candidates() -> None:
    class Alone(ReadsSources):
        name = "Alone"
        needs = ("output",)

    with pytest.raises(InputError, match="Alone compares with no reference"):
        pairwise(Alone(), ["a", "b"])


def test_choosing_by_mbr_raises_the_metric_more_than_the_quality() -> None:
    """The shift of Pombal et al. 2025, section 4.2, where the truth is known."""
    pool = candidates(simulate(CLEAN, items=200, seed=3, text=False), "Elm", count=12)
    choice = best_by(pool.scores["Neural-refA"])
    items = np.arange(len(choice))

    def gained(scores: FloatArray) -> float:
        return float((scores[choice, items].mean() - scores.mean()) / scores.std(axis=0).mean())

    assert gained(pool.scores["Neural-refA"]) > 1.3 * gained(pool.quality)
    assert gained(pool.quality) > 0


def test_filtering_and_overlap() -> None:
    scores = np.array([0.1, np.nan, 0.9, 0.9, 0.5])
    assert top_k(scores, 2).tolist() == [2, 3]
    assert top_k(scores, 4).tolist() == [0, 2, 3, 4]
    for k in (0, 5):
        with pytest.raises(InputError, match=f"cannot choose {k} of 4 scored segments"):
            top_k(scores, k)
    with pytest.raises(InputError, match="an item has no candidate with a score"):
        best_by(np.array([[np.nan, 1.0]]))
    assert np.isnan(jaccard({"a": [], "b": []})).all()
