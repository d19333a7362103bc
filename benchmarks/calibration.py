"""How fast tie calibration is, what it needs, and how it grows.

    python benchmarks/calibration.py            everything, about a minute
    python benchmarks/calibration.py --quick    small sizes, some seconds

Three tables: simulated translations without grouping up to a million, each size in a process of its own for
its peak memory; WMT22 zh-en, where METAEVAL_REAL_DATA (default ../shared/data) holds it; and the paper's
Algorithm 1 in plain Python beside this, in one process. Nothing is timed before it is compiled.
"""

from __future__ import annotations

import argparse
import itertools
import math
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from metaeval.kernels.calibration import Calibration, calibrate
from metaeval.kernels.pairs import PairCounts

Floats = NDArray[np.float64]
ACC_EQ = (1, 0, 0, 0, 1)
DATA = Path(os.environ.get("METAEVAL_REAL_DATA", Path(__file__).parents[2] / "shared" / "data")) / "wmt22"


def acc_eq(n: PairCounts) -> Floats:
    """Pairwise accuracy with ties."""
    return np.asarray((n.concordant + n.tied_both) / n.total)


def simulated(n: int, seed: int = 0) -> tuple[Floats, Floats]:
    """Human scores like MQM, 28% of the pairs tied; a continuous metric, the best epsilon well inside."""
    rng = np.random.default_rng(seed)
    difficulty = rng.gamma(0.6, 1.6, size=n)
    errors = rng.poisson(difficulty) + 5.0 * rng.poisson(0.4 * difficulty)
    human = -errors.clip(0, 25)
    return human, -np.log1p(-human) + 0.35 * rng.normal(size=n)


def algorithm_1(human: list[float], metric: list[float]) -> tuple[float, float]:
    """Algorithm 1 of Deutsch, Foster and Freitag (2023) for acc_eq, as printed: sort all pairs, move each."""
    pairs = sorted(
        (abs(metric[i] - metric[j]), i, j) for i, j in itertools.combinations(range(len(metric)), 2)
    )
    c = d = t_h = t_m = t_hm = 0
    for difference, i, j in pairs:
        h = human[i] - human[j]
        if h == 0:
            t_hm, t_h = t_hm + (difference == 0), t_h + (difference != 0)
        elif difference == 0:
            t_m += 1
        elif (h > 0) == (metric[i] > metric[j]):
            c += 1
        else:
            d += 1
    best, best_epsilon = -math.inf, 0.0
    value, epsilon = (c + t_hm) / len(pairs), 0.0
    for difference, i, j in pairs:
        if difference != epsilon and value > best:
            best, best_epsilon = value, epsilon
        if difference > 0:
            h = human[i] - human[j]
            if h == 0:
                t_h, t_hm = t_h - 1, t_hm + 1
            elif (h > 0) == (metric[i] > metric[j]):
                c, t_m = c - 1, t_m + 1
            else:
                d, t_m = d - 1, t_m + 1
            value = (c + t_hm) / (c + d + t_h + t_m + t_hm)
        epsilon = difference
    return (value, epsilon) if value > best else (best, best_epsilon)


def timed(work: Callable[[], Calibration], runs: int = 2) -> tuple[float, Calibration]:
    """Seconds of the fastest of the runs after the first, and the result."""
    best, found = math.inf, work()
    for _ in range(runs - 1):
        begin = time.perf_counter()
        found = work()
        best = min(best, time.perf_counter() - begin)
    return best, found


