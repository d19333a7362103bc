"""Power: how many systems and segments it takes to tell two metrics apart, by simulation.

What an organiser needs to know before paying annotators. Two metrics are simulated whose true agreement with
quality is given; data sets are drawn for every number of systems and segments; the test is run on each as it
would be on real data (Card et al. 2020 argue for it).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import sqrt
from types import MappingProxyType

import numpy as np
from scipy.special import ndtri

import metaeval
from metaeval.errors import InputError
from metaeval.measures.base import Measure
from metaeval.measures.registry import parse_measure
from metaeval.paired import pair_up
from metaeval.parallel import spread
from metaeval.progress import Progress
from metaeval.significance.engine import gather
from metaeval.significance.plan import Plan
from metaeval.simulate import CLEAN, Config, metric_reaching, simulate

DEFAULT_MEASURES = ("acc_eq(epsilon=best)@item", "spa(method=normal)")
WANTED = 0.8
"""The power that studies usually ask for."""
AT_A_TIME = 20
"""Simulated sets a task for another process."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What became of the sets simulated for one number of systems and of segments."""

    measure: str
    systems: int
    segments: int
    sets: int
    found: int
    """Sets on which the better metric was significantly better."""
    wrong: int
    """Sets on which the worse metric was."""

    @property
    def power(self) -> float:
        return self.found / self.sets

    @property
    def interval(self) -> tuple[float, float]:
        return wilson(self.found, self.sets)

    @property
    def judgments(self) -> int:
        """What has to be rated: every output of every system."""
        return self.systems * self.segments


@dataclass(frozen=True, slots=True)
class PowerStudy:
    """The grid, and what it rests on."""

    cells: tuple[Cell, ...]
    signature: Mapping[str, object]

    def cheapest(self, measure: str) -> Cell | None:
        """The cell with the fewest judgments whose power is as wanted; None if there is none."""
        enough = [cell for cell in self.cells if cell.measure == measure and cell.power >= WANTED]
        return min(enough, key=lambda cell: (cell.judgments, cell.systems), default=None)


def power(
    better: float,
    worse: float,
    measures: Sequence[str | Measure] = DEFAULT_MEASURES,
    *,
    systems: Sequence[int] = (8, 12, 16),
    segments: Sequence[int] = (100, 200, 400),
    sets: int = 200,
    plan: Plan | None = None,
    config: Config = CLEAN,
    progress: Progress | None = None,
) -> PowerStudy:
    """Simulates ``sets`` data sets for each number of systems and segments, and tests both metrics on each.

    Args:
        better, worse: the metrics' expected correlations, by item, with the latent quality that humans see.
        plan: the test; its bootstrap is not run. Every set has a seed of its own, so the numbers depend
            neither on the other cells nor on the jobs.
        config: everything else about the data: raters, errors, spread of systems.

    >>> study = power(0.8, 0.4, ["pearson@item"], systems=[6], segments=[99], sets=10, plan=Plan(draws=99))
    >>> study.cells[0].found
    10
    """
    plan = replace(plan or Plan(draws=200), bootstrap="none", early_stop=True)
    if plan.test == "none":
        raise InputError("a study of power needs a test", remedy="Leave out --test none.")
    if not worse <= better:
        raise InputError(f"the better metric is worse: {better} against {worse}", remedy="Exchange the two.")
    if sets < 1:
        raise InputError(f"sets is {sets}, expected a number from 1 up")
    chosen = tuple(str(m if isinstance(m, Measure) else parse_measure(m)) for m in measures)
    pair = (metric_reaching(better, "Better", config=config), metric_reaching(worse, "Worse", config=config))
    study = replace(config, metrics=pair, gamed=False, gamed_metric=None, text=False)
    grid = [(s, n) for s in systems for n in segments]
    configs = {at: study.with_knobs(systems=at[0], items=at[1]) for at in grid}

    def tasks() -> Iterator[tuple[Config, range]]:
        for at in grid:
            for start in range(0, sets, AT_A_TIME):
                yield configs[at], range(start, min(start + AT_A_TIME, sets))

    count = len(grid) * -(-sets // AT_A_TIME)
    verdicts: dict[tuple[int, int], list[list[tuple[bool, bool]]]] = {at: [] for at in grid}
    alone = replace(plan, jobs=1)
    results = spread(partial(_verdicts, chosen, alone), tasks(), plan.jobs, "processes")
    for done, ((task, _), result) in enumerate(zip(tasks(), results, strict=True), start=1):
        verdicts[task.systems, task.items] += result
        if progress is not None:
            progress("simulated sets", done * AT_A_TIME, count * AT_A_TIME)
    cells = tuple(
        Cell(
            measure,
            *at,
            sets,
            sum(one[m][0] for one in verdicts[at]),
            sum(one[m][1] for one in verdicts[at]),
        )
        for m, measure in enumerate(chosen)
        for at in grid
    )
    return PowerStudy(cells, _sign(better, worse, sets, plan))


def wilson(found: int, of: int, coverage: float = 0.95) -> tuple[float, float]:
    """The interval of a proportion (Wilson 1927), which never leaves [0, 1].

    >>> [round(limit, 3) for limit in wilson(8, 10)]
    [0.49, 0.943]
    """
    z = float(ndtri((1 + coverage) / 2))
    share, penalty = found / of, z * z / of
    middle = (share + penalty / 2) / (1 + penalty)
    half = z / (1 + penalty) * sqrt(share * (1 - share) / of + penalty / (4 * of))
    return max(0.0, middle - half), min(1.0, middle + half)


def _verdicts(
    measures: Sequence[str], plan: Plan, task: tuple[Config, range]
) -> list[list[tuple[bool, bool]]]:
    """For each set and measure: is the better metric significantly better, is the worse one."""
    config, numbers = task
    return [[_verdict(measure, plan, config, number) for measure in measures] for number in numbers]


def _verdict(text: str, plan: Plan, config: Config, number: int) -> tuple[bool, bool]:
    key = (config.systems, config.items, number)
    seed = int(np.random.SeedSequence(plan.seed, spawn_key=key).generate_state(1, np.uint32)[0])
    paired = pair_up(simulate(config, seed=seed).evalset)
    measure = parse_measure(text).bind(paired.systems)
    outcomes = [measure.evaluate(paired.human, scores) for scores in paired.scores]
    p = gather(paired, measure, outcomes, replace(plan, seed=seed)).p
    return bool(p[0, 1] <= plan.alpha), bool(p[1, 0] <= plan.alpha)


def _sign(better: float, worse: float, sets: int, plan: Plan) -> Mapping[str, object]:
    return MappingProxyType(
        {
            "version": metaeval.__version__,
            "better": better,
            "worse": worse,
            "sets": sets,
            "test": plan.test,
            "unit": plan.unit,
            "convention": plan.convention,
            "draws": plan.draws,
            "alpha": plan.alpha,
            "seed": plan.seed,
        }
    )
