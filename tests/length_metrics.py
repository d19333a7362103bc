"""Metrics whose accuracy can be told in advance, and a small data set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from metaeval.evalset import EvalSet
from metaeval.scorers.base import Direction, Need, Segment, SegmentScorer
from metaeval.scores import FloatArray, Scores

WORDS = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lamda", "mu"]


@dataclass(frozen=True, repr=False)
class Length(SegmentScorer):
    """The longer the better."""

    name = "length"
    direction: ClassVar[Direction] = "higher"
    needs: ClassVar[tuple[Need, ...]] = ("output",)
    extra = None
    cites = ""

    def statistics(self, segments: Sequence[Segment]) -> FloatArray:
        return np.array([[float(len(s.output))] for s in segments]).reshape(-1, 1)


@dataclass(frozen=True, repr=False)
class Shortness(Length):
    """The same, where lower is better."""

    name = "shortness"
    direction: ClassVar[Direction] = "lower"


@dataclass(frozen=True, repr=False)
class Unsure(Length):
    """No score for an output that lacks the word mu."""

    name = "unsure"

    def statistics(self, segments: Sequence[Segment]) -> FloatArray:
        return np.array([[float("mu" in s.output) or np.nan] for s in segments]).reshape(-1, 1)


def small_set(items: int = 12, systems: int = 3) -> EvalSet:
    """Outputs of twelve different words in an order of their own; domains, sizes, a human score."""
    rng = np.random.default_rng(0)
    names = tuple("ABCDEFGH"[:systems])
    return EvalSet(
        systems=names,
        items=tuple(str(i) for i in range(items)),
        pair="de-en",
        references={"ref": tuple(" ".join(WORDS) for _ in range(items))},
        outputs={s: tuple(" ".join(rng.permutation(WORDS)) for _ in range(items)) for s in names},
        human={"mqm": Scores("mqm", segment=-rng.integers(0, 5, size=(systems, items)).astype(float))},
        item_context={
            "domain": tuple("news" if i % 2 else "talk" for i in range(items)),
            "use": tuple(str(1 + i) for i in range(items)),
        },
        system_context={"share": tuple(str(i) for i in range(systems))},
    )
