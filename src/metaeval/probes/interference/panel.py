"""The metrics' segment scores side by side, without the humans'."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metaeval.errors import InputError, choices
from metaeval.evalset import EvalSet
from metaeval.names import Patterns, matching
from metaeval.paired import choose_reference, usable_with
from metaeval.scores import FloatArray, Scores


@dataclass(frozen=True, eq=False, slots=True)
class Panel:
    """Segment scores of several metrics for all systems that they can compare."""

    systems: tuple[str, ...]
    items: tuple[str, ...]
    metrics: tuple[Scores, ...]
    reference: str | None
    scores: FloatArray
    """metrics x systems x items, NaN where missing."""

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(metric.key for metric in self.metrics)

    def of(self, metric: str) -> int:
        """Where the metric of that key or name stands; a name that several variants share is an error."""
        found = [i for i, m in enumerate(self.metrics) if metric in (m.key, m.name)]
        if not found:
            known = [name for m in self.metrics for name in (m.key, m.name)]
            raise InputError(f"no metric is called {metric!r}", remedy=choices(metric, known))
        if len(found) > 1:
            keys = ", ".join(self.keys[i] for i in found)
            raise InputError(f"several metrics are called {metric!r}", remedy=f"Name one of them: {keys}")
        return found[0]

    def rows(self, systems: Patterns) -> list[int]:
        """Where the systems stand that match."""
        return [self.systems.index(s) for s in matching(systems, self.systems, "system")]


def panel(
    evalset: EvalSet,
    *,
    reference: str | None = None,
    metrics: Patterns | None = None,
    systems: Patterns | None = None,
    exclude: Patterns | None = None,
) -> Panel:
    """The metrics that can be compared, on all items, whether or not humans rated them.

    Left out are metrics that used another reference or have no segment scores, and the output that is the
    reference in use. Reads nothing of ``evalset.human``. O(metrics systems items).

    >>> from metaeval.simulate import simulate
    >>> panel(simulate(seed=1, text=False).evalset, metrics="Neural,Lexical").scores.shape
    (2, 12, 400)
    """
    used = choose_reference(evalset, reference)
    usable = [m for m in evalset.metrics.values() if m.segment is not None and usable_with(m, used)]
    if not usable:
        raise InputError("no metric has segment scores here", remedy="See what there is: metaeval describe")
    if metrics is not None:
        names = [name for m in usable for name in (m.key, m.name)]
        kept = set(matching(metrics, names, f"metric (reference {used or 'none'})"))
        usable = [m for m in usable if m.key in kept or m.name in kept]
    known = [s for s in evalset.systems if s != used]
    chosen = known if systems is None else matching(systems, known, "system")
    if exclude is not None:
        dropped = set(matching(exclude, known, "system"))
        chosen = [s for s in chosen if s not in dropped]
    if not chosen:
        raise InputError("no system is left", remedy="Exclude fewer systems.")
    rows = [evalset.systems.index(s) for s in chosen]
    scores = np.stack([m.segment[rows] for m in usable if m.segment is not None])
    return Panel(tuple(chosen), evalset.items, tuple(usable), used, scores)
