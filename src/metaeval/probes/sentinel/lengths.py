"""Length bias: how metrics' scores change with the length of a text, beside how the humans' do (figure 1).

That humans score long outputs lower need not be unfair: long texts are harder. A metric that punishes length
*more than the humans do*, in units of its own spread, leans on it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError
from metaeval.evalset import EvalSet
from metaeval.measures.groups import Grouping
from metaeval.paired import Paired
from metaeval.probes.sentinel.surface import words
from metaeval.probes.sentinel.views import SIDES, View, look
from metaeval.scores import FloatArray, Scores

DRAWS = 1000
ALPHA = 0.05
PER = 100.0
"""Slopes are per 100 characters, or words."""


@dataclass(frozen=True, slots=True)
class Slope:
    """The least-squares line of scores over lengths, with a bootstrap interval over items.

    One item has no interval: nothing says how it varies.
    """

    per_hundred: float
    """Points of the score for 100 more characters or words."""
    standard: float
    """Standard deviations of the score for one of the length: Pearson's r."""
    low: float
    high: float
    """The interval of ``standard``."""


@dataclass(frozen=True, slots=True)
class MetricSlope:
    """One metric's slope, and by how much it is steeper than the humans'."""

    metric: Scores
    slope: Slope
    excess: float
    """|standard| of the metric minus |standard| of the humans."""
    excess_low: float
    excess_high: float


@dataclass(frozen=True, slots=True)
class LengthBias:
    """The humans' slope, and every metric's, those that exceed it most first."""

    view: View
    unit: str
    grouping: Grouping
    human: Slope
    metrics: tuple[MetricSlope, ...]


def length_bias(
    evalset: EvalSet,
    paired: Paired,
    *,
    view: View = "cand",
    by_word: bool = False,
    grouping: Grouping = "none",
    draws: int = DRAWS,
    alpha: float = ALPHA,
    seed: int = 0,
) -> LengthBias:
    """Slopes of humans and metrics over the length of one side; items are resampled whole.

    With ``grouping="item"`` only outputs of one item are compared, which leaves the difficulty of the source
    out. O((metrics + draws) cells / systems + cells metrics).
    """
    if grouping == "system":
        raise InputError("length bias is measured without grouping or by item")
    lengths = lengths_on(evalset, paired, view, by_word)
    used = ~np.isnan(paired.human) & ~np.isnan(lengths)
    scores = np.concatenate([paired.human[None], paired.scores])
    sums = _sums(np.where(used, lengths, 0.0), np.where(used, scores, 0.0), used, grouping)
    if not np.ptp(lengths[used]) > 0:
        raise InputError(f"all {SIDES[view]} texts are of one length")
    slope, standard = _line(sums.sum(axis=-1))
    rng = np.random.default_rng([seed, 5])
    items = sums.shape[-1]
    drawn = rng.multinomial(items, np.full(items, 1 / items), size=draws).astype(np.float64)
    _, resampled = _line(np.moveaxis(sums @ drawn.T, -1, 0))
    if used.any(axis=0).sum() < 2:
        resampled = np.full_like(resampled, np.nan)
    around = _interval(resampled, alpha)
    excess = np.abs(standard) - np.abs(standard[0])
    spread = np.abs(resampled) - np.abs(resampled[:, :1])
    bounds = _interval(spread, alpha)
    lines = [Slope(*map(float, row)) for row in zip(slope * PER, standard, *around, strict=True)]
    found = [
        MetricSlope(metric, lines[i], float(excess[i]), float(bounds[0, i]), float(bounds[1, i]))
        for i, metric in enumerate(paired.metrics, start=1)
    ]
    ordered = tuple(sorted(found, key=lambda m: -m.excess if m.excess == m.excess else np.inf))
    return LengthBias(view, "words" if by_word else "characters", grouping, lines[0], ordered)


def lengths_on(evalset: EvalSet, paired: Paired, view: View, by_word: bool = False) -> FloatArray:
    """The lengths of one side on the cells of paired data, NaN where there is no text."""
    seen = look(evalset, view, paired.reference)
    measured = np.array([words(t) if by_word else len(t) for t in seen.texts], dtype=np.float64)
    return on_cells(seen.to_cells(measured), evalset, paired)


def on_cells(values: FloatArray, evalset: EvalSet, paired: Paired) -> FloatArray:
    """A matrix of the whole set, on the systems and items of paired data."""
    row = {name: i for i, name in enumerate(evalset.systems)}
    column = {name: i for i, name in enumerate(evalset.items)}
    found: FloatArray = values[
        np.ix_([row[name] for name in paired.systems], [column[name] for name in paired.items])
    ]
    return found


def _sums(lengths: FloatArray, scores: FloatArray, used: NDArray[np.bool_], grouping: Grouping) -> FloatArray:
    """n, and the sums of x, y, xx, yy, xy of each item: 6 x scorers x items; centred by item if grouped."""
    count = used.sum(axis=0).astype(np.float64)
    x = (lengths - _centre(lengths, used, grouping)) * used
    y = (scores - _centre(scores, used, grouping)) * used
    shape = (len(scores), used.shape[1])
    parts = (
        count,
        x.sum(axis=0),
        y.sum(axis=1),
        (x * x).sum(axis=0),
        (y * y).sum(axis=1),
        (x * y).sum(axis=1),
    )
    return np.stack([np.broadcast_to(part, shape) for part in parts])


def _centre(values: FloatArray, used: NDArray[np.bool_], grouping: Grouping) -> FloatArray:
    """What to subtract: the mean of each item, or of everything, so that sums of squares do not cancel."""
    if grouping == "item":
        mean = values.sum(axis=-2) / np.maximum(used.sum(axis=0), 1)
        return np.asarray(mean[..., None, :])
    return np.asarray(values.sum(axis=(-2, -1), keepdims=True) / max(1, int(used.sum())))


def _interval(resampled: FloatArray, alpha: float) -> FloatArray:
    """The quantiles that enclose 1 - alpha of each scorer's draws; NaN where no draw has a value."""
    never = np.isnan(resampled).all(axis=0)
    bounds = np.nanquantile(np.where(never, 0.0, resampled), [alpha / 2, 1 - alpha / 2], axis=0)
    return np.where(never, np.nan, bounds)


def _line(sums: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Slope and correlation from (..., 6, scorers); NaN where a side is constant."""
    n, x, y, xx, yy, xy = np.moveaxis(sums, -2, 0)
    sxx, syy, sxy = xx - x * x / n, yy - y * y / n, xy - x * y / n
    constant = (sxx <= 1e-12 * xx) | (syy <= 1e-12 * yy)
    with np.errstate(invalid="ignore", divide="ignore"):
        slope, r = sxy / sxx, sxy / np.sqrt(sxx * syy)
    return np.where(constant, np.nan, slope), np.where(constant, np.nan, np.clip(r, -1, 1))
