"""``metaeval measures``: what can be measured, with formula and source."""

from __future__ import annotations

import json

import typer

from metaeval.cli import options


def measures(as_json: options.Json = False) -> None:
    """List the measures with their formulas and sources."""
    from metaeval.measures.registry import describe_measures

    described = describe_measures()
    if as_json:
        typer.echo(json.dumps(described, indent=1, ensure_ascii=False))
        return
    for entry in described:
        typer.echo(f"  {entry['grammar']}")
        typer.echo(f"      {entry['about']}")
        typer.echo(f"      {entry['formula']}    [{entry['cites']}]")