def peak() -> float:
    """The largest memory this process has had, in MB; Linux says it without the parent's share."""
    status = Path("/proc/self/status")
    if status.exists():
        lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return int(lines["VmHWM"].split()[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def against_the_paper(sizes: list[int]) -> Iterator[str]:
    yield "Algorithm 1 in plain Python against this, acc_eq, one group, one run\n"
    yield f"{'n':>8} {'pairs':>12} {'paper':>9} {'here':>10} {'ratio':>8}  same epsilon and value"
    for n in sizes:
        human, metric = simulated(n)
        begin = time.perf_counter()
        value, epsilon = algorithm_1(human.tolist(), metric.tolist())
        paper = time.perf_counter() - begin
        here, found = timed(partial(calibrate, human, metric, None, acc_eq, linear=ACC_EQ))
        same = (found.epsilon, found.value) == (epsilon, value)
        yield (
            f"{n:>8,} {n * (n - 1) // 2:>12,} {paper:>7.2f} s {here * 1e3:>7.1f} ms {paper / here:>8,.0f}"
            f"  {'yes' if same else 'NO'}"
        )


def one_size(n: int, threads: int) -> None:
    """Print seconds, memory before and at the peak, epsilon and value; run in a process of its own."""
    calibrate(*simulated(3_000), None, acc_eq, linear=ACC_EQ, threads=threads)
    human, metric = simulated(n)
    before = peak()
    begin = time.perf_counter()
    found = calibrate(human, metric, None, acc_eq, linear=ACC_EQ, threads=threads)
    print(time.perf_counter() - begin, before, peak(), found.epsilon, found.value)


def growth(sizes: list[int], threads: int) -> Iterator[str]:
    yield f"Simulated, no grouping, acc_eq, exact, {threads} threads\n"
    yield (
        f"{'n':>9} {'pairs':>9} {'seconds':>9} {'peak MB':>9} {'of which search':>16}"
        f" {'epsilon*':>10} {'value':>8}"
    )
    seconds = []
    for n in sizes:
        command = [sys.executable, __file__, "--one-size", str(n), "--threads", str(threads)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        took, before, most, epsilon, value = map(float, done.stdout.split())
        seconds.append(took)
        yield (
            f"{n:>9,} {n * (n - 1) / 2:>9.1e} {took:>9.2f} {most:>9.0f} {most - before:>16.0f}"
            f" {epsilon:>10.6f} {value:>8.5f}"
        )
    exponent = np.polyfit(np.log(sizes), np.log(seconds), 1)[0]
    yield f"\ntime grows as n to the {exponent:.2f}"


def read_scores(path: Path) -> dict[str, list[float]]:
    """Scores of an mt-metrics-eval file, by system."""
    found: dict[str, list[float]] = {}
    for line in path.read_text().splitlines():
        system, score = line.split()
        found.setdefault(system, []).append(math.nan if score == "None" else float(score))
    return found


def wmt22(most: int) -> Iterator[str]:
    rated = read_scores(DATA / "human-scores" / "zh-en.mqm.seg.score")
    systems = [s for s in sorted(rated) if s != "refA" and not any(map(math.isnan, rated[s]))]
    human = np.array([rated[s] for s in systems])
    by_item = np.arange(0, human.size + 1, len(human))
    yield f"WMT22 zh-en, {human.size:,} translations, acc_eq, exact\n"
    yield (
        f"{'metric':<32} {'no grouping':>12} {'epsilon*':>10} {'value':>7}"
        f" {'by item':>11} {'epsilon*':>10} {'value':>7}"
    )
    times = []
    for path in sorted((DATA / "metric-scores" / "zh-en").glob("*.seg.score"))[:most]:
        scores = read_scores(path)
        if not all(s in scores and len(scores[s]) == human.shape[1] for s in systems):
            continue
        metric = np.array([scores[s] for s in systems])
        if not np.isfinite(metric).all():
            continue
        none, all_pairs = timed(
            partial(calibrate, human.ravel(), metric.ravel(), None, acc_eq, linear=ACC_EQ)
        )
        item, of_items = timed(
            partial(calibrate, human.T.ravel(), metric.T.ravel(), by_item, acc_eq, linear=ACC_EQ),
            runs=5,
        )
        times.append((none, item))
        yield (
            f"{path.name.removesuffix('.seg.score'):<32} {none * 1e3:>9.0f} ms {all_pairs.epsilon:>10.5f}"
            f" {all_pairs.value:>7.4f} {item * 1e3:>8.1f} ms {of_items.epsilon:>10.5f} {of_items.value:>7.4f}"
        )
    for name, of in (("median", np.median(times, axis=0)), ("slowest", np.max(times, axis=0))):
        yield f"{name:<32} {of[0] * 1e3:>9.0f} ms {'':>18} {of[1] * 1e3:>8.1f} ms"
    yield f"\npeak memory of this process: {peak():.0f} MB"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="small sizes")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--one-size", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one_size:
        one_size(options.one_size, options.threads)
        return
    sizes = [10_000, 28_000] if options.quick else [28_000, 100_000, 300_000, 1_000_000]
    tables = [growth(sizes, options.threads)]
    if DATA.is_dir():
        tables.append(wmt22(4 if options.quick else 1_000))
    tables.append(against_the_paper([300, 1_000] if options.quick else [500, 1_000, 2_000]))
    for table in tables:
        for line in table:
            print(line, flush=True)
        print()
    if not DATA.is_dir():
        print(f"no WMT22 data in {DATA}: set METAEVAL_REAL_DATA")


if __name__ == "__main__":
    main()
