"""What starting costs: ``import metaeval`` and ``metaeval --help``, beyond bare Python.

Medians over fresh processes. Run: python benchmarks/startup.py
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time

IMPORT_LIMIT_MS, HELP_LIMIT_MS = 60, 300


def milliseconds(*command: str, runs: int) -> float:
    """The median wall time of a command in a fresh process, after one to warm the file cache."""
    times = []
    for _ in range(runs + 1):
        begun = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        times.append(1000 * (time.perf_counter() - begun))
    return statistics.median(times[1:])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer runs")
    runs = 5 if parser.parse_args().quick else 21
    bare = milliseconds(sys.executable, "-c", "pass", runs=runs)
    imported = milliseconds(sys.executable, "-c", "import metaeval", runs=runs)
    helped = milliseconds(sys.executable, "-m", "metaeval", "--help", runs=runs)
    print(f"bare Python          {bare:6.0f} ms")
    print(f"import metaeval      {imported - bare:+6.0f} ms beyond it   (limit {IMPORT_LIMIT_MS})")
    print(f"metaeval --help      {helped:6.0f} ms in all      (limit {HELP_LIMIT_MS})")


if __name__ == "__main__":
    main()
