"""Which cells a comparison uses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from metaeval.errors import InputError
from metaeval.evalset import EvalSet, by_key
from metaeval.paired import choose_protocol, choose_reference, pair_up
from metaeval.scores import Scores

NAN = float("nan")


def evalset(*, metric: list[list[float]] | None = None) -> EvalSet:
    return EvalSet(
        systems=("A", "B", "refA", "unrated"),
        items=("1", "2", "3"),
        human=by_key(
            [
                Scores("da", segment=np.ones((4, 3))),
                Scores("mqm", segment=np.array([[0, -1, NAN], [-2, 0, NAN], [0, 0, NAN], [NAN] * 3])),
            ]
        ),
        metrics=by_key(
            [
                Scores("BLEU", "refA", segment=np.array(metric or np.arange(12.0).reshape(4, 3).tolist())),
                Scores("BLEU", "refB", segment=np.zeros((4, 3))),
                Scores("chrF", "refA", segment=np.ones((4, 3)), system=np.array([5.0, 6, 7, 8])),
                Scores("Kiwi", "src", segment=np.ones((4, 3))),
                Scores("Plain", segment=np.ones((4, 3))),
                Scores("Corpus", "refA", system=np.ones(4)),
            ]
        ),
    )


def test_the_reference_in_use_and_unrated_systems_and_items_are_left_out() -> None:
    paired = pair_up(evalset())
    assert paired.reference == "refA"
    assert paired.protocol == "mqm"
    assert paired.systems == ("A", "B")
    assert paired.items == ("1", "2")
    assert paired.human.tolist() == [[0, -1], [-2, 0]]
    assert paired.scores[0].tolist() == [[0, 1], [3, 4]]
    assert paired.cells == 4


def test_where_metrics_read_all_references_no_reference_is_judged() -> None:
    scores = by_key([Scores("BLEU", "all", segment=np.arange(12.0).reshape(4, 3))])
    both = replace(evalset(), metrics=scores, references={"refA": ("x",) * 3, "refB": ("y",) * 3})
    assert pair_up(both).reference == "all"
    assert pair_up(both).systems == ("A", "B")


def test_metrics_that_used_another_reference_do_not_belong() -> None:
    assert pair_up(evalset()).keys == ("BLEU-refA", "chrF-refA", "Kiwi-src", "Plain")
    assert pair_up(evalset(), reference="refB").keys == ("BLEU-refB", "Kiwi-src", "Plain")
    assert pair_up(evalset(), reference="refB").systems == ("A", "B", "refA")


def test_src_as_reference_leaves_the_metrics_without_one_and_judges_every_output() -> None:
    paired = pair_up(evalset(), reference="src")
    assert paired.reference == "src"
    assert paired.keys == ("Kiwi-src", "Plain")
    assert paired.systems == ("A", "B", "refA")
    named = replace(evalset(), systems=("A", "B", "src", "unrated"))
    assert pair_up(named, reference="src").systems == ("A", "B", "src")


def test_src_as_reference_is_refused_where_every_metric_uses_one() -> None:
    used = replace(evalset(), metrics=by_key([Scores("BLEU", "refA", segment=np.ones((4, 3)))]))
    with pytest.raises(InputError, match=r"there is no reference 'src'\n  There are: refA"):
        pair_up(used, reference="src")


def test_metrics_without_segment_scores_are_left_out_and_named() -> None:
    assert pair_up(evalset()).notes == ("left out, system scores only: Corpus-refA",)


def test_published_system_scores_come_along() -> None:
    paired = pair_up(evalset())
    assert paired.published[1].tolist() == [5.0, 6.0]
    assert np.isnan(paired.published[0]).all()


def test_a_missing_score_is_an_error_that_says_how_many_and_where() -> None:
    gap: list[list[float]] = [[0.0, NAN, NAN], [NAN, NAN, 0], [0, 0, 0], [0, 0, 0]]
    message = r"BLEU-refA has no score for 3 of 4 rated cells \(B: 2, A: 1\)\n  Give them, .*--missing drop"
    with pytest.raises(InputError, match=message):
        pair_up(evalset(metric=gap))


def test_missing_scores_are_dropped_only_when_that_is_asked_for() -> None:
    wrong: Any = "fill"
    with pytest.raises(InputError, match=r"missing is 'fill', which cannot be done\n  .*drop, error"):
        pair_up(evalset(), missing=wrong)


def test_dropping_leaves_a_cell_out_for_every_metric() -> None:
    paired = pair_up(evalset(metric=[[0.0, NAN, 0], [1, 1, 0], [0, 0, 0], [0, 0, 0]]), missing="drop")
    assert paired.dropped_cells == 1
    assert np.isnan(paired.human[0, 1])
    assert np.isnan(paired.scores[:, 0, 1]).all()
    assert not np.isnan(paired.scores[:, 1, 1]).any()


def test_a_gap_outside_the_rated_cells_does_not_matter() -> None:
    gaps: list[list[float]] = [[0.0, 1, NAN], [1, 1, NAN], [NAN] * 3, [NAN] * 3]
    paired = pair_up(evalset(metric=gaps))
    assert paired.cells == 4


def test_default_protocol_is_mqm_then_esa_then_the_fullest() -> None:
    def protocols(**cells: int) -> EvalSet:
        return EvalSet(
            systems=("A",),
            items=("1", "2"),
            human=by_key(
                Scores(k, segment=np.array([[1.0] * n + [NAN] * (2 - n)])) for k, n in cells.items()
            ),
        )

    assert choose_protocol(protocols(da=2, esa=1, mqm=1), None) == "mqm"
    assert choose_protocol(protocols(da=2, esa=1), None) == "esa"
    assert choose_protocol(protocols(sqm=1, da=2), None) == "da"


def test_default_reference_is_the_one_that_most_metrics_used() -> None:
    assert choose_reference(evalset(), None) == "refA"
    assert choose_reference(EvalSet(systems=("A",), items=("1",)), None) is None


def test_unknown_choices_name_what_there_is() -> None:
    with pytest.raises(InputError, match=r"no human scores 'mq'\n  Did you mean mqm\?"):
        pair_up(evalset(), human="mq")
    with pytest.raises(InputError, match="there is no reference 'refC'"):
        pair_up(evalset(), reference="refC")
    with pytest.raises(InputError, match=r"no metric \(reference refA\) matches 'COMET'") as caught:
        pair_up(evalset(), metrics="COMET")
    assert str(caught.value).count(" Plain") == 1  # whose key is its name


def test_data_that_cannot_be_compared_say_why() -> None:
    bare = EvalSet(systems=("A",), items=("1",))
    with pytest.raises(InputError, match="there are no human scores of segments"):
        pair_up(bare)
    human = by_key([Scores("mqm", segment=np.ones((1, 1)))])
    with pytest.raises(InputError, match="no metric has segment scores here"):
        pair_up(EvalSet(systems=("A",), items=("1",), human=human))
    nothing = Scores("BLEU", segment=np.full((1, 1), NAN))
    with pytest.raises(
        InputError, match=r"no cell has both a human score \(mqm\) and all metric scores\n  An output"
    ):
        pair_up(EvalSet(systems=("A",), items=("1",), human=human, metrics=by_key([nothing])), missing="drop")
    by_system = by_key([Scores("mqm", system=np.ones(1))])
    with pytest.raises(InputError, match="human scores 'mqm' are not of segments"):
        pair_up(
            EvalSet(
                systems=("A",),
                items=("1",),
                human=by_system,
                metrics=by_key([Scores("B", segment=np.ones((1, 1)))]),
            ),
            human="mqm",
        )
