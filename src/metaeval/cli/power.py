"""``metaeval power``: how many systems and segments it takes to tell two metrics apart."""

from __future__ import annotations

from typing import Annotated

import typer

from metaeval.cli import options, plans
from metaeval.cli.progress import progress_bar
from metaeval.cli.simulate import knob_and_value


def power(
    better: Annotated[
        float, typer.Option(help="The better metric's correlation with quality, by item.")
    ] = 0.6,
    worse: Annotated[float, typer.Option(help="The other's.")] = 0.5,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "--measure",
            "-m",
            help="Measure; may be repeated. Default: acc_eq(epsilon=best)@item and spa(method=normal).",
        ),
    ] = None,
    systems: Annotated[str, typer.Option(help="Numbers of systems.")] = "8,12,16",
    segments: Annotated[str, typer.Option(help="Numbers of segments.")] = "100,200,400",
    sets: Annotated[int, typer.Option(min=1, help="Simulated data sets for each of these.")] = 200,
    knob: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A knob, as `metaeval simulate` lists them."),
    ] = None,
    test: plans.TestName = "perm-inputs",
    draws: Annotated[int, typer.Option(min=1, help="Permutations.")] = 200,
    seed: options.Seed = 0,
    alpha: plans.Alpha = 0.05,
    unit: plans.UnitName = "item",
    as_json: options.Json = False,
    jobs: plans.Jobs = 1,
) -> None:
    """Simulate how often a true difference between two metrics is found, by systems and segments."""
    from metaeval import power as studying
    from metaeval.report import power as report
    from metaeval.simulate import CLEAN

    plan = plans.make_plan(test, "none", draws=draws, seed=seed, alpha=alpha, unit=unit, jobs=jobs)
    with progress_bar() as progress:
        study = studying.power(
            better,
            worse,
            measure or studying.DEFAULT_MEASURES,
            systems=options.numbers(systems, "--systems") or [],
            segments=options.numbers(segments, "--segments") or [],
            sets=sets,
            plan=plan,
            config=CLEAN.with_knobs(**dict(map(knob_and_value, knob or ()))),
            progress=progress,
        )
    typer.echo(report.as_json(study) if as_json else report.as_text(study))
