"""How much a measure's verdict depends on the systems and segments that happened to be rated.

The ablations of Thompson et al. 2024, sections 4.1 and 4.2: with fewer systems, do the metrics' values still
correlate with those on all systems; with fewer segments, how wide are the values' intervals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

import metaeval
from metaeval.errors import InputError
from metaeval.evalset import EvalSet
from metaeval.measures.base import Measure, system_means
from metaeval.measures.registry import parse_measure
from metaeval.measures.system import correlation
from metaeval.names import Patterns
from metaeval.paired import Missing, Paired, pair_up
from metaeval.progress import Progress
from metaeval.scores import FloatArray
from metaeval.significance.paths import path_for_resampling
from metaeval.significance.paths.base import Task
from metaeval.subsets import on_systems, subsets_of

DEFAULT_MEASURES = ("pa", "spa(method=normal)")
"""SPA in closed form: within 0.002 of its permutations, and a thousand times faster where samples differ."""
COVERAGE = 0.95
FEWEST_METRICS = 3
_SEGMENTS = 1
"""Key of the draws of segments; those of subsets are 0."""


@dataclass(frozen=True, slots=True)
class SystemPoint:
    """Agreement with the values on all systems, over subsets of one size. None where no subset has any."""

    measure: str
    size: int
    subsets: int
    exact: bool
    """Whether these are all subsets of that size."""
    mean: float | None
    """Pearson's r, over metrics, of the values on a subset with those on all systems; its mean."""
    low: float | None
    high: float | None
    undefined: int
    """Subsets on which all metrics have the same value, or some have none; they are left out."""


@dataclass(frozen=True, slots=True)
class SegmentPoint:
    """A metric's value on bootstrap samples of some size. None where no sample has any."""

    measure: str
    metric: str
    size: int
    mean: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Stability:
    """Both ablations, and what they rest on."""

    systems: tuple[SystemPoint, ...]
    segments: tuple[SegmentPoint, ...]
    signature: Mapping[str, object]
    notes: tuple[str, ...] = ()

    def widths(self) -> dict[tuple[str, int], float]:
        """The mean width of the metrics' intervals, by measure and number of segments."""
        found: dict[tuple[str, int], list[float]] = {}
        for point in self.segments:
            if point.low is not None and point.high is not None:
                found.setdefault((point.measure, point.size), []).append(point.high - point.low)
        return {key: float(np.mean(widths)) for key, widths in found.items()}


def stability(
    data: EvalSet,
    measures: Sequence[str | Measure] = DEFAULT_MEASURES,
    *,
    fewer_systems: bool = True,
    fewer_segments: bool = True,
    sizes: Sequence[int] | None = None,
    draws: int = 500,
    seed: int = 0,
    human: str | None = None,
    reference: str | None = None,
    metrics: Patterns | None = None,
    exclude: Patterns | None = None,
    domain: Patterns | None = None,
    missing: Missing = "error",
    progress: Progress | None = None,
) -> Stability:
    """Both ablations, or one.

    Args:
        sizes: numbers of systems or of segments, where one ablation is asked for; by default all numbers of
            systems from 2, and segments doubling from 25.
        draws: subsets or samples of each size; all subsets where they are no more.

    >>> from metaeval.simulate import simulate
    >>> found = stability(simulate(seed=1, systems=8, items=100, text=False).evalset, draws=50)
    >>> [point.size for point in found.systems if point.measure == "pa"]
    [2, 3, 4, 5, 6, 7]
    """
    if sizes is not None and fewer_systems and fewer_segments:
        raise InputError("sizes of what?", remedy="Ask for one of the two: --systems, or --segments")
    if draws < 1:
        raise InputError(f"draws is {draws}, expected a number from 1 up")
    evalset = data.select(exclude=exclude, domain=domain)
    paired = pair_up(evalset, human=human, reference=reference, metrics=metrics, missing=missing)
    chosen = [m if isinstance(m, Measure) else parse_measure(m) for m in measures]
    by_system: list[SystemPoint] = []
    by_segment: list[SegmentPoint] = []
    for measure in chosen:
        if fewer_systems:
            by_system += with_fewer_systems(paired, measure, sizes, draws, seed, progress)
        if fewer_segments:
            by_segment += with_fewer_segments(paired, measure, sizes, draws, seed, progress)
    signature = {
        "version": metaeval.__version__,
        "data": evalset.digest[:8],
        "name": evalset.name,
        "pair": evalset.pair,
        "human": paired.protocol,
        "reference": paired.reference,
        "metrics": len(paired.metrics),
        "systems": len(paired.systems),
        "items": len(paired.items),
        "draws": draws,
        "seed": seed,
    }
    notes = _notes(paired) if fewer_systems else ()
    return Stability(tuple(by_system), tuple(by_segment), MappingProxyType(signature), notes)


