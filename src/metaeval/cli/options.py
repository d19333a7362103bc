"""The options that several verbs share, so that they mean and read the same everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

if TYPE_CHECKING:
    from metaeval.evalset import EvalSet

Data: TypeAlias = Annotated[
    Path,
    typer.Argument(
        metavar="DATA",
        help="An mt-metrics-eval folder, a table (CSV, TSV, JSONL, Parquet), a folder of transcripts or of "
        "TREC runs with qrels, or a bundle.",
    ),
]
Pair: TypeAlias = Annotated[str | None, typer.Option(help="Language pair, where DATA holds several: zh-en.")]
Format: TypeAlias = Annotated[
    str | None, typer.Option("--from", help="Format of DATA, if it is not recognised.")
]
Human: TypeAlias = Annotated[
    str | None, typer.Option(help="Human scores to compare with. Default: mqm, esa, or the fullest.")
]
Reference: TypeAlias = Annotated[
    str | None,
    typer.Option(help="Reference in use; src: none. Default: the one that most metrics used."),
]
Metrics: TypeAlias = Annotated[str | None, typer.Option(help="Metrics, by name or glob, comma-separated.")]
Systems: TypeAlias = Annotated[str | None, typer.Option(help="Systems, by name or glob, comma-separated.")]
Exclude: TypeAlias = Annotated[
    str | None, typer.Option(help="Systems to leave out, by name or glob, comma-separated.")
]
Domain: TypeAlias = Annotated[str | None, typer.Option(help="Only items of these domains.")]
Missing: TypeAlias = Annotated[
    Literal["error", "drop"],
    typer.Option(help="Rated cells where a metric has no score: an error, or dropped for every metric."),
]
Printed: TypeAlias = Annotated[
    Literal["text", "json", "csv", "markdown", "latex"], typer.Option(help="How to print.")
]
Seed: TypeAlias = Annotated[int, typer.Option(min=0, help="Seed of everything random.")]
Json: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def load(data: Path, pair: str | None, format: str | None) -> EvalSet:
    """Reads DATA as every verb does."""
    from metaeval.io.registry import read

    return read(data, pair=pair, format=format)


def name_and_value(text: str, hint: str) -> tuple[str, str]:
    """The two sides of ``NAME=VALUE``."""
    name, equals, value = text.partition("=")
    if not equals:
        raise typer.BadParameter(f"{text!r} is not NAME=VALUE", param_hint=hint)
    return name.strip(), value.strip()


def numbers(text: str | None, option: str) -> list[int] | None:
    """Whole numbers with commas between.

    >>> numbers("4, 8", "--sizes")
    [4, 8]
    """
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() for part in parts):
        raise typer.BadParameter(f"{text!r} is not a list of whole numbers: 4,8,12", param_hint=option)
    return [int(part) for part in parts]
