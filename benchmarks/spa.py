"""How fast soft pairwise accuracy and Kendall's tau are under permutation.

    python benchmarks/spa.py            about eight minutes on two cores
    python benchmarks/spa.py --quick    some seconds: less data and few draws

On simulated data shaped like WMT22 zh-en (15 systems, 1875 items, 21 metrics): the p-values of all pairs of
systems against a call of scipy.stats.permutation_test for each pair, then whole tests of all pairs of metrics
against evaluating every hybrid. What is slow is timed on a few evaluations and multiplied (marked ~). Times
exclude compilation.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from metaeval.measures.base import Measure
from metaeval.measures.pairwise import p_values
from metaeval.measures.registry import parse_measure
from metaeval.paired import Paired
from metaeval.scores import FloatArray, Scores
from metaeval.significance.engine import gather
from metaeval.significance.paths import path_for_exchange
from metaeval.significance.paths.base import Exchange, Task
from metaeval.significance.paths.generic import Generic
from metaeval.significance.plan import Plan, Test

TESTS: tuple[tuple[str, Test, Exchange], ...] = (
    ("spa", "perm-inputs", "items"),
    ("spa", "perm-both", "cells"),
    ("spa(method=normal)", "perm-inputs", "items"),
    ("tau_b@item", "perm-both", "cells"),
    ("tau_b@none", "perm-inputs", "items"),
    ("tau_b@system", "perm-both", "cells"),
    ("acc_eq(epsilon=0.1)@none", "perm-inputs", "items"),
)


def simulated(systems: int, items: int, metrics: int) -> Paired:
    """Human scores like MQM, on few levels; metrics that follow them with noise and item effects."""
    rng = np.random.default_rng(0)
    shape = (systems, items)
    quality, difficulty = rng.normal(0, 0.3, size=(systems, 1)), rng.gamma(0.6, 1.6, size=(1, items))
    human = -np.minimum(rng.poisson(difficulty + np.exp(quality)) + 5.0 * rng.poisson(0.3, size=shape), 25)
    noise = rng.normal(size=(metrics, *shape)) + rng.normal(size=(metrics, 1, items))
    scores = -np.log1p(-human) + noise * np.linspace(0.3, 1.5, metrics)[:, None, None]
    return Paired(
        systems=tuple(f"S{s}" for s in range(systems)),
        items=tuple(str(i) for i in range(items)),
        metrics=tuple(Scores(f"M{m}", segment=x) for m, x in enumerate(scores)),
        human=human,
        scores=scores,
        published=np.full((metrics, systems), np.nan),
        document_of_item=np.arange(items) // 10,
        protocol="mqm",
        reference=None,
    )


def seconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def difference(x: FloatArray, y: FloatArray, axis: int) -> FloatArray:
    return np.asarray(np.mean(x - y, axis=axis))


def p_value_table(paired: Paired) -> None:
    """All pairs of systems of one metric, 1000 permutations each."""
    scores = paired.scores[0]
    pairs = len(scores) * (len(scores) - 1) // 2
    few = 5

    def by_scipy() -> None:
        for other in scores[1 : few + 1]:
            stats.permutation_test(
                (scores[0], other),
                difference,
                permutation_type="samples",
                alternative="greater",
                n_resamples=1000,
            )

    theirs = seconds(by_scipy) / few * pairs
    for method, run in (
        ("perm", lambda: p_values(scores)),
        ("normal", lambda: p_values(scores, method="normal")),
    ):
        ours = min(seconds(run) for _ in range(3))
        times = f"{1000 * ours:8.1f} ms   scipy ~{1000 * theirs:8.0f} ms"
        print(f"  {method:<8} {times}   {theirs / ours:7.0f} times")


def hybrid_table(paired: Paired, draws: int, jobs: int) -> None:
    """All pairs of metrics, the whole test."""
    for text, test, exchange in TESTS:
        measure = parse_measure(text)
        outcomes = [measure.evaluate(paired.human, scores) for scores in paired.scores]
        plan = Plan(test=test, draws=draws, bootstrap="none", jobs=jobs)
        task = Task(paired, measure, outcomes, exchange)
        path = path_for_exchange(measure, exchange)
        path(task).swapped(some_masks(path(task).positions, 2))
        ours = seconds(partial(gather, paired, measure, outcomes, plan))
        theirs = naive(task, measure) * draws
        times = f"{ours:8.1f} s   one by one ~{theirs:9,.0f} s"
        print(f"  {text:<26} {test:<12} {times}   {theirs / ours:6.0f} times")


def naive(task: Task, measure: Measure) -> float:
    """Seconds that evaluating the hybrids of all pairs of metrics takes for one draw, from two of them."""
    metrics = len(task.paired.scores)
    wanted = np.zeros((metrics, metrics), dtype=np.bool_)
    wanted[0, 1] = wanted[1, 0] = True
    path = Generic(task)
    masks = some_masks(path.positions, 1)
    path.swapped(masks, wanted)
    return seconds(lambda: path.swapped(masks, wanted)) / 2 * metrics * (metrics - 1)


def some_masks(positions: int, draws: int) -> NDArray[np.bool_]:
    return np.random.default_rng(1).random((draws, positions)) < 0.5


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="4 metrics, 300 items, 100 draws")
    parser.add_argument("--jobs", type=int, default=2, help="threads (default 2)")
    given = parser.parse_args()
    shape = (15, 300, 4) if given.quick else (15, 1875, 21)
    draws = 100 if given.quick else 1000
    paired = simulated(*shape)
    print("p-values of one metric, all pairs of systems, 1000 permutations")
    p_value_table(paired)
    print(
        f"\n{shape[0]} systems x {shape[1]} items x {shape[2]} metrics, {draws} draws, {given.jobs} threads"
    )
    hybrid_table(paired, draws, given.jobs)


if __name__ == "__main__":
    main()
