"""Significance as published, from the real data: distinct values, significant pairs, clusters.

Table 1 of Thompson et al. 2024 under PERM-INPUTS with raw and with z-scored metrics, and the cluster columns
of Perrella et al. 2024 (tables 5 and 8) under PERM-BOTH beside PERM-INPUTS. Needs METAEVAL_REAL_DATA.
Run: python benchmarks/published.py [--quick]
"""

from __future__ import annotations

import argparse
import csv
import os
import re
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

import metaeval
from metaeval.board import Board, rank
from metaeval.evalset import EvalSet
from metaeval.significance.plan import Plan, Test

ROOT = Path(os.environ.get("METAEVAL_REAL_DATA", Path(__file__).parents[1] / "../shared/data"))
CHOSEN = {"wmt22": ("GEMBA",), "wmt23": ("SENTINEL",)}
"""Metrics of the reference that the paper had not: left out by the start of their name."""


def reference_metrics(data: EvalSet, left_out: tuple[str, ...]) -> list[str]:
    """The metrics that used refA and have segment scores."""
    return [
        m.key
        for m in data.metrics.values()
        if m.reference == "refA" and m.segment is not None and not m.name.startswith(left_out)
    ]


def significant(board: Board, alpha: float = 0.05) -> tuple[int, int, int]:
    """Distinct values, significant pairs, clusters of the only table."""
    (table,) = board.tables
    values = {row.value for row in table.rows}
    pairs = sum(c.p <= alpha for c in table.comparisons)
    return len(values), pairs, max(row.cluster or 0 for row in table.rows)


def thompson(seeds: int) -> Iterator[str]:
    """Table 1: distinct values, significant pairs and clusters of PA and SPA."""
    yield "| set | measure | metrics swapped | seed | distinct | significant pairs | clusters | seconds |"
    yield "|---|---|---|---|---|---|---|---|"
    for name, left_out in CHOSEN.items():
        data = metaeval.load(ROOT / name, pair="zh-en")
        keys = reference_metrics(data, left_out)
        for measure in ("pa", "spa"):
            for standardise in (False, True):
                for seed in range(seeds):
                    begun = time.perf_counter()
                    plan = Plan(seed=seed, standardise=standardise, bootstrap="none", convention="wmt")
                    found = significant(rank(data, [measure], reference="refA", metrics=keys, plan=plan))
                    how = "z-scored" if standardise else "raw"
                    cells = (name, measure, how, seed, *found, f"{time.perf_counter() - begun:.1f}")
                    yield f"| {' | '.join(map(str, cells))} |"


def published_clusters() -> tuple[Mapping[tuple[str, str, str], int], list[str]]:
    """Cluster by statistic, grouping and metric key; and the keys."""
    path = ROOT / "../expected/guardians_wmt23_zh-en.tsv"
    clusters: dict[tuple[str, str, str], int] = {}
    keys: dict[str, None] = {}
    with path.open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            key = row["metric"] + ("-src" if row["reference_free"] == "true" else "-refA")
            keys[key] = None
            for grouping in ("none", "item", "system"):
                clusters[row["statistic"], grouping, key] = int(re.sub(r"\D", "", row[f"{grouping}_rank"]))
    return clusters, list(keys)


def perrella() -> Iterator[str]:
    """Clusters of tables 5 and 8, and by how much ours differ."""
    expected, keys = published_clusters()
    data = metaeval.load(ROOT / "wmt23", pair="zh-en")
    yield "| measure | test | clusters | published | mean absolute difference | seconds |"
    yield "|---|---|---|---|---|---|"
    tests: tuple[Test, ...] = ("perm-both", "perm-inputs")
    for statistic, name in (("pearson", "pearson"), ("kendall_b", "tau_b")):
        for grouping in ("none", "item", "system"):
            for test in tests:
                begun = time.perf_counter()
                plan = Plan(test=test, convention="wmt", bootstrap="none")
                measure = f"{name}@{grouping}"
                (table,) = rank(data, [measure], reference="refA", metrics=keys, plan=plan).tables
                ours = {row.metric.key: row.cluster for row in table.rows if row.cluster is not None}
                theirs = {key: expected[statistic, grouping, key] for key in ours}
                apart = np.mean([abs(ours[key] - theirs[key]) for key in ours])
                cells = (
                    f"`{measure}`",
                    test.upper(),
                    max(ours.values()),
                    max(theirs.values()),
                    f"{apart:.2f}",
                    f"{time.perf_counter() - begun:.1f}",
                )
                yield f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one seed, and no clusters")
    parser.add_argument("--only", choices=("thompson", "perrella"))
    arguments = parser.parse_args()
    if not ROOT.exists():
        print(f"needs real data: {ROOT} is not there (METAEVAL_REAL_DATA)")
        return
    if arguments.only != "perrella":
        for line in thompson(1 if arguments.quick else 3):
            print(line, flush=True)
    if arguments.only != "thompson" and not arguments.quick:
        for line in perrella():
            print(line, flush=True)


if __name__ == "__main__":
    main()
