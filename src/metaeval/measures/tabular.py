"""A variant of one's own: any table in the notation of WMT 2014 as a measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from metaeval.declared import param
from metaeval.errors import InputError
from metaeval.kernels.pairs import PairCounts
from metaeval.measures.groups import Grouping
from metaeval.measures.kendall import Epsilon, PairStatistic
from metaeval.measures.registry import measure
from metaeval.measures.table import Table
from metaeval.scores import FloatArray

THREE_WAY = Table.read("1:0:0/0:1:0/0:0:1")
"""The table that stands where none is given: that of acc_eq."""


def parse_table(text: str) -> Table:
    """A table, or a ValueError that says what is wrong, as a parameter's parser must."""
    try:
        return Table.read(text)
    except InputError as error:
        raise ValueError(f"{error.what}. {error.remedy}") from error


@dataclass(frozen=True, repr=False)
class OwnTable(PairStatistic):
    """A statistic of pairs whose table is a parameter."""

    table: Table = param(THREE_WAY, parse=parse_table, about="3x3 coefficients, rows by /, cells by :")

    @property
    def linear(self) -> tuple[float, float, float, float, float] | None:
        return self.table.linear

    def value(self, n: PairCounts) -> FloatArray:
        return self.table.value(n)

    def unit_range(self, value: FloatArray) -> FloatArray:
        low, high = self.table.bounds
        return (value - low) / (high - low) if high > low else value * 0 + 1.0


@measure(
    "tabular",
    formula="sum of coefficient x pairs / sum of pairs, over the kinds of pairs not marked X",
    cites="Macháček and Bojar 2014; Deutsch et al. 2023, appendix B",
)
class Tabular(OwnTable):
    """The statistic that a 3x3 table defines: rows human <, =, >; columns metric <, =, >; X leaves out.

    The default table is that of acc_eq. Undefined where no pair counts. O(n log n).

    >>> import numpy as np
    >>> human, metric = np.array([[5.0], [3.0], [5.0], [5.0]]), np.array([[0.6], [0.5], [0.4], [0.4]])
    >>> tabular("1:-1:-1/X:X:X/-1:-1:1").evaluate(human, metric).value == -1 / 3
    True
    """


def tabular(
    table: Table | str | Sequence[Sequence[float | str | None]],
    grouping: Grouping = "item",
    *,
    epsilon: Epsilon = 0.0,
) -> Tabular:
    """The measure that a table defines, given as text, as rows, or as a Table.

    >>> tabular([[1, 0, -1], [None, None, None], [-1, 0, 1]])
    tabular(table=1:0:-1/X:X:X/-1:0:1)@item
    """
    if isinstance(table, str):
        table = Table.read(table)
    elif not isinstance(table, Table):
        table = Table.of(table)
    return Tabular(grouping=grouping, epsilon=epsilon, table=table)
