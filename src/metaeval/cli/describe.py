"""``metaeval describe``: what is in the data, and what looks suspicious."""

from __future__ import annotations

import typer

from metaeval.cli import options


def describe(
    data: options.Data,
    pair: options.Pair = None,
    from_format: options.Format = None,
    as_json: options.Json = False,
) -> None:
    """Say what DATA holds: systems, items, human and metric scores, ties, gaps, suspicious things."""
    from metaeval import describe as contents
    from metaeval.report import description

    found = contents.describe(options.load(data, pair, from_format))
    typer.echo(description.as_json(found) if as_json else description.as_text(found))
