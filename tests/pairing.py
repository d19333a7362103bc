"""Small paired data written down as arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metaeval.measures.base import Measure, Outcome
from metaeval.paired import Paired
from metaeval.scores import FloatArray, Scores


def paired_of(human: FloatArray, scores: FloatArray, documents: Sequence[int] | None = None) -> Paired:
    """Paired data from systems x items and metrics x systems x items; NaN human scores are not used."""
    systems, items = human.shape
    scores = np.where(np.isnan(human), np.nan, scores)
    return Paired(
        systems=tuple(f"S{s}" for s in range(systems)),
        items=tuple(f"{i}" for i in range(items)),
        metrics=tuple(Scores(f"M{m}", segment=scores[m]) for m in range(len(scores))),
        human=human,
        scores=scores,
        published=np.full((len(scores), systems), np.nan),
        document_of_item=np.array(documents or range(items), dtype=np.intp),
        protocol="mqm",
        reference=None,
    )


def random_paired(
    seed: int,
    systems: int,
    items: int,
    metrics: int,
    missing: int = 0,
    levels: int | None = None,
    documents: Sequence[int] | None = None,
) -> Paired:
    """Metrics that follow the human scores with noise; few levels, if asked, make many ties."""
    rng = np.random.default_rng(seed)
    human = rng.normal(size=(systems, items)) + rng.normal(size=(systems, 1))
    noise = rng.normal(size=(metrics, systems, items)) * np.linspace(0.5, 2, metrics)[:, None, None]
    scores = (human + noise) * np.arange(1, metrics + 1)[:, None, None] + np.arange(metrics)[:, None, None]
    if levels is not None:
        human = np.round(np.clip(human, -1, 1) * levels)
        scores = np.round(np.clip(scores, -2, 2) * levels)
    human = human.copy()
    for cell in rng.permutation(systems * items)[:missing]:
        human.ravel()[cell] = np.nan
    return paired_of(human, scores, documents)


def outcomes_of(paired: Paired, measure: Measure) -> list[Outcome]:
    """The measure for every metric."""
    return [measure.evaluate(paired.human, scores) for scores in paired.scores]
