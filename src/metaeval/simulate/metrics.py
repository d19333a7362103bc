"""Metric scores: the parts of a kind added up, cell by cell."""

from __future__ import annotations

import numpy as np

from metaeval.scores import FloatArray
from metaeval.simulate.config import Config
from metaeval.simulate.kinds import Kind
from metaeval.simulate.streams import Streams
from metaeval.simulate.world import World

DECIMALS = 6
"""Scores are rounded as score files are."""


def gain(config: Config, kind: Kind) -> float:
    """What the gamed system gained from this metric, in units of latent quality; 0 where nothing."""
    pleased = config.gamed and config.gamed_kind == kind
    return config.gaming * kind.residual if pleased else 0.0


def own_system_effects(kind: Kind, systems: int, streams: Streams) -> FloatArray:
    """What the metric likes about each system that is not its quality."""
    if not kind.system_effect:
        return np.zeros(systems)
    return kind.system_effect * streams("metric", kind.key, "systems").standard_normal(systems)


def own_item_effects(kind: Kind, items: int, streams: Streams) -> FloatArray:
    """How much easier the metric finds each item, for all systems alike."""
    return kind.item_effect * streams("metric", kind.key, "items").standard_normal(items)


def score(config: Config, kind: Kind, world: World, streams: Streams) -> FloatArray:
    """One metric's scores, systems x items; NaN where it would compare its reference with itself."""
    seen = latent_score(kind, world, streams, streams("metric", kind.key, "cells"))
    if kind.system_effect:
        seen += own_system_effects(kind, len(seen), streams)[:, None]
    if world.gamed is not None:
        seen[world.gamed] += gain(config, kind)
    scores = published(kind, seen)
    if world.reference is not None and kind.reference == "refA":
        scores[world.reference] = np.nan
    return scores


def latent_score(kind: Kind, world: World, streams: Streams, rng: np.random.Generator) -> FloatArray:
    """The score in units of latent quality, before effects on systems; ``rng`` draws noise of cells."""
    seen = kind.quality * world.quality
    if kind.source_length:
        seen += kind.source_length * world.items.length
    if kind.output_length:
        seen += kind.output_length * world.output_length
    if kind.item_effect:
        seen += own_item_effects(kind, seen.shape[1], streams)
    if kind.shared:
        seen += kind.shared * world.shared
    if kind.document_noise:
        by_document = rng.standard_normal((len(seen), int(world.items.document[-1]) + 1))
        seen += kind.document_noise * by_document[:, world.items.document]
    if kind.noise:
        seen += kind.noise * rng.standard_normal(seen.shape)
    return seen


def thresholds(kind: Kind) -> FloatArray:
    """Where one level of a discrete metric ends and the next begins; symmetric about average quality."""
    return kind.step * (np.arange(1, kind.levels, dtype=np.float64) - kind.levels / 2)


def published(kind: Kind, seen: FloatArray) -> FloatArray:
    """Latent scores on the metric's own scale, cut into its levels."""
    if kind.levels:
        seen = np.searchsorted(thresholds(kind), seen).astype(np.float64)
    scores: FloatArray = kind.centre + kind.scale * seen
    return scores.round(DECIMALS) + 0.0
