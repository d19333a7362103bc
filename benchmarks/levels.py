"""Which test holds its level, which interval covers: every test against every measure on simulated truth.

Level: two metrics of exactly equal quality; how often a test at 5% calls the first better than the second.
Coverage: how often a 95% bootstrap interval holds the value that its resampling aims at. Power: how often a
truly better metric is found. Run: python benchmarks/levels.py --sets 1000 --jobs 2 (hours), or --quick.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from metaeval.measures.base import Measure
from metaeval.measures.registry import parse_measure
from metaeval.paired import Paired, pair_up
from metaeval.parallel import spread
from metaeval.significance.engine import gather
from metaeval.significance.plan import Plan, Test, Unit
from metaeval.simulate import Config, equal_metrics, simulate

MEASURES = (
    "pearson@none",
    "pearson@item",
    "pearson@system",
    "pdp@item",
    "spearman@item",
    "tau_b@none",
    "tau_b@item",
    "acc_eq@item",
    "acc_eq(epsilon=best)@item",
    "acc_eq(epsilon=best)@none",
    "pa",
    "spa",
    "spa(method=normal)",
    "system_pearson",
    "system_tau_b",
)
TESTS: tuple[Test, ...] = ("perm-inputs", "perm-both", "perm-systems", "perm-pairs")
DRAWS = 199
"""With (count + 1) / (draws + 1), 5% is then a p-value that exists."""
ALPHA = 0.05
SLOW = frozenset(
    {
        ("spa", "perm-both"),
        ("acc_eq(epsilon=best)@none", "perm-pairs"),
        ("spearman@item", "perm-both"),
        ("spearman@item", "perm-systems"),
    }
)
"""Slow tests that are no default: a tenth of the sets is drawn."""


@dataclass(frozen=True, slots=True)
class Share:
    """How many of the sets did something."""

    count: int
    sets: int

    def __str__(self) -> str:
        return f"{self.count / self.sets:.1%}"


def paired(config: Config, seed: int) -> Paired:
    return pair_up(simulate(config, seed=seed).evalset)


def rejects(seed: int, config: Config, measure: Measure, test: Test) -> bool:
    """Whether the test calls the first of the metrics better than the second."""
    data = paired(config, seed)
    outcomes = [measure.evaluate(data.human, scores) for scores in data.scores]
    plan = Plan(test=test, draws=DRAWS, seed=seed, bootstrap="none")
    return bool(gather(data, measure, outcomes, plan).p[0, 1] <= ALPHA)


def level(config: Config, text: str, test: Test, sets: int, jobs: int) -> Share:
    job = partial(rejects, config=config, measure=parse_measure(text), test=test)
    return Share(sum(spread(job, range(sets), jobs, "processes")), sets)


def applies(text: str, test: Test) -> bool:
    """perm-pairs exchanges the outcomes of pairs, which only accuracies are sums of."""
    return test != "perm-pairs" or text.startswith("acc_eq")


def level_table(measures: Sequence[str], sets: int, jobs: int) -> Iterator[str]:
    """A row a measure, a column a test; in each cell the level without and with item effects of the metrics.

    The default test is drawn on all sets, the others on two fifths, the slow ones on a tenth.
    """
    yield "| measure | " + " | ".join(test.upper() for test in TESTS) + " |"
    yield "|---|" + "---:|" * len(TESTS)
    for text in measures:
        cells = []
        for test in TESTS:
            some = sets if test == TESTS[0] else sets // 10 if (text, test) in SLOW else sets * 2 // 5
            found = [
                level(equal_metrics(2, systems=12, items=200, item_effects=effects), text, test, some, jobs)
                for effects in (False, True)
                if applies(text, test)
            ]
            cells.append(" / ".join(map(str, found)) or "–")
        yield f"| `{text}` | {' | '.join(cells)} |"


@dataclass(frozen=True, slots=True)
class Setting:
    """How items hang together, who rates them, and what is resampled."""

    about: str
    documents: int = 200
    rater_spread: float = 0.0
    unit: Unit = "item"


SETTINGS = (
    Setting("items independent, items resampled"),
    Setting("items in 40 documents, items resampled", documents=40),
    Setting("items in 40 documents, documents resampled", documents=40, unit="document"),
    Setting("items independent, 3 raters of unequal severity, items resampled", rater_spread=0.3),
)


def covers(seed: int, config: Config, measure: Measure, aim: float, unit: Unit) -> bool:
    """Whether the interval holds what it aims at."""
    data = paired(config, seed)
    outcomes = [measure.evaluate(data.human, data.scores[0])]
    plan = Plan(test="none", draws=1000, seed=seed, bootstrap="inputs", unit=unit)
    evidence = gather(data, measure, outcomes, plan)
    return bool(evidence.ci_low[0] <= aim <= evidence.ci_high[0])


def value(seed: int, config: Config, measure: Measure) -> float:
    data = paired(config, seed)
    return measure.evaluate(data.human, data.scores[0]).value


def aimed_at(config: Config, measure: Measure, jobs: int, sets: int) -> float:
    """The expected value of the measure on sets of this size, with these very systems."""
    job = partial(value, config=config, measure=measure)
    return float(np.mean(list(spread(job, range(10**6, 10**6 + sets), jobs, "processes"))))


def coverage(measure: Measure, setting: Setting, sets: int, jobs: int) -> Share:
    """Items are redrawn while the systems stay, which is what resampling items imitates."""
    config = equal_metrics(
        1,
        systems=12,
        items=200,
        system_quality=tuple(np.linspace(-0.7, 0.7, 12).tolist()),
        documents=setting.documents,
        rater_spread=setting.rater_spread,
    )
    aim = aimed_at(config, measure, jobs, max(200, sets))
    job = partial(covers, config=config, measure=measure, aim=aim, unit=setting.unit)
    return Share(sum(spread(job, range(sets), jobs, "processes")), sets)


def coverage_table(measures: Sequence[str], sets: int, jobs: int) -> Iterator[str]:
    """A row a measure, a column a setting."""
    yield "| measure | " + " | ".join(setting.about for setting in SETTINGS) + " |"
    yield "|---|" + "---:|" * len(SETTINGS)
    for text in measures:
        found = [coverage(parse_measure(text), setting, sets, jobs) for setting in SETTINGS]
        yield f"| `{text}` | {' | '.join(map(str, found))} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few sets: shows that it runs, not what holds")
    parser.add_argument("--sets", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", choices=("level", "coverage"))
    parser.add_argument("--measures", nargs="+", default=list(MEASURES))
    arguments = parser.parse_args()
    sets = 20 if arguments.quick else arguments.sets
    if arguments.only != "coverage":
        print(f"Level: two equal metrics, 5%, {sets} sets; without / with item effects of the metrics")
        for line in level_table(arguments.measures, sets, arguments.jobs):
            print(line, flush=True)
    if arguments.only != "level":
        print(f"Coverage of 95% intervals, {sets} sets")
        for line in coverage_table(arguments.measures, sets, arguments.jobs):
            print(line, flush=True)


if __name__ == "__main__":
    main()
