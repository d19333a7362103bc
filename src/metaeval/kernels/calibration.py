"""Tie calibration: the epsilon below which differences of a metric should not count, searched exactly.

A pair is tied when the metric's scores differ by at most epsilon. The candidates are 0 and every difference
that occurs; pairs of equal difference become ties together; of equal optima the smallest epsilon wins. The
value of an epsilon is the mean over the groups where the statistic is defined.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from numpy.typing import ArrayLike

from metaeval.errors import InputError
from metaeval.kernels.enumerated import by_group
from metaeval.kernels.gains import Gains, gains_of
from metaeval.kernels.layout import Layout
from metaeval.kernels.pairs import COMPILED_FROM, PairCounts, mean_defined
from metaeval.kernels.sampling import sampled, totals_of
from metaeval.kernels.sorting import best_by_sorting
from metaeval.kernels.walking import Optimum, Statistic, best_by_walking


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """What tie calibration found.

    Attributes:
        epsilon: the smallest of the best thresholds.
        value: the mean of the statistic over the groups where it is defined, on all pairs; NaN if nowhere.
        counts: the pair counts of every group at ``epsilon``.
        sampled: the value on the sampled pairs, where epsilon was searched on a sample.
    """

    epsilon: float
    value: float
    counts: PairCounts
    sampled: float | None = None


def calibrate(
    human: ArrayLike,
    metric: ArrayLike,
    offsets: ArrayLike | None,
    statistic: Statistic,
    *,
    linear: Sequence[float] | None = None,
    monotone: bool = False,
    relative: bool = False,
    sample: float | None = None,
    seed: int = 0,
    threads: int | None = None,
) -> Calibration:
    """Find the epsilon that maximises the mean of a statistic over groups: exact unless sampled.

    Where tying more pairs makes a statistic undefined in a group, that group drops out of the mean; only the
    statistics that are defined wherever there are pairs, acc_eq and tau_eq, cannot gain by that.

    Args:
        statistic: counts of many groups in, one value each out, NaN where undefined; computed elementwise.
        linear: the statistic's weights of C, D, T_h, T_m, T_hm, if it is their weighted sum over all pairs:
            ``(1, 0, 0, 0, 1)`` is acc_eq, ``(1, -1, -1, -1, 1)`` tau_eq. It must agree with ``statistic``.
        monotone: promises that the statistic, while defined, only rises or only falls in each of the five
            counts when the others stay. Stretches of epsilon that cannot win are then passed over.
        relative: a difference is a fraction of the larger magnitude of the two scores.
        sample: search on this share of the pairs, drawn by ``seed``; the value is still that on all pairs.
        threads: how many to use where pairs are many; by default as many as there are processors.

    Few pairs are sorted: O(pairs log pairs). Many pairs are never held: a linear statistic is bounded
    (``metaeval.kernels.bounded``), about n to the 1.4; any other walks through all pairs in stages, or, if
    monotone, through the stages that can win. Oracle: tests/oracles/ties.py::calibrate.

    >>> def acc_eq(n):
    ...     return (n.concordant + n.tied_both) / n.total
    >>> best = calibrate([0, 0, 1, 2], [0.10, 0.15, 0.90, 0.40], None, acc_eq, linear=(1, 0, 0, 0, 1))
    >>> best.value, round(best.epsilon, 9)
    (0.8333333333333334, 0.05)
    """
    layout = Layout.of(human, metric, offsets, relative=relative)
    gains = None if linear is None else gains_of(linear, layout.totals.pairs)
    if sample is not None:
        found = best_of_sample(layout, statistic, gains, sample, seed)
        return at_epsilon(layout, statistic, found.epsilon, found.value)
    return at_epsilon(layout, statistic, best_epsilon(layout, statistic, gains, monotone, threads))


def at_epsilon(
    layout: Layout, statistic: Statistic, epsilon: float, sampled: float | None = None
) -> Calibration:
    """What the statistic is on all pairs at an epsilon, wherever that was found."""
    counts = layout.counts(epsilon)
    return Calibration(epsilon, mean_defined(statistic(counts)), counts, sampled)


def best_epsilon(
    layout: Layout, statistic: Statistic, gains: Gains | None, monotone: bool, threads: int | None
) -> float:
    """The search that suits the statistic and the number of pairs. Many pairs call for compiled code."""
    few = layout.pairs < COMPILED_FROM
    if gains is not None:
        if few:
            return best_by_sorting(layout, gains)
        from metaeval.kernels.bounded import best_by_bounds

        return best_by_bounds(layout, gains, threads)
    if few:
        return best_by_walking(layout.totals, statistic, layout.enumerated).epsilon
    if monotone:
        from metaeval.kernels.pruned import best_by_pruning

        return best_by_pruning(layout, statistic).epsilon
    from metaeval.kernels.stages import best_by_stages

    return best_by_stages(layout, statistic).epsilon


def best_of_sample(
    layout: Layout, statistic: Statistic, gains: Gains | None, share: float, seed: int
) -> Optimum:
    """The best epsilon of a share of the pairs, which are the same however the search is made."""
    if not 0 < share <= 1:
        raise InputError(f"found a sample of {share}, expected a share of the pairs: above 0, at most 1")
    if layout.pairs >= COMPILED_FROM:
        from metaeval.kernels.stages import best_by_stages

        return best_by_stages(layout, statistic, share, seed, gains)
    pairs = sampled(layout, share, seed)
    tallied = by_group(pairs, len(layout.sizes))
    return best_by_walking(totals_of(layout, tallied), statistic, pairs)
