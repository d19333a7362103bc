"""Two metrics compared, in plain words and as JSON."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from metaeval.compare import POWER, Comparison, Comparisons, Disagreement, Side
from metaeval.errors import printable
from metaeval.report.text_table import Column, lay_out


def as_text(comparisons: Comparisons) -> str:
    """For each measure the values, the verdict, what would settle it, and the items that tell most."""
    parts = [_measure(comparisons, comparison) for comparison in comparisons.found]
    for judge, c in {str(c.judged_by): c for c in reversed(comparisons.found)}.items():
        shown = ((c.first, c.second, c.for_first), (c.second, c.first, c.for_second))
        parts += [_items(c, judge, right, wrong, items) for right, wrong, items in shown if items]
    parts += [f"  ! {printable(note, 400)}" for note in comparisons.notes]
    s = comparisons.signature
    line = f"metaeval {s['version']} | data {s['data']} | human {s['human']}"
    line += f" | {s['test']}, {s['draws']} draws, seed {s['seed']}" if s["test"] != "none" else ""
    return "\n\n".join([*parts, f"  {printable(line, 300)}"])


def as_json(comparisons: Comparisons) -> str:
    return json.dumps(as_dict(comparisons), indent=1, ensure_ascii=False, allow_nan=False)


def as_dict(comparisons: Comparisons) -> dict[str, Any]:
    """Plain values only; what does not exist is None."""
    return {
        "signature": dict(comparisons.signature),
        "systems": comparisons.systems,
        "items": comparisons.items,
        "comparisons": [_as_dict(comparison) for comparison in comparisons.found],
        "notes": list(comparisons.notes),
    }


def _as_dict(c: Comparison) -> dict[str, Any]:
    low, high = c.interval or (None, None)
    return {
        "measure": str(c.measure),
        "metrics": [_side(c.first), _side(c.second)],
        "better": c.ahead.metric if c.ahead else None,
        "worse": c.behind.metric if c.behind else None,
        "delta": c.delta,
        "ci_low": low,
        "ci_high": high,
        "p": c.p,
        "settled": c.settled,
        "units": c.units,
        "units_needed": c.needed,
        "power": POWER,
        "judged_by": str(c.judged_by),
        "first_is_right": [dataclasses.asdict(item) for item in c.for_first],
        "second_is_right": [dataclasses.asdict(item) for item in c.for_second],
    }


def _side(side: Side) -> dict[str, Any]:
    low, high = side.interval or (None, None)
    return {
        "metric": side.metric,
        "value": side.value,
        "ci_low": low,
        "ci_high": high,
        "epsilon": side.epsilon,
    }


def _measure(comparisons: Comparisons, c: Comparison) -> str:
    s = comparisons.signature
    about = f"{comparisons.items:,} items, {comparisons.systems} systems, human: {s['human']}"
    return "\n\n".join([f"  {c.measure!s:<38}{printable(about, 200)}", _values(c), _verdict(c, s)])


def _values(c: Comparison) -> str:
    rows = [c.first, c.second]
    names = [printable(side.metric, 60) for side in rows]
    values = ["–" if side.value is None else f"{side.value:.3f}" for side in rows]
    intervals = [side.interval for side in rows]
    if c.delta is not None:
        names, values, intervals = (
            [*names, "difference"],
            [*values, f"{c.delta:+.4f}"],
            [*intervals, c.interval],
        )
    columns = [Column("", names), Column("value", values, "right")]
    if any(intervals):
        level = f"{1 - c.alpha:.0%} interval"
        columns.append(
            Column(level, ["–" if i is None else f"{i[0]:.3f}  {i[1]:.3f}" for i in intervals], "right")
        )
    return lay_out(columns)


def _verdict(c: Comparison, signature: Any) -> str:
    """The answer in a sentence or two."""
    unit = f"{signature['unit']}s"
    if c.delta is None:
        return "  One of the two has no value under this measure: they cannot be compared."
    if c.ahead is None or c.behind is None:
        return "  The two have the same value: there is nothing to settle."
    ahead, behind = (printable(side.metric, 60) for side in (c.ahead, c.behind))
    enough = "" if c.needed is None else f"about {_rounded(c.needed):,} {unit}"
    if c.p is None:
        said = f"{ahead} is ahead of {behind}; nothing was tested."
        return f"  {said}" + (
            f"\n  To tell them apart {POWER:.0%} of the time takes {enough}." if enough else ""
        )
    p = f"p = {c.p:.2g}, {str(signature['test']).upper()}, {signature['draws']} draws"
    if c.settled:
        said = f"{ahead} is better than {behind} ({p})."
        then = f"So clear a difference is found {POWER:.0%} of the time with {enough}; there are {c.units:,}."
    else:
        said = f"{ahead} is ahead of {behind}, but this may be chance ({p})."
        then = f"If the difference is real, it takes {enough} to find it {POWER:.0%} of the time; "
        then += f"there are {c.units:,}."
    return f"  {said}" + (f"\n  {then}" if enough else "")


def _rounded(count: int) -> int:
    """Two digits: an extrapolation has no more.

    >>> _rounded(526_087), _rounded(7)
    (530000, 7)
    """
    return round(count, 2 - len(str(count)))


def _items(c: Comparison, judge: str, right: Side, wrong: Side, items: tuple[Disagreement, ...]) -> str:
    names = [printable(side.metric, 30) for side in (c.first, c.second)]
    columns = [Column("item", [printable(item.item, 30) for item in items])]
    if any(item.document for item in items):
        columns.append(Column("document", [printable(item.document or "", 30) for item in items]))
    columns.append(Column(names[0], [f"{item.first:.3f}" for item in items], "right"))
    columns.append(Column(names[1], [f"{item.second:.3f}" for item in items], "right"))
    if any(item.source for item in items):
        columns.append(Column("source", [printable(item.source or "", 60) for item in items]))
    head = (
        f"{printable(right.metric, 60)} agrees with the humans where {printable(wrong.metric, 60)} does not"
    )
    return f"  {head} ({judge}):\n{lay_out(columns, indent=4)}"
