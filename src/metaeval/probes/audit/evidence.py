"""What the checks look at: the data with sentinels added, and tables of all measures, made once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from metaeval.board import Table, tabulate
from metaeval.errors import MetaevalError
from metaeval.evalset import EvalSet
from metaeval.measures.base import Measure, SegmentMeasure
from metaeval.measures.registry import parse_measure
from metaeval.names import Patterns
from metaeval.paired import Paired, pair_up
from metaeval.probes.sentinel.adding import MOST_LACKING, TRAINED, Added, add
from metaeval.probes.sentinel.base import is_sentinel
from metaeval.progress import Progress
from metaeval.scores import Scores
from metaeval.significance.plan import Plan

MEASURES = (
    "pearson@none",
    "pearson@item",
    "pearson@system",
    "tau_b@none",
    "tau_b@item",
    "tau_b@system",
    "acc_eq(epsilon=best)@item",
    "spa(method=normal)",
)
"""The measures of WMT in all groupings."""
UNTRAINED = ("SENTINEL_SRC_CHARS", "SENTINEL_CAND_CHARS")


@dataclass(frozen=True, eq=False, slots=True)
class Evidence:
    """One data set under audit."""

    evalset: EvalSet
    """With sentinels among its metrics."""
    paired: Paired
    tables: tuple[Table, ...]
    added: Added
    unmeasured: tuple[str, ...]
    """Why some of the default measures do not exist here."""
    seed: int
    alpha: float
    draws: int

    def segment_tables(self, *groupings: str) -> list[Table]:
        """The tables of segment-level measures in some groupings."""
        return [
            t
            for t in self.tables
            if isinstance(t.measure, SegmentMeasure) and (not groupings or t.measure.grouping in groupings)
        ]

    @property
    def metrics(self) -> list[Scores]:
        """Real metrics, which sentinels are not."""
        return [metric for metric in self.paired.metrics if not is_sentinel(metric)]


def gather_evidence(
    data: EvalSet,
    measures: Sequence[str | Measure] | None = None,
    *,
    train: EvalSet | None = None,
    human: str | None = None,
    reference: str | None = None,
    metrics: Patterns | None = None,
    seed: int = 0,
    alpha: float = 0.05,
    draws: int = 1000,
    progress: Progress | None = None,
) -> Evidence:
    """Adds the sentinels and evaluates every measure. A minute where outputs are many: they are read."""
    if metrics is not None:
        data = data.select(metrics=metrics)
    paired = pair_up(data, human=human, reference=reference, missing="drop")
    added = add(
        data,
        (*TRAINED, *UNTRAINED),
        train=train,
        human=paired.protocol,
        reference=paired.reference,
        seed=seed,
        lacking=MOST_LACKING,
        progress=progress,
    )
    paired = pair_up(added.evalset, human=paired.protocol, reference=paired.reference, missing="drop")
    plan = Plan(test="none", bootstrap="none", seed=seed, alpha=alpha)
    chosen = [m if isinstance(m, Measure) else parse_measure(m) for m in measures or MEASURES]
    tables, unmeasured = [], []
    for done, measure in enumerate(chosen):
        if progress is not None:
            progress("measures", done, len(chosen))
        try:
            tables.append(tabulate(paired, measure, plan))
        except MetaevalError as error:
            if measures is not None:
                raise
            unmeasured.append(f"{measure}: {str(error).partition(chr(10))[0]}")
    return Evidence(added.evalset, paired, tuple(tables), added, tuple(unmeasured), seed, alpha, draws)
