"""What ``metaeval score`` added, as a screen."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np

from metaeval.errors import printable
from metaeval.report.text_table import Column, lay_out
from metaeval.scorable import Added, Scored

ACROSS = 6
"""Metrics side by side; more are put below."""


def as_text(scored: Scored) -> str:
    """System scores with their own sign, then how each was made."""
    blocks = []
    for start in range(0, len(scored.added), ACROSS):
        some = scored.added[start : start + ACROSS]
        systems = Column("system", [printable(name, 40) for name in scored.evalset.systems])
        blocks.append(lay_out([systems, *(_column(added) for added in some)]))
    lines = [f"  {printable(added.key, 60)}: {printable(added.signature, 200)}" for added in scored.added]
    negated = [added.key for added in scored.added if added.negated]
    if negated:
        lines.append(
            f"  ! kept with a minus sign, so that higher is better (--natural keeps them as shown): "
            f"{', '.join(negated)}"
        )
    gaps = {added.key: added.unscored for added in scored.added if added.unscored}
    if gaps:
        counted = ", ".join(f"{printable(key, 60)} {count:,}" for key, count in gaps.items())
        lines.append(
            "  ! outputs without a score, which count for nothing (no text, or nothing to compare with): "
            f"{counted}"
        )
    return "\n\n".join([*blocks, "\n".join(lines)])


def as_json(scored: Scored, *, out: str, lost: Sequence[str]) -> str:
    """The same for programs: system scores with their own sign; what does not exist is null.

    Args:
        scored: what was added.
        out: where it was written.
        lost: what the format could not hold.
    """
    found = {
        "out": out,
        "not_in_it": list(lost),
        "results": [
            {
                "metric": added.key,
                "signature": added.signature,
                "direction": added.direction,
                "kept_negated": added.negated,
                "unscored": added.unscored,
                "systems": {
                    name: None if np.isnan(value) else float(value)
                    for name, value in zip(scored.evalset.systems, added.system, strict=True)
                },
            }
            for added in scored.added
        ],
    }
    return json.dumps(found, indent=1, ensure_ascii=False, allow_nan=False)


def _column(added: Added) -> Column:
    cells = ["–" if np.isnan(value) else f"{value:.4f}" for value in added.system]
    return Column(printable(added.key, 40), cells, "right")
