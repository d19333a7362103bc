"""Moments of bootstrap samples: a cell drawn w times counts w times in every sum of its group."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from metaeval.kernels.hybrids import FLAT, pearson_of_rows
from metaeval.measures.base import ratio
from metaeval.measures.groups import Grouping, Groups
from metaeval.scores import FloatArray
from metaeval.significance.grid import on_grid
from metaeval.significance.paths.base import BoolArray, IntArray

EXACT_ENTRIES = 2**20
"""Scores looked at at once where sums cannot be trusted: 8 MB an array."""
NOTHING = 1e-11
"""Share of the raw second moments that pooled variances must keep to be more than rounding."""


class Moments(NamedTuple):
    """Weighted sums of one group: over the cells, then draws x 1 or draws x metrics."""

    n: FloatArray
    hh: FloatArray
    """n times the centred square of h, and so on."""
    xx: FloatArray
    hx: FloatArray
    raw_h: FloatArray
    raw_x: FloatArray
    """What the centred squares would be about 0."""


@dataclass(frozen=True, eq=False)
class Samples:
    """Groups of cells with the scores of all metrics, and how often items and systems were drawn.

    What a grouping groups by is copied as whole groups, the rest as cells within a group.
    """

    groups: Groups
    grouping: Grouping
    human: FloatArray
    scores: FloatArray
    """cells x metrics."""
    items: IntArray
    systems: IntArray

    def averaged(self) -> FloatArray:
        """Mean r over the groups where a sample has one: (draws, metrics). O(draws x cells x metrics)."""
        total: FloatArray = np.zeros((len(self.items), self.scores.shape[1]))
        used: FloatArray = np.zeros_like(total)
        for inside, weights, copies in self._by_group():
            m = self._moments(inside, weights)
            flat = ~((m.xx > FLAT * m.raw_x) & (m.hh > FLAT * m.raw_h))
            r = np.clip(ratio(m.hx, np.sqrt(np.where(flat, 0.0, m.xx * m.hh))), -1.0, 1.0)
            if flat.any():
                self._from_scores(r, flat, inside, weights)
            total += copies * np.nan_to_num(r)
            used += copies * ~np.isnan(r)
        return ratio(total, used)

    def pooled(self) -> FloatArray:
        """Pearson of all differences within groups: (draws, metrics)."""
        shape = (len(self.items), self.scores.shape[1])
        hh, raw_h = np.zeros((shape[0], 1)), np.zeros((shape[0], 1))
        xx, hx, raw_x = np.zeros((3, *shape))
        for inside, weights, copies in self._by_group():
            m = self._moments(inside, weights)
            hh += copies * m.hh
            xx += copies * m.xx
            hx += copies * m.hx
            raw_h += copies * m.raw_h
            raw_x += copies * m.raw_x
        nothing = (hh <= NOTHING * raw_h) | (xx <= NOTHING * raw_x)
        return np.clip(ratio(hx, np.where(nothing, 0.0, np.sqrt(np.abs(hh * xx)))), -1.0, 1.0)

    def _by_group(self) -> Iterator[tuple[slice, FloatArray, FloatArray]]:
        """Each group's cells, their weights (draws, cells), and how often the group itself was drawn."""
        system, item = np.divmod(self.groups.cells, self.items.shape[1])
        once = np.ones((len(self.items), 1))
        for first, last in zip(self.groups.offsets[:-1], self.groups.offsets[1:], strict=True):
            of_item = self.items[:, item[first:last]].astype(np.float64)
            of_system = self.systems[:, system[first:last]].astype(np.float64)
            if self.grouping == "item":
                yield slice(first, last), of_system, of_item[:, :1]
            elif self.grouping == "system":
                yield slice(first, last), of_item, of_system[:, :1]
            else:
                yield slice(first, last), of_item * of_system, once

    def _moments(self, inside: slice, weights: FloatArray) -> Moments:
        h, x = self.human[inside, None], self.scores[inside]
        features = np.concatenate([np.ones_like(h), h, h * h, x, x * x, h * x], axis=1)
        sums = weights @ on_grid(features, terms=self.items.shape[1] * self.systems.shape[1])
        n, sh, shh = sums[:, 0:1], sums[:, 1:2], sums[:, 2:3]
        sx, sxx, shx = np.split(sums[:, 3:], 3, axis=1)
        return Moments(n, n * shh - sh * sh, n * sxx - sx * sx, n * shx - sh * sx, n * shh, n * sxx)

    def _from_scores(self, r: FloatArray, flat: BoolArray, inside: slice, weights: FloatArray) -> None:
        """Puts values computed from the scores themselves where ``flat`` says that sums will not do."""
        draws, metrics = np.nonzero(flat)
        human, scores = self.human[inside], self.scores[inside].T
        step = max(1, EXACT_ENTRIES // max(1, len(human)))
        for start in range(0, len(draws), step):
            d, m = draws[start : start + step], metrics[start : start + step]
            r[d, m] = pearson_of_rows(scores[m], human, weights[d])
