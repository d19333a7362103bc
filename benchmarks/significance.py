"""How fast the tests between all metrics are, beside a loop that builds every hybrid and evaluates it.

    python benchmarks/significance.py            1000 draws on WMT22 zh-en, or simulated data of that size
    python benchmarks/significance.py --quick    small simulated data, some seconds

Each line: the values of all metrics; the test of all pairs of metrics, the fastest of three runs; what a loop
would need, from three of its draws for one pair; the ratio of loop and test. The loop does what toolkits do:
swap the scores of two metrics, compute the statistic group by group with scipy or numpy, and again for the
other direction. Of calibrated accuracy it gets the outcomes of pairs for nothing.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import scipy.stats

from metaeval.evalset import EvalSet
from metaeval.measures.registry import parse_measure
from metaeval.paired import Paired, pair_up
from metaeval.scores import FloatArray, Scores
from metaeval.significance.engine import gather
from metaeval.significance.plan import Plan, Test
from metaeval.significance.units import EXCHANGES

DATA = Path(os.environ.get("METAEVAL_REAL_DATA", Path(__file__).parents[2] / "shared" / "data")) / "wmt22"
CASES: tuple[tuple[str, Test], ...] = (
    ("acc_eq(epsilon=best)@item", "perm-inputs"),
    ("acc_eq(epsilon=best)@item", "perm-pairs"),
    ("pa", "perm-inputs"),
    ("system_pearson", "perm-inputs"),
    ("pearson@none", "perm-both"),
    ("pearson@item", "perm-both"),
    ("pearson@system", "perm-both"),
    ("pearson@none", "perm-inputs"),
    ("pearson@item", "perm-inputs"),
)


def simulated(metrics: int, systems: int, items: int) -> Paired:
    """Error counts as human scores, and metrics that follow them with more and more noise."""
    rng = np.random.default_rng(0)
    human = -rng.poisson(rng.gamma(0.6, 1.6, size=items) * rng.uniform(0.7, 1.3, size=(systems, 1)))
    made = [
        Scores(f"M{m}", segment=human + (1 + m / 5) * rng.normal(size=human.shape)) for m in range(metrics)
    ]
    data = EvalSet(
        systems=tuple(f"S{s}" for s in range(systems)),
        items=tuple(f"{i}" for i in range(items)),
        human={"mqm": Scores("mqm", segment=human.astype(np.float64))},
    )
    return pair_up(data.with_metrics(*made))


def wmt22() -> Paired:
    """The 21 metrics of zh-en that used refA, GEMBA left out."""
    from metaeval.io.registry import read

    data = read(DATA, pair="zh-en")
    keys = [key for key in data.metrics if key.endswith("-refA") and "GEMBA" not in key]
    return pair_up(data, human="mqm", metrics=keys)


def naive_pearson(human: FloatArray, metric: FloatArray) -> float:
    """Mean of scipy's r over the rows in which both sides vary."""
    values = [
        scipy.stats.pearsonr(h, m).statistic
        for h, m in zip(human, metric, strict=True)
        if np.ptp(h) > 0 and np.ptp(m) > 0
    ]
    return float(np.mean(values))


def naive_accuracy(human: FloatArray, metric: FloatArray) -> float:
    """Mean over items of the share of pairs ordered alike."""
    values = []
    for h, m in zip(human.T, metric.T, strict=True):
        a, b = np.triu_indices(len(h), k=1)
        values.append(np.mean(np.sign(h[a] - h[b]) == np.sign(m[a] - m[b])))
    return float(np.mean(values))


def naive_system(human: FloatArray, metric: FloatArray, statistic: str) -> float:
    """Agreement of system means."""
    h, m = human.mean(axis=1), metric.mean(axis=1)
    if statistic == "system_pearson":
        return float(scipy.stats.pearsonr(h, m).statistic)
    pairs = [(s, t) for s in range(len(h)) for t in range(s)]
    return float(np.mean([(h[s] > h[t]) == (m[s] > m[t]) for s, t in pairs]))


def naive_statistic(text: str) -> Callable[[FloatArray, FloatArray], float]:
    """The measure as a plain function of two matrices."""
    if text.startswith("acc_eq"):
        return naive_accuracy
    if "@" not in text:
        return lambda h, m: naive_system(h, m, text)
    grouping = text.partition("@")[2]
    if grouping == "none":
        return lambda h, m: naive_pearson(h.reshape(1, -1), m.reshape(1, -1))
    return naive_pearson if grouping == "system" else lambda h, m: naive_pearson(h.T, m.T)


def naive_draw(paired: Paired, text: str, test: Test, rng: np.random.Generator) -> None:
    """One draw for one pair of metrics: swap, evaluate, evaluate the other way."""
    one, other = paired.scores[0], paired.scores[-1]
    if test == "perm-pairs":
        systems, items = paired.human.shape
        outcomes = rng.integers(2, size=(2, systems * (systems - 1) // 2))
        for _ in range(items):
            flips = rng.random(outcomes.shape[1]) < 0.5
            np.mean(np.where(flips, outcomes[0], outcomes[1]))
            np.mean(np.where(flips, outcomes[1], outcomes[0]))
        return
    shape = paired.human.shape if EXCHANGES[test] == "cells" else (1, paired.human.shape[1])
    swap = rng.random(shape) < 0.5
    statistic = naive_statistic(text)
    statistic(paired.human, np.where(swap, other, one))
    statistic(paired.human, np.where(swap, one, other))


def report(paired: Paired, draws: int, jobs: int) -> None:
    """A line for every case."""
    metrics = len(paired.scores)
    pairs = metrics * (metrics - 1) // 2
    systems, items = paired.human.shape
    print(f"{metrics} metrics, {pairs} pairs, {systems} systems, {items} items, {draws} draws, {jobs} jobs")
    print(f"{'measure':28}{'test':13}{'values':>9}{'test':>9}{'naive loop':>13}{'ratio':>12}")
    for text, test in CASES:
        measure = parse_measure(text).bind(paired.systems)
        begin = time.perf_counter()
        outcomes = [measure.evaluate(paired.human, scores) for scores in paired.scores]
        values = time.perf_counter() - begin
        plan = Plan(test=test, draws=draws, bootstrap="none", jobs=jobs)
        seconds = []
        for _ in range(3):
            begin = time.perf_counter()
            gather(paired, measure, outcomes, plan)
            seconds.append(time.perf_counter() - begin)
        rng, runs = np.random.default_rng(0), 3
        begin = time.perf_counter()
        for _ in range(runs):
            naive_draw(paired, text, test, rng)
        naive = (time.perf_counter() - begin) / runs * pairs * draws
        best = min(seconds)
        print(
            f"{text:28}{test:13}{values:7.2f} s{best:7.2f} s{naive / 3600:11.2f} h{naive / best:11,.0f}x",
            flush=True,
        )
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GB")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="small simulated data")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    if given.quick:
        report(simulated(6, 8, 200), draws=200, jobs=given.jobs)
    elif DATA.exists():
        report(wmt22(), draws=1000, jobs=given.jobs)
    else:
        report(simulated(21, 15, 1875), draws=1000, jobs=given.jobs)


if __name__ == "__main__":
    main()
