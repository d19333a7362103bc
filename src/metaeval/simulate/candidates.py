"""Candidate outputs that a system could have given, to choose among them as reranking and MBR decoding do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from metaeval.errors import InputError, choices
from metaeval.evalset import EvalSet, Texts
from metaeval.scores import FloatArray
from metaeval.simulate.human import mark
from metaeval.simulate.metrics import latent_score, own_system_effects, published
from metaeval.simulate.simulation import PROTOCOL, Simulation
from metaeval.simulate.streams import Streams
from metaeval.simulate.text import TARGET, draw_sentences, translate
from metaeval.simulate.world import World, outputs


@dataclass(frozen=True, eq=False)
class Candidates:
    """Several outputs of one system for every item: true quality, every metric's scores, texts."""

    simulation: Simulation
    system: str
    world: World
    """The candidates as if they were systems."""

    @property
    def quality(self) -> FloatArray:
        """Latent quality, candidates x items."""
        return self.world.quality

    @property
    def _streams(self) -> Streams:
        return Streams(self.simulation.seed)

    @cached_property
    def scores(self) -> Mapping[str, FloatArray]:
        """By metric, candidates x items; on the scale of the simulation's own scores, without gaming."""
        row, found = self.simulation.systems.index(self.system), {}
        for kind in self.simulation.config.kinds:
            chance = self._streams("candidates", self.system, kind.key)
            seen = latent_score(kind, self.world, self._streams, chance)
            seen += own_system_effects(kind, len(self.simulation.systems), self._streams)[row]
            found[kind.key] = published(kind, seen)
        return found

    @cached_property
    def texts(self) -> tuple[Texts, ...]:
        """By candidate, the texts of all items."""
        config = self.simulation.config
        reference = draw_sentences(config, self.world, self._streams("source"))
        chance = self._streams("candidates", self.system, "text")
        rows = range(len(self.quality))
        return tuple(translate(config, self.world, row, reference, chance).texts(TARGET) for row in rows)

    def add_to(self, evalset: EvalSet, choice: Sequence[int], name: str) -> EvalSet:
        """The simulation's data with one more system: for every item the candidate of that number.

        Humans rate it as they rate the others; what nobody rated stays unrated.
        """
        chosen, items = np.asarray(choice, dtype=np.intp), np.arange(self.quality.shape[1])
        if chosen.shape != items.shape or chosen.min() < 0 or chosen.max() >= len(self.quality):
            raise InputError(f"choice must hold {len(items):,} numbers from 0 to {len(self.quality) - 1}")
        if name in evalset.systems:
            raise InputError(f"there is a system {name!r} already", remedy="Choose another name.")

        def added(scores: FloatArray | None, row: FloatArray) -> FloatArray | None:
            return None if scores is None else np.vstack([scores, row])

        human = mark(self.simulation.config, self.world, self._streams, self._streams("ratings", name))
        of_humans = evalset.human[PROTOCOL]
        unrated = np.isnan(self.simulation.drawn.human).all(axis=0)
        row = np.where(unrated, np.nan, human[chosen, items])
        return replace(
            evalset,
            systems=(*evalset.systems, name),
            human={**evalset.human, PROTOCOL: replace(of_humans, segment=added(of_humans.segment, row))},
            metrics={
                key: replace(scores, segment=added(scores.segment, self.scores[key][chosen, items]))
                for key, scores in evalset.metrics.items()
            },
            outputs={**evalset.outputs, name: self._written(chosen)} if evalset.outputs else {},
        )

    def _written(self, choice: np.ndarray[tuple[int], np.dtype[np.intp]]) -> Texts:
        return tuple(self.texts[candidate][item] for item, candidate in enumerate(choice.tolist()))


def candidates(simulation: Simulation, system: str, count: int = 16) -> Candidates:
    """``count`` outputs of a system for every item. O(count * items) a metric.

    Choosing by a metric raises that metric's score more than the quality, which is interference:

    >>> from metaeval.simulate import CLEAN, simulate
    >>> simulation = simulate(CLEAN, seed=1)
    >>> pool = candidates(simulation, "Elm", count=8)
    >>> best = pool.scores["Neural-refA"].argmax(axis=0)
    >>> pool.add_to(simulation.evalset, best, "Elm-Neural").systems[-1]
    'Elm-Neural'
    """
    config = simulation.config
    known = simulation.systems[: config.systems]
    if system not in known:
        raise InputError(f"there is no system {system!r}", remedy=choices(system, known))
    if count < 1:
        raise InputError(f"count is {count}, expected at least 1 candidate")
    world, row = simulation.drawn.world, simulation.systems.index(system)
    quality = np.full(count, world.system_quality[row])
    verbosity = np.full(count, world.verbosity[row])
    chance = Streams(simulation.seed)("candidates", system)
    return Candidates(simulation, system, outputs(config, world.items, quality, verbosity, chance))
