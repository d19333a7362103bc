"""Comparing metrics on the same groups: the answer to the NaN problem (Deutsch et al. 2023, section 5.2).

A group in which a statistic is undefined for a metric leaves that metric's average, and that metric's alone.
Metrics that tie hard items are then compared on the easy ones. On common groups all of them are averaged over
the groups where the statistic is defined for every one.
"""

from __future__ import annotations

from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError
from metaeval.measures.base import Measure, SegmentMeasure
from metaeval.measures.groups import Groups
from metaeval.paired import Paired


def on_common_groups(paired: Paired, measure: Measure) -> Paired:
    """The data without the items or systems in which the measure is undefined for some metric.

    Unchanged for measures that do not average groups, and where all groups are defined. A calibrated
    epsilon is found anew on what is left, which may leave further groups undefined; they go as well. One
    evaluation of each metric, mostly.
    """
    if not has_groups(measure):
        return paired
    while True:
        defined = defined_everywhere(paired, measure)
        if defined.all():
            return paired
        if not defined.any():
            raise InputError(
                f"no {measure.grouping} has a value of {measure} for every metric",
                remedy="Leave out the metric that lacks most (--metrics), or use acc_eq: it always exists.",
            )
        paired = paired.take(items=defined) if measure.grouping == "item" else paired.take(systems=defined)


def has_groups(measure: Measure) -> TypeGuard[SegmentMeasure]:
    """Whether a measure is the mean over several groups, some of which may have no value."""
    return isinstance(measure, SegmentMeasure) and measure.averaged and measure.grouping != "none"


def same_groups(paired: Paired, measure: Measure) -> bool:
    """Whether every metric has a value of the measure in the same items or systems.

    One evaluation of each metric.
    """
    if not has_groups(measure):
        return True
    groups = Groups.of(paired.human, measure.grouping)
    undefined = [np.isnan(measure.group_values(groups, groups.flat(scores))) for scores in paired.scores]
    return all(np.array_equal(undefined[0], each) for each in undefined[1:])


def left_out(paired: Paired, used: Paired, measure: Measure) -> list[str]:
    """What was left out of the data to compare on common groups, in words; nothing if nothing was."""
    said = []
    for what, before, after in (
        ("items", paired.items, used.items),
        ("systems", paired.systems, used.systems),
    ):
        if len(after) < len(before):
            said.append(
                f"{measure} uses the {len(after):,} of {len(before):,} {what} where all metrics have it"
            )
    return said


def defined_everywhere(paired: Paired, measure: SegmentMeasure) -> NDArray[np.bool_]:
    """For each item or system, whether the measure has a value there for all metrics."""
    groups = Groups.of(paired.human, measure.grouping)
    rows = groups.cells[groups.offsets[:-1]]
    items = len(paired.items)
    of_group = rows % items if measure.grouping == "item" else rows // items
    everywhere = np.zeros(items if measure.grouping == "item" else len(paired.systems), dtype=np.bool_)
    everywhere[of_group] = True
    for scores in paired.scores:
        undefined = np.isnan(measure.group_values(groups, groups.flat(scores)))
        everywhere[of_group[undefined]] = False
    return everywhere
