"""Rankings under each grouping, with the sentinels in them (Perrella et al. 2024, tables 2, 5 and 8)."""

from __future__ import annotations

from collections.abc import Sequence

from metaeval.board import Table, tabulate
from metaeval.measures.groups import GROUPINGS
from metaeval.measures.registry import parse_measure
from metaeval.paired import Paired
from metaeval.progress import Progress
from metaeval.significance.plan import Plan

UNTESTED = Plan(test="none", bootstrap="none")


def by_grouping(
    paired: Paired,
    statistics: Sequence[str] = ("pearson", "tau_b"),
    *,
    plan: Plan = UNTESTED,
    progress: Progress | None = None,
) -> list[Table]:
    """A table for each statistic and grouping. The paper's clusters are those of perm-both.

    >>> from metaeval.paired import pair_up
    >>> from metaeval.simulate import simulate
    >>> [str(t.measure) for t in by_grouping(pair_up(simulate(items=20, seed=1).evalset), ["pearson"])]
    ['pearson@none', 'pearson@item', 'pearson@system']
    """
    wanted = [parse_measure(f"{statistic}@{grouping}") for statistic in statistics for grouping in GROUPINGS]
    return [tabulate(paired, measure, plan, "none", progress) for measure in wanted]
