"""All values that a pair statistic can take in small groups, computed once and looked up ever after."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from metaeval.kernels.pairs import Floats, Integers, PairCounts

LARGEST = 2**23
"""Entries of a table: 64 MB."""


@dataclass(frozen=True, eq=False, slots=True)
class Lookup:
    """Values by C, T_m and T_hm for every kind of group: its size and the pairs that humans tie in it.

    C rises fastest, to the pairs that humans do not tie less T_m; then T_m; then T_hm.
    """

    values: Floats
    begin: Integers
    """Where the values of each group begin."""
    untied: Integers
    """The pairs of each group that humans do not tie."""

    @classmethod
    def of(
        cls, statistic: Callable[[PairCounts], Floats], sizes: Integers, human_ties: Integers
    ) -> Lookup | None:
        """A table for these groups; None if it would be too large, or if C, T_m and T_hm do not suffice."""
        kinds, kind = np.unique(np.stack([sizes, human_ties]), axis=1, return_inverse=True)
        untied = kinds[0] * (kinds[0] - 1) // 2 - kinds[1]
        total = float(np.sum((kinds[1] + 1.0) * (untied + 1.0) * (untied + 2.0) / 2))
        if total > LARGEST or _needs_levels(statistic):
            return None
        entries = (kinds[1] + 1) * (untied + 1) * (untied + 2) // 2
        tables = [np.asarray(statistic(_all_counts(int(n), int(tied)))).ravel() for n, tied in kinds.T]
        begin = np.concatenate([[0], np.cumsum(entries)]).astype(np.int64)
        of_group = kind.ravel()
        return cls(np.concatenate([np.zeros(0), *tables]), begin[of_group], untied[of_group])


def _needs_levels(statistic: Callable[[PairCounts], Floats]) -> bool:
    """Whether the number of distinct scores matters, as it does to tau_c."""
    return bool(np.isnan(statistic(PairCounts(3, 1, 2, 1, 3, size=5))))


def _all_counts(size: int, human_ties: int) -> PairCounts:
    untied = size * (size - 1) // 2 - human_ties
    tied_metric, concordant = np.nonzero(np.tri(untied + 1, dtype=np.bool_)[::-1])
    both = np.arange(human_ties + 1)[:, None]
    return PairCounts(
        *np.broadcast_arrays(
            concordant,
            untied - tied_metric - concordant,
            human_ties - both,
            tied_metric,
            both,
            np.full(1, size),
        )
    )
