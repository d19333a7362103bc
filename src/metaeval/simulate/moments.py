"""Population moments of simulated metrics against latent quality, given the systems: the exact truth.

Everything latent is a sum of normal parts, so that correlations follow from the weights alone; a metric cut
into levels needs one integral. Tests compare them with large samples.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from metaeval.scores import FloatArray
from metaeval.simulate.config import Config
from metaeval.simulate.kinds import Kind
from metaeval.simulate.metrics import thresholds
from metaeval.simulate.world import Items

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(80)
WEIGHTS = WEIGHTS / WEIGHTS.sum()
NOTHING = 1e-12


@dataclass(frozen=True)
class Moments:
    """Of one item's scores by the systems: what to expect, and how they vary over items."""

    mean: FloatArray
    """By system."""
    variance: FloatArray
    """Covariance over items of the scores of two systems, systems x systems."""
    with_quality: FloatArray
    """Covariance over items of one system's score with another's latent quality."""


def item_variances(config: Config, items: Items) -> tuple[float, float, float]:
    """Variance of difficulty, variance of length L, and their covariance, over items."""
    shares = np.bincount(items.domain, minlength=len(items.domain_length)) / len(items.domain)
    length = 1 + float(shares @ items.domain_length**2)
    between = float(shares @ items.domain_difficulty**2)
    crossed = float(shares @ (items.domain_difficulty * items.domain_length))
    slope = config.length_difficulty
    difficulty = config.item_spread**2 + config.document_spread**2 + between
    return difficulty + slope**2 * length + 2 * slope * crossed, length, slope * length + crossed


def quality_moments(config: Config, items: Items, quality: FloatArray) -> Moments:
    """Latent quality as a metric of itself."""
    perfect = Kind(name="quality", quality=1.0)
    return metric_moments(config, items, perfect, quality, np.zeros_like(quality), np.zeros_like(quality))


def metric_moments(
    config: Config, items: Items, kind: Kind, quality: FloatArray, verbosity: FloatArray, extra: FloatArray
) -> Moments:
    """Of one kind of metric, in latent units; ``extra`` is its own effect on each system, gaming included."""
    difficulty, length, crossed = item_variances(config, items)
    lean = kind.source_length + kind.output_length
    by_item = (
        kind.quality**2 * difficulty
        + lean**2 * length
        - 2 * kind.quality * lean * crossed
        + kind.item_effect**2
    )
    by_cell = (
        (kind.quality * config.residual_spread) ** 2
        + (kind.output_length * config.wordiness) ** 2
        + kind.residual**2
    )
    mean = kind.quality * quality + kind.output_length * verbosity + extra
    own = np.eye(len(quality))
    linear = Moments(
        mean,
        by_item + by_cell * own,
        kind.quality * difficulty - lean * crossed + kind.quality * config.residual_spread**2 * own,
    )
    return _in_levels(kind, linear, by_item, by_cell) if kind.levels else linear


def _in_levels(kind: Kind, latent: Moments, by_item: float, by_cell: float) -> Moments:
    """The same after cutting into levels: covariances by Stein's lemma, the rest by an integral."""
    spread = np.sqrt(by_item + by_cell)
    above = thresholds(kind) - latent.mean[:, None]
    if spread < NOTHING:
        return Moments(
            (above < 0).sum(axis=1).astype(np.float64), 0 * latent.variance, 0 * latent.with_quality
        )
    beyond = ndtr(-above / spread)
    mean = beyond.sum(axis=1)
    steepness = (np.exp(-((above / spread) ** 2) / 2) / (spread * np.sqrt(2 * np.pi))).sum(axis=1)
    # The level is a sum of indicators of nested events: E[Q²] = sum over k of (2k - 1) P(Q >= k).
    square = beyond @ (2 * np.arange(1, kind.levels) - 1)
    cell = max(np.sqrt(by_cell), NOTHING)
    of_item = ndtr((NODES[:, None, None] * np.sqrt(by_item) - above) / cell).sum(axis=2)
    variance = (of_item * WEIGHTS[:, None]).T @ of_item - np.outer(mean, mean)
    np.fill_diagonal(variance, square - mean**2)
    return Moments(mean, variance, steepness[:, None] * latent.with_quality)


def correlations(metric: Moments, quality: Moments) -> dict[str, float | None]:
    """Pearson's correlation with latent quality by grouping, as items become many; None where undefined.

    Grouped ones are over differences within a group, pooled over the groups (the measure ``pdp``);
    ``systems`` is over the systems' expected scores.
    """

    def between(left: FloatArray, right: FloatArray) -> float:
        return float(((left - left.mean()) * (right - right.mean())).mean())

    def ratio(crossed: float, ours: float, theirs: float) -> float | None:
        return None if min(ours, theirs) < NOTHING else float(crossed / np.sqrt(ours * theirs))

    within: list[float] = []
    apart: list[float] = []
    pooled: list[float] = []
    for covariance, ours, theirs in (
        (metric.with_quality, metric.mean, quality.mean),
        (metric.variance, metric.mean, metric.mean),
        (quality.variance, quality.mean, quality.mean),
    ):
        same = float(np.diag(covariance).mean())
        apart.append(between(ours, theirs))
        within.append(same)
        pooled.append(apart[-1] + same - float(covariance.mean()))
    return {
        "none": ratio(*(a + b for a, b in zip(within, apart, strict=True))),
        "item": ratio(*pooled),
        "system": ratio(*within),
        "systems": ratio(*apart),
    }
