"""Tie calibration finds what trying every epsilon finds; curves along epsilon; the published tables."""

from __future__ import annotations

import csv
import math
import os
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from oracles import ties
from oracles.tied_scores import Scores, scores, shaped

from metaeval.errors import InputError
from metaeval.kernels import sampling
from metaeval.kernels.calibration import calibrate
from metaeval.kernels.curve import calibration_curve
from metaeval.kernels.enumerated import by_group
from metaeval.kernels.gains import gains_of
from metaeval.kernels.layout import Layout
from metaeval.kernels.pairs import PairCounts, count_pairs, mean_defined
from metaeval.kernels.walking import Statistic

ACC_EQ = (1, 0, 0, 0, 1)
LINEAR: list[tuple[Statistic, tuple[int, ...]]] = [
    (ties.acc_eq, ACC_EQ),
    (ties.tau_eq, (1, -1, -1, -1, 1)),
    (lambda n: ties.ratio(n.concordant - n.discordant, n.total), (1, -1, 0, 0, 0)),
]
MONOTONE: list[Statistic] = [ties.acc_eq, ties.tau_b, ties.tau_10, ties.tau_13, ties.ties_f1]


def test_the_best_epsilon_of_a_small_example_is_the_one_worked_out_by_hand() -> None:
    human, metric = [0, 0, 1, 2], [1.0, 1.5, 9.0, 4.0]
    found = calibrate(human, metric, None, ties.acc_eq, linear=ACC_EQ)
    assert (found.epsilon, found.value) == (0.5, 5 / 6)
    assert found.counts[0] == count_pairs(human, metric, epsilon=0.5)


def test_of_equal_optima_the_smallest_epsilon_wins() -> None:
    # Tying (1, 2) is right, (2, 4) wrong, (4, 9) right again: epsilons 1 and 5 are equally good.
    human, metric = [0, 0, 1, 1], [1, 2, 4, 9]
    value = [ties.mean_value(human, metric, [0, 4], ties.acc_eq, e) for e in (0, 1, 2, 3, 5)]
    assert max(value) == value[1] == 5 / 6
    for linear in (ACC_EQ, None):
        assert calibrate(human, metric, None, ties.acc_eq, linear=linear).epsilon == 1


def test_pairs_of_equal_difference_become_ties_together() -> None:
    # Tying only (0, 1) would be perfect, but (1, 2) differs as little.
    found = calibrate([0, 0, 1], [0, 1, 2], None, ties.acc_eq, linear=ACC_EQ)
    assert (found.epsilon, found.value) == (0, 2 / 3)


def test_differences_that_rounding_sets_apart_are_different_epsilons() -> None:
    human, metric = [0, 0, 1, 5], [0.0, 0.1, 0.3, 0.3 + 0.1]
    found = calibrate(human, metric, None, ties.acc_eq, linear=ACC_EQ)
    assert found.epsilon == ties.calibrate_linear(human, metric, [0, 4], ACC_EQ)
    assert found.value == float(ties.acc_eq(count_pairs(human, metric, epsilon=found.epsilon)))


def test_figure_2_prefers_the_metric_that_predicts_ties() -> None:
    human = [0, 0, 0, 0, 1, 2]
    ties_them = calibrate(human, [0, 0, 0, 0, 2, 1], None, ties.acc_eq, linear=ACC_EQ)
    orders_them = calibrate(human, [0, 1, 2, 3, 4, 5], None, ties.acc_eq, linear=ACC_EQ)
    assert (ties_them.epsilon, ties_them.value) == (0, 14 / 15)
    assert (orders_them.epsilon, orders_them.value) == (1, 10 / 15)


@pytest.mark.parametrize(("statistic", "linear"), LINEAR)
@given(scores(), st.booleans())
def test_calibrating_a_linear_statistic_equals_trying_every_epsilon(
    statistic: Statistic, linear: tuple[int, ...], given: Scores, relative: bool
) -> None:
    human, metric, offsets = given.human, given.metric, given.offsets
    found = calibrate(human, metric, offsets, statistic, linear=linear, relative=relative)
    assert found.epsilon == ties.calibrate_linear(human, metric, offsets, linear, relative)
    value = ties.mean_value(human, metric, offsets, statistic, found.epsilon, relative)
    np.testing.assert_equal(found.value, value)


