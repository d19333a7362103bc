"""How long local accuracy takes on real data, and how much memory.

    python benchmarks/local.py            everything, about ten minutes on two cores
    python benchmarks/local.py --quick    a tenth of the items

Translation: the 15 rated systems of WMT22 zh-en (28,125 outputs) with 4 perturbations each and BLEU, chrF,
ROUGE-1, ROUGE-L, nothing cached; limit 6 minutes. Ranking: the 17 runs of TREC Robust 2003, 23 measures, 100
perturbed lists a topic; limit 5 minutes. Each in a process of its own for its peak memory. The data are where
METAEVAL_REAL_DATA says (default ../shared/data).
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

from metaeval.evalset import EvalSet
from metaeval.probes.local.run import Settings, local_accuracy
from metaeval.rankings import Rankings
from metaeval.scorers.run import Workshop

DATA = Path(os.environ.get("METAEVAL_REAL_DATA", Path(__file__).parents[2] / "shared" / "data"))
CASES = {"translation": ("wmt22", 360.0), "ranking": ("trec-robust03", 300.0)}


def translation(share: int) -> tuple[EvalSet, list[str], Settings]:
    """WMT22 zh-en: the systems with MQM scores except the reference."""
    from metaeval.io.registry import read

    data = read(DATA / "wmt22", pair="zh-en")
    rated = data.human["mqm"].segment
    if rated is None:
        raise SystemExit("wmt22 has no MQM scores")
    systems = [s for s, row in zip(data.systems, rated == rated, strict=True) if row.any() and s != "refA"]
    chosen = data.select(items=data.items[::share], systems=systems)
    settings = Settings(contexts=("system", "domain", "mqm"), reference="refA")
    return chosen, ["BLEU", "chrF", "ROUGE-1", "ROUGE-L"], settings


def ranking(share: int) -> tuple[Rankings, None, Settings]:
    """TREC Robust 2003: all runs, all measures."""
    from metaeval.io.trec import read_trec

    folder = DATA / "trec-robust03"
    return (
        read_trec(folder / "robust03_qrels.txt", folder / "runs"),
        None,
        Settings(contexts=("run",), draws=max(100 // share, 1)),
    )


def run(case: str, share: int, jobs: int) -> None:
    """One case: reading apart, then the study, on one line."""
    from dataclasses import replace

    begun = time.perf_counter()
    data, scorers, settings = (translation if case == "translation" else ranking)(share)
    read_in = time.perf_counter() - begun
    begun = time.perf_counter()
    task = "mt" if case == "translation" else "ranking"
    study = local_accuracy(data, task, scorers, replace(settings, workshop=Workshop(None, jobs)))
    took = time.perf_counter() - begun
    peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    freedom = [table.tests[0].freedom for table in study.tables]
    print(
        f"{case:<12}{study.pairs:>9,} pairs {len(study.metrics):>3} metrics {read_in:6.1f} s reading "
        f"{took:7.1f} s (limit {CASES[case][1]:.0f}) {peak / 1024:7.0f} MB   df {freedom}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--case", choices=tuple(CASES))
    given = parser.parse_args()
    if given.case:
        run(given.case, 10 if given.quick else 1, given.jobs)
        return
    for case, (folder, _) in CASES.items():
        if not (DATA / folder).exists():
            print(f"{case}: {DATA / folder} is not there")
            continue
        quick = ["--quick"] if given.quick else []
        subprocess.run(
            [sys.executable, __file__, "--case", case, "--jobs", str(given.jobs), *quick], check=True
        )


if __name__ == "__main__":
    main()
