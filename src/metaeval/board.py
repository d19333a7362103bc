"""From an EvalSet to a board: every metric's value under every measure, ranked, tested, and signed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from metaeval.common_groups import left_out, on_common_groups, same_groups
from metaeval.corpus_scores import exchangeable, said_of, with_corpus_scores
from metaeval.errors import InputError, choices
from metaeval.evalset import EvalSet
from metaeval.measures.base import Measure, Outcome, SegmentMeasure, SystemMeasure, system_means
from metaeval.measures.groups import Groups
from metaeval.measures.registry import parse_measure
from metaeval.names import Patterns
from metaeval.paired import Missing, Paired, pair_up
from metaeval.progress import Progress
from metaeval.scores import FloatArray, Scores, made_again
from metaeval.signature import sign
from metaeval.significance.caveats import caveats
from metaeval.significance.clusters import NO_CLUSTER, split_without_difference, wmt_clusters
from metaeval.significance.correction import Correction, correct_pairs
from metaeval.significance.engine import Evidence, gather
from metaeval.significance.letters import compact_letters
from metaeval.significance.plan import Plan

OFFICIAL_MEASURES = ("spa", "acc_eq(epsilon=best)@item")
"""What a board shows when no measure is asked for: the official measures of WMT 2024."""

SystemScores: TypeAlias = Literal["mean", "published", "corpus"]


@dataclass(frozen=True, slots=True)
class Row:
    """One metric under one measure. None where a value does not exist."""

    measure: str
    metric: Scores
    value: float | None
    rank: int | None
    outcome: Outcome
    cluster: int | None = None
    letters: str = ""
    """The letters it shares with those that it does not differ from, blank-separated: ``b c``."""
    interval: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """One pair of metrics: p is for the hypothesis that ``better`` is no better than ``worse``."""

    measure: str
    better: str
    worse: str
    delta: float
    p: float


@dataclass(frozen=True, slots=True)
class Table:
    """All metrics under one measure, best first."""

    measure: Measure
    rows: tuple[Row, ...]
    systems: int
    items: int
    """What the values are of; fewer than the board has where only common groups are compared."""
    comparisons: tuple[Comparison, ...] = ()
    tied: float | None = None
    """The share of pairs that humans tie, in the measure's grouping."""
    exact: bool = False
    """Whether every permutation was visited, so that the p-values carry no sampling noise."""
    parted: int = 0
    """Pairs of metrics that clusters part although they do not differ, which letters never do."""


@dataclass(frozen=True)
class Board:
    """The evidence on which metric to trust, and the signature under which it can be cited."""

    tables: tuple[Table, ...]
    signature: Mapping[str, object]
    systems: int
    items: int
    notes: tuple[str, ...] = field(default=())

    def __str__(self) -> str:
        from metaeval.report.formats import render

        return render(self, "text")

    def __reduce__(self) -> tuple[object, ...]:
        return made_again(self)


def rank(
    data: EvalSet,
    measures: Sequence[str | Measure] | str | Measure | None = None,
    *,
    human: str | None = None,
    reference: str | None = None,
    metrics: Patterns | None = None,
    systems: Patterns | None = None,
    exclude: Patterns | None = None,
    domain: Patterns | None = None,
    missing: Missing = "error",
    common_groups: bool = False,
    plan: Plan | None = None,
    correction: Correction = "none",
    system_scores: SystemScores = "mean",
    progress: Progress | None = None,
) -> Board:
    """Ranks the metrics of ``data`` under each measure, with tests and intervals as ``plan`` says.

    Without measures, the two official ones of WMT 2024 are used as far as the data allow. With
    ``common_groups`` a measure uses only the groups in which it has a value for every metric. System scores
    are means over the cells used; or the true ``corpus`` scores of these cells where a metric has statistics
    (:mod:`metaeval.corpus_scores`); or the ``published`` ones, which can be compared but not resampled. An
    interrupt keeps the measures that are done.

    >>> from metaeval.simulate import simulate
    >>> board = rank(simulate(seed=1).evalset, ["pearson@item"], plan=Plan(draws=100))
    >>> board.tables[0].rows[0].rank
    1
    """
    plan = plan or Plan()
    if system_scores not in get_args(SystemScores):
        known = get_args(SystemScores)
        raise InputError(
            f"there are no system scores {system_scores!r}", remedy=choices(system_scores, known)
        )
    measures = [measures] if isinstance(measures, str | Measure) else measures
    chosen = [m if isinstance(m, Measure) else parse_measure(m) for m in measures or OFFICIAL_MEASURES]
    evalset = data.select(systems=systems, exclude=exclude, domain=domain)
    paired = pair_up(evalset, human=human, reference=reference, metrics=metrics, missing=missing)
    if system_scores == "published" and (plan.test, plan.bootstrap) != ("none", "none"):
        raise InputError(
            "published system scores cannot be resampled", remedy="Add --test none, or use the means."
        )
    notes = [*paired.notes, *caveats(plan)]
    if system_scores == "corpus":
        paired = with_corpus_scores(paired, evalset)
        notes += said_of(paired, chosen, plan)
    tables: list[Table] = []
    for measure in chosen:
        used = on_common_groups(paired, measure) if common_groups else paired
        try:
            table = tabulate(used, measure, plan, correction, progress, system_scores)
        except KeyboardInterrupt:
            if not tables:
                raise
            notes.append(f"interrupted: not done are {', '.join(map(str, chosen[chosen.index(measure) :]))}")
            break
        if measures is None and all(row.value is None for row in table.rows):
            notes.append(f"{measure} needs more systems than there are here")
            continue
        notes += [*left_out(paired, used, measure), *_undefined_notes(table, used)]
        tables.append(table)
    if not tables:
        raise InputError("no official measure exists on this data", remedy="Choose one: metaeval measures")
    options = {
        "missing": missing,
        "system_scores": system_scores,
        "common_groups": common_groups,
        "correction": correction,
    }
    signature = sign(evalset, paired, plan, options)
    return Board(tuple(tables), signature, len(paired.systems), len(paired.items), tuple(notes))


