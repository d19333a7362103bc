"""Judged pairs from rankings: each list beside copies in which items changed places."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from metaeval.errors import InputError
from metaeval.names import Patterns, matching
from metaeval.parallel import spread
from metaeval.perturb.base import NotApplicable
from metaeval.perturb.item_swapping import ItemSwapping
from metaeval.probes.local.pairs import Pairs, Verdicts, joined, verdicts
from metaeval.rankings import RankedList, Rankings
from metaeval.scorers.ranking import RankingScorer, TrecMeasure
from metaeval.scores import FloatArray

_LOST = -2


class _Topic(NamedTuple):
    """What is scored at once: the lists of one topic, by the rows of their runs."""

    position: int
    name: str
    lists: tuple[tuple[int, str, tuple[str, ...]], ...]
    qrels: dict[str, int]


def list_pairs(
    rankings: Rankings,
    scorers: Sequence[RankingScorer],
    perturbation: ItemSwapping | None = None,
    *,
    runs: Patterns | None = None,
    draws: int = 4,
    seed: int = 0,
    jobs: int = 1,
    progress: Callable[[str, int, int], None] | None = None,
) -> Pairs:
    """Every list with ``draws`` copies. A measure of trec_eval sees all copies of a list as one matrix."""
    if draws < 1:
        raise InputError(f"found {draws} draws, expected at least 1")
    for scorer in scorers:
        scorer.check()
    swapping = perturbation or ItemSwapping()
    named = rankings.runs if runs is None else matching(runs, rankings.runs, "run")
    rows = {run: i for i, run in enumerate(rankings.runs)}
    topics = [_topic(rankings, at, [(rows[run], run) for run in named]) for at in range(len(rankings.topics))]
    blank = Pairs(
        metrics=tuple(map(str, scorers)),
        kinds=(str(swapping),),
        items=rankings.topics,
        systems=rankings.runs,
        item=np.empty(0, np.intp),
        system=np.empty(0, np.intp),
        kind=np.empty(0, np.intp),
        verdict=np.empty((0, len(scorers)), np.int8),
    )
    work = partial(_judged, scorers=tuple(scorers), swapping=swapping, draws=draws, seed=seed, blank=blank)
    blocks = [blank]
    for done, block in enumerate(spread(work, topics, jobs, "processes"), start=1):
        blocks.append(block)
        if progress is not None:
            progress("topics", done, len(topics))
    pairs = joined(blocks)
    if not len(pairs):
        raise InputError(
            "no list has two items to swap" if not pairs.dropped else "no list has all its scores",
            remedy="Look at the runs: metaeval describe",
        )
    return pairs


def _topic(rankings: Rankings, position: int, rows: Sequence[tuple[int, str]]) -> _Topic:
    name = rankings.topics[position]
    found = ((row, run, rankings.lists[run][position]) for row, run in rows)
    lists = tuple((row, run, ranked.documents) for row, run, ranked in found if ranked is not None)
    return _Topic(position, name, lists, dict(rankings.qrels[name]))


def _judged(
    topic: _Topic,
    *,
    scorers: tuple[RankingScorer, ...],
    swapping: ItemSwapping,
    draws: int,
    seed: int,
    blank: Pairs,
) -> Pairs:
    judged = np.array(list(topic.qrels.values()), dtype=np.float64)
    row_of, found = [], []
    for row, run, documents in topic.lists:
        orders = [
            order
            for number in range(draws)
            if not isinstance(
                order := swapping.drawn(
                    len(documents), item=topic.name, system=run, seed=seed, number=number
                ),
                NotApplicable,
            )
        ]
        if orders:
            every = np.array([np.arange(len(documents)), *orders])
            grades = np.array([topic.qrels.get(document, 0) for document in documents], dtype=np.float64)
            found.append(_verdicts(topic, documents, every, grades[every], judged, scorers))
            row_of += [row] * len(orders)
    verdict = np.concatenate(found) if found else blank.verdict
    lost = (verdict == _LOST).any(axis=1)
    count = int((~lost).sum())
    return Pairs(
        metrics=blank.metrics,
        kinds=blank.kinds,
        items=blank.items,
        systems=blank.systems,
        item=np.full(count, topic.position),
        system=np.array(row_of, dtype=np.intp)[~lost],
        kind=np.zeros(count, dtype=np.intp),
        verdict=verdict[~lost],
        dropped=int(lost.sum()),
    )


def _verdicts(
    topic: _Topic,
    documents: tuple[str, ...],
    orders: np.ndarray[tuple[int, ...], np.dtype[np.intp]],
    grades: FloatArray,
    judged: FloatArray,
    scorers: Sequence[RankingScorer],
) -> Verdicts:
    """copies x scorers; the first order is the original one."""
    columns = []
    for scorer in scorers:
        if isinstance(scorer, TrecMeasure):
            scores = scorer.of_grades(grades, judged)
        else:
            scores = scorer.of_rankings(_as_runs(topic, documents, orders))[:, 0]
        signed = scores * (-1.0 if scorer.direction == "lower" else 1.0)
        lost = np.isnan(signed[1:]) | np.isnan(signed[0])
        verdict = verdicts(np.nan_to_num(signed[:1]), np.nan_to_num(signed[1:]))
        columns.append(np.where(lost, _LOST, verdict).astype(np.int8))
    return np.stack(columns, axis=1)


def _as_runs(
    topic: _Topic, documents: tuple[str, ...], orders: np.ndarray[tuple[int, ...], np.dtype[np.intp]]
) -> Rankings:
    falling = -np.arange(len(documents), dtype=np.float64)
    lists = {
        str(i): (RankedList(tuple(documents[j] for j in order), falling),) for i, order in enumerate(orders)
    }
    return Rankings(runs=tuple(lists), topics=(topic.name,), lists=lists, qrels={topic.name: topic.qrels})
