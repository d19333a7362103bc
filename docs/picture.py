"""Draws docs/board.svg, the picture of the README: the board of `metaeval demo`, intervals and letters.

Run: python docs/picture.py
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from metaeval.board import Board, Row, Table, rank
from metaeval.cli.demo import MEASURES, METRICS, SHOWN
from metaeval.significance.plan import Plan
from metaeval.simulate import Config, simulate

PICTURE = Path(__file__).with_name("board.svg")
LINE, TOP, PANEL, NAME, AXIS = 26, 44, 400, 84, 240
"""Height of a row and of the heading; width of a panel, of the names in it, and of its axis."""
STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #24292f } .head { font-weight: 600 } .quiet { fill: #6e7781 }
  line, circle { stroke: #0969da; stroke-width: 2 } circle { fill: #0969da }
  .grid { stroke: #d0d7de; stroke-width: 1 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .quiet { fill: #9198a1 } .grid { stroke: #3d444d }
    line, circle { stroke: #4493f8 } circle { fill: #4493f8 }
  }
"""


def demo_board() -> Board:
    """What `metaeval demo` ranks."""
    simulation = simulate(Config(metrics=METRICS, gamed=False), seed=2)
    return rank(simulation.evalset, MEASURES, plan=Plan(draws=500))


def draw(board: Board) -> str:
    """The board as SVG: a panel a measure, a row a metric, as many as the demo shows."""
    panels = [table.rows[:SHOWN] for table in board.tables]
    width, height = PANEL * len(panels), TOP + LINE * max(map(len, panels)) + 24
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}">']
    parts += [f"<style>{STYLE}</style>"]
    for number, (table, rows) in enumerate(zip(board.tables, panels, strict=True)):
        parts += [f'<g transform="translate({number * PANEL} 0)">', *panel(table, rows, height), "</g>"]
    return "\n".join([*parts, "</svg>", ""])


def panel(table: Table, rows: Sequence[Row], height: int) -> Iterator[str]:
    """One measure: value, interval and letters of every metric, best first."""
    values = [row.value for row in rows if row.value is not None]
    intervals = [row.interval for row in rows if row.interval is not None]
    low = min(interval[0] for interval in intervals)
    high = max(interval[1] for interval in intervals)

    def x(value: float) -> float:
        return NAME + AXIS * (value - low) / (high - low)

    yield f'<text class="head" x="8" y="22">{escape(str(table.measure))}</text>'
    for tick in (low, (low + high) / 2, high):
        yield f'<line class="grid" x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="34" y2="{height - 22}"/>'
        yield f'<text class="quiet" x="{x(tick):.1f}" y="{height - 6}" text-anchor="middle">{tick:.2f}</text>'
    for place, (row, value, interval) in enumerate(zip(rows, values, intervals, strict=True)):
        y = TOP + LINE * place + 8
        yield f'<text x="8" y="{y + 5}">{escape(row.metric.name)}</text>'
        yield f'<line x1="{x(interval[0]):.1f}" x2="{x(interval[1]):.1f}" y1="{y}" y2="{y}"/>'
        yield f'<circle cx="{x(value):.1f}" cy="{y}" r="4"/>'
        yield f'<text class="quiet" x="{NAME + AXIS + 16}" y="{y + 5}">{escape(row.letters)}</text>'


if __name__ == "__main__":
    PICTURE.write_text(draw(demo_board()), encoding="utf-8")
