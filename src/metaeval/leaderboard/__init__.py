"""Leaderboards over several data sets and measures: a definition, the table of its tasks, the average.

A definition is a small TOML file (:mod:`.file`) or one that comes with metaeval (:data:`.file.SHIPPED`).
"""

from metaeval.leaderboard.definition import Definition, SetSpec, TaskSpec
from metaeval.leaderboard.file import find_definition, read_definition, shipped
from metaeval.leaderboard.run import Leaderboard, run

__all__ = [
    "Definition",
    "Leaderboard",
    "SetSpec",
    "TaskSpec",
    "find_definition",
    "read_definition",
    "run",
    "shipped",
]
