"""What is true before anybody scores: systems, items, documents, lengths and the quality of every output."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.scores import FloatArray
from metaeval.simulate.config import Config
from metaeval.simulate.streams import Streams

IntArray = NDArray[np.int64]

DOMAINS = (("news", 0.3, 0.0), ("social", -0.6, -0.5), ("speech", -0.1, 0.6), ("literary", 0.4, 1.0))
"""Name, shift of the standardised log length, difficulty (times ``domain_spread``)."""

REFERENCE_QUALITY = 1.0
"""Latent quality of the reference, where it is listed as a system: good, not perfect."""


@dataclass(frozen=True, kw_only=True)
class Items:
    """The items, whoever translates them."""

    document: IntArray
    """Number of the document; ascending."""
    domain: IntArray
    length: FloatArray
    """Standardised log length L: words = ``words`` * exp(``length_spread`` * L)."""
    difficulty: FloatArray
    domain_length: FloatArray
    domain_difficulty: FloatArray
    """The shifts of the domains, centred over the items."""


@dataclass(frozen=True, kw_only=True)
class World:
    """Items and the latent quality of every system's output for them, systems x items."""

    items: Items
    system_quality: FloatArray
    verbosity: FloatArray
    quality: FloatArray
    output_length: FloatArray
    """Standardised log length of the outputs."""
    shared: FloatArray
    """What metrics see in an output that is not quality, and agree on."""
    gamed: int | None
    """Position of the system that gamed a metric."""
    reference: int | None
    """Position of the reference, where it is listed as a system."""

    @property
    def ranked(self) -> int:
        """How many of the systems are systems; the reference comes after them."""
        return len(self.quality) if self.reference is None else self.reference


def draw_items(config: Config, streams: Streams) -> Items:
    """Items in documents in domains: contiguous, the documents of several sizes."""
    rng, count = streams("items"), config.items
    documents = config.documents or max(1, count // 10)
    starts = np.sort(rng.choice(count - 1, documents - 1, replace=False)) + 1
    document = np.zeros(count, dtype=np.int64)
    document[starts] = 1
    document = np.cumsum(document)
    domain = document * config.domains // documents
    shares = np.bincount(domain, minlength=config.domains) / count
    tables = np.array([shifts for _, *shifts in DOMAINS[: config.domains]]).T
    by_length, by_difficulty = (table - shares @ table for table in tables)
    by_difficulty = by_difficulty * config.domain_spread
    length = rng.standard_normal(count) + by_length[domain]
    difficulty = config.item_spread * rng.standard_normal(count)
    difficulty += config.document_spread * rng.standard_normal(documents)[document]
    difficulty += config.length_difficulty * length + by_difficulty[domain]
    return Items(
        document=document, domain=domain, length=length, difficulty=difficulty,
        domain_length=by_length, domain_difficulty=by_difficulty,
    )  # fmt: skip


def draw_world(config: Config, streams: Streams) -> World:
    """Everything latent. O(systems * items)."""
    items = draw_items(config, streams)
    rng = streams("systems")
    drawn = config.system_spread * rng.standard_normal(config.systems)
    chosen = drawn if config.system_quality is None else np.array(config.system_quality, dtype=np.float64)
    verbosity = config.verbosity * rng.standard_normal(config.systems)
    middle = int(np.argsort(chosen, kind="stable")[config.systems // 2]) if config.gamed else None
    if config.reference_system:
        chosen, verbosity = np.append(chosen, REFERENCE_QUALITY), np.append(verbosity, 0.0)
    world = outputs(config, items, chosen, verbosity, streams("outputs"))
    reference = config.systems if config.reference_system else None
    if reference is not None:
        world.output_length[reference] = items.length
    return World(
        items=items, system_quality=chosen, verbosity=verbosity, quality=world.quality,
        output_length=world.output_length, shared=world.shared, gamed=middle, reference=reference,
    )  # fmt: skip


def outputs(
    config: Config, items: Items, quality: FloatArray, verbosity: FloatArray, rng: np.random.Generator
) -> World:
    """The outputs of systems of the given latent qualities, for the given items."""
    residual, wordiness, shared = rng.standard_normal((3, len(quality), len(items.length)))
    residual *= config.residual_spread
    residual += quality[:, None] - items.difficulty
    wordiness *= config.wordiness
    wordiness += verbosity[:, None] + items.length
    return World(
        items=items, system_quality=quality, verbosity=verbosity, quality=residual,
        output_length=wordiness, shared=shared, gamed=None, reference=None,
    )  # fmt: skip
