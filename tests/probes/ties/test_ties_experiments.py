"""Buckets, broken ties, curves, places of ties, held-out thresholds, samples."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pairing import paired_of, random_paired

from metaeval.errors import InputError
from metaeval.measures.registry import parse_measure
from metaeval.paired import Paired
from metaeval.probes.ties.breaking import broken, tie_breaking
from metaeval.probes.ties.buckets import bucketing, in_buckets
from metaeval.probes.ties.curve import tie_curve
from metaeval.probes.ties.heldout import generalisation, split_by_document
from metaeval.probes.ties.sampling import sample_spread
from metaeval.probes.ties.table import tie_table
from metaeval.probes.ties.where import where_tied

PAIRED = random_paired(
    seed=5, systems=6, items=30, metrics=2, levels=2, documents=[i // 3 for i in range(30)]
)


def value(paired: Paired, text: str, metric: int = 0) -> float:
    return parse_measure(text).evaluate(paired.human, paired.scores[metric]).value


@given(st.lists(st.floats(-5, 5, width=32), min_size=1, max_size=20), st.integers(1, 9))
def test_a_bucket_is_as_wide_as_any_other_and_keeps_the_order(scores: list[float], size: int) -> None:
    array = np.array(scores)
    found = in_buckets(array, size)
    assert ((found >= 0) & (found < size)).all()
    for i, j in itertools.combinations(range(len(scores)), 2):
        assert (scores[i] < scores[j]) <= (found[i] <= found[j])
    width = (array.max() - array.min()) / size
    assert (np.abs(array - (array.min() + (found + 0.5) * width)) <= width / 2 + 1e-6).all()


def test_few_buckets_lose_groups_for_tau_b_and_none_for_accuracy() -> None:
    """Three items: two easy, one hard. In two buckets the hard one is constant, and tau_b perfect."""
    human = np.array([[0.0, 0.0, 0.0], [-9.0, -9.0, -1.0]])
    metric = np.array([[1.0, 0.9, 0.8], [0.0, 0.1, 0.9]])
    found = bucketing(paired_of(human, metric[None]), "M0", sizes=[2])
    (before, _), (after, accuracy) = (step.outcomes for step in found.steps)
    assert before.value == pytest.approx(1 / 3)
    assert before.groups_used == 3
    assert (after.value, after.groups_used) == (1.0, 2)
    assert accuracy.value == pytest.approx(2 / 3)
    assert accuracy.groups_used == 3
    with pytest.raises(InputError, match="found 0 buckets"):
        in_buckets(metric, 0)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=12), st.integers(0, 5))
def test_broken_ties_keep_the_order_and_leave_no_tie(scores: list[int], seed: int) -> None:
    places = broken(np.array(scores, dtype=float), np.random.default_rng(seed))
    assert sorted(places) == list(range(len(scores)))
    for i, j in itertools.permutations(range(len(scores)), 2):
        assert scores[i] >= scores[j] or places[i] < places[j]


def test_breaking_ties_raises_tau_10_and_lowers_accuracy() -> None:
    found = tie_breaking(PAIRED, repeats=4, seed=1)
    assert found == tie_breaking(PAIRED, repeats=4, seed=1)
    for metric in found.metrics:
        tau_10, acc_eq = metric.changes[1:]
        assert tau_10.low > tau_10.before
        assert acc_eq.high < acc_eq.before
        assert tau_10.low <= tau_10.mean <= tau_10.high
    assert found.metrics[0].tied >= found.metrics[1].tied


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"statistics": ["acc_eq(epsilon=best)"]}, "depends on the distances"),
        ({"repeats": 0}, "found 0 repeats"),
    ],
)
def test_ties_are_broken_for_statistics_of_order_at_least_once(
    options: dict[str, object], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        tie_breaking(PAIRED, **options)  # type: ignore[arg-type] # the point is that they are wrong


def test_the_curve_passes_through_the_measures_and_has_the_calibrated_maximum() -> None:
    curve = tie_curve(PAIRED, "M0", "item")
    best = parse_measure("acc_eq(epsilon=best)@item").evaluate(PAIRED.human, PAIRED.scores[0])
    assert curve.best_epsilon == best.epsilon
    assert curve.best_value == pytest.approx(best.value)
    assert curve.value.max() == curve.best_value
    for at in (0, len(curve.epsilon) // 2, len(curve.epsilon) - 1):
        epsilon = float(curve.epsilon[at])
        for name, values in (("acc_eq", curve.value), ("ties_f1", curve.ties_f1), ("rank_f1", curve.rank_f1)):
            assert values[at] == pytest.approx(value(PAIRED, f"{name}(epsilon={epsilon!r})@item"))


@pytest.mark.parametrize("grouping", ["none", "item", "system"])
def test_newly_tied_pairs_are_those_apart_by_up_to_epsilon(grouping: str) -> None:
    paired = random_paired(seed=8, systems=5, items=9, metrics=1)
    found = where_tied(paired, "M0", grouping, bins=7)  # type: ignore[arg-type] # one of the groupings
    scores = paired.scores[0]
    groups = {"none": [scores.ravel()], "item": list(scores.T), "system": list(scores)}[grouping]
    pairs = [pair for group in groups for pair in itertools.combinations(group, 2)]
    tied = [(a, b) for a, b in pairs if 0 < abs(a - b) <= found.epsilon]
    assert (found.pairs.sum(), found.tied.sum()) == (len(pairs), len(tied))
    assert found.mean_pairs == pytest.approx(np.mean(pairs))
    assert found.mean_tied == pytest.approx(np.mean(tied) if tied else math.nan, nan_ok=True)
    assert (found.edges[0], found.edges[-1]) == (scores.min(), scores.max())


def test_a_threshold_carried_over_is_never_better_than_ones_own() -> None:
    other = random_paired(seed=6, systems=5, items=20, metrics=2, levels=2)
    found = generalisation(PAIRED, other)
    assert {m.metric.key for m in found.metrics} == {"M0", "M1"}
    for metric in found.metrics:
        at = PAIRED.keys.index(metric.metric.key)
        for here, there, paired in ((metric.here, metric.there, PAIRED), (metric.there, metric.here, other)):
            assert here.own == pytest.approx(value(paired, "acc_eq(epsilon=best)@item", at))
            assert here.carried == pytest.approx(value(paired, f"acc_eq(epsilon={there.epsilon!r})@item", at))
            assert here.change <= 1e-12
            assert here.carried == pytest.approx(here.own * (1 + here.change))


def test_data_without_a_common_metric_and_statistics_without_calibration_are_refused() -> None:
    few = PAIRED.take(items=np.arange(30) < 5)
    stranger = paired_of(PAIRED.human, np.concatenate([PAIRED.scores, PAIRED.scores[:1]])).metrics[2:]
    other = Paired(**{**vars(few), "metrics": stranger, "scores": few.scores[:1]})
    with pytest.raises(InputError, match=r"no metric in common\n  Here: M0, M1\. There: M2"):
        generalisation(PAIRED, other)
    with pytest.raises(InputError, match="calibrates nothing"):
        generalisation(PAIRED, few, of="acc_eq")


def test_a_split_keeps_documents_whole_and_depends_on_the_seed_alone() -> None:
    first, second = split_by_document(PAIRED, seed=4)
    assert not set(first.document_of_item) & set(second.document_of_item)
    assert sorted(first.items + second.items, key=int) == list(PAIRED.items)
    assert first.items == split_by_document(PAIRED, seed=4)[0].items
    assert any(split_by_document(PAIRED, seed=s)[0].items != first.items for s in range(5))


def test_without_documents_the_items_are_split_and_one_item_cannot_be() -> None:
    one_document = random_paired(seed=0, systems=3, items=5, metrics=1, documents=[7] * 5)
    assert [len(half.items) for half in split_by_document(one_document)] == [2, 3]
    with pytest.raises(InputError, match="a single item cannot be split"):
        split_by_document(one_document.take(items=np.arange(5) == 0))


def test_a_sample_of_everything_is_exact_and_one_of_a_part_loses_a_little() -> None:
    (exact, _) = sample_spread(PAIRED, share=1.0, repeats=2).metrics
    assert (exact.epsilon_off, exact.value_off) == (0.0, 0.0)
    for metric in sample_spread(PAIRED, share=0.2, repeats=5, seed=3).metrics:
        at = PAIRED.keys.index(metric.metric.key)
        assert len(metric.epsilons) == 5
        assert metric.value == pytest.approx(value(PAIRED, "acc_eq(epsilon=best)@item", at))
        assert all(v <= metric.value for v in metric.values)
        assert metric.values[0] == pytest.approx(
            value(PAIRED, f"acc_eq(epsilon={metric.epsilons[0]!r})@item", at)
        )
    with pytest.raises(InputError, match="found 0 repeats"):
        sample_spread(PAIRED, repeats=0)


def test_long_searches_say_how_far_they_are() -> None:
    said: list[tuple[str, int, int]] = []

    def progress(what: str, done: int, total: int) -> None:
        said.append((what, done, total))

    tie_table(PAIRED, "item", ["acc_eq"], progress=progress)
    sample_spread(PAIRED, repeats=1, progress=progress)
    assert said == [(f"{what} by item", done, 2) for what in ("ties", "samples") for done in (0, 1)]


def test_there_is_at_least_one_bin() -> None:
    with pytest.raises(InputError, match="found 0 bins"):
        where_tied(PAIRED, "M0", bins=0)
