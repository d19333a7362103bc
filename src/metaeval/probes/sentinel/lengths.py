"""Length bias: how metrics' scores change with the length of a text, beside how the humans' do (figure 1).

That humans score long outputs lower need not be unfair: long texts are harder. A metric that punishes length
*more than the humans do*, in units of its own spread, leans on it; so does one that rewards what they punish.
"""

from __future__ import annotations

from collections.abc import Iterator
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
MOST_DRAWN = 2**22
"""Items times draws that are held at once."""
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
    """How far ``standard`` lies outside of the range from 0 to the humans'; negative inside."""
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
    resampled = np.concatenate([_line(np.moveaxis(part, -1, 0))[1] for part in _drawn(sums, draws, rng)])
    if used.any(axis=0).sum() < 2:
        resampled = np.full_like(resampled, np.nan)
    around = _interval(resampled, alpha)
    excess = beyond(standard, standard[0])
    bounds = _interval(beyond(resampled, resampled[:, :1]), alpha)
    lines = [Slope(*map(float, row)) for row in zip(slope * PER, standard, *around, strict=True)]
    found = [
        MetricSlope(metric, lines[i], float(excess[i]), float(bounds[0, i]), float(bounds[1, i]))
        for i, metric in enumerate(paired.metrics, start=1)
    ]
    ordered = tuple(sorted(found, key=lambda m: -m.excess if m.excess == m.excess else np.inf))
    return LengthBias(view, "words" if by_word else "characters", grouping, lines[0], ordered)


def beyond(slope: FloatArray, human: FloatArray) -> FloatArray:
    """How far slopes lie outside of the range from 0 to the humans' slope: steeper, or of the other sign.

    >>> beyond(np.array([-0.6, -0.4, -0.1, 0.0, 0.3]), np.array(-0.4)).round(6).tolist()
    [0.2, 0.0, -0.1, 0.0, 0.3]
    """
    return np.asarray(np.maximum(slope - np.maximum(human, 0.0), np.minimum(human, 0.0) - slope))


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


def _drawn(sums: FloatArray, draws: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    """The sums of samples of items with replacement, so many samples at once as memory should hold."""
    items = sums.shape[-1]
    at_once = max(1, MOST_DRAWN // items)
    for start in range(0, draws, at_once):
        size = min(at_once, draws - start)
        drawn = rng.multinomial(items, np.full(items, 1 / items), size=size)
        yield sums @ drawn.astype(np.float64).T


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
    some = np.maximum(n, 1.0)
    sxx, syy, sxy = xx - x * x / some, yy - y * y / some, xy - x * y / some
    constant = (sxx <= 1e-12 * xx) | (syy <= 1e-12 * yy)
    with np.errstate(invalid="ignore", divide="ignore"):
        slope, r = sxy / sxx, sxy / np.sqrt(sxx * syy)
    return np.where(constant, np.nan, slope), np.where(constant, np.nan, np.clip(r, -1, 1))
