"""The tabular notation of WMT 2014: a statistic of pairs written down as nine coefficients.

Rows are what humans say of a pair (<, =, >), columns what the metric says; X leaves a kind of pair out
(Macháček and Bojar 2014; Deutsch et al. 2023, appendix B).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from metaeval.declared import show
from metaeval.errors import InputError
from metaeval.kernels.pairs import PairCounts
from metaeval.measures.base import ratio
from metaeval.scores import FloatArray

LEFT_OUT = "X"
_EXAMPLE = "Write three rows of three numbers or X, as in 1:-1:-1/X:X:X/-1:-1:1 (which is tau_10)."


@dataclass(frozen=True, slots=True)
class Table:
    """What a pair is worth: five coefficients, since a pair may be read in either order.

    None leaves that kind of pair out of numerator and denominator.

    >>> tau_10 = Table.read("1:-1:-1/X:X:X/-1:-1:1")
    >>> tau_10
    Table(concordant=1.0, discordant=-1.0, tied_human=None, tied_metric=-1.0, tied_both=None)
    >>> str(tau_10)
    '1:-1:-1/X:X:X/-1:-1:1'
    """

    concordant: float | None
    discordant: float | None
    tied_human: float | None
    tied_metric: float | None
    tied_both: float | None

    def __post_init__(self) -> None:
        if all(c is None for c in self.coefficients):
            raise InputError("a table of X alone counts no pair", remedy=_EXAMPLE)

    @classmethod
    def of(cls, rows: Sequence[Sequence[float | str | None]]) -> Self:
        """A table from three rows of three coefficients; None or ``X`` leaves pairs out.

        >>> str(Table.of([[1, None, -1], [None, None, None], [-1, None, 1]]))
        '1:X:-1/X:X:X/-1:X:1'
        """
        cells = [[_coefficient(cell) for cell in row] for row in rows]
        if [len(row) for row in cells] != [3, 3, 3]:
            raise InputError("a table has three rows of three coefficients", remedy=_EXAMPLE)
        mirrored = [row[::-1] for row in cells[::-1]]
        if cells != mirrored:
            raise InputError(
                "the table changes where a pair is read in the other order",
                remedy="Its last row must be its first one reversed, and its middle row the same both ways.",
            )
        (concordant, tied_metric, discordant), (tied_human, tied_both, _), _ = cells
        return cls(concordant, discordant, tied_human, tied_metric, tied_both)

    @classmethod
    def read(cls, text: str) -> Self:
        """A table from text: rows parted by ``/``, coefficients by ``:`` or blanks.

        >>> Table.read("1 0 0 / 0 1 0 / 0 0 1") == Table.read("1:0:0/0:1:0/0:0:1")
        True
        """
        return cls.of([row.replace(":", " ").split() for row in text.split("/")])

    def __str__(self) -> str:
        c, d, h, m, b = (LEFT_OUT if value is None else show(value) for value in self.coefficients)
        return f"{c}:{m}:{d}/{h}:{b}:{h}/{d}:{m}:{c}"

    @property
    def coefficients(self) -> tuple[float | None, ...]:
        """The worth of C, D, T_h, T_m, T_hm, in the order of ``PairCounts``."""
        return self.concordant, self.discordant, self.tied_human, self.tied_metric, self.tied_both

    @property
    def linear(self) -> tuple[float, float, float, float, float] | None:
        """The coefficients if every pair counts: the statistic is then a weighted sum over all pairs."""
        c, d, h, m, b = self.coefficients
        if c is None or d is None or h is None or m is None or b is None:
            return None
        return c, d, h, m, b

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the largest value it can have."""
        given = [c for c in self.coefficients if c is not None]
        return min(given), max(given)

    def value(self, n: PairCounts) -> FloatArray:
        """The mean worth of the pairs that count, NaN where there are none (appendix B, equation 4).

        >>> acc_eq = Table.read("1:0:0/0:1:0/0:0:1")
        >>> acc_eq.value(PairCounts(concordant=1, discordant=2, tied_human=2, tied_metric=0, tied_both=1))
        array(0.33333333)
        """
        worth: FloatArray = np.zeros(np.shape(n.concordant))
        counted: FloatArray = np.zeros(np.shape(n.concordant))
        for coefficient, pairs in zip(self.coefficients, n.arrays()[:5], strict=True):
            if coefficient is not None:
                worth, counted = worth + coefficient * pairs, counted + pairs
        return ratio(worth, counted)


def _coefficient(cell: float | str | None) -> float | None:
    if cell is None or (isinstance(cell, str) and cell.strip() in ("X", "x")):
        return None
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(f"{cell!r} is not a coefficient", remedy=_EXAMPLE)
    return value + 0.0
