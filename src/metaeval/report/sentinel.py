"""The experiments with sentinels as a screen or as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import metaeval
from metaeval.board import Table
from metaeval.errors import printable
from metaeval.paired import Paired
from metaeval.probes.sentinel.base import is_sentinel
from metaeval.probes.sentinel.correlations import Correlations
from metaeval.probes.sentinel.heldout_ties import HeldOutTies
from metaeval.probes.sentinel.lengths import LengthBias, Slope
from metaeval.probes.sentinel.subsampling import TieShares, mean_of_seeds
from metaeval.report.text_table import Column, lay_out
from metaeval.report.ties import plain
from metaeval.scores import FloatArray, Scores

MARK = "<"
MISSING = "–"


def as_json(paired: Paired, **answers: Any) -> str:
    """Each answer by its name; metrics by key, what does not exist null."""
    signature = {
        "version": metaeval.__version__,
        "human": paired.protocol,
        "reference": paired.reference,
        "systems": len(paired.systems),
        "items": len(paired.items),
        "cells": paired.cells,
        "dropped_cells": paired.dropped_cells,
    }
    found = {name: plain(answer) for name, answer in answers.items()}
    return json.dumps({"signature": signature, **found}, indent=1, ensure_ascii=False, allow_nan=False)


def plain_tables(tables: Sequence[Table]) -> list[dict[str, Any]]:
    """Rankings, each metric with whether it is a sentinel."""
    return [
        {
            "measure": str(table.measure),
            "results": [
                {
                    "metric": row.metric.key,
                    "sentinel": is_sentinel(row.metric),
                    "rank": row.rank,
                    "cluster": row.cluster,
                    "value": row.value,
                }
                for row in table.rows
            ],
        }
        for table in tables
    ]


def groupings(paired: Paired, tables: Sequence[Table]) -> str:
    """Metrics down, measures across: rank (or cluster, where tested) and value, in the order of the first."""
    order = [row.metric.key for row in tables[0].rows]
    columns = [Column("metric", [_named(row.metric) for row in tables[0].rows])]
    for table in tables:
        rows = {row.metric.key: row for row in table.rows}
        places = [rows[key].cluster or rows[key].rank for key in order]
        cells = [MISSING if place is None else str(place) for place in places]
        columns.append(Column("", cells, "right"))
        columns.append(Column(str(table.measure), [_decimal(rows[key].value) for key in order], "right"))
    tested = any(row.cluster is not None for row in tables[0].rows)
    what = "clusters of significance" if tested else "ranks"
    said = f"numbers before values are {what}; {MARK} is a sentinel"
    return f"{lay_out(columns)}\n\n  {said}\n\n{about(paired)}"


def matrix(paired: Paired, found: Correlations) -> str:
    """Scorers down, sentinels and the humans across."""
    chosen = [i for i, scorer in enumerate(found.scorers) if is_sentinel(scorer)]
    columns = [
        Column("metric", [_named(scorer) for scorer in found.scorers]),
        Column("humans", [_decimal(value) for value in found.human], "right"),
    ]
    for i in chosen or range(len(found.scorers)):
        column = [_decimal(value) for value in found.matrix[:, i]]
        columns.append(Column(printable(found.scorers[i].name, 30), column, "right"))
    said = f"  Pearson without grouping, {found.cells:,} cells; the humans on {paired.cells:,} rated ones"
    return f"{said}\n\n{lay_out(columns)}\n\n{about(paired)}"


def lengths(paired: Paired, found: LengthBias) -> str:
    """The humans' slope, then the metrics by how much theirs exceed it."""
    slopes = [found.human, *(metric.slope for metric in found.metrics)]
    columns = [
        Column("", ["humans", *(_named(metric.metric) for metric in found.metrics)]),
        Column(f"per 100 {found.unit}", [_number(slope.per_hundred) for slope in slopes], "right"),
        Column("standard", [_signed(slope.standard) for slope in slopes], "right"),
        Column("interval", [_bounds(slope) for slope in slopes], "right"),
        Column("excess", ["", *(_signed(metric.excess) for metric in found.metrics)], "right"),
        Column(
            "interval",
            ["", *(f"{_signed(m.excess_low)}  {_signed(m.excess_high)}" for m in found.metrics)],
            "right",
        ),
    ]
    said = (
        "standard: deviations of score for one of length\n"
        "  excess: how far it lies beyond the humans', or on the other side of 0; negative between the two"
    )
    return f"{lay_out(columns)}\n\n  {said}\n\n{about(paired)}"