def tabulate(
    paired: Paired,
    measure: Measure,
    plan: Plan,
    correction: Correction = "none",
    progress: Progress | None = None,
    system_scores: SystemScores = "mean",
) -> Table:
    """One measure for all metrics: values, ranks, and what the resampling says of them."""
    measure = measure.bind(paired.systems)
    outcomes = evaluate_all(paired, measure, system_scores, progress)
    values = np.array([o.value for o in outcomes])
    order = np.argsort(-np.where(np.isnan(values), -np.inf, values), kind="stable")
    ranks = competition_ranks(values)
    evidence = None
    if (plan.test, plan.bootstrap) != ("none", "none"):
        evidence = gather(exchangeable(paired, measure), measure, outcomes, plan, progress)
    clusters: Sequence[int] = [NO_CLUSTER] * len(values)
    shared: Sequence[str] = [""] * len(values)
    comparisons: tuple[Comparison, ...] = ()
    parted = 0
    if evidence is not None and plan.test != "none":
        p = correct_pairs(values, evidence.p, correction)
        clusters = wmt_clusters(values, p, plan.alpha).tolist()
        shared = compact_letters(values, p, plan.alpha)
        comparisons = compare(measure, paired.keys, order, evidence, p)
        parted = len(split_without_difference(clusters, p, plan.alpha))
    rows = tuple(
        Row(
            measure=str(measure),
            metric=paired.metrics[i],
            value=existing(values[i]),
            rank=ranks[i],
            outcome=outcomes[i],
            cluster=None if clusters[i] == NO_CLUSTER else clusters[i],
            letters=shared[i],
            interval=interval(evidence, i),
        )
        for i in order
    )
    exact = evidence is not None and evidence.exact
    tied = human_ties(paired, measure)
    return Table(
        measure, rows, len(paired.systems), len(paired.items), comparisons, tied, exact=exact, parted=parted
    )


def evaluate_all(
    paired: Paired, measure: Measure, system_scores: SystemScores, progress: Progress | None
) -> list[Outcome]:
    """The measure for every metric, on its own system scores where those are asked for."""
    outcomes = []
    for done, scores in enumerate(paired.scores):
        if progress is not None:
            progress(str(measure), done, len(paired.scores))
        if system_scores == "published" and isinstance(measure, SystemMeasure):
            value = measure.from_system_scores(system_means(paired.human), paired.published[done])
            outcomes.append(measure.outcome(value))
        elif (corpus := paired.corpora.get(paired.keys[done])) is not None:
            outcomes.append(measure.evaluate_corpus(paired.human, scores, corpus))
        else:
            outcomes.append(measure.evaluate(paired.human, scores))
    return outcomes


def compare(
    measure: Measure, keys: Sequence[str], order: NDArray[np.intp], evidence: Evidence, p: FloatArray
) -> tuple[Comparison, ...]:
    """Every pair of metrics that both have a value, the better one first."""
    found = []
    for place, i in enumerate(order):
        for j in order[place + 1 :]:
            if not math.isnan(p[i, j]):
                found.append(
                    Comparison(str(measure), keys[i], keys[j], float(evidence.delta[i, j]), float(p[i, j]))
                )
    return tuple(found)


def competition_ranks(values: FloatArray) -> list[int | None]:
    """1 for the highest; equal values share a rank; None where there is no value.

    >>> competition_ranks(np.array([0.2, np.nan, 0.5, 0.5]))
    [3, None, 1, 1]
    """
    return [None if math.isnan(v) else 1 + int((values > v).sum()) for v in values]


def existing(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def interval(evidence: Evidence | None, i: int) -> tuple[float, float] | None:
    if evidence is None or math.isnan(evidence.ci_low[i]):
        return None
    return float(evidence.ci_low[i]), float(evidence.ci_high[i])


def human_ties(paired: Paired, measure: Measure) -> float | None:
    """The share of pairs in the measure's groups that humans tie."""
    if not isinstance(measure, SegmentMeasure):
        return None
    groups = Groups.of(paired.human, measure.grouping)
    pairs = groups.pairs
    return float(groups.tied_pairs(groups.human).sum() / pairs.sum()) if pairs.sum() else None


def _undefined_notes(table: Table, paired: Paired) -> list[str]:
    """A warning where metrics are compared on different groups (the NaN problem)."""
    worst = max(table.rows, key=lambda row: row.outcome.groups_undefined)
    fewest = min(row.outcome.groups_undefined for row in table.rows)
    if isinstance(table.measure, SystemMeasure) or not worst.outcome.groups_undefined:
        return []
    if worst.outcome.groups_undefined == fewest and same_groups(paired, table.measure):
        return []
    total = worst.outcome.groups_undefined + worst.outcome.groups_used
    note = (
        f"{table.measure} is undefined in different groups for different metrics "
        f"({worst.metric.key}: {worst.outcome.groups_undefined:,} of {total:,}), so they are compared on "
        "different data; acc_eq is always defined, and --common-groups compares on the same"
    )
    return [note]
