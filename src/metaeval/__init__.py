"""metaeval: which automatic metric to trust, on your data, with honest uncertainty.

>>> import metaeval
>>> scores = {"system": ["A", "A", "B", "B"], "item": ["1", "2", "1", "2"],
...           "human:mqm": [0.0, -1.0, -5.0, -6.0], "metric:BLEU": [40.0, 35.0, 20.0, 30.0]}
>>> board = metaeval.rank(scores, ["acc_eq@item"])
>>> board.tables[0].rows[0].value
1.0
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from metaeval.api import load, rank
    from metaeval.board import Board
    from metaeval.errors import MetaevalError
    from metaeval.evalset import EvalSet
    from metaeval.io.frames import from_dict, from_long, from_pairs, from_wide, to_long
    from metaeval.measures.registry import parse_measure
    from metaeval.scores import Scores
    from metaeval.significance.plan import Plan

_HOMES = {
    "metaeval.api": ("load", "rank"),
    "metaeval.board": ("Board",),
    "metaeval.errors": ("MetaevalError",),
    "metaeval.evalset": ("EvalSet",),
    "metaeval.io.frames": ("from_dict", "from_long", "from_pairs", "from_wide", "to_long"),
    "metaeval.measures.registry": ("parse_measure",),
    "metaeval.scores": ("Scores",),
    "metaeval.significance.plan": ("Plan",),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "Board",
    "EvalSet",
    "MetaevalError",
    "Plan",
    "Scores",
    "from_dict",
    "from_long",
    "from_pairs",
    "from_wide",
    "load",
    "parse_measure",
    "rank",
    "to_long",
]


def __getattr__(name: str) -> object:
    """Public names are imported when first used, so that ``import metaeval`` costs nothing."""
    if name not in _HOME_OF:
        raise AttributeError(f"module 'metaeval' has no attribute {name!r}")
    return getattr(import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
