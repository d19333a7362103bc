"""Groupings: which cells are compared with each other (Deutsch et al. 2023, appendix A)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from metaeval.scores import FloatArray

_T = TypeVar("_T", bound=np.generic)

Grouping: TypeAlias = Literal["none", "item", "system"]
GROUPINGS: tuple[Grouping, ...] = get_args(Grouping)


@dataclass(frozen=True, eq=False, slots=True)
class Groups:
    """The rated cells of a systems x items matrix in group order; group g is ``offsets[g]:offsets[g + 1]``.

    Groups without any rated cell are not there. O(cells).

    >>> groups = Groups.of(np.array([[1.0, np.nan], [3.0, 4.0]]), "item")
    >>> groups.human, groups.offsets
    (array([1., 3., 4.]), array([0, 2, 3]))
    """

    human: FloatArray
    cells: NDArray[np.intp]
    """Where each entry stands in the flattened matrix."""
    offsets: NDArray[np.int64]

    @classmethod
    def of(cls, human: FloatArray, grouping: Grouping) -> Groups:
        systems, items = human.shape
        cells = np.arange(human.size, dtype=np.intp).reshape(systems, items)
        if grouping == "item":
            cells = cells.T
        rated = ~np.isnan(human.ravel()[cells])
        sizes = rated.sum(axis=1) if grouping != "none" else np.array([rated.sum()])
        offsets = np.concatenate([[0], np.cumsum(sizes[sizes > 0])]).astype(np.int64)
        chosen = cells[rated]
        return cls(human.ravel()[chosen], chosen, offsets)

    def flat(self, metric: FloatArray) -> FloatArray:
        """A metric's matrix in the same order."""
        return np.ascontiguousarray(metric).ravel()[self.cells]

    @property
    def sizes(self) -> NDArray[np.int64]:
        return np.diff(self.offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def sums(self, values: FloatArray) -> FloatArray:
        """Sum within each group: (..., cells) to (..., groups)."""
        if len(self) == 0:
            return np.zeros((*values.shape[:-1], 0))
        return np.add.reduceat(values, self.offsets[:-1], axis=-1)

    def spread(self, per_group: NDArray[_T]) -> NDArray[_T]:
        """Each group's value repeated for its cells."""
        return np.repeat(per_group, self.sizes, axis=-1)

    @property
    def pairs(self) -> NDArray[np.int64]:
        """The number of pairs in each group."""
        return self.sizes * (self.sizes - 1) // 2

    def tied_pairs(self, values: FloatArray) -> NDArray[np.int64]:
        """The pairs of each group that have equal values. O(n log n)."""
        group = np.repeat(np.arange(len(self)), self.sizes)
        order = np.lexsort((values, group))
        ordered, of = values[order], group[order]
        new_run = (ordered[1:] != ordered[:-1]) | (of[1:] != of[:-1])
        starts = np.flatnonzero(np.concatenate([[True], new_run])) if len(values) else np.zeros(0, np.intp)
        runs = np.diff(np.append(starts, len(values)))
        tied = np.zeros(len(self), dtype=np.int64)
        np.add.at(tied, of[starts], runs * (runs - 1) // 2)
        return tied

    def varies(self, values: FloatArray) -> NDArray[np.bool_]:
        """Whether a group holds two different values; exact, unlike a variance that rounds."""
        if len(self) == 0:
            return np.zeros(0, dtype=np.bool_)
        starts = self.offsets[:-1]
        low, high = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
        varying: NDArray[np.bool_] = low < high
        return varying
