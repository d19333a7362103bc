"""Running a leaderboard: every task, then the average over tasks, tested on the tasks' own draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import MappingProxyType

import numpy as np

import metaeval
from metaeval.board import competition_ranks, existing, interval
from metaeval.errors import InputError
from metaeval.leaderboard.blend import Blend, Statistic, measure_entry
from metaeval.leaderboard.borda import borda
from metaeval.leaderboard.data import Contestant, Entry, load, shared
from metaeval.leaderboard.definition import Definition, TaskSpec
from metaeval.measures.base import system_means
from metaeval.measures.pairwise import PairwiseAccuracy
from metaeval.paired import Missing
from metaeval.progress import Progress
from metaeval.scores import FloatArray
from metaeval.significance.caveats import caveats
from metaeval.significance.clusters import NO_CLUSTER, ranking, wmt_clusters
from metaeval.significance.letters import compact_letters
from metaeval.significance.plan import Plan

AVERAGE = "average"
NAMED = 8
"""The most metrics that a note names."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One metric in one task, or in the average. None where a value does not exist."""

    metric: Contestant
    value: float | None
    rank: int | None
    cluster: int | None = None
    letters: str = ""
    interval: tuple[float, float] | None = None
    borda: float | None = None


@dataclass(frozen=True, slots=True)
class Duel:
    """One pair of metrics: p is for the hypothesis that ``better`` is no better than ``worse``."""

    better: Contestant
    worse: Contestant
    delta: float
    p: float


@dataclass(frozen=True, slots=True)
class Table:
    """The metrics of one task, or of the average, best first."""

    title: str
    standings: tuple[Standing, ...]
    duels: tuple[Duel, ...]
    share: float = 1.0
    """The weight of the task; the weights of all tasks sum to 1."""
    task: TaskSpec | None = None

    def by_metric(self) -> Mapping[Contestant, Standing]:
        return {standing.metric: standing for standing in self.standings}


@dataclass(frozen=True)
class Leaderboard:
    """The average over tasks, the tasks, and what the numbers rest on."""

    name: str
    average: Table
    tasks: tuple[Table, ...]
    signature: Mapping[str, object]
    with_borda: bool = False
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        from metaeval.report.leaderboard import render

        return render(self, "text")


def run(
    definition: Definition,
    root: Path,
    *,
    plan: Plan | None = None,
    missing: Missing | None = None,
    with_borda: bool = False,
    progress: Progress | None = None,
) -> Leaderboard:
    """Measures every task and averages them over the metrics that all sets have.

    Every statistic is mapped to [0, 1] from its own range before it is weighted (Freitag et al. 2023). The
    average is tested as its tasks are: null differences of the tasks are summed with the same weights, draw
    by draw. Sets have draws of their own, tasks on one set share them, as they share the data. Memory holds
    draws x metrics^2 numbers, and the scores of all sets.

    Args:
        root: the folder that relative paths start from.
        with_borda: order the metrics by Borda count, and give it beside the average.
    """
    plan = replace(plan or Plan(), early_stop=False)
    entries = load(definition, root, missing)
    common = shared(entries)
    if not common:
        raise InputError("no metric is in all sets, so there is nothing to average", path=definition.where)
    average, tables, values = Blend(common, plan.draws), [], []
    for task, share in zip(definition.tasks, definition.shares, strict=True):
        statistic = measure_task(task, entries, plan, progress)
        shown = statistic.of(common)
        values.append(shown.values)
        average.add(shown.on_unit_range(task.measure), share)
        tables.append(tabulate(str(task), statistic, plan, share, task))
    counts = borda(values, definition.shares) if with_borda else None
    return Leaderboard(
        definition.name,
        tabulate(AVERAGE, average.sum(), plan, counts=counts),
        tuple(tables),
        sign(definition, entries, plan),
        with_borda,
        (*definition.notes, *caveats(plan), *_notes(entries, common)),
    )


