"""From data to an audit."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

import metaeval
from metaeval.errors import MetaevalError
from metaeval.evalset import EvalSet
from metaeval.measures.base import Measure
from metaeval.names import Patterns
from metaeval.probes.audit.evidence import gather_evidence
from metaeval.probes.audit.finding import Audit, CannotTell, Finding, checks, ordered
from metaeval.progress import Progress


def audit(
    data: EvalSet,
    measures: Sequence[str | Measure] | None = None,
    *,
    train: EvalSet | None = None,
    human: str | None = None,
    reference: str | None = None,
    metrics: Patterns | None = None,
    systems: Patterns | None = None,
    exclude: Patterns | None = None,
    domain: Patterns | None = None,
    seed: int = 0,
    alpha: float = 0.05,
    draws: int = 1000,
    progress: Progress | None = None,
) -> Audit:
    """Everything that every check finds, under the measures asked for, or WMT's in all groupings.

    Sentinels learn from ``train``, or out of fold from the data. A check that the data do not allow is
    listed as not done, with the reason.

    >>> from metaeval.simulate import CLEAN, simulate
    >>> found = audit(simulate(CLEAN, length_bias=0.9, items=150).evalset, ["pearson@item"], draws=200)
    >>> [f.numbers["metric"] for f in found.findings if f.check == "length"]
    ['Longish-refA']
    """
    chosen = data.select(systems=systems, exclude=exclude, domain=domain)
    evidence = gather_evidence(
        chosen,
        measures,
        train=train,
        human=human,
        reference=reference,
        metrics=metrics,
        seed=seed,
        alpha=alpha,
        draws=draws,
        progress=progress,
    )
    findings: list[Finding] = []
    unchecked = [*evidence.added.left_out, *evidence.unmeasured]
    for done, (name, (_, function)) in enumerate(checks().items()):
        if progress is not None:
            progress("checks", done, len(checks()))
        try:
            for finding in function(evidence):
                findings.append(finding)
        except (CannotTell, MetaevalError) as reason:
            unchecked.append(f"{name}: {str(reason).partition(chr(10))[0]}")
    paired = evidence.paired
    signature = {
        "version": metaeval.__version__,
        "data": chosen.digest[:8],
        "name": chosen.name,
        "pair": chosen.pair,
        "human": paired.protocol,
        "reference": paired.reference,
        "systems": len(paired.systems),
        "items": len(paired.items),
        "cells": paired.cells,
        "dropped_cells": paired.dropped_cells,
        "metrics": len(evidence.metrics),
        "measures": [str(table.measure) for table in evidence.tables],
        "sentinels": "cross-fitted" if train is None else f"trained on {train.name or 'other data'}",
        "seed": seed,
        "draws": draws,
        "alpha": alpha,
    }
    return Audit(ordered(findings), tuple(checks()), tuple(unchecked), MappingProxyType(signature))
