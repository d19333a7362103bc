"""The truth behind simulated data: which metric is better, by how much, and who gamed what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from metaeval.errors import InputError, choices
from metaeval.scores import FloatArray
from metaeval.simulate.config import Config
from metaeval.simulate.kinds import Kind
from metaeval.simulate.metrics import gain, own_system_effects
from metaeval.simulate.moments import correlations, metric_moments, quality_moments
from metaeval.simulate.streams import Streams
from metaeval.simulate.world import World

GROUPINGS = ("none", "item", "system", "systems")


@dataclass(frozen=True)
class MetricTruth:
    """One metric: its parts, and its exact correlation with latent quality on these systems."""

    kind: Kind
    correlation: Mapping[str, float | None]
    """By grouping, ``none``, ``item``, ``system``, as items become many; ``systems``: of system means."""
    system_effects: tuple[float, ...]
    """What it likes about each system beyond quality, gaming included; in units of latent quality."""


@dataclass(frozen=True)
class Gaming:
    """Which system's outputs were chosen to please which metric, and what that gained."""

    system: str
    metric: str
    residuals: float
    """The gain in residual standard deviations of the metric."""
    gain: float
    """The gain in units of the metric's scores; approximate for a discrete metric."""


@dataclass(frozen=True, eq=False)
class Truth:
    """Everything that an analysis of the data could hope to find."""

    seed: int | None
    config: Config
    systems: tuple[str, ...]
    system_quality: FloatArray
    quality: FloatArray
    """Latent quality, systems x items."""
    metrics: Mapping[str, MetricTruth]
    gamed: Gaming | None

    def ranking(self, grouping: str = "item") -> list[str]:
        """Metrics, best first, by correlation with latent quality; those that have none are left out.

        >>> from metaeval.simulate import simulate
        >>> simulate(text=False).truth.ranking()[:2]
        ['Neural-refA', 'Coarse-refA']
        """
        values = {key: value for key in self.metrics if (value := self._value(key, grouping)) is not None}
        return sorted(values, key=lambda key: -values[key])

    def difference(self, better: str, worse: str, grouping: str = "item") -> float | None:
        """By how much one metric's correlation with latent quality exceeds another's; None if undefined."""
        one, other = self._value(better, grouping), self._value(worse, grouping)
        return None if one is None or other is None else one - other

    def _value(self, key: str, grouping: str) -> float | None:
        if grouping not in GROUPINGS:
            raise InputError(f"there is no grouping {grouping!r}", remedy=choices(grouping, GROUPINGS))
        if key not in self.metrics:
            raise InputError(f"there is no metric {key!r}", remedy=choices(key, self.metrics))
        return self.metrics[key].correlation[grouping]

    def as_dict(self, *, cells: bool = True) -> dict[str, Any]:
        """Everything, ready for JSON; ``cells=False`` leaves out the quality of every output."""
        known: dict[str, Any] = {
            "seed": self.seed,
            "config": self.config.as_dict(),
            "systems": dict(zip(self.systems, self.system_quality.tolist(), strict=True)),
            "metrics": {
                key: {
                    "kind": asdict(each.kind),
                    "correlation": dict(each.correlation),
                    "system_effects": dict(zip(self.systems, each.system_effects, strict=False)),
                }
                for key, each in self.metrics.items()
            },
            "ranking": {grouping: self.ranking(grouping) for grouping in GROUPINGS},
            "gamed": None if self.gamed is None else asdict(self.gamed),
        }
        return known | ({"quality": self.quality.tolist()} if cells else {})


def find_truth(
    config: Config, world: World, streams: Streams, names: tuple[str, ...], seed: int | None
) -> Truth:
    """The truth about a world. The reference, where it is listed as a system, does not count as one."""
    ranked, items = world.ranked, world.items
    quality, verbosity = world.system_quality[:ranked], world.verbosity[:ranked]
    ideal = quality_moments(config, items, quality)
    metrics: dict[str, MetricTruth] = {}
    gamed: Gaming | None = None
    for kind in config.kinds:
        extra = own_system_effects(kind, len(world.quality), streams)[:ranked]
        if world.gamed is not None and (gained := gain(config, kind)):
            extra[world.gamed] += gained
            gamed = Gaming(names[world.gamed], kind.key, config.gaming, gained * kind.per_unit)
        moments = metric_moments(config, items, kind, quality, verbosity, extra)
        metrics[kind.key] = MetricTruth(kind, correlations(moments, ideal), tuple(extra.tolist()))
    held = np.array(world.quality)
    held.flags.writeable = False
    return Truth(seed, config, names, world.system_quality, held, metrics, gamed)
