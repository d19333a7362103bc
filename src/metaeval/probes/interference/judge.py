"""Which scores judge a gamed system rightly: ranks, SPA and Ins-PA over the pairs that contain it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metaeval.errors import InputError, choices
from metaeval.evalset import EvalSet
from metaeval.measures.base import system_means
from metaeval.measures.registry import parse_measure
from metaeval.names import Patterns, matching
from metaeval.paired import choose_protocol, choose_reference, pair_up, rated_cells
from metaeval.probes.interference.adjust import Adjustment
from metaeval.scores import FloatArray, Scores


@dataclass(frozen=True, slots=True)
class Verdict:
    """How one metric, adjusted or not, judges the system."""

    metric: str
    rank: int
    """The system's rank by this metric, 1 for the best."""
    spa: float
    ins_pa: float


@dataclass(frozen=True, slots=True)
class Judgement:
    """One system, whose outputs a metric chose, as humans and metrics rank it among others."""

    system: str
    systems: int
    items: int
    human_rank: int
    verdicts: tuple[Verdict, ...]


def judge(
    evalset: EvalSet,
    system: str,
    candidates: Sequence[str | Scores],
    *,
    human: str | None = None,
    reference: str | None = None,
    among: Patterns | None = None,
) -> Judgement:
    """Holds scores against the human ones on the pairs that contain ``system``.

    Args:
        evalset: rated data.
        system: the system whose outputs a metric chose.
        candidates: metrics of the data by key, or scores made for them.
        among: the systems to compare it with, as the best ones; by default all that are rated.

    >>> from metaeval.simulate import simulate
    >>> found = judge(simulate(seed=1, text=False).evalset, "Elm", ["Neural-refA", "Lexical-refA"])
    >>> [verdict.metric for verdict in found.verdicts]
    ['Neural-refA', 'Lexical-refA']
    """
    if not candidates:
        raise InputError("there is no metric to judge")
    keys = [c if isinstance(c, str) else c.key for c in candidates]
    if len(set(keys)) < len(keys):
        twice = next(key for key in keys if keys.count(key) > 1)
        raise InputError(
            f"two of the scores to judge are called {twice}",
            remedy="Rename one: dataclasses.replace(scores, name=...)",
        )
    if system not in evalset.systems:
        raise InputError(f"there is no system {system!r}", remedy=choices(system, evalset.systems))
    data = evalset.with_metrics(*(c for c in candidates if isinstance(c, Scores)))
    if among is not None:
        chosen = matching(among, data.systems, "system")
        data = data.select(systems=[s for s in data.systems if s in chosen or s == system])
    paired = pair_up(data, human=human, reference=reference, metrics=keys, missing="drop")
    if system not in paired.systems:
        raise InputError(
            f"no segment of {system} has both a human score ({paired.protocol}) and all metric scores",
            remedy="Judge a system that is rated, by metrics that scored it.",
        )
    if len(paired.systems) < 2:
        raise InputError(f"there is no system to compare {system} with", remedy="Name more systems.")
    spa = parse_measure(f"spa(containing={system})").bind(paired.systems)
    ins_pa = parse_measure(f"ins_pa(containing={system})").bind(paired.systems)
    row = paired.systems.index(system)
    verdicts = []
    for key in keys:
        scores = paired.scores[_at(paired.metrics, key)]
        verdicts.append(
            Verdict(
                key,
                rank_of(system_means(scores), row),
                spa.evaluate(paired.human, scores).value,
                ins_pa.evaluate(paired.human, scores).value,
            )
        )
    human_rank = rank_of(system_means(paired.human), row)
    return Judgement(system, len(paired.systems), len(paired.items), human_rank, tuple(verdicts))


def _at(metrics: Sequence[Scores], key: str) -> int:
    return next(i for i, metric in enumerate(metrics) if key in (metric.key, metric.name))


def rank_of(scores: FloatArray, row: int) -> int:
    """1 for the highest; equal scores share a rank.

    >>> rank_of(np.array([0.2, 0.9, 0.2]), 2)
    2
    """
    return 1 + int((scores > scores[row]).sum())


@dataclass(frozen=True, slots=True)
class Overall:
    """One metric over several judgements: language pairs, or systems."""

    metric: str
    spa: float
    """Macro-average."""
    ins_pa: float
    spa_borda: float
    """Mean rank among the metrics, 1 for always the best (normalised Borda count, Colombo et al. 2022)."""
    ins_pa_borda: float


def overall(judgements: Sequence[Judgement]) -> tuple[Overall, ...]:
    """Macro-averages and normalised Borda counts of the metrics that all judgements share.

    >>> one = Judgement("A", 3, 9, 1, (Verdict("x", 1, 0.8, 0.5), Verdict("y", 2, 0.6, 0.5)))
    >>> overall([one])[1]
    Overall(metric='y', spa=0.6, ins_pa=0.5, spa_borda=2.0, ins_pa_borda=1.0)
    """
    if not judgements:
        raise InputError("there is no judgement to average")
    tables = [{v.metric: v for v in judgement.verdicts} for judgement in judgements]
    shared = [metric for metric in tables[0] if all(metric in table for table in tables)]
    if not shared:
        raise InputError(
            "the judgements have no metric in common", remedy="Judge the same metrics everywhere."
        )
    spa = np.array([[table[m].spa for m in shared] for table in tables])
    ins_pa = np.array([[table[m].ins_pa for m in shared] for table in tables])
    columns = (spa.mean(axis=0), ins_pa.mean(axis=0), mean_ranks(spa), mean_ranks(ins_pa))
    return tuple(
        Overall(metric, *(float(column[i]) for column in columns)) for i, metric in enumerate(shared)
    )


def mean_ranks(values: FloatArray) -> FloatArray:
    """Mean rank of each column over the rows, 1 for the highest; equal values share the better rank.

    NaN where a row has no value for the column.

    >>> mean_ranks(np.array([[0.9, 0.1, 0.9], [0.5, 0.6, 0.1]])).tolist()
    [1.5, 2.0, 2.0]
    """
    ranks = 1 + (values[:, None, :] > values[:, :, None]).sum(axis=2)
    means: FloatArray = np.where(np.isnan(values), np.nan, ranks).mean(axis=0)
    return means


def judge_suspects(
    evalset: EvalSet, found: Adjustment, *, human: str | None = None, reference: str | None = None
) -> tuple[Judgement, ...]:
    """The metric before and after, for each suspect that humans rated beside others; none without these."""
    if not any(scores.segment is not None for scores in evalset.human.values()):
        return ()
    protocol = choose_protocol(evalset, human)
    before, after = found.metric.segment, found.adjusted.segment
    if evalset.human[protocol].segment is None or before is None or after is None:
        return ()
    used = choose_reference(evalset, reference)
    cells = np.isnan(rated_cells(evalset, protocol, used) + before + after)
    rated = {s for i, s in enumerate(evalset.systems) if not cells[i].all()}
    suspects = [s for s in found.suspects if s in rated and len(rated) > 1]
    both: list[str | Scores] = [found.metric.key, found.adjusted]
    return tuple(judge(evalset, s, both, human=human, reference=reference) for s in suspects)
