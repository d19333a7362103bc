"""The engine: the same evidence whatever the jobs, the other metrics, and the order of the work."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
import scipy.stats
from oracles import resampling as oracle
from pairing import outcomes_of, paired_of, random_paired

from metaeval.errors import InputError
from metaeval.measures.registry import parse_measure
from metaeval.paired import Paired
from metaeval.significance.bootstrap import intervals
from metaeval.significance.draws import Blocks
from metaeval.significance.engine import Evidence, gather
from metaeval.significance.paths.pairs import Pairs
from metaeval.significance.plan import Bootstrap, Plan, Test, Unit
from metaeval.significance.units import EXCHANGES, exchange_units, input_units

DATA = random_paired(seed=7, systems=4, items=30, metrics=4, missing=9, documents=[i // 4 for i in range(30)])
TESTS: tuple[Test, ...] = ("perm-inputs", "perm-both", "perm-systems")


def evidence(paired: Paired, text: str, keep_null: bool = False, **options: Any) -> Evidence:
    measure = parse_measure(text).bind(paired.systems)
    plan = Plan(**{"draws": 200, **options})
    return gather(paired, measure, outcomes_of(paired, measure), plan, keep_null=keep_null)


def same(one: Evidence, other: Evidence) -> bool:
    return all(
        np.array_equal(getattr(one, part), getattr(other, part), equal_nan=True)
        for part in ("delta", "p", "ci_low", "ci_high", "draws")
    )


@pytest.mark.parametrize("text", ["pearson@none", "pearson@item", "acc_eq@item", "pa", "spa(draws=50)"])
@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("bootstrap", ["inputs", "both"])
def test_jobs_do_not_change_a_bit(text: str, test: Test, bootstrap: Bootstrap) -> None:
    options: dict[str, Any] = {"test": test, "bootstrap": bootstrap, "draws": 250}
    assert same(evidence(DATA, text, jobs=1, **options), evidence(DATA, text, jobs=2, **options))


def test_jobs_do_not_change_a_bit_where_work_is_shared_by_processes() -> None:
    small = random_paired(seed=1, systems=4, items=12, metrics=2)
    one, two = (evidence(small, "spearman@none", draws=120, jobs=jobs) for jobs in (1, 2))
    assert same(one, two)


@pytest.mark.parametrize(
    ("test", "text"),
    [
        ("perm-pairs", "acc_eq(epsilon=best)@item"),
        *product(TESTS, ["pearson@none", "pearson@item", "acc_eq(epsilon=best)@item", "pa"]),
    ],
)
def test_the_other_metrics_on_the_board_do_not_change_a_bit(text: str, test: Test) -> None:
    whole = evidence(DATA, text, test=test)
    part = evidence(oracle.subset(DATA, [3, 1]), text, test=test)
    assert part.p[0, 1] == whole.p[3, 1]
    assert part.p[1, 0] == whole.p[1, 3]
    assert part.ci_low[0] == whole.ci_low[3]


def test_seeds_give_other_draws_and_nearly_the_same_p() -> None:
    one, two = (evidence(DATA, "pearson@none", draws=2000, seed=seed) for seed in (0, 1))
    off = ~np.eye(4, dtype=np.bool_)
    assert not np.array_equal(one.p[off], two.p[off])
    assert np.abs(one.p[off] - two.p[off]).max() < 0.05


@pytest.mark.parametrize(
    "text", ["pearson@none", "pearson@item", "pdp@item", "tau_b@item", "pa", "system_tau_b"]
)
@pytest.mark.parametrize("test", TESTS)
def test_a_naive_loop_given_the_same_masks_counts_the_same(text: str, test: Test) -> None:
    paired, measure, exchange = oracle.subset(DATA, [0, 2]), parse_measure(text), EXCHANGES[test]
    plan = Plan(test=test, draws=120, convention="wmt", bootstrap="none")
    found = gather(paired, measure, outcomes_of(paired, measure), plan)
    positions = {"items": 30, "systems": 4, "cells": paired.cells}[exchange]
    blocks = Blocks(positions, plan.draws, plan.seed)
    masks = [mask for block in range(len(blocks)) for mask in blocks.masks(block)]
    null = [
        oracle.hybrid_value(paired, measure, exchange, mask, 0, 1)
        - oracle.hybrid_value(paired, measure, exchange, mask, 1, 0)
        for mask in masks
    ]
    count, draws = oracle.hits(null, found.delta[0, 1])
    assert (found.p[0, 1], found.draws[0, 1]) == (count / draws, draws)


def test_agrees_with_scipy_within_sampling_error() -> None:
    paired = random_paired(seed=11, systems=5, items=60, metrics=2)
    found = evidence(paired, "acc_eq@item", draws=4000)
    by_item = [
        [parse_measure("acc_eq@item").evaluate(paired.human[:, [i]], s[:, [i]]).value for i in range(60)]
        for s in paired.scores
    ]
    theirs = scipy.stats.permutation_test(
        by_item,
        lambda x, y, axis: np.mean(x, axis=axis) - np.mean(y, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=4000,
        alternative="greater",
        rng=np.random.default_rng(0),
    )
    assert found.p[0, 1] == pytest.approx(theirs.pvalue, abs=5 * np.sqrt(0.25 / 4000))


@pytest.mark.parametrize("test", ["perm-inputs", "perm-both"])
def test_documents_are_exchanged_whole(test: Test) -> None:
    documents = [0, 0, 1, 1, 1]
    paired = random_paired(seed=3, systems=2, items=5, metrics=2, missing=1, documents=documents)
    measure = parse_measure("pearson@none")
    found = evidence(paired, "pearson@none", test=test, unit="document")
    rated = [(s, i) for s, i in np.ndindex(2, 5) if not np.isnan(paired.human[s, i])]
    null = []
    for bits in oracle.all_masks(2 if test == "perm-inputs" else 4):
        if test == "perm-inputs":
            mask = bits[documents]
        else:
            mask = np.array([bits[2 * s + documents[i]] for s, i in rated])
        values = [oracle.hybrid_value(paired, measure, EXCHANGES[test], mask, *ij) for ij in ((0, 1), (1, 0))]
        null.append(values[0] - values[1])
    count, draws = oracle.hits(null, found.delta[0, 1])
    assert found.exact
    assert found.p[0, 1] == count / draws


def test_pairs_exchange_their_outcomes() -> None:
    paired = random_paired(seed=5, systems=4, items=3, metrics=2, missing=4, levels=1)
    measure = parse_measure("acc_eq(epsilon=best)@item")
    outcomes = outcomes_of(paired, measure)
    found = gather(paired, measure, outcomes, Plan(test="perm-pairs", bootstrap="none"))
    right: list[tuple[float, float]] = []
    sizes = [len(h[~np.isnan(h)]) for h in paired.human.T]
    used = sum(n > 1 for n in sizes)
    for item, size in enumerate(sizes):
        rows = np.flatnonzero(~np.isnan(paired.human[:, item]))
        for a in range(size):
            for b in range(a + 1, size):
                two = rows[[a, b]]
                worth = [
                    measure.held(o).evaluate(paired.human[two][:, [item]], s[two][:, [item]]).value
                    for o, s in zip(outcomes, paired.scores, strict=True)
                ]
                share = size * (size - 1) / 2 * used
                right.append((worth[0] / share, worth[1] / share))
    contributions = np.array(right)
    assert contributions.sum(axis=0) == pytest.approx([o.value for o in outcomes])
    difference = contributions[:, 0] - contributions[:, 1]
    null = [np.where(mask, -difference, difference).sum() for mask in oracle.all_masks(len(right))]
    assert found.exact
    count, draws = oracle.hits(null, found.delta[0, 1])
    assert found.p[0, 1] == count / draws


def test_more_pairs_than_can_be_drawn_is_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("metaeval.significance.paths.pairs.MOST_PAIRS", 10)
    with pytest.raises(InputError, match="perm-pairs draws a bit for each of"):
        evidence(DATA, "acc_eq@item", test="perm-pairs")
    assert Pairs.accepts(parse_measure("tau_eq@item"), "pairs")


@pytest.mark.parametrize(
    "text", ["pearson@none", "pearson@item", "acc_eq(epsilon=best)@item", "pa", "tau_b@none"]
)
@pytest.mark.parametrize("test", TESTS)
def test_two_equal_metrics_have_p_1(text: str, test: Test) -> None:
    scores = DATA.scores[[0, 0]]
    twins = paired_of(DATA.human, scores)
    found = evidence(twins, text, test=test, draws=50)
    assert found.delta[0, 1] == 0
    assert found.p[0, 1] == found.p[1, 0] == 1


@pytest.mark.parametrize("text", ["pearson@none", "pearson@item", "tau_b@item"])
@pytest.mark.parametrize("test", TESTS)
def test_a_constant_metric_has_no_p(text: str, test: Test) -> None:
    scores = DATA.scores[[0, 1]].copy()
    scores[1] = 0.1
    found = evidence(paired_of(DATA.human, scores), text, test=test, draws=50)
    assert np.isnan(found.p).all()
    assert np.isnan(found.ci_low).tolist() == [False, True]


def test_conventions_differ_by_the_observation_itself() -> None:
    ours, theirs = (evidence(DATA, "pearson@none", convention=c) for c in ("unbiased", "wmt"))
    off = ~np.eye(4, dtype=np.bool_)
    np.testing.assert_allclose(ours.p[off] * 201 - 1, theirs.p[off] * 200)


def test_two_sided_p_counts_both_tails() -> None:
    paired = random_paired(seed=2, systems=3, items=8, metrics=2)
    one, two = (evidence(paired, "pearson@none", draws=256, alternative=a) for a in ("greater", "two-sided"))
    assert two.exact
    assert two.p[0, 1] == two.p[1, 0] == pytest.approx(2 * np.nanmin(one.p))


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("text", ["pearson@none", "tau_b@item", "pa"])
def test_stopping_early_never_changes_a_verdict(text: str, jobs: int) -> None:
    options: dict[str, Any] = {"draws": 3000, "bootstrap": "none"}
    full = evidence(DATA, text, **options)
    early = evidence(DATA, text, early_stop=True, jobs=jobs, **options)
    assert np.array_equal(full.p <= 0.05, early.p <= 0.05)
    assert (early.draws <= full.draws).all()
    assert early.draws[0, 3] < 3000 or full.p[0, 3] <= 0.05
    assert same(early, evidence(DATA, text, early_stop=True, **options))


@pytest.mark.parametrize("bootstrap", ["inputs", "systems", "both"])
@pytest.mark.parametrize("unit", ["item", "document"])
def test_intervals_are_quantiles_of_naive_samples_with_the_same_weights_about_the_value(
    bootstrap: Bootstrap, unit: Unit
) -> None:
    paired, measure = oracle.subset(DATA, [0]), parse_measure("pearson@item")
    outcomes = outcomes_of(paired, measure)
    plan = Plan(test="none", bootstrap=bootstrap, draws=60, unit=unit)
    found = gather(paired, measure, outcomes, plan, keep_null=True)
    blocks, inputs = Blocks(30, 60, 0, enumerates=False), input_units(paired, plan.unit)
    items = inputs.spread(blocks.weights("items", 0, inputs.count))
    systems = blocks.weights("systems", 0, 4)
    once = np.ones_like
    if bootstrap == "inputs":
        systems = once(systems)
    if bootstrap == "systems":
        items = once(items)
    naive = [
        oracle.sample_value(paired, measure, outcomes[0], 0, w, v)
        for w, v in zip(items, systems, strict=True)
    ]
    assert found.samples is not None
    np.testing.assert_allclose(found.samples[:, 0], naive, atol=1e-9)
    angles = np.arcsin(naive)  # of values in [-1, 1] it is arcsin sqrt, but for scale and origin
    moved = np.arcsin(outcomes[0].value) - np.nanmean(angles)
    units = 4 if bootstrap != "inputs" else inputs.count
    t = scipy.stats.t.ppf(0.975, units - 1) * np.sqrt(units / (units - 1))
    quantiles = np.nanquantile(angles, scipy.stats.norm.cdf([-t, t]))
    limits = np.sin(np.clip(quantiles + moved, -np.pi / 2, np.pi / 2))
    np.testing.assert_allclose([found.ci_low[0], found.ci_high[0]], limits, atol=1e-6)  # steep at 1


@pytest.mark.parametrize("units", [12, 40])
def test_intervals_from_few_units_cover_the_mean_of_a_normal_sample(units: int) -> None:
    chance, covered = np.random.default_rng(units), 0
    for _ in range(2000):
        data = chance.normal(size=units)
        means = data[chance.integers(units, size=(400, units))].mean(axis=1)
        low, high = intervals(np.array([data.mean()]), means[:, None], 0.05, (-np.inf, np.inf), units)
        covered += bool(low[0] <= 0 <= high[0])
    assert covered / 2000 == pytest.approx(0.95, abs=0.015)


def test_samples_pulled_down_to_where_values_vary_more_do_not_widen_the_interval() -> None:
    chance, trials = np.random.default_rng(0), 400
    samples = chance.binomial(trials, 0.8, size=4000) / trials
    low, high = intervals(np.array([0.95]), samples[:, None], 0.05, (0.0, 1.0), units=1000)
    exact = scipy.stats.binomtest(380, trials).proportion_ci(0.95)
    assert (low[0], high[0]) == pytest.approx((exact.low, exact.high), abs=0.005)


def test_one_unit_shows_no_spread() -> None:
    low, high = intervals(np.array([0.5]), np.full((10, 1), 0.5), 0.05, (0.0, 1.0), units=1)
    assert np.isnan([low[0], high[0]]).all()


def test_rounding_does_not_move_an_interval_off_its_value() -> None:
    value = np.array([2 / 3])
    low, high = intervals(value, np.full((100, 1), 2 / 3), 0.05, (0.0, 1.0), units=20)
    assert low == high == value


def test_a_measure_of_one_system_has_no_interval_when_systems_are_resampled() -> None:
    found = evidence(DATA, "pa(containing=S1)", test="none", bootstrap="systems")
    assert np.isnan(found.ci_low).all()
    assert not np.isnan(evidence(DATA, "pa(containing=S1)", test="none").ci_low).any()


def test_null_draws_are_kept_on_request() -> None:
    found = evidence(DATA, "pearson@none", keep_null=True, convention="wmt")
    assert found.null is not None
    assert found.null.shape == (200, 4, 4)
    count = (found.null[:, 0, 1] >= found.delta[0, 1] - 1e-10).sum()
    assert found.p[0, 1] == count / 200
    assert evidence(DATA, "pearson@none").null is None


def test_no_block_holds_more_than_its_share_of_bits() -> None:
    for units in (1, 10, 1875, 200_000, 30_000_000):
        blocks = Blocks(units, draws=1000, seed=0)
        assert blocks.size == 1 or blocks.size * units <= 2**24
        assert sum(blocks.rows(b) for b in range(len(blocks))) == blocks.total


def test_progress_ends_at_the_total() -> None:
    seen: dict[str, tuple[int, int]] = {}

    def report(what: str, done: int, total: int) -> None:
        seen[what] = (done, total)

    measure = parse_measure("pearson@none")
    gather(DATA, measure, outcomes_of(DATA, measure), Plan(draws=230), report)
    assert seen == {
        "pearson@none: intervals": (230, 230),
        "pearson@none: perm-inputs": (230, 230),
    }


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interrupt_passes_through(jobs: int) -> None:
    def interrupt(what: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    measure = parse_measure("pearson@none")
    with pytest.raises(KeyboardInterrupt):
        gather(DATA, measure, outcomes_of(DATA, measure), Plan(jobs=jobs), interrupt)


def test_cells_of_a_document_are_one_unit_a_system() -> None:
    units = exchange_units(DATA, "cells", "document", DATA.cells)
    assert units.count == 4 * 8
    assert units.of is not None
    assert len(units.of) == DATA.cells


def test_one_document_cannot_be_drawn() -> None:
    paired = random_paired(seed=0, systems=3, items=4, metrics=2, documents=[0, 0, 0, 0])
    for test, bootstrap in (("none", "inputs"), ("perm-inputs", "none")):
        with pytest.raises(InputError, match="there are no documents to draw: all items are in one"):
            evidence(paired, "pearson@none", unit="document", test=test, bootstrap=bootstrap)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": "perm"}, "there is no test 'perm'"),
        ({"draws": 0}, "draws is 0, expected a number from 1 up"),
        ({"alpha": 1.5}, "alpha is 1.5, expected a number between 0 and 1"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Plan(**options)  # type: ignore[arg-type] # that is the point
