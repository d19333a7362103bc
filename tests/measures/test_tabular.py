"""The tabular notation of WMT 2014: the paper's tables 7 to 9, and tables of one's own."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval.errors import InputError
from metaeval.kernels.pairs import PairCounts
from metaeval.measures.kendall import PairStatistic
from metaeval.measures.registry import parse_measure
from metaeval.measures.table import Table
from metaeval.measures.tabular import tabular

PUBLISHED = {
    "tau_10": "1 -1 -1 / X X X / -1 -1 1",
    "tau_13": "1 X -1 / X X X / -1 X 1",
    "tau_14": "1 0 -1 / X X X / -1 0 1",
    "tau_eq": "1 -1 -1 / -1 1 -1 / -1 -1 1",
    "acc_eq": "1 0 0 / 0 1 0 / 0 0 1",
}
"""Deutsch et al. 2023, tables 8 and 9."""

coefficients = st.sampled_from([None, -1.0, 0.0, 1.0, 0.5, 2.0])
tables = (
    st.tuples(*[coefficients] * 5)
    .filter(lambda row: any(c is not None for c in row))
    .map(lambda row: Table(*row))
)
counts = st.tuples(*[st.integers(0, 5)] * 5)


def equation_4(rows: str, human: np.ndarray, metric: np.ndarray) -> float:
    """The definition, one pair at a time: look the pair up in the 3x3 table."""
    table = [row.split() for row in rows.split("/")]
    worth = counted = 0.0
    for i, j in itertools.combinations(range(len(human)), 2):
        cell = table[1 + int(np.sign(human[i] - human[j]))][1 + int(np.sign(metric[i] - metric[j]))]
        if cell != "X":
            worth, counted = worth + float(cell), counted + 1
    return worth / counted if counted else math.nan


@pytest.mark.parametrize("name", PUBLISHED)
@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=9))
def test_the_named_variants_are_their_published_tables(name: str, pairs: list[tuple[int, int]]) -> None:
    human, metric = (np.array(side, dtype=float) for side in zip(*pairs, strict=True))
    expected = equation_4(PUBLISHED[name], human, metric)
    for measure in (parse_measure(f"{name}@item"), tabular(PUBLISHED[name])):
        value = measure.evaluate(human[:, None], metric[:, None]).value
        assert value == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("name", PUBLISHED)
@settings(deadline=None)
@given(counts)
def test_the_named_variants_are_their_formulas(name: str, given_: tuple[int, ...]) -> None:
    n = PairCounts(*given_)
    c, d, h, m, hm = given_
    formulas = {
        "tau_10": (c - d - m, c + d + m),
        "tau_13": (c - d, c + d),
        "tau_14": (c - d, c + d + m),
        "tau_eq": (c + hm - d - h - m, sum(given_)),
        "acc_eq": (c + hm, sum(given_)),
    }
    above, below = formulas[name]
    measure = parse_measure(f"{name}@item")
    assert isinstance(measure, PairStatistic)
    assert float(measure.value(n)) == pytest.approx(above / below if below else math.nan, nan_ok=True)


def test_the_nine_cells_are_the_five_counts_of_table_7() -> None:
    assert str(Table(1, 2, 3, 4, 5)) == "1:4:2/3:5:3/2:4:1"


@settings(deadline=None)
@given(tables)
def test_what_a_table_prints_reads_back(table: Table) -> None:
    assert Table.read(str(table)) == table
    measure = tabular(table, "system", epsilon="best")
    assert parse_measure(str(measure)) == measure


@settings(deadline=None)
@given(tables, counts)
def test_a_table_without_an_x_is_a_weighted_sum_and_stays_in_its_bounds(
    table: Table, given_: tuple[int, ...]
) -> None:
    value = float(table.value(PairCounts(*given_)))
    linear = table.linear
    assert (linear is None) == (None in table.coefficients)
    if linear is not None and any(given_):
        weighted = math.fsum(w * n for w, n in zip(linear, given_, strict=True))
        assert value == pytest.approx(weighted / math.fsum(given_))
    if not math.isnan(value):
        low, high = table.bounds
        assert low - 1e-12 <= value <= high + 1e-12
        assert -1e-12 <= float(tabular(table).unit_range(np.array(value))) <= 1 + 1e-12


def test_one_s_own_table_can_be_calibrated() -> None:
    human, metric = np.array([[0.0], [0.0], [-5.0]]), np.array([[0.75], [0.5], [0.0]])
    outcome = parse_measure("tabular(table=1:0:0/0:1:0/0:0:1,epsilon=best)@item").evaluate(human, metric)
    assert (outcome.value, outcome.epsilon) == (1.0, 0.25)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1:0:-1", "three rows of three coefficients"),
        ("1:0/0:1/0:1", "three rows of three coefficients"),
        ("1:0:-1/X:X:X/-1:0:2", "changes where a pair is read in the other order"),
        ("1:0:-1/1:X:X/-1:0:1", "changes where a pair is read in the other order"),
        ("X:X:X/X:X:X/X:X:X", "counts no pair"),
        ("1:0:y/0:1:0/y:0:1", "'y' is not a coefficient"),
        ("1:0:inf/0:1:0/inf:0:1", "'inf' is not a coefficient"),
    ],
)
def test_what_is_no_table_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=r"Write three rows|Its last row") as error:
        Table.read(text)
    assert message in str(error.value)
    with pytest.raises(InputError, match="is not possible"):
        parse_measure(f"tabular(table={text})@item")
