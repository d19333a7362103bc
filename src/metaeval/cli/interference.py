"""``metaeval interference``: does a metric judge outputs that it chose itself?"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from metaeval.cli import options


class Correction(StrEnum):
    none = "none"
    holm = "holm"
    bh = "bh"


def interference(
    data: options.Data,
    pair: options.Pair = None,
    from_format: options.Format = None,
    reference: options.Reference = None,
    metrics: options.Metrics = None,
    systems: options.Systems = None,
    exclude: options.Exclude = None,
    domain: options.Domain = None,
    alpha: Annotated[float, typer.Option(min=0.0001, max=0.5, help="Level of the test.")] = 0.05,
    correction: Annotated[
        Correction, typer.Option(help="Correction for how many pairs are tested.")
    ] = Correction.holm,
    as_json: options.Json = False,
) -> None:
    """Find metrics that like a system of DATA more than the other metrics explain; needs no human scores."""
    from metaeval.probes.interference.detect import detect
    from metaeval.report import interference as report

    evalset = options.load(data, pair, from_format)
    chosen = evalset if domain is None else evalset.select(domain=domain)
    found = detect(
        chosen,
        reference=reference,
        metrics=metrics,
        systems=systems,
        exclude=exclude,
        alpha=alpha,
        correction=correction.value,
    )
    typer.echo(report.detection_json(chosen, found) if as_json else report.detection_text(found))
