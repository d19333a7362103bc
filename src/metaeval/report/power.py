"""A study of power as a table: systems down, segments across."""

from __future__ import annotations

import json
from typing import Any

from metaeval.power import WANTED, PowerStudy
from metaeval.report.text_table import Column, lay_out


def as_text(study: PowerStudy) -> str:
    """For each measure the power in every cell, and the cheapest cell that has enough."""
    s = study.signature
    measures = list(dict.fromkeys(cell.measure for cell in study.cells))
    head = (
        f"  How often a metric of correlation {s['better']} is found better than one of {s['worse']} "
        f"({s['sets']} simulated sets a cell)"
    )
    line = (
        f"metaeval {s['version']} | {s['test']}, {s['draws']} draws, alpha {s['alpha']}, seed {s['seed']}; "
        "in brackets, 95% interval"
    )
    return "\n\n".join([head, *[_measure(study, measure) for measure in measures], f"  {line}"])


def as_dict(study: PowerStudy) -> dict[str, Any]:
    """Plain values only."""
    return {
        "signature": dict(study.signature),
        "cells": [
            {
                "measure": cell.measure,
                "systems": cell.systems,
                "segments": cell.segments,
                "sets": cell.sets,
                "found": cell.found,
                "wrong": cell.wrong,
                "power": cell.power,
                "ci_low": cell.interval[0],
                "ci_high": cell.interval[1],
            }
            for cell in study.cells
        ],
    }


def as_json(study: PowerStudy) -> str:
    return json.dumps(as_dict(study), indent=1, ensure_ascii=False, allow_nan=False)


def _measure(study: PowerStudy, measure: str) -> str:
    at = {(c.systems, c.segments): c for c in study.cells if c.measure == measure}
    systems, segments = sorted({s for s, _ in at}), sorted({n for _, n in at})
    columns = [Column("systems", [str(s) for s in systems], "right")]
    for n in segments:
        cells = [at[s, n] for s in systems]
        shown = [f"{c.power:.2f} ({c.interval[0]:.2f}, {c.interval[1]:.2f})" for c in cells]
        columns.append(Column(f"{n:,} segments", shown, "right"))
    best = study.cheapest(measure)
    said = (
        f"  No cell reaches {WANTED:.0%}: it takes more than these."
        if best is None
        else f"  {WANTED:.0%} is reached from {best.systems} systems and {best.segments:,} segments on, "
        f"{best.judgments:,} judgments."
    )
    return f"  {measure}\n\n{lay_out(columns)}\n\n{said}"
