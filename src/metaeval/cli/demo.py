"""``metaeval demo``: the main job on simulated data, explained in two sentences."""

from __future__ import annotations

import typer

METRICS = ("unbiased", "lexical", "qe_length", "length_biased", "constant", "random")
"""Simulated metrics of known kinds; see `metaeval simulate`."""
MEASURES = ("spa(method=normal)", "acc_eq(epsilon=best)@item")
"""The official measures, SPA in its closed form: a first look should not wait for compilers."""
SHOWN = 4
"""Metrics shown of each table."""


def demo() -> None:
    """Rank simulated metrics whose truth is known, and say how to rank your own."""
    from dataclasses import replace

    from metaeval.board import rank
    from metaeval.report.formats import render
    from metaeval.significance.plan import Plan
    from metaeval.simulate import Config, simulate

    simulation = simulate(Config(metrics=METRICS, gamed=False), seed=2)
    board = rank(simulation.evalset, MEASURES, plan=Plan(draws=500))
    best, second = (row.metric.name for row in board.tables[-1].rows[:2])
    true = simulation.truth.ranking("item")[0].partition("-")[0]
    shortened = replace(board, tables=tuple(replace(t, rows=t.rows[:SHOWN]) for t in board.tables))
    count = len(board.tables[-1].rows)
    typer.echo(
        f"  People rated the outputs of {board.systems} systems, and {count} metrics scored them: "
        f"which metric to trust?\n"
        f"  {best} agrees best with the people, then {second}. "
        f"The data are simulated, so the truth is known: it is {true}.\n"
    )
    typer.echo(render(shortened, "text"))
    typer.echo(
        "\nYour own scores: a table with the columns system, item, human:mqm, metric:BLEU, metric:...\n"
        "  metaeval describe scores.csv     what it holds, and what looks wrong\n"
        "  metaeval rank scores.csv         which metric to trust"
    )
