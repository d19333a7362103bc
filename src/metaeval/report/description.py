"""The contents of an EvalSet as a screen or as JSON."""

from __future__ import annotations

import dataclasses
import json

from metaeval.describe import Coverage, Description
from metaeval.errors import printable
from metaeval.report.text_table import Column, lay_out


def as_json(description: Description) -> str:
    return json.dumps(dataclasses.asdict(description), indent=1, ensure_ascii=False, allow_nan=False)


def as_text(description: Description) -> str:
    """What is there, how complete it is, and what looks wrong."""
    d = description
    cells = len(d.systems) * d.items
    size = f"{len(d.systems)} systems, {d.items:,} items"
    size += f", {d.documents:,} documents" if d.documents else ""
    size += (
        f", {len(d.domains)} domains ({', '.join(printable(x, 30) for x in d.domains)})" if d.domains else ""
    )
    lines = [f"  {printable(d.name) or 'evaluation set'}: {size}"]
    if d.texts:
        lines.append(f"  texts: {', '.join(printable(text, 60) for text in d.texts)}")
    if d.context:
        lines.append(f"  context: {', '.join(printable(column, 40) for column in d.context)}")
    if d.human:
        lines += ["", _humans(d, cells)]
    if d.metrics:
        lines += ["", _metrics(d.metrics)]
    if d.suspicious:
        lines += ["", *(f"  ! {printable(finding, 300)}" for finding in d.suspicious)]
    return "\n".join([*lines, "", f"  data {d.digest[:8]}"])


def _humans(d: Description, cells: int) -> str:
    ties = {t.protocol: t for t in d.ties}
    none = [ties[c.key].tied_none if c.key in ties else None for c in d.human]
    item = [ties[c.key].tied_item if c.key in ties else None for c in d.human]
    return lay_out(
        [
            Column("human", [printable(c.key, 40) for c in d.human]),
            Column("systems", [str(c.systems) for c in d.human], "right"),
            Column("items", [f"{c.items:,}" for c in d.human], "right"),
            Column("scores", [f"{c.cells:,}" for c in d.human], "right"),
            Column("of cells", [f"{c.cells / cells:.0%}" if cells else "–" for c in d.human], "right"),
            Column("tied pairs", [_share(share) for share in none], "right"),
            Column("by item", [_share(share) for share in item], "right"),
            Column("levels", [" ".join(c.levels) for c in d.human]),
        ]
    )


def _metrics(metrics: tuple[Coverage, ...]) -> str:
    return lay_out(
        [
            Column("metric", [printable(c.key, 60) for c in metrics]),
            Column("systems", [str(c.systems) for c in metrics], "right"),
            Column("scores", [f"{c.cells:,}" for c in metrics], "right"),
            Column("missing", [f"{c.missing:,}" if c.missing else "–" for c in metrics], "right"),
            Column("levels", [" ".join(c.levels) for c in metrics]),
        ]
    )


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.0%}"
