"""How far a search on a sample of the pairs is off (appendix E): over seeds, against the exact search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from metaeval.errors import InputError
from metaeval.kernels.calibration import calibrate
from metaeval.measures.groups import Grouping
from metaeval.measures.kendall import PairStatistic
from metaeval.paired import Paired
from metaeval.probes.ties.subject import Subject, statistic, subjects
from metaeval.progress import Progress
from metaeval.scores import Scores


@dataclass(frozen=True, slots=True)
class SampledMetric:
    """What each seed found for one metric, and what there is to find."""

    metric: Scores
    epsilon: float
    value: float
    epsilons: tuple[float, ...]
    values: tuple[float, ...]
    """The statistic on all pairs at each of the ``epsilons``."""

    @property
    def epsilon_off(self) -> float:
        """The largest distance of a sampled epsilon from the exact one."""
        return max(abs(e - self.epsilon) for e in self.epsilons)

    @property
    def value_off(self) -> float:
        """The most that a sampled epsilon loses."""
        return max(self.value - v for v in self.values)


@dataclass(frozen=True, slots=True)
class SampleSpread:
    """All metrics in one grouping."""

    kind: ClassVar[str] = "sampling"
    statistic: PairStatistic
    share: float
    repeats: int
    seed: int
    metrics: tuple[SampledMetric, ...]


def sample_spread(
    paired: Paired,
    grouping: Grouping = "item",
    *,
    of: str = "acc_eq",
    share: float = 0.1,
    repeats: int = 30,
    seed: int = 0,
    progress: Progress | None = None,
) -> SampleSpread:
    """Search on ``share`` of the pairs, with ``repeats`` seeds from ``seed`` on, and exactly.

    Every search on a sample draws from all pairs: O(pairs) a repeat.
    """
    if repeats < 1:
        raise InputError(f"found {repeats} repeats, expected at least 1")
    which = statistic(of, grouping)
    found = []
    for done, one in enumerate(subjects(paired, grouping)):
        if progress is not None:
            progress(f"samples by {grouping}", done, len(paired.metrics))
        found.append(_sampled(one, which, share, range(seed, seed + repeats)))
    return SampleSpread(which, share, repeats, seed, tuple(sorted(found, key=lambda m: -m.value)))


def _sampled(one: Subject, which: PairStatistic, share: float, seeds: range) -> SampledMetric:
    def search(sample: float | None, seed: int) -> tuple[float, float]:
        found = calibrate(
            one.groups.human,
            one.scores,
            one.groups.offsets,
            which.value,
            linear=which.linear,
            monotone=which.monotone,
            relative=which.relative,
            sample=sample,
            seed=seed,
        )
        return found.epsilon, found.value

    epsilon, value = search(None, 0)
    samples = [search(share, seed) for seed in seeds]
    epsilons, values = zip(*samples, strict=True)
    return SampledMetric(one.metric, epsilon, value, epsilons, values)
