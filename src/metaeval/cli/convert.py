"""``metaeval convert``: any format in; a bundle, an mt-metrics-eval folder, or a long table out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from metaeval.cli import options


def convert(
    data: options.Data,
    out: Annotated[Path, typer.Argument(metavar="OUT", help="What to write; must not exist.")],
    to: Annotated[
        str | None, typer.Option(help="bundle, mtme, or long. Default: by the ending of OUT, else bundle.")
    ] = None,
    pair: options.Pair = None,
    from_format: options.Format = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="An option of the format; MQM: weights=google|unbabel|RULES, length_normalised=true.",
        ),
    ] = None,
) -> None:
    """Write DATA in another format: whole, or not at all."""
    from metaeval.io.registry import choose_writer, read

    writer = choose_writer(out, to)
    given = dict(options.name_and_value(text, "--option") for text in option or ())
    evalset = read(data, pair=pair, format=from_format, options=given)
    writer.write(evalset, out)
    typer.echo(f"{out}: {evalset!r}, as {writer.about}")
    for lost in writer.loses(evalset):
        typer.echo(f"  ! not in it: {lost}", err=True)