def shares(paired: Paired, found: TieShares) -> str:
    """A column for each pair of probabilities: pairs, ties, then acc_eq and epsilon of each metric."""
    head = [
        Column("p_t", [f"{p:g}" for p, _ in found.probabilities], "right"),
        Column("p_n", [f"{p:g}" for _, p in found.probabilities], "right"),
        Column("pairs", [f"{n:,.0f}" for n in found.pairs.mean(axis=1)], "right"),
        Column("tied", [_share(share, 1) for share in mean_of_seeds(found.tied, axis=1)], "right"),
    ]
    said = f"means over {found.pairs.shape[1]} seeds; acc_eq by item, calibrated on the pairs left"
    return (
        f"{lay_out(head)}\n\n  acc_eq\n{_by_share(found.metrics, found.tied, found.value)}\n\n  epsilon*\n"
        f"{_by_share(found.metrics, found.tied, found.epsilon, '.3g')}\n\n  {said}\n\n{about(paired)}"
    )


def held_out(paired: Paired, found: HeldOutTies) -> str:
    """acc_eq on the rest, by the share of ties in the held-out part."""
    own = Column("own", [_decimal(value) for value in found.own], "right")
    table = _by_share(found.metrics, found.tied, found.value, extra=own)
    said = (
        f"acc_eq on {found.items - found.held_out:,} items ({found.tied_rest:.0%} of pairs tied), epsilon "
        f"from {found.held_out:,} others by their share of ties; own: calibrated on the former"
    )
    return f"{table}\n\n  {said}\n\n{about(paired)}"


def about(paired: Paired) -> str:
    parts = [f"metaeval {metaeval.__version__}", f"human {paired.protocol}"]
    parts += [f"reference {paired.reference}"] if paired.reference else []
    parts += [f"{len(paired.items):,} items, {len(paired.systems)} systems"]
    parts += [f"{paired.dropped_cells:,} rated cells dropped"] if paired.dropped_cells else []
    return "  " + printable(" | ".join(parts), 300)


def _by_share(
    metrics: Sequence[Scores],
    tied: FloatArray,
    values: FloatArray,
    style: str = ".3f",
    extra: Column | None = None,
) -> str:
    columns = [Column("metric", [_named(metric) for metric in metrics])]
    for i, share in enumerate(mean_of_seeds(tied, axis=1)):
        cells = [MISSING if math.isnan(value) else format(value, style) for value in values[:, i]]
        columns.append(Column(_share(share), cells, "right"))
    return lay_out([*columns, *([extra] if extra else [])])


def _named(metric: Scores) -> str:
    return printable(metric.key, 40) + (f" {MARK}" if is_sentinel(metric) else "")


def _share(value: float, digits: int = 0) -> str:
    return MISSING if math.isnan(value) else f"{value:.{digits}%}"


def _decimal(value: float | None) -> str:
    return MISSING if value is None or math.isnan(value) else f"{value:.3f}"


def _number(value: float) -> str:
    return MISSING if math.isnan(value) else f"{value:.4g}"


def _signed(value: float) -> str:
    return MISSING if math.isnan(value) else f"{value:+.3f}"


def _bounds(slope: Slope) -> str:
    return f"{_signed(slope.low)}  {_signed(slope.high)}"
