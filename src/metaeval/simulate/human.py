"""Human scores as MQM makes them: raters mark errors, errors have weights, a score is a negative sum."""

from __future__ import annotations

import numpy as np

from metaeval.scores import FloatArray
from metaeval.simulate.config import Config
from metaeval.simulate.streams import Streams
from metaeval.simulate.world import World

MAJOR, MINOR, PUNCTUATION = 5.0, 1.0, 0.1
WORST = -25.0
"""No output scores less, as in Google's scheme."""
MOST_ERRORS = 30.0


def rate(config: Config, world: World, streams: Streams) -> FloatArray:
    """Scores, systems x items: 0 where no error was marked, NaN where nobody looked."""
    scores = mark(config, world, streams, streams("ratings"))
    if config.unrated or config.missing:
        _forget(config, scores, streams("missing"))
    return scores


def mark(config: Config, world: World, streams: Streams, chance: np.random.Generator) -> FloatArray:
    """Scores of all outputs; ``chance`` draws the errors, the raters are those of the whole simulation.

    A rater marks Poisson numbers of errors, at a rate that falls with quality and rises with the rater's
    severity. A document is rated by the same raters for all systems, so that severity is an item effect.
    """
    rng = streams("raters")
    severity = np.exp(config.rater_spread * rng.standard_normal(config.raters))
    documents = int(world.items.document[-1]) + 1
    order = rng.random((documents, config.raters)).argsort(axis=1)[:, : config.raters_per_segment]
    rate_of_cell = config.errors * np.exp(-world.quality)
    total = np.zeros_like(world.quality)
    for rater in order[world.items.document].T:
        severe = severity[rater]
        errors = np.minimum(rate_of_cell * severe, MOST_ERRORS)
        points = MAJOR * chance.poisson(config.major * errors)
        points += MINOR * chance.poisson((1 - config.major) * errors)
        if config.punctuation:
            rates = np.broadcast_to(config.punctuation * severe, errors.shape)
            points += PUNCTUATION * chance.poisson(rates)
        total += np.maximum(-points, WORST)
    return np.asarray(np.round(total / config.raters_per_segment, 6) + 0.0, dtype=np.float64)


def _forget(config: Config, scores: FloatArray, rng: np.random.Generator) -> None:
    """Takes away whole items, then single cells of the others; the shares are exact, to rounding."""
    systems, items = scores.shape
    order = rng.permutation(items)
    unrated = round(config.unrated * items)
    scores[:, order[:unrated]] = np.nan
    left = np.sort(order[unrated:])
    cells = rng.permutation(systems * len(left))[: round(config.missing * systems * len(left))]
    scores[cells // len(left), left[cells % len(left)]] = np.nan