def with_fewer_systems(
    paired: Paired,
    measure: Measure,
    sizes: Sequence[int] | None = None,
    draws: int = 500,
    seed: int = 0,
    progress: Progress | None = None,
) -> list[SystemPoint]:
    """Do the metrics' values on a subset of systems correlate with those on all?

    A mean over pairs of systems (pa, spa) costs one matrix product a size: the p-values of a pair do not
    depend on the other systems. Other measures are evaluated on every subset, calibrated epsilons kept.
    """
    count = len(paired.systems)
    if len(paired.metrics) < FEWEST_METRICS:
        raise InputError(
            f"there are {len(paired.metrics)} metrics, and a correlation over them needs {FEWEST_METRICS}",
            remedy="Choose more, or look at segments: --segments",
        )
    chosen = checked_sizes(sizes or range(2, count), 2, count, "systems")
    values = on_systems(paired, measure)
    everything = values(np.ones((1, count), dtype=np.int64))[0]
    points = []
    for done, size in enumerate(chosen):
        if progress is not None:
            progress(f"{measure}: fewer systems", done, len(chosen))
        subsets, exact = subsets_of(count, size, draws, seed)
        r = correlation(values(subsets), np.broadcast_to(everything, (len(subsets), len(everything))))
        known = r[~np.isnan(r)]
        mean, low, high = summary(known)
        undefined = len(r) - len(known)
        points.append(SystemPoint(str(measure), size, len(subsets), exact, mean, low, high, undefined))
    return points


def with_fewer_segments(
    paired: Paired,
    measure: Measure,
    sizes: Sequence[int] | None = None,
    draws: int = 500,
    seed: int = 0,
    progress: Progress | None = None,
) -> list[SegmentPoint]:
    """Percentile bootstrap intervals of every metric's value, from samples of fewer segments.

    Segments are drawn with replacement, the same for all systems, metrics and measures.
    """
    measure = measure.bind(paired.systems)
    count = len(paired.items)
    chosen = checked_sizes(sizes or doubling(count), 1, count, "segments")
    outcomes = [measure.evaluate(paired.human, scores) for scores in paired.scores]
    path = path_for_resampling(measure, "inputs")(Task(paired, measure, outcomes))
    points = []
    for done, size in enumerate(chosen):
        if progress is not None:
            progress(f"{measure}: fewer segments", done, len(chosen))
        chance = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(_SEGMENTS, size)))
        weights = chance.multinomial(size, np.full(count, 1 / count), size=draws)
        samples = path.resampled(weights, np.ones((draws, len(paired.systems)), dtype=np.int64))
        for metric, column in zip(paired.keys, samples.T, strict=True):
            points.append(SegmentPoint(str(measure), metric, size, *summary(column[~np.isnan(column)])))
    return points


def _notes(paired: Paired) -> tuple[str, ...]:
    """A warning of metrics that score all systems alike: r looks stable because no subset changes that."""
    alike = [
        key
        for key, scores in zip(paired.keys, paired.scores, strict=True)
        if np.ptp(system_means(scores)) <= 1e-9 * np.nanstd(scores)
    ]
    if not alike:
        return ()
    note = (
        f"one score for all systems: {', '.join(alike)}; outliers in every subset, which make the "
        "correlation look stable; choose metrics without them"
    )
    return (note,)


def checked_sizes(sizes: Sequence[int], least: int, most: int, what: str) -> list[int]:
    """Sizes in order, or the message that one is not possible."""
    for size in sizes:
        if not least <= size <= most:
            raise InputError(f"there are {most:,} {what}: {size:,} of them is not possible")
    return sorted(set(sizes))


def doubling(count: int, start: int = 25) -> list[int]:
    """25, 50, 100, ... and all.

    >>> doubling(120)
    [25, 50, 100, 120]
    """
    sizes = []
    while start < count:
        sizes.append(start)
        start *= 2
    return [*sizes, count]


def summary(known: FloatArray) -> tuple[float | None, float | None, float | None]:
    """Mean and the limits that hold 95% of the values; nothing for no values."""
    if not known.size:
        return None, None, None
    low, high = np.quantile(known, [(1 - COVERAGE) / 2, (1 + COVERAGE) / 2])
    return float(known.mean()), float(low), float(high)
