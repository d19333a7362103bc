"""Instance-level pairwise accuracy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from oracles import interference as oracle

from metaeval.board import rank
from metaeval.errors import InputError
from metaeval.measures.registry import parse_measure
from metaeval.scores import FloatArray
from metaeval.significance.plan import Plan
from metaeval.simulate import simulate

FEW = st.sampled_from([0.0, 1.0, -5.0, 0.25, math.nan])


@st.composite
def human_and_metric(draw: st.DrawFn) -> tuple[FloatArray, FloatArray]:
    shape = draw(hnp.array_shapes(min_dims=2, max_dims=2, max_side=5))
    human, metric = (draw(hnp.arrays(np.float64, shape, elements=FEW)) for _ in range(2))
    return human, metric


@given(human_and_metric(), st.integers(0, 4))
def test_it_equals_equation_4_instance_by_instance(
    scores: tuple[FloatArray, FloatArray], chosen: int
) -> None:
    human, metric = scores
    systems = [f"S{i}" for i in range(len(human))]
    row = chosen % len(human)
    everywhere = parse_measure("ins_pa").evaluate(human, metric).value
    assert everywhere == pytest.approx(oracle.ins_pa(human.tolist(), metric.tolist(), None), nan_ok=True)
    of_one = parse_measure(f"ins_pa(containing=S{row})").bind(systems).evaluate(human, metric).value
    assert of_one == pytest.approx(oracle.ins_pa(human.tolist(), metric.tolist(), row), nan_ok=True)


def test_a_human_tie_is_right_only_if_the_metric_ties() -> None:
    human = np.array([[1.0, 1.0, 2.0], [1.0, 1.0, 1.0]])
    metric = np.array([[3.0, 3.0, 3.0], [3.0, 2.0, 3.0]])
    assert parse_measure("ins_pa").evaluate(human, metric).value == pytest.approx(1 / 3)


def test_nothing_rated_twice_is_undefined() -> None:
    outcome = parse_measure("ins_pa").evaluate(np.array([[1.0, 2.0]]), np.array([[1.0, 2.0]]))
    assert math.isnan(outcome.value)
    assert outcome.groups_undefined == 1


def test_it_can_be_ranked_by_and_tested() -> None:
    data = simulate(systems=4, items=30, text=False, seed=1).evalset
    plan = Plan(draws=20)
    board = rank(data, ["ins_pa(containing=Cedar)"], metrics="Neural,Random", plan=plan)
    assert [row.metric.name for row in board.tables[0].rows] == ["Neural", "Random"]


def test_an_unknown_system_is_named() -> None:
    with pytest.raises(InputError, match="there is no system 'Cedr'"):
        parse_measure("ins_pa(containing=Cedr)").bind(["Cedar"])