def measure_task(
    task: TaskSpec, entries: Mapping[str, Entry], plan: Plan, progress: Progress | None = None
) -> Statistic:
    """The statistic of a task; for pooled accuracy, that of the pairs of systems of all its sets together."""
    if not task.pooled:
        return measure_entry(entries[task.sets[0]], task.measure, plan, progress)
    chosen = {label: entries[label] for label in task.sets}
    common = shared(chosen)
    counts = [agreements(task, entry, common) for entry in chosen.values()]
    total = max(1, sum(pairs for _, pairs in counts))
    blend = Blend(common, plan.draws)
    for entry, (_, pairs) in zip(chosen.values(), counts, strict=True):
        blend.add(measure_entry(entry, task.measure, plan, progress), pairs / total)
    return replace(blend.sum(), values=np.sum([agree for agree, _ in counts], axis=0) / total)


def agreements(task: TaskSpec, entry: Entry, contestants: Sequence[Contestant]) -> tuple[FloatArray, int]:
    """How many pairs of systems of a set each metric orders as humans do, and how many there are."""
    measure = task.measure.bind(entry.paired.systems)
    if not isinstance(measure, PairwiseAccuracy):
        raise TypeError(f"{measure} counts no pairs")
    at = [entry.contestants.index(contestant) for contestant in contestants]
    return measure.agreements(system_means(entry.paired.human), system_means(entry.paired.scores[at]))


def tabulate(
    title: str,
    statistic: Statistic,
    plan: Plan,
    share: float = 1.0,
    task: TaskSpec | None = None,
    counts: FloatArray | None = None,
) -> Table:
    """Ranks, clusters, letters and intervals; in the order of Borda counts where they are given."""
    values, evidence = statistic.values, statistic.evidence(plan)
    clusters: Sequence[int] = [NO_CLUSTER] * len(values)
    letters: Sequence[str] = [""] * len(values)
    if plan.test != "none":
        clusters = wmt_clusters(values, evidence.p, plan.alpha).tolist()
        letters = compact_letters(values, evidence.p, plan.alpha)
    order = values if counts is None else counts
    ranks = competition_ranks(order)
    standings = tuple(
        Standing(
            statistic.contestants[i],
            existing(values[i]),
            ranks[i],
            clusters[i] if clusters[i] != NO_CLUSTER else None,
            letters[i],
            interval(evidence, i),
            None if counts is None else existing(counts[i]),
        )
        for i in np.lexsort((-np.nan_to_num(values, nan=-np.inf), -np.nan_to_num(order, nan=-np.inf)))
    )
    return Table(title, standings, _duels(statistic, evidence.delta, evidence.p), share, task)


def _duels(statistic: Statistic, delta: FloatArray, p: FloatArray) -> tuple[Duel, ...]:
    order = ranking(statistic.values).tolist()
    return tuple(
        Duel(statistic.contestants[i], statistic.contestants[j], float(delta[i, j]), float(p[i, j]))
        for place, i in enumerate(order)
        for j in order[place + 1 :]
        if not np.isnan(p[i, j])
    )


def sign(definition: Definition, entries: Mapping[str, Entry], plan: Plan) -> Mapping[str, object]:
    """Everything needed to get the same numbers again."""
    drawn = {name: value for name, value in asdict(plan).items() if name not in ("jobs", "early_stop")}
    sets = {
        label: {
            "data": entry.evalset.digest[:8],
            "pair": entry.evalset.pair,
            "human": entry.paired.protocol,
            "reference": entry.paired.reference,
            "systems": len(entry.paired.systems),
            "items": len(entry.paired.items),
        }
        for label, entry in entries.items()
    }
    return MappingProxyType(
        {
            "version": metaeval.__version__,
            "leaderboard": definition.name,
            "cites": definition.cites,
            "sets": sets,
            "system_scores": "mean",
            **drawn,
        }
    )


def _notes(entries: Mapping[str, Entry], common: Sequence[Contestant]) -> list[str]:
    """What was left out, and why."""
    notes = []
    every = dict.fromkeys(c for entry in entries.values() for c in entry.contestants)
    partial = [str(contestant) for contestant in every if contestant not in common]
    if partial:
        more = f" and {len(partial) - NAMED} more" if len(partial) > NAMED else ""
        notes.append(f"not averaged, not in all sets: {', '.join(partial[:NAMED])}{more}")
    for label, entry in entries.items():
        notes += [f"{label}: {note}" for note in entry.paired.notes]
    return notes
