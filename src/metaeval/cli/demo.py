"""``metaeval demo``: the main job on simulated data, explained in two sentences."""

from __future__ import annotations

import typer

SHOWN = 4


def demo() -> None:
    """Rank simulated metrics whose truth is known, and say how to rank your own."""
    from dataclasses import replace

    from metaeval.board import rank
    from metaeval.report.formats import render
    from metaeval.significance.plan import Plan
    from metaeval.simulate import simulate

    simulation = simulate(seed=1)
    board = rank(simulation.evalset, plan=Plan(draws=500))
    best, second = (row.metric.key for row in board.tables[-1].rows[:2])
    truth = simulation.truth.ranking("item")
    shortened = replace(board, tables=tuple(replace(t, rows=t.rows[:SHOWN]) for t in board.tables))
    systems, metrics = board.systems, len(board.tables[-1].rows)
    typer.echo(
        f"{systems} simulated translation systems were rated by simulated people and scored by {metrics} "
        f"metrics: which one\nto trust? {best} agrees best with the people, then {second}; "
        f"the simulation knows the truth: it is {truth[0]}.\n"
    )
    typer.echo(render(shortened, "text"))
    typer.echo(
        "\nYour own scores: a table with the columns system, item, human:mqm, metric:BLEU, metric:...\n"
        "  metaeval describe scores.csv     what it holds, and what looks wrong\n"
        "  metaeval rank scores.csv         which metric to trust"
    )
