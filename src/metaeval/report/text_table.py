"""Aligned columns of plain text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rich.cells import cell_len


@dataclass(frozen=True, slots=True)
class Column:
    """A heading and its cells."""

    heading: str
    cells: Sequence[str]
    align: Literal["left", "right"] = "left"


def lay_out(columns: Sequence[Column], *, indent: int = 2, gap: int = 2) -> str:
    """Columns side by side; widths count what a terminal shows, so that wide characters align too.

    >>> print(lay_out([Column("metric", ["BLEU", "chrF"]), Column("value", ["0.1", "12.0"], "right")]))
      metric  value
      BLEU      0.1
      chrF     12.0
    """
    widths = [max(cell_len(text) for text in (column.heading, *column.cells)) for column in columns]
    lines = zip(*[(column.heading, *column.cells) for column in columns], strict=True)
    laid = [
        (" " * gap).join(
            _pad(text, width, c.align) for text, width, c in zip(line, widths, columns, strict=True)
        )
        for line in lines
    ]
    return "\n".join((" " * indent + line).rstrip() for line in laid)


def _pad(text: str, width: int, align: str) -> str:
    space = " " * (width - cell_len(text))
    return space + text if align == "right" else text + space
