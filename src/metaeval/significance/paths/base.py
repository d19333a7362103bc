"""What the resampling engine asks of a measure: its values after exchanges and after resampling."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from metaeval.measures.base import Measure, Outcome
from metaeval.paired import Paired
from metaeval.parallel import Sharing
from metaeval.scores import FloatArray

Exchange: TypeAlias = Literal["items", "systems", "cells", "pairs"]
"""What two metrics swap. Documents are drawn as such and reach a path as items."""
Resample: TypeAlias = Literal["inputs", "systems", "both"]
BoolArray: TypeAlias = NDArray[np.bool_]
IntArray: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Task:
    """What a path is made for: the data, the measure, and the values it already has."""

    paired: Paired
    measure: Measure
    outcomes: Sequence[Outcome]
    """The measure's outcome for every metric; a calibrated epsilon is kept from here."""
    exchange: Exchange = "items"
    standardise: bool = True


class Path(ABC):
    """One way to evaluate a measure for all metrics and many draws at once.

    A path may come with its own arithmetic; it must give what :meth:`Measure.evaluate` gives on the
    exchanged or resampled scores, up to rounding far below
    :data:`metaeval.significance.permutation.ROUNDING`, and the same bytes however the draws are cut into
    blocks. Oracle of every path: tests/oracles/resampling.py.
    """

    name: ClassVar[str]
    sharing: ClassVar[Sharing] = "threads"
    """How its work is shared out: threads for array operations, processes for work in Python."""

    at_once: ClassVar[int] = 100
    """The most draws worth evaluating in one go; a slow path has fewer, so that progress can be seen."""

    def __init__(self, task: Task) -> None:
        self.task = task

    @classmethod
    @abstractmethod
    def accepts(cls, measure: Measure, exchange: Exchange) -> bool:
        """Whether :meth:`swapped` is there for this measure when these are exchanged."""

    @classmethod
    @abstractmethod
    def resamples(cls, measure: Measure, what: Resample) -> bool:
        """Whether :meth:`resampled` is there for this measure when these are resampled."""

    @property
    def positions(self) -> int:
        """How many things there are to exchange: the width of a mask.

        Items and systems as :class:`Paired` orders them; cells are the rated ones, row by row
        (``np.flatnonzero(~np.isnan(paired.human))``). A path that exchanges pairs counts them itself.
        """
        paired = self.task.paired
        return {"items": len(paired.items), "systems": len(paired.systems), "cells": paired.cells}[
            self.task.exchange
        ]

    @abstractmethod
    def swapped(self, masks: BoolArray, wanted: BoolArray | None = None) -> FloatArray:
        """Values of hybrids: (draws, positions) to (draws, metrics, metrics), NaN where undefined.

        ``[d, i, j]`` is the value of metric i when it has the scores of metric j wherever ``masks[d]`` is
        true. Pairs that are not ``wanted`` (metrics x metrics, symmetric) may be left at anything.
        """

    @abstractmethod
    def resampled(self, items: IntArray, systems: IntArray) -> FloatArray:
        """Values of bootstrap samples: (draws, metrics), NaN where undefined.

        Item c counts ``items[d, c]`` times and system s ``systems[d, s]`` times, as if its column or row
        had been copied; what is not resampled counts once.
        """
