"""What a sentinel is trained on: texts of one view, and the human scores of what they belong to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError
from metaeval.evalset import EvalSet
from metaeval.paired import choose_protocol, choose_reference, rated_cells
from metaeval.probes.sentinel.views import Seen, View, look
from metaeval.scores import FloatArray

MQM_FLOOR = -25.0
"""MQM scores below count as this: 25 is what a rater takes off an output at most, in Google's scheme."""


@dataclass(frozen=True, eq=False, slots=True)
class Examples:
    """One text, one score, and how many human scores that is the mean of."""

    texts: tuple[str, ...]
    scores: FloatArray
    weights: FloatArray

    def __post_init__(self) -> None:
        if not len(self.texts) == len(self.scores) == len(self.weights):
            raise InputError(
                f"found {len(self.texts):,} texts, {len(self.scores):,} scores and "
                f"{len(self.weights):,} weights, expected as many of each"
            )
        if len(self.texts) < 2 or np.ptp(self.scores) == 0:
            raise InputError(
                f"found {len(self.texts):,} texts with {len(np.unique(self.scores))} different scores: "
                "nothing can be learnt from that",
                remedy="Train on more data, or on other human scores (--human).",
            )

    def __len__(self) -> int:
        return len(self.texts)


def clipped(evalset: EvalSet, human: str | None, reference: str | None) -> FloatArray:
    """The human scores to learn, systems x items; MQM is clipped to [-25, 0]."""
    protocol = choose_protocol(evalset, human)
    rated = rated_cells(evalset, protocol, choose_reference(evalset, reference))
    return np.maximum(rated, MQM_FLOOR) if protocol == "mqm" else rated


def examples_of(
    evalset: EvalSet, view: View, *, human: str | None = None, reference: str | None = None
) -> Examples:
    """Every rated text of a view with the mean of its scores: a source has those of all outputs. O(cells)."""
    seen = look(evalset, view, choose_reference(evalset, reference))
    return gather(seen, clipped(evalset, human, reference))[0]


def gather(
    seen: Seen, human: FloatArray, items: NDArray[np.bool_] | None = None
) -> tuple[Examples, NDArray[np.intp]]:
    """The rated texts, and their positions among all texts; only those of some items where given."""
    rated = ~np.isnan(human) & (seen.of_cell >= 0)
    if items is not None:
        rated = rated & items
    text, scores = seen.of_cell[rated], human[rated]
    count = np.bincount(text, minlength=len(seen.texts)).astype(np.float64)
    total = np.bincount(text, weights=scores, minlength=len(seen.texts))
    used = np.flatnonzero(count)
    found = Examples(tuple(seen.texts[i] for i in used), total[used] / count[used], count[used])
    return found, used
