"""How stable measures are, as tables by number of systems and of segments."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from metaeval.errors import printable
from metaeval.report.text_table import Column, lay_out
from metaeval.stability import COVERAGE, Stability


def as_text(found: Stability) -> str:
    s = found.signature
    parts = [part for part in (_systems(found), _segments(found)) if part]
    line = f"metaeval {s['version']} | data {s['data']} | human {s['human']}"
    line += f" | {s['draws']} draws, seed {s['seed']}"
    parts += [f"  ! {printable(note, 400)}" for note in found.notes]
    return "\n\n".join([*parts, f"  {printable(line, 300)}"])


def as_dict(found: Stability) -> dict[str, Any]:
    """Plain values only; what does not exist is None."""
    return {
        "signature": dict(found.signature),
        "systems": [dataclasses.asdict(point) for point in found.systems],
        "segments": [dataclasses.asdict(point) for point in found.segments],
        "widths": [
            {"measure": measure, "size": size, "width": width}
            for (measure, size), width in found.widths().items()
        ],
        "notes": list(found.notes),
    }


def as_json(found: Stability) -> str:
    return json.dumps(as_dict(found), indent=1, ensure_ascii=False, allow_nan=False)


def _systems(found: Stability) -> str:
    if not found.systems:
        return ""
    measures = list(dict.fromkeys(point.measure for point in found.systems))
    at = {(point.measure, point.size): point for point in found.systems}
    sizes = sorted({point.size for point in found.systems})
    any_measure = [at[measures[0], size] for size in sizes]
    columns = [
        Column("systems", [str(size) for size in sizes], "right"),
        Column("subsets", [f"{p.subsets}{' (all)' if p.exact else ''}" for p in any_measure]),
    ]
    for measure in measures:
        points = [at[measure, size] for size in sizes]
        columns.append(Column(measure, [_decimal(p.mean) for p in points], "right"))
        limits = [f"{_decimal(p.low)}  {_decimal(p.high)}" for p in points]
        columns.append(Column(f"{COVERAGE:.0%} of subsets", limits, "right"))
        if any(p.undefined for p in points):
            columns.append(Column("undefined", [str(p.undefined) for p in points], "right"))
    s = found.signature
    head = (
        f"  Fewer systems: correlation of the values of {s['metrics']} metrics with those on all "
        f"{s['systems']} systems"
    )
    return f"{head}\n\n{lay_out(columns)}"


def _segments(found: Stability) -> str:
    if not found.segments:
        return ""
    widths = found.widths()
    measures = list(dict.fromkeys(measure for measure, _ in widths))
    sizes = sorted({size for _, size in widths})
    columns = [Column("segments", [f"{size:,}" for size in sizes], "right")]
    for measure in measures:
        shown = [_decimal(widths.get((measure, size))) for size in sizes]
        columns.append(Column(measure, shown, "right"))
    s = found.signature
    head = (
        f"  Fewer segments: width of the {COVERAGE:.0%} interval of a value, mean over {s['metrics']} "
        f"metrics ({s['items']:,} segments in all)"
    )
    return f"{head}\n\n{lay_out(columns)}"


def _decimal(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
