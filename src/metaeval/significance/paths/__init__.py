"""The ways to evaluate a measure under resampling, the fast ones first; see :mod:`.base`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metaeval.measures.base import Measure
    from metaeval.significance.paths.base import Exchange, Path, Resample

ORDER = (
    "separable",
    "ordering",
    "system",
    "moments",
    "spa",
    "spa_normal",
    "pairs",
    "tau",
    "ranks",
    "generic",
)
"""Modules of this package, each with one ``PATH``, in the order in which they are asked."""


def path_for_exchange(measure: Measure, exchange: Exchange) -> type[Path]:
    """The first path that evaluates this measure when these are exchanged."""
    return next(path for path in _paths() if path.accepts(measure, exchange))


def path_for_resampling(measure: Measure, what: Resample) -> type[Path]:
    """The first path that evaluates this measure when these are resampled."""
    return next(path for path in _paths() if path.resamples(measure, what))


def _paths() -> list[type[Path]]:
    return [import_module(f"{__name__}.{name}").PATH for name in ORDER]
