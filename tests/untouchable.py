"""Data whose human scores must not be read."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping

from metaeval.evalset import EvalSet
from metaeval.scores import Scores


class Untouchable(Mapping[str, Scores]):
    """Raises whatever is asked of it."""

    def __getitem__(self, key: str) -> Scores:
        raise AssertionError(f"the human scores {key!r} were read")

    def __iter__(self) -> Iterator[str]:
        raise AssertionError("the human scores were listed")

    def __len__(self) -> int:
        raise AssertionError("the human scores were counted")


def without_people(evalset: EvalSet) -> EvalSet:
    """The same data, but any look at the human scores raises."""
    guarded = copy.copy(evalset)
    object.__setattr__(guarded, "human", Untouchable())
    return guarded
