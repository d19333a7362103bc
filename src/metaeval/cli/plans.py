"""The options that make a plan of tests and intervals, for every verb that resamples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import typer

from metaeval.significance.plan import Bootstrap, Convention, Test, Unit

if TYPE_CHECKING:
    from metaeval.significance.plan import Plan

TestName: TypeAlias = Annotated[Test, typer.Option(help="Significance test between metrics.")]
Draws: TypeAlias = Annotated[
    int, typer.Option(min=1, max=10_000_000, help="Permutations, and bootstrap samples.")
]
Alpha: TypeAlias = Annotated[
    float, typer.Option(min=0.0001, max=0.5, help="Level of tests; intervals cover the rest.")
]
UnitName: TypeAlias = Annotated[Unit, typer.Option(help="What PERM-INPUTS and the bootstrap exchange.")]
BootstrapName: TypeAlias = Annotated[
    Bootstrap | None,
    typer.Option(help="What intervals resample. Default: inputs, or nothing with --test none."),
]
ConventionName: TypeAlias = Annotated[
    Convention, typer.Option(help="p is (count+1)/(draws+1), or WMT's count/draws.")
]
Correction: TypeAlias = Annotated[
    Literal["none", "holm", "bh"], typer.Option(help="Correction of p for the number of pairs.")
]
Jobs: TypeAlias = Annotated[
    int, typer.Option(min=1, max=1024, help="Processes or threads; the numbers do not depend on it.")
]


def make_plan(test: Test, bootstrap: Bootstrap | None, **chosen: Any) -> Plan:
    """The plan that options describe: without a test there are no intervals, unless asked for."""
    from metaeval.significance.plan import Plan

    return Plan(test=test, bootstrap=bootstrap or ("none" if test == "none" else "inputs"), **chosen)
