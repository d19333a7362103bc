"""Scoring rankings: runs become systems, topics items, measures metrics."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from metaeval.errors import InputError
from metaeval.evalset import EvalSet
from metaeval.rankings import Rankings
from metaeval.scorers.ranking import RankingScorer, TrecMeasure
from metaeval.scorers.registry import parse_scorer, scorers
from metaeval.scores import Scores

REFERENCE = "qrels"


def trec_measures() -> list[TrecMeasure]:
    """The 23 measures of trec_eval, in the order of their declaration."""
    return [kind() for kind in scorers().values() if issubclass(kind, TrecMeasure)]


def score_rankings(rankings: Rankings, chosen: Iterable[RankingScorer | str] | None = None) -> EvalSet:
    """An EvalSet of runs x topics with a metric for each scorer; by default trec_eval's 23 measures.

    A run's score is its mean over the topics that it has a list for.
    """
    named = trec_measures() if chosen is None else [_scorer(s) for s in chosen]
    metrics = {}
    for scorer in named:
        scorer.check()
        scores = Scores(str(scorer), REFERENCE, segment=scorer.of_rankings(rankings))
        metrics[scores.key] = scores
    known = {topic: np.array(list(rankings.qrels[topic].values())) for topic in rankings.topics}
    return EvalSet(
        systems=rankings.runs,
        items=rankings.topics,
        metrics=metrics,
        item_context={
            **rankings.topic_context,
            "relevant": tuple(str(int((known[topic] >= 1).sum())) for topic in rankings.topics),
        },
        system_context=rankings.run_context,
        name=rankings.name,
    )


def _scorer(given: RankingScorer | str) -> RankingScorer:
    found = parse_scorer(given) if isinstance(given, str) else given
    if not isinstance(found, RankingScorer):
        raise InputError(f"{found.name} scores texts, not rankings", remedy="Choose one: metaeval scorers")
    return found