@pytest.mark.parametrize("statistic", MONOTONE)
@given(scores(), st.booleans())
def test_calibrating_any_statistic_equals_trying_every_epsilon(
    statistic: Statistic, given: Scores, relative: bool
) -> None:
    human, metric, offsets = given.human, given.metric, given.offsets
    found = calibrate(human, metric, offsets, statistic, relative=relative)
    expected = ties.calibrate(human, metric, offsets, statistic, relative)
    np.testing.assert_equal((found.epsilon, found.value), expected)


def test_a_group_where_the_statistic_is_undefined_is_left_out() -> None:
    found = calibrate([1, 1, 1, 2], [1, 2, 1, 2], [0, 2, 4], ties.tau_b)
    assert (found.epsilon, found.value) == (0, 1)


def test_a_statistic_defined_nowhere_has_no_value() -> None:
    for human, metric, offsets in (
        ([1, 1], [1, 2], None),
        ([1, 2], [0, 0], None),
        ([], [], [0]),
        ([1], [1], None),
    ):
        found = calibrate(human, metric, offsets, ties.tau_b)
        assert found.epsilon == 0
        assert math.isnan(found.value)


def test_weights_without_a_small_common_unit_are_calibrated_as_any_statistic() -> None:
    assert gains_of((math.pi, 0, 0, 0, 1), np.array([3])) is None
    human, metric = [0, 0, 1, 2], [1.0, 1.5, 9.0, 4.0]

    def weighted(n: PairCounts) -> NDArray[np.float64]:
        return ties.ratio(math.pi * n.concordant + n.tied_both, n.total)

    found = calibrate(human, metric, None, weighted, linear=(math.pi, 0, 0, 0, 1))
    assert (found.epsilon, found.value) == ties.calibrate(human, metric, [0, 4], weighted)


@pytest.mark.parametrize("statistic", [ties.acc_eq, ties.tau_b])
def test_calibrate_takes_the_long_ways_where_pairs_are_many(
    statistic: Statistic, monkeypatch: pytest.MonkeyPatch
) -> None:
    human, metric, offsets = shaped("continuous", [300, 200])
    linear = ACC_EQ if statistic is ties.acc_eq else None
    few = calibrate(human, metric, offsets, statistic, linear=linear)
    monkeypatch.setattr("metaeval.kernels.calibration.COMPILED_FROM", 0)
    again = partial(calibrate, human, metric, offsets, statistic)
    for many in (again(linear=linear), again(monotone=True), again(), again(sample=1.0)):
        assert (many.epsilon, many.value) == (few.epsilon, few.value)
        assert many.counts == few.counts


def test_epsilon_found_on_a_sample_is_valued_on_all_pairs() -> None:
    human, metric, offsets = shaped("continuous", [300])
    exact = calibrate(human, metric, offsets, ties.acc_eq, linear=ACC_EQ)
    found = calibrate(human, metric, offsets, ties.acc_eq, sample=0.2, seed=3)
    layout = Layout.of(human, metric, offsets)
    sample = sampling.sampled(layout, 0.2, 3)
    totals = sampling.totals_of(layout, by_group(sample, 1))
    apart = by_group(sample.keep(sample.difference > found.epsilon), 1)
    assert found.sampled == float(ties.acc_eq(totals.counts(apart))[0])
    assert found.value == float(ties.acc_eq(layout.counts(found.epsilon))[0])
    assert found.value <= exact.value < found.sampled
    assert exact.sampled is None


@pytest.mark.parametrize("sample", [0.0, -0.1, 1.1, math.nan])
def test_a_share_that_is_none_is_refused(sample: float) -> None:
    with pytest.raises(InputError, match="expected a share of the pairs"):
        calibrate([1, 2], [1, 2], None, ties.acc_eq, sample=sample)


@pytest.mark.parametrize("shape", ["continuous", "integers"])
def test_a_curve_keeps_its_ends_and_its_maximum(shape: str) -> None:
    human, metric, offsets = shaped(shape, [250, 200])
    curve = calibration_curve(
        human, metric, offsets, ties.acc_eq, linear=ACC_EQ, others={"ties_f1": ties.ties_f1}, points=40
    )
    best = calibrate(human, metric, offsets, ties.acc_eq, linear=ACC_EQ)
    assert (curve.best.epsilon, curve.best.value) == (best.epsilon, best.value)
    assert curve.value.max() == best.value
    assert best.epsilon in curve.epsilon
    assert len(curve.epsilon) <= 42
    assert (np.diff(curve.epsilon) > 0).all()
    assert (curve.epsilon[0], curve.epsilon[-1]) == (
        0,
        Layout.of(human, metric, offsets).enumerated.difference.max(),
    )
    for at in range(0, len(curve.epsilon), 7):
        counts = count_pairs(human, metric, offsets, epsilon=curve.epsilon[at])
        assert curve.counts[at] == counts.sum()
        assert curve.value[at] == mean_defined(ties.acc_eq(counts))
        assert curve.others["ties_f1"][at] == mean_defined(ties.ties_f1(counts))


