"""How a metric orders pairs, beside how humans order them: the five counts behind every Kendall variant.

Scores lie flat, group after group; ``offsets`` says where each group begins, as in a CSR matrix. Groups may
have any size, also 0 and 1, which hold no pairs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metaeval.errors import InputError

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]

COMPILED_FROM = 500_000
"""Pairs from which loading compiled code pays: below, numpy has answered before numba is imported."""


@dataclass(frozen=True, slots=True, init=False, eq=False)
class PairCounts:
    """How many pairs agree, disagree and tie; one entry a group, or scalars for a single vector.

    Attributes:
        concordant: C, pairs that humans and metric put in the same order.
        discordant: D, pairs put in opposite orders.
        tied_human: T_h, pairs tied by the humans only.
        tied_metric: T_m, pairs tied by the metric only.
        tied_both: T_hm, pairs tied by both.
        size: n, how many scores the pairs are made of.
        distinct: k, the smaller of the numbers of distinct human and metric scores, epsilon left aside.

    >>> count_pairs([0, 0, 0, 0, 1, 2], [0, 0, 0, 0, 2, 1])
    PairCounts(concordant=8, discordant=1, tied_human=0, tied_metric=0, tied_both=6, size=6, distinct=3)
    """

    concordant: Floats
    discordant: Floats
    tied_human: Floats
    tied_metric: Floats
    tied_both: Floats
    size: Floats
    distinct: Floats

    def __init__(
        self,
        concordant: ArrayLike,
        discordant: ArrayLike,
        tied_human: ArrayLike,
        tied_metric: ArrayLike,
        tied_both: ArrayLike,
        size: ArrayLike = math.nan,
        distinct: ArrayLike = math.nan,
    ) -> None:
        given = (concordant, discordant, tied_human, tied_metric, tied_both, size, distinct)
        for field, value in zip(fields(self), given, strict=True):
            object.__setattr__(self, field.name, np.asarray(value, dtype=np.float64))

    @property
    def total(self) -> Floats:
        """All pairs: C + D + T_h + T_m + T_hm."""
        human_untied = self.concordant + self.discordant + self.tied_metric
        return np.asarray(human_untied + self.tied_human + self.tied_both)

    def arrays(self) -> tuple[Floats, ...]:
        """The seven fields in order, to stack or to store."""
        return tuple(getattr(self, field.name) for field in fields(self))

    def __getitem__(self, key: Any) -> PairCounts:
        """The counts of some groups: ``counts[3]``, ``counts[:10]``, ``counts[mask]``."""
        return PairCounts(*(np.broadcast_to(a, self.concordant.shape)[key] for a in self.arrays()))

    def sum(self) -> PairCounts:
        """All groups thrown together; size and distinct lose their meaning."""
        return PairCounts(*(a.sum() for a in self.arrays()[:5]))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PairCounts):
            return NotImplemented
        pairs = zip(self.arrays(), other.arrays(), strict=True)
        return all(np.array_equal(a, b, equal_nan=True) for a, b in pairs)

    def __repr__(self) -> str:
        def shown(value: Floats) -> str:
            return f"{value:g}" if value.ndim == 0 else str(value.tolist())

        inside = ", ".join(f"{f.name}={shown(getattr(self, f.name))}" for f in fields(self))
        return f"PairCounts({inside})"


def count_pairs(
    human: ArrayLike,
    metric: ArrayLike,
    offsets: ArrayLike | None = None,
    *,
    epsilon: float = 0.0,
    relative: bool = False,
) -> PairCounts:
    """Count the pairs of every group, the metric's scores tied where they differ by at most ``epsilon``.

    Human ties are exact. ``relative`` measures a difference as a fraction of the larger magnitude.

    Without offsets there is one group and the counts are scalars. O(n log n) time and O(n) memory at any
    epsilon.
    Oracle: tests/oracles/ties.py::count_pairs.

    >>> count_pairs(human=[1, 2], metric=[0.10, 0.15], epsilon=0.06).tied_metric
    array(1.)
    >>> count_pairs([1, 2, 1, 2], [3, 4, 4, 3], offsets=[0, 2, 4]).concordant
    array([1., 0.])
    """
    from metaeval.kernels.layout import Layout

    check_epsilon(epsilon)
    counts = Layout.of(human, metric, offsets, relative=relative).counts(epsilon)
    return counts if offsets is not None else counts[0]


def checked(
    human: ArrayLike, metric: ArrayLike, offsets: ArrayLike | None
) -> tuple[Floats, Floats, Integers]:
    """The three arrays in their types, or an InputError that says what is wrong with them.

    >>> checked([1, 2], [1, float("inf")], None)
    Traceback (most recent call last):
    metaeval.errors.InputError: the metric scores at position 1: found inf, expected a finite number
      Leave the cell out, or give it a score.
    """
    h, m = (np.ascontiguousarray(scores, dtype=np.float64) for scores in (human, metric))
    if h.ndim != 1 or h.shape != m.shape:
        raise InputError(
            f"found human scores of shape {h.shape} and metric scores of shape {m.shape}, "
            "expected two flat arrays of one length",
            remedy="Flatten them in the same order and keep the cells that have both scores.",
        )
    for name, scores in (("human", h), ("metric", m)):
        finite = np.isfinite(scores)
        if not finite.all():
            at = int(np.argmin(finite))
            raise InputError(
                f"the {name} scores at position {at}: found {scores[at]}, expected a finite number",
                remedy="Leave the cell out, or give it a score.",
            )
    if len(m) and not math.isfinite(float(m.max()) - float(m.min())):
        raise InputError(
            f"the metric scores run from {m.min():g} to {m.max():g}, too far apart to subtract",
            remedy="Divide the scores by a constant.",
        )
    given: NDArray[Any] = np.asarray([0, len(h)] if offsets is None else offsets)
    whole = given.dtype.kind in "iu" and given.ndim == 1 and len(given) > 0
    if not whole or given[0] != 0 or given[-1] != len(h) or (np.diff(given.astype(np.int64)) < 0).any():
        raise InputError(
            f"found offsets {given.tolist()!s:.60}, expected whole numbers that rise from 0 to {len(h)}",
            remedy="Group g is offsets[g]:offsets[g + 1].",
        )
    return h, m, given.astype(np.int64)


def check_epsilon(epsilon: float) -> None:
    """Refuse a threshold that no difference can be compared with."""
    if not (math.isfinite(epsilon) and epsilon >= 0):
        raise InputError(f"found epsilon {epsilon}, expected a finite number of at least 0")


def mean_defined(values: ArrayLike) -> float:
    """The mean over the groups where a statistic is defined; NaN where it is defined for none.

    Correctly rounded, so it does not depend on the order of the groups.

    >>> mean_defined([0.25, float("nan"), 0.75])
    0.5
    """
    array = np.atleast_1d(np.asarray(values, dtype=np.float64))
    defined = array[~np.isnan(array)]
    return math.fsum(defined.tolist()) / len(defined) if len(defined) else math.nan
