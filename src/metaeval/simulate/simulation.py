"""Simulated evaluation data with its truth, and the bare arrays of it for studies that draw thousands."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from metaeval.evalset import EvalSet, by_key
from metaeval.scores import FloatArray, Scores
from metaeval.simulate.config import Config
from metaeval.simulate.human import rate
from metaeval.simulate.metrics import score
from metaeval.simulate.streams import Streams
from metaeval.simulate.text import write_texts
from metaeval.simulate.truth import Truth, find_truth
from metaeval.simulate.world import DOMAINS, World, draw_world

TREES = (
    *("Alder", "Birch", "Cedar", "Dogwood", "Elm", "Fir", "Gum", "Hazel"),
    *("Ivy", "Juniper", "Kauri", "Larch", "Maple", "Nutmeg", "Oak", "Pine"),
)
PROTOCOL = "mqm"
REFERENCE = "refA"


@dataclass(frozen=True, eq=False)
class Draw:
    """One simulated set as arrays."""

    human: FloatArray
    """systems x items, NaN where unrated."""
    metrics: FloatArray
    """metrics x systems x items, in the order of ``config.kinds``."""
    world: World


def draw(config: Config, seed: int | np.random.SeedSequence) -> Draw:
    """The scores alone: no texts, no ids. 12 systems x 200 items with 2 metrics take 0.5 ms.

    >>> from metaeval.simulate import equal_metrics
    >>> drawn = draw(equal_metrics(2, systems=4, items=10), seed=1)
    >>> drawn.human.shape, drawn.metrics.shape
    ((4, 10), (2, 4, 10))
    """
    streams = Streams(seed)
    world = draw_world(config, streams)
    scores = np.stack([score(config, kind, world, streams) for kind in config.kinds])
    return Draw(rate(config, world, streams), scores, world)


@dataclass(frozen=True, eq=False)
class Simulation:
    """Evaluation data, made on demand from its configuration and seed, and the truth about it."""

    config: Config
    seed: int

    @cached_property
    def drawn(self) -> Draw:
        """The scores as arrays."""
        return draw(self.config, self.seed)

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """Names that say nothing about quality."""
        count = self.config.systems
        named = [TREES[i % len(TREES)] + (f"{i // len(TREES) + 1}" * (i >= len(TREES))) for i in range(count)]
        return (*named, REFERENCE) if self.config.reference_system else tuple(named)

    @cached_property
    def truth(self) -> Truth:
        """Which metric is better, by how much, and who gamed what."""
        return find_truth(self.config, self.drawn.world, Streams(self.seed), self.systems, self.seed)

    @cached_property
    def evalset(self) -> EvalSet:
        """The data as any analysis would get them. With texts 12 systems x 400 items take 30 ms."""
        config, items = self.config, self.drawn.world.items
        domain = [DOMAINS[number][0] for number in items.domain.tolist()]
        document = [
            f"{name}-{number + 1}" for name, number in zip(domain, items.document.tolist(), strict=True)
        ]
        scores = zip(config.kinds, self.drawn.metrics, strict=True)
        bare = EvalSet(
            systems=self.systems,
            items=tuple(str(number + 1) for number in range(config.items)),
            human={PROTOCOL: Scores(PROTOCOL, segment=self.drawn.human)},
            metrics=by_key(Scores(kind.name, kind.reference, segment=values) for kind, values in scores),
            item_context={"document": tuple(document), "domain": tuple(domain)},
            name="simulated",
            pair=config.pair,
        )
        if not config.text:
            return bare
        return replace(bare, **write_texts(config, self.drawn.world, self.systems, Streams(self.seed)))

    def __repr__(self) -> str:
        return f"<Simulation: {self.config.systems} systems, {self.config.items:,} items, seed {self.seed}>"


def simulate(config: Config | None = None, *, seed: int = 0, **knobs: object) -> Simulation:
    """Evaluation data whose truth is known: the same seed gives the same data.

    Args:
        config: what to simulate; the default plants every known fault, ``CLEAN`` none.
        seed: a whole number.
        knobs: changes to the configuration by name, as ``systems=20``; see :class:`Config`.

    >>> simulation = simulate(systems=5, items=30, seed=1)
    >>> simulation.evalset
    <EvalSet simulated qaa-qab: 5 systems, 30 items, human: mqm, 8 metrics>
    >>> simulation.truth.gamed.metric
    'Neural-refA'
    """
    Streams(seed)
    return Simulation((Config() if config is None else config).with_knobs(**knobs), seed)