def test_a_curve_of_no_pairs_is_a_point() -> None:
    assert calibration_curve([1], [1], None, ties.acc_eq).epsilon.tolist() == [0]


def test_a_curve_needs_two_points() -> None:
    with pytest.raises(InputError, match="expected at least 2"):
        calibration_curve([1, 2], [1, 2], None, ties.acc_eq, points=1)


DATA = Path(os.environ.get("METAEVAL_REAL_DATA", Path(__file__).parents[2].parent / "shared" / "data"))
EXPECTED = DATA.parent / "expected" / "ties_matter_wmt22_zh-en.tsv"
real = [
    pytest.mark.real,
    pytest.mark.skipif(
        not (DATA / "wmt22").is_dir(), reason=f"no WMT22 data in {DATA}: set METAEVAL_REAL_DATA"
    ),
]


def read_scores(path: Path) -> dict[str, list[float]]:
    """Scores of an mt-metrics-eval file, by system; NaN where there is none."""
    found: dict[str, list[float]] = {}
    for line in path.read_text().splitlines():
        system, score = line.split()
        found.setdefault(system, []).append(math.nan if score == "None" else float(score))
    return found


@cache
def human_scores() -> tuple[list[str], NDArray[np.float64]]:
    rated = read_scores(DATA / "wmt22" / "human-scores" / "zh-en.mqm.seg.score")
    systems = [s for s in sorted(rated) if s != "refA" and not any(map(math.isnan, rated[s]))]
    return systems, np.array([rated[s] for s in systems])


@cache
def metric_scores(name: str) -> NDArray[np.float64]:
    systems, human = human_scores()
    assert human.shape == (15, 1875)
    found = read_scores(DATA / "wmt22" / "metric-scores" / "zh-en" / f"{name}.seg.score")
    return np.array([found[s] for s in systems])


def published(grouping: str) -> list[dict[str, str]]:
    with EXPECTED.open() as lines:
        rows = [row for row in csv.DictReader(lines, delimiter="\t") if row["grouping"] == grouping]
    scored = [row for row in rows if row["file"] != "-"]
    assert len(scored) >= 16
    return scored


class TestRealData:
    """WMT22 zh-en, as Deutsch et al. 2023 report it."""

    pytestmark = real

    def test_table_19_comes_out_to_the_digit(self) -> None:
        _, human = human_scores()
        by_item = np.arange(0, human.size + 1, len(human))
        for row in published("item"):
            metric = metric_scores(row["file"]).T.ravel()
            found = calibrate(human.T.ravel(), metric, by_item, ties.acc_eq, linear=ACC_EQ)
            uncalibrated = mean_defined(ties.acc_eq(count_pairs(human.T.ravel(), metric, by_item)))
            assert f"{found.value:.3f}" == row["acc_eq_calibrated"], row["metric"]
            assert f"{found.epsilon:.2f}" == row["epsilon"], row["metric"]
            assert f"{uncalibrated:.3f}" == row["acc_eq"], row["metric"]
            assert found.value >= uncalibrated

    @pytest.mark.parametrize("grouping", ["none", "system"])
    def test_tables_18_and_20_come_out_but_for_their_sampling(self, grouping: str) -> None:
        _, human = human_scores()
        offsets = None if grouping == "none" else np.arange(0, human.size + 1, human.shape[1])
        for row in published(grouping):
            metric = metric_scores(row["file"]).ravel()
            found = calibrate(human.ravel(), metric, offsets, ties.acc_eq, linear=ACC_EQ)
            uncalibrated = mean_defined(
                np.atleast_1d(ties.acc_eq(count_pairs(human.ravel(), metric, offsets)))
            )
            assert abs(uncalibrated - float(row["acc_eq"])) <= 0.0005, row["metric"]
            assert -0.0005 <= found.value - float(row["acc_eq_calibrated"]) <= 0.008, row["metric"]
            assert found.value >= uncalibrated, row["metric"]
