"""What a leaderboard is: evaluation sets, and tasks with weights on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from metaeval.errors import InputError
from metaeval.measures.base import Measure
from metaeval.names import Patterns, matching
from metaeval.paired import Missing


@dataclass(frozen=True, slots=True, kw_only=True)
class SetSpec:
    """One evaluation set: where it is, and what of it counts."""

    path: str
    """Relative to the root of the data, unless absolute."""
    pair: str | None = None
    format: str | None = None
    human: str | None = None
    reference: str | None = None
    systems: tuple[str, ...] = ()
    """Globs; all systems if empty."""
    exclude: tuple[str, ...] = ()
    outliers: tuple[str, ...] = ()
    """Systems left out because they lie far from all others; globs as well."""
    human_outputs: bool = True
    """Whether references other than the one in use count as systems."""
    domain: tuple[str, ...] = ()
    missing: Missing = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSpec:
    """One measure on one set, or pooled over several; its weight in the average."""

    measure: Measure
    sets: tuple[str, ...]
    weight: float = 1.0

    @property
    def pooled(self) -> bool:
        return len(self.sets) > 1

    def __str__(self) -> str:
        return f"{self.measure} {'+'.join(self.sets)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """The sets and tasks of a leaderboard.

    Weights are relative: an average divides by their sum.
    """

    name: str
    sets: Mapping[str, SetSpec]
    tasks: tuple[TaskSpec, ...]
    metrics: tuple[str, ...] = ()
    """Globs; all metrics if empty."""
    about: str = ""
    cites: str = ""
    where: str = ""
    """The file it is from."""
    notes: tuple[str, ...] = field(default=())

    def only(self, pairs: Patterns) -> Definition:
        """The same on fewer sets, chosen by label or language pair; globs.

        A pooled task keeps the sets that are left, and of its weight the share that they are: WMT gives
        pooled accuracy as much weight as there are pairs. Tasks without a set go.

        >>> from metaeval.measures.registry import parse_measure
        >>> sets = {pair: SetSpec(path="wmt23", pair=pair) for pair in ("en-de", "he-en", "zh-en")}
        >>> pa, r = parse_measure("pa"), parse_measure("system_pearson")
        >>> tasks = (TaskSpec(measure=pa, sets=tuple(sets), weight=3), TaskSpec(measure=r, sets=("zh-en",)))
        >>> few = Definition(name="d", sets=sets, tasks=tasks).only("zh-en")
        >>> [(str(task), task.weight) for task in few.tasks]
        [('pa zh-en', 1.0), ('system_pearson zh-en', 1.0)]
        """
        names = [name for label, spec in self.sets.items() for name in (label, spec.pair or label)]
        kept = set(matching(pairs, dict.fromkeys(names), "set or pair of the leaderboard"))
        sets = {label: spec for label, spec in self.sets.items() if {label, spec.pair or label} & kept}
        if len(sets) == len(self.sets):
            return self
        tasks = []
        for task in self.tasks:
            left = tuple(label for label in task.sets if label in sets)
            if left:
                tasks.append(replace(task, sets=left, weight=task.weight * len(left) / len(task.sets)))
        if not tasks:
            raise InputError("no task is left on these pairs", path=self.where or None)
        note = (
            f"a part of the leaderboard: {', '.join(sets)} of {', '.join(self.sets)}; the weights of the "
            "tasks left are divided by their sum"
        )
        return replace(self, sets=sets, tasks=tuple(tasks), notes=(*self.notes, note))

    @property
    def shares(self) -> tuple[float, ...]:
        """The weights of the tasks, which sum to 1."""
        total = sum(task.weight for task in self.tasks)
        return tuple(task.weight / total for task in self.tasks)
