"""The pairs of outputs of one item, held one by one so that they can be drawn: for experiments on ties.

By item pairs are few: 123,585 on WMT 2023 zh-en. A metric's pairs are sorted once; after that every sample of
pairs is calibrated by one running sum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError
from metaeval.measures.groups import Groups
from metaeval.paired import Paired
from metaeval.scores import FloatArray

BoolArray = NDArray[np.bool_]
MOST_PAIRS = 20_000_000
ROUNDING = 1e-12
"""Values nearer than this are equal: sums of weights are rounded."""


@dataclass(frozen=True, eq=False, slots=True)
class ItemPairs:
    """Pairs within items: which cells, of which item, and what humans say."""

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    item: NDArray[np.intp]
    items: int
    human: NDArray[np.int8]
    """Sign of the human difference; 0 where they tie."""
    cells: NDArray[np.intp]

    @classmethod
    def of(cls, paired: Paired) -> ItemPairs:
        """All pairs. O(pairs)."""
        groups = Groups.of(paired.human, "item")
        total = int(groups.pairs.sum())
        if not total:
            raise InputError(
                "found no two rated outputs of one item", remedy="Pairs need two systems that share items."
            )
        if total > MOST_PAIRS:
            raise InputError(
                f"found {total:,} pairs of outputs of one item, expected at most {MOST_PAIRS:,}",
                remedy="Leave systems out: --systems",
            )
        first, second, item = [], [], []
        for number, (start, stop) in enumerate(zip(groups.offsets[:-1], groups.offsets[1:], strict=True)):
            one, other = np.triu_indices(int(stop - start), k=1)
            first.append(one + start)
            second.append(other + start)
            item.append(np.full(len(one), number, dtype=np.intp))
        one, other = np.concatenate(first), np.concatenate(second)
        human = np.sign(groups.human[one] - groups.human[other]).astype(np.int8)
        return cls(one, other, np.concatenate(item), len(groups), human, groups.cells)

    def __len__(self) -> int:
        return len(self.human)

    @property
    def tied(self) -> BoolArray:
        """The pairs that humans tie."""
        return np.asarray(self.human == 0)

    def weights(self, kept: BoolArray) -> FloatArray:
        """What each pair adds to the mean over the items that have a pair left; 0 for pairs not kept."""
        counts = np.bincount(self.item[kept], minlength=self.items)
        used = np.maximum(counts, 1) * max(1, int((counts > 0).sum()))
        return np.where(kept, 1.0 / used[self.item], 0.0)

    def by_item(self, right: BoolArray) -> FloatArray:
        """The share of each item's pairs that are right, for the items that have pairs."""
        count = np.bincount(self.item, minlength=self.items)
        share = np.bincount(self.item, weights=right, minlength=self.items)[count > 0] / count[count > 0]
        return np.asarray(share)

    def sorted_by(self, scores: FloatArray) -> SortedPairs:
        """The pairs in the order in which a metric's epsilon ties them. O(pairs log pairs)."""
        flat = np.ascontiguousarray(scores).ravel()[self.cells]
        difference = flat[self.first] - flat[self.second]
        order = np.argsort(np.abs(difference), kind="stable")
        size = np.abs(difference)[order]
        agreed = np.sign(difference[order]) == self.human[order]
        tied = self.tied[order]
        last = np.append(size[1:] != size[:-1], True)
        return SortedPairs(order, size, tied, agreed & ~tied, last)


@dataclass(frozen=True, eq=False, slots=True)
class SortedPairs:
    """One metric's pairs by the size of its difference."""

    order: NDArray[np.intp]
    size: FloatArray
    tied: BoolArray
    agreed: BoolArray
    """Ordered as humans order them."""
    last: BoolArray
    """The last of the pairs of one size: pairs of equal difference are tied together."""

    def curve(self, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """acc_eq at epsilon 0 and at every other difference of a pair that has weight."""
        ordered = weights[self.order]
        gain = np.cumsum(np.where(self.tied, ordered, np.where(self.agreed, -ordered, 0.0)))
        present = np.cumsum(ordered > 0)
        at = np.flatnonzero(self.last)
        new = np.diff(present[at], prepend=0) > 0
        new |= self.size[at] == 0
        epsilons, values = self.size[at][new], float(ordered[self.agreed].sum()) + gain[at][new]
        if not len(epsilons) or epsilons[0] > 0:
            epsilons = np.concatenate([[0.0], epsilons])
            values = np.concatenate([[float(ordered[self.agreed].sum())], values])
        return epsilons, values

    def best(self, weights: FloatArray) -> tuple[float, float]:
        """The smallest epsilon with the highest acc_eq, and that value; NaN where no pair has weight."""
        if not weights.any():
            return np.nan, np.nan
        epsilons, values = self.curve(weights)
        at = int(np.argmax(values >= values.max() - ROUNDING))
        return float(epsilons[at]), float(values[at])

    def at(self, weights: FloatArray, epsilon: float) -> float:
        """acc_eq at a given epsilon; NaN at no epsilon."""
        if np.isnan(epsilon):
            return np.nan
        return float(weights[self.right(epsilon)].sum())

    def right(self, epsilon: float) -> BoolArray:
        """Which pairs the metric gets right at an epsilon, in the pairs' own order."""
        found = np.zeros(len(self.order), dtype=np.bool_)
        found[self.order] = np.where(self.size <= epsilon, self.tied, self.agreed)
        return found
