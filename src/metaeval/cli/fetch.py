"""``metaeval fetch``: the official mt-metrics-eval data, or a mirror's, or an archive's."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from metaeval.cli.progress import progress_bar


def fetch(
    address: Annotated[
        str | None,
        typer.Option("--from", help="Address of a mirror, or path of an archive. Default: the official one."),
    ] = None,
    into: Annotated[Path | None, typer.Option(help="Folder to make. Default: mt-metrics-eval-v2.")] = None,
    sha256: Annotated[str | None, typer.Option(help="Checksum that the archive must have.")] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace what an earlier fetch made.")
    ] = False,
    timeout: Annotated[
        float, typer.Option(min=0.1, max=86400, help="Seconds to wait for a sign of life.")
    ] = 30.0,
) -> None:
    """Download the official evaluation data; a download that broke off goes on where it was."""
    from metaeval.io import fetch as fetching

    with progress_bar() as report:

        def bytes_here(done: int, total: int | None) -> None:
            if report is not None and total is not None:
                report("bytes", done, total)

        folder = fetching.fetch(
            address or fetching.OFFICIAL,
            into or fetching.INTO,
            sha256=sha256,
            overwrite=overwrite,
            timeout=timeout,
            progress=bytes_here,
        )
    official = folder / "wmt23"
    data = f"{official} --pair zh-en" if official.is_dir() else folder
    typer.echo(f"{folder} is ready. See what it holds: metaeval describe {data}")
