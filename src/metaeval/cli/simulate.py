"""``metaeval simulate``: evaluation data with a known truth, written with that truth beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from metaeval.cli import options


def simulate(
    out: Annotated[
        Path | None, typer.Argument(metavar="OUT", help="Bundle, folder or table to write; must not exist.")
    ] = None,
    knob: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A knob: --set systems=20. May be repeated."),
    ] = None,
    clean: Annotated[bool, typer.Option("--clean", help="Plant no faults.")] = False,
    to: Annotated[
        str | None, typer.Option(help="bundle, mtme, or long. Default: by the ending of OUT.")
    ] = None,
    seed: options.Seed = 0,
) -> None:
    """Simulate systems, raters and metrics whose truth is known; without OUT, list the knobs."""
    from metaeval.errors import InputError
    from metaeval.io.registry import choose_writer
    from metaeval.simulate import CLEAN, Config, knobs
    from metaeval.simulate import simulate as run

    if out is None:
        for name, default, meaning in knobs():
            typer.echo(f"  {name} = {default}\n      {meaning}")
        return
    config = (CLEAN if clean else Config()).with_knobs(**dict(map(knob_and_value, knob or ())))
    simulation = run(config, seed=seed)
    truth = out.with_name(f"{out.name}.truth.json")
    if truth.exists():
        raise InputError("already exists", path=truth, remedy="Remove it, or choose another name.")
    choose_writer(out, to).write(simulation.evalset, out)
    truth.write_text(json.dumps(simulation.truth.as_dict(cells=False), indent=1) + "\n", encoding="utf-8")
    typer.echo(f"{out}: {simulation.evalset!r}\n{truth}: which metric is better, and by how much")


def knob_and_value(text: str) -> tuple[str, object]:
    """``NAME=VALUE``; the value is read as JSON where it is that, else as text."""
    name, value = options.name_and_value(text, "--set")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value
