"""Pair counts: by definition, in groups, at any epsilon."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import ties
from oracles.tied_scores import SHAPES, Scores, scores, shaped

from metaeval.errors import InputError
from metaeval.kernels import enumerated, sweep
from metaeval.kernels.layout import Layout
from metaeval.kernels.pairs import PairCounts, count_pairs, mean_defined

EPSILONS = st.sampled_from([0.0, 5e-324, 0.1, 0.2, 0.3, 0.1 + 0.2, 0.5, 0.999, 1.0, 1.5, 2.0, 3.0, 1e150])
FIGURE_2_HUMAN = [0, 0, 0, 0, 1, 2]


def test_a_pair_is_tied_when_the_metric_difference_is_at_most_epsilon() -> None:
    assert count_pairs([1, 2], [0.25, 0.5], epsilon=0.25) == PairCounts(0, 0, 0, 1, 0, 2, 2)
    assert count_pairs([1, 2], [0.25, 0.5], epsilon=0.24) == PairCounts(1, 0, 0, 0, 0, 2, 2)


def test_human_ties_are_exact() -> None:
    assert count_pairs([1, 1 + 2**-52], [1, 2], epsilon=0.5) == PairCounts(1, 0, 0, 0, 0, 2, 2)
    assert count_pairs([1, 1], [1, 2]) == PairCounts(0, 0, 1, 0, 0, 2, 1)


def test_a_tie_on_both_sides_is_one_of_its_own() -> None:
    assert count_pairs([1, 1], [2, 2]) == PairCounts(0, 0, 0, 0, 1, 2, 1)


def test_zero_is_zero_whatever_its_sign() -> None:
    assert count_pairs([0.0, -0.0], [-0.0, 0.0]) == PairCounts(0, 0, 0, 0, 1, 2, 1)


def test_the_vectors_of_figure_2_come_out() -> None:
    assert count_pairs(FIGURE_2_HUMAN, [0, 0, 0, 0, 2, 1]) == PairCounts(8, 1, 0, 0, 6, 6, 3)
    assert count_pairs(FIGURE_2_HUMAN, [0, 1, 2, 3, 4, 5]) == PairCounts(9, 0, 6, 0, 0, 6, 3)


def test_a_relative_difference_is_a_share_of_the_larger_magnitude() -> None:
    assert count_pairs([1, 2], [9, 10], epsilon=0.1, relative=True).tied_metric == 1
    assert count_pairs([1, 2], [9, 10], epsilon=0.09, relative=True).tied_metric == 0
    assert count_pairs([1, 2], [-1, 1], epsilon=1.99, relative=True).concordant == 1


@given(scores(), EPSILONS, st.booleans())
def test_counts_equal_a_loop_over_pairs(given: Scores, epsilon: float, relative: bool) -> None:
    counts = count_pairs(given.human, given.metric, given.offsets, epsilon=epsilon, relative=relative)
    groups = zip(
        ties.groups(given.human, given.offsets), ties.groups(given.metric, given.offsets), strict=True
    )
    for g, (human, metric) in enumerate(groups):
        assert counts[g] == ties.count_pairs(human, metric, epsilon, relative)


@settings(deadline=None)
@given(scores(), EPSILONS, st.booleans())
def test_the_compiled_counts_equal_the_plain_ones(given: Scores, epsilon: float, relative: bool) -> None:
    layout = Layout.of(given.human, given.metric, given.offsets, relative=relative)
    plain = enumerated.apart(layout.enumerated, len(layout.sizes), epsilon)
    np.testing.assert_array_equal(sweep.apart(*layout.arrays, epsilon), plain)


@pytest.mark.parametrize("relative", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_tree_counts_what_a_double_loop_counts(shape: str, relative: bool) -> None:
    sizes = [sweep.DIRECT_UP_TO + 150, 3, 0, sweep.DIRECT_UP_TO + 1]
    layout = Layout.of(*shaped(shape, sizes), relative=relative)
    differences = np.unique(layout.enumerated.difference)
    between_signs = [1.0, 1.25, float(np.nextafter(2, 1)), 2.0] if relative else []
    for epsilon in [0.0, *np.quantile(differences, [0.1, 0.5, 0.9]), float(differences[-1]), *between_signs]:
        plain = enumerated.apart(layout.enumerated, len(sizes), epsilon)
        found, below, above = sweep.apart_and_neighbours(*layout.arrays, epsilon)
        np.testing.assert_array_equal(found, plain)
        assert below == differences[differences <= epsilon].max(initial=0)
        assert above == differences[differences > epsilon].min(initial=math.inf)


NASTY = [-1e150, -3.0, -1.0, -0.1, -1e-300, -5e-324, 0.0, 5e-324, 0.1, 0.3, 1.0, 1.0 + 2**-52, 3.0, 1e150]


@settings(deadline=None, max_examples=50)
@given(st.sets(st.sampled_from(NASTY), min_size=1), st.integers(0, 99), st.floats(1, 2))
def test_it_does_so_for_scores_of_either_sign_and_any_magnitude(
    levels: set[float], seed: int, epsilon: float
) -> None:
    draw = np.random.default_rng(seed)
    human, metric = draw.integers(0, 4, size=120), draw.choice(sorted(levels), size=120)
    layout = Layout.of(human, metric, [0, 120], relative=True)
    differences = layout.enumerated.difference
    found, below, above = sweep.apart_and_neighbours(*layout.arrays, epsilon)
    np.testing.assert_array_equal(found, enumerated.apart(layout.enumerated, 1, epsilon))
    assert below == differences[differences <= epsilon].max(initial=0)
    assert above == differences[differences > epsilon].min(initial=math.inf)


@given(st.lists(st.floats(0, 1e300), min_size=3, max_size=3))
def test_relative_differences_never_fall_as_scores_of_one_sign_move_apart(three: list[float]) -> None:
    low, middle, high = (np.array([x]) for x in sorted(three))
    outer = enumerated.difference(low, high, relative=True)
    assert enumerated.difference(low, middle, relative=True) <= outer
    assert enumerated.difference(middle, high, relative=True) <= outer
    mirrored = enumerated.difference(-high, -low, relative=True)
    assert mirrored == outer


@given(scores(), EPSILONS)
def test_the_five_counts_add_up_to_all_pairs(given: Scores, epsilon: float) -> None:
    counts = count_pairs(given.human, given.metric, given.offsets, epsilon=epsilon)
    sizes = np.diff(given.offsets)
    np.testing.assert_array_equal(counts.total, sizes * (sizes - 1) / 2)


def test_groups_are_counted_apart() -> None:
    counts = count_pairs([1, 2, 1, 2, 9], [3, 4, 4, 3, 0], offsets=[0, 2, 2, 4, 5])
    np.testing.assert_array_equal(counts.concordant, [1, 0, 0, 0])
    np.testing.assert_array_equal(counts.discordant, [0, 0, 1, 0])
    np.testing.assert_array_equal(counts.distinct, [2, 0, 2, 1])
    assert counts[2] == PairCounts(0, 1, 0, 0, 0, 2, 2)
    assert counts.sum().total == 2


def test_no_scores_make_no_pairs() -> None:
    assert count_pairs([], []).total == 0
    assert count_pairs([], [], offsets=[0]).concordant.shape == (0,)


def test_counts_differ_when_one_number_differs() -> None:
    assert PairCounts(1, 2, 3, 4, 5) != PairCounts(1, 2, 3, 4, 6)
    assert PairCounts(1, 2, 3, 4, 5) != 15
    with pytest.raises(TypeError, match="unhashable"):
        hash(PairCounts(1, 2, 3, 4, 5))


def test_an_undefined_group_is_left_out_of_the_mean() -> None:
    assert mean_defined([0.25, math.nan, 0.75]) == 0.5
    assert math.isnan(mean_defined([math.nan]))
    assert math.isnan(mean_defined([]))


@pytest.mark.parametrize(
    ("human", "metric", "offsets", "message"),
    [
        ([1.0], [math.nan], None, "metric scores at position 0: found nan, expected a finite number"),
        ([1.0, math.inf], [1.0, 2.0], None, "human scores at position 1: found inf"),
        ([1.0, 2.0], [1.0], None, r"found human scores of shape \(2,\) and metric scores of shape \(1,\)"),
        ([1.0, 2.0], [-1e308, 1e308], None, "too far apart to subtract"),
        ([1.0, 2.0], [1.0, 2.0], [0, 1], "whole numbers that rise from 0 to 2"),
        ([1.0, 2.0], [1.0, 2.0], [0, 2, 1, 2], "whole numbers that rise from 0 to 2"),
        ([1.0, 2.0], [1.0, 2.0], [0.0, 2.0], "whole numbers that rise from 0 to 2"),
        ([1.0, 2.0], [1.0, 2.0], [], "whole numbers that rise from 0 to 2"),
    ],
)
def test_scores_that_cannot_be_counted_are_refused(
    human: list[float], metric: list[float], offsets: list[int] | None, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        count_pairs(human, metric, offsets)


@pytest.mark.parametrize("epsilon", [-0.1, math.nan, math.inf])
def test_an_epsilon_that_is_no_threshold_is_refused(epsilon: float) -> None:
    with pytest.raises(InputError, match="expected a finite number of at least 0"):
        count_pairs([1, 2], [1, 2], epsilon=epsilon)


def test_small_inputs_do_not_wait_for_compiled_code() -> None:
    program = (
        "import sys; from metaeval.kernels.calibration import calibrate\n"
        "from metaeval.kernels.pairs import count_pairs\n"
        "count_pairs(range(200), range(200))\n"
        "print(calibrate(range(200), range(200), None, lambda n: n.concordant, sample=0.5).epsilon)\n"
        "sys.exit('numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout == "0.0\n", done.stderr
    assert done.returncode == 0
