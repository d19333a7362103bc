"""What is drawn: items, or documents whose items move together; and how draws reach items and cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError
from metaeval.paired import Paired
from metaeval.significance.paths.base import Exchange
from metaeval.significance.plan import Test, Unit

_T = TypeVar("_T", bound=np.generic)

EXCHANGES: dict[Test, Exchange] = {
    "perm-inputs": "items",
    "perm-both": "cells",
    "perm-systems": "systems",
    "perm-pairs": "pairs",
}
"""What each permutation test exchanges."""


@dataclass(frozen=True, eq=False, slots=True)
class Units:
    """``count`` units are drawn; position k of a mask belongs to unit ``of[k]``, or to unit k without it."""

    count: int
    of: NDArray[np.intp] | None = None

    def spread(self, drawn: NDArray[_T]) -> NDArray[_T]:
        """(draws, units) to (draws, positions).

        >>> Units(2, np.array([0, 0, 1])).spread(np.array([[5, 7]]))
        array([[5, 5, 7]])
        """
        return drawn if self.of is None else drawn[:, self.of]


def input_units(paired: Paired, unit: Unit) -> Units:
    """Items, or documents."""
    if unit == "item":
        return Units(len(paired.items))
    return documents(paired)


def exchange_units(paired: Paired, exchange: Exchange, unit: Unit, positions: int) -> Units:
    """The units of a permutation test; by document, the cells of PERM-BOTH are a system's documents."""
    if unit == "item" or exchange in ("systems", "pairs"):
        return Units(positions)
    by_document = documents(paired)
    if exchange == "items" or by_document.of is None:
        return by_document
    system, item = np.nonzero(~np.isnan(paired.human))
    return grouped(system * by_document.count + by_document.of[item])


def documents(paired: Paired) -> Units:
    """The documents as units of items."""
    units = grouped(paired.document_of_item)
    if units.count < 2:
        raise InputError(
            "there are no documents to draw: all items are in one",
            remedy="Give the items a context column 'document', or draw items with --unit item.",
        )
    return units


def grouped(labels: NDArray[np.intp]) -> Units:
    """One unit for each distinct label."""
    distinct, of = np.unique(labels, return_inverse=True)
    return Units(len(distinct), of.astype(np.intp))
