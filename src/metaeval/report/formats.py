"""The formats a board can be printed in, found by name."""

from __future__ import annotations

from collections.abc import Callable

from metaeval.board import Board
from metaeval.errors import InputError, choices
from metaeval.report import delimited, document, structured, text

FORMATS: dict[str, Callable[[Board], str]] = {
    "text": text.render,
    "json": structured.render,
    "csv": delimited.render,
    "markdown": document.markdown,
    "latex": document.latex,
}


def render(board: Board, format: str) -> str:
    """The board as text in one of ``FORMATS``, without a trailing newline."""
    if format not in FORMATS:
        raise InputError(f"there is no format {format!r}", remedy=choices(format, FORMATS))
    return FORMATS[format](board)
