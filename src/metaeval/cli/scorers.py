"""``metaeval scorers``: what can score, which way is better, what it reads, and what it needs installed."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated

import typer

from metaeval.cli import options


class Task(StrEnum):
    text = "text"
    ranking = "ranking"


def scorers(
    as_json: options.Json = False,
    task: Annotated[Task | None, typer.Option(help="Only scorers of this task.")] = None,
) -> None:
    """List the scorers with direction, needs and the extra that brings them."""
    from metaeval.scorers.registry import describe_scorers

    described = [entry for entry in describe_scorers() if task in (None, entry["task"])]
    if as_json:
        typer.echo(json.dumps(described, indent=1, ensure_ascii=False))
        return
    for entry in described:
        needs = f"{entry['direction']} is better; reads {entry['needs']}"
        extra = f"; extra: {entry['extra']}" if entry["extra"] else ""
        typer.echo(
            f"  {entry['grammar']}\n      {entry['about']}\n      {needs}{extra}    [{entry['cites']}]"
        )
