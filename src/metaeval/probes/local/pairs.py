"""Pairs of outputs of which one is known to be better, and what each metric said of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError
from metaeval.scores import FloatArray

IntArray: TypeAlias = NDArray[np.intp]
Verdicts: TypeAlias = NDArray[np.int8]

RIGHT, TIED, WRONG = 1, 0, -1

_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Pairs:
    """One row a pair: whose output it is, how the other came about, and each metric's verdict.

    >>> two = Pairs(metrics=("BLEU",), kinds=("removal",), items=("1",), systems=("A",), item=[0, 0],
    ...             system=[0, 0], kind=[0, 0], verdict=[[RIGHT], [TIED]])
    >>> len(two)
    2
    """

    metrics: tuple[str, ...]
    kinds: tuple[str, ...]
    """What makes the second output the worse one: perturbations, or the people who said so."""
    items: tuple[str, ...]
    systems: tuple[str, ...]
    item: IntArray
    system: IntArray
    """The system of the better output."""
    kind: IntArray
    verdict: Verdicts
    """pairs x metrics: RIGHT, TIED or WRONG."""
    weight: FloatArray | None = None
    """What each pair counts within its item; all alike where None."""
    together: IntArray | None = None
    """For each item the unit that it belongs to, where several are about one input; each its own if None."""
    dropped: int = 0
    """Pairs left out because some metric gave one of the two no score."""

    def __post_init__(self) -> None:
        def put(part: str, value: object) -> None:
            object.__setattr__(self, part, value)

        for part in ("item", "system", "kind"):
            put(part, np.asarray(getattr(self, part), dtype=np.intp))
        put("verdict", np.asarray(self.verdict, dtype=np.int8).reshape(len(self.item), len(self.metrics)))
        if self.weight is not None:
            weight = np.asarray(self.weight, dtype=np.float64)
            if weight.shape != self.item.shape or not np.isfinite(weight).all() or (weight < 0).any():
                raise InputError("the weights of pairs are not one number from 0 for each pair")
            put("weight", weight)

    def __len__(self) -> int:
        return len(self.item)

    @property
    def unit(self) -> IntArray:
        """The input of each pair, over which accuracies are averaged."""
        return self.item if self.together is None else self.together[self.item]

    def take(self, rows: NDArray[np.bool_]) -> Pairs:
        """The same metrics on fewer pairs."""
        return Pairs(
            metrics=self.metrics,
            kinds=self.kinds,
            items=self.items,
            systems=self.systems,
            item=self.item[rows],
            system=self.system[rows],
            kind=self.kind[rows],
            verdict=self.verdict[rows],
            weight=None if self.weight is None else self.weight[rows],
            together=self.together,
        )


def verdicts(better: FloatArray, worse: FloatArray) -> Verdicts:
    """Strict comparison of scores where higher is better; a difference by rounding alone is a tie.

    >>> verdicts(np.array([0.3, 0.3, 0.1]), np.array([0.2, 0.1 + 0.2, 0.2])).tolist()
    [1, 0, -1]
    """
    margin = better - worse
    noise = _ROUNDING * np.maximum(np.abs(better), np.abs(worse))
    return np.where(np.abs(margin) <= noise, 0, np.sign(margin)).astype(np.int8)


def joined(parts: Sequence[Pairs]) -> Pairs:
    """The pairs of several blocks of one data set."""
    first = parts[0]
    return Pairs(
        metrics=first.metrics,
        kinds=first.kinds,
        items=first.items,
        systems=first.systems,
        item=np.concatenate([p.item for p in parts]),
        system=np.concatenate([p.system for p in parts]),
        kind=np.concatenate([p.kind for p in parts]),
        verdict=np.concatenate([p.verdict for p in parts]),
        dropped=sum(p.dropped for p in parts),
    )
