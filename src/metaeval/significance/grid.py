"""Sums that do not depend on their order: numbers rounded to a grid so coarse that adding them is exact.

Floating point addition rounds, so a sum depends on the order in which a matrix product happens to add, on
the number of threads, and on which columns stand beside it. Numbers that are all multiples of one power of
two, and whose sum still fits 53 bits, add up exactly. Hybrids that are equal then have equal sums, whatever
computed them.
"""

from __future__ import annotations

import numpy as np

from metaeval.scores import FloatArray

BITS = 52


def on_grid(values: FloatArray, terms: int) -> FloatArray:
    """Rounds each column so that sums of up to ``terms`` of its entries are exact in any order.

    The unit is 2^-52 of the largest possible sum: with 28,000 terms, 6e-12 of the largest entry.

    >>> x = on_grid(np.array([[0.1], [0.2], [0.3]]), terms=3)
    >>> bool(x[0] + x[1] + x[2] == x[2] + x[1] + x[0])
    True
    """
    largest = np.max(np.abs(values), axis=0, initial=0.0) * max(terms, 1)
    unit = np.ldexp(1.0, np.frexp(largest)[1] - BITS)
    rounded: FloatArray = np.round(values / unit) * unit
    return rounded


def snapped(values: FloatArray, digits: int = 33) -> FloatArray:
    """Values rounded to 2^-digits, so that those equal but for rounding become equal.

    For statistics that ask whether two means are equal or which is larger.

    >>> float(snapped(np.array(0.1 + 0.2)) - snapped(np.array(0.3)))
    0.0
    """
    unit = 2.0**-digits
    rounded: FloatArray = np.round(values / unit) * unit
    return rounded
