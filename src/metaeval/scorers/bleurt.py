"""BLEURT with the authors' package, which lives on GitHub alone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from metaeval.declared import param
from metaeval.errors import InputError, MetaevalError, MissingExtra
from metaeval.scorers.base import Segment, SegmentScorer
from metaeval.scorers.libraries import library, loading, version
from metaeval.scorers.registry import scorer
from metaeval.scores import FloatArray

SOURCE = "git+https://github.com/google-research/bleurt.git"


class MissingBleurt(MissingExtra):
    """An extra cannot name a package that is not on PyPI: its own installation line."""

    def __init__(self) -> None:
        MetaevalError.__init__(
            self, f"BLEURT needs bleurt, which is not installed\n  Install it: pip install {SOURCE}"
        )


@scorer("BLEURT", cites="Sellam, Das and Parikh 2020", extra="bleurt, from GitHub")
class Bleurt(SegmentScorer):
    """A learned metric of reference and output, by the bleurt package."""

    sharing = "none"
    cost = "model"
    batch = 512
    checkpoint: str = param("", parse=str, about="the folder of an unpacked checkpoint: BLEURT-20")

    def check(self) -> None:
        _library()
        if not self.checkpoint:
            raise InputError(
                "BLEURT needs the folder of a checkpoint",
                remedy="Unpack BLEURT-20 and name it: BLEURT(checkpoint=/models/BLEURT-20)",
            )

    @property
    def signature(self) -> str:
        name = self.checkpoint.rstrip("/").rpartition("/")[2]
        return f"BLEURT|{name}|version:{version('bleurt')}"

    def statistics(self, segments: Sequence[Segment]) -> FloatArray:
        scores = _model(self.checkpoint).score(
            references=[s.reference for s in segments], candidates=[s.output for s in segments]
        )
        return np.asarray(scores, dtype=np.float64)[:, None]


@cache
def _model(checkpoint: str) -> Any:
    bleurt = _library()
    with loading(checkpoint, needed_for="BLEURT"):
        return bleurt.BleurtScorer(checkpoint)


def _library() -> Any:
    try:
        return library("bleurt.score", package="bleurt", extra="bleurt", needed_for="BLEURT")
    except MissingExtra as error:
        raise MissingBleurt from error
