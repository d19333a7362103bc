"""Whatever can be scored, read and scored alike: sets of texts, and rankings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np

from metaeval.errors import InputError
from metaeval.evalset import EvalSet
from metaeval.names import Patterns
from metaeval.rankings import Rankings
from metaeval.scorers.base import AnyScorer, Direction, Scorer
from metaeval.scorers.ranking import RankingScorer
from metaeval.scorers.registry import parse_scorer
from metaeval.scorers.run import Workshop, score
from metaeval.scorers.run_rankings import score_rankings
from metaeval.scores import FloatArray, Scores

Scorable: TypeAlias = EvalSet | Rankings


@dataclass(frozen=True, slots=True)
class Added:
    """A metric that was added: how it was made, and its scores of systems with their own sign."""

    key: str
    signature: str
    negated: bool
    system: FloatArray
    direction: Direction
    unscored: int = 0
    """Cells without a score, of systems that have some: an output, a reference or a list is missing."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A set with the metrics that were added to it."""

    evalset: EvalSet
    added: tuple[Added, ...]


def read_scorable(
    path: Path, *, pair: str | None = None, format: str | None = None, skip_unnamed: bool = False
) -> Scorable:
    """The rankings of a folder of TREC runs; of anything else the EvalSet."""
    from metaeval.io import transcripts, trec
    from metaeval.io.registry import read, readers

    if format is None and path.exists():
        format = next((reader.name for reader in readers().values() if reader.sniff(path)), None)
    if format == trec.READER.name:
        return trec.read_trec_folder(path)
    if format == transcripts.READER.name:
        return transcripts.read_folder(path, pair=pair, skip_unnamed=skip_unnamed)
    return read(path, pair=pair, format=format)


def score_any(
    data: Scorable,
    names: Sequence[str],
    *,
    references: Patterns | None = None,
    systems: Patterns | None = None,
    natural: bool = False,
    replace: bool = False,
    workshop: Workshop | None = None,
) -> Scored:
    """The data scored by the scorers of these names; see :func:`metaeval.scorers.run.score`."""
    chosen = [parse_scorer(name) for name in names]
    before: Mapping[str, Scores] = {}
    if isinstance(data, Rankings):
        measures = [s for s in chosen if isinstance(s, RankingScorer)]
        for misfit in (s for s in chosen if s not in measures):
            raise _misfit(misfit, "texts, and the data are rankings")
        evalset = score_rankings(data, measures)
    else:
        texts = [s for s in chosen if isinstance(s, Scorer)]
        for misfit in (s for s in chosen if s not in texts):
            raise _misfit(misfit, "rankings, and the data are texts")
        before = data.metrics
        evalset = score(
            data,
            texts,
            references=references,
            systems=systems,
            natural=natural,
            replace=replace,
            workshop=workshop,
        )
    by_name = {str(scorer): scorer for scorer in chosen}
    new = [scores for key, scores in evalset.metrics.items() if scores is not before.get(key)]
    added = []
    for scores in new:
        scorer = by_name[scores.name]
        negated = scorer.direction == "lower" and not natural
        system = scores.system if scores.system is not None else _means(scores.segment)
        own = (-1.0 if negated else 1.0) * system + 0.0
        added.append(
            Added(scores.key, scorer.signature, negated, own, scorer.direction, _gaps(scores.segment))
        )
    return Scored(evalset, tuple(added))


def _misfit(scorer: AnyScorer, what: str) -> InputError:
    return InputError(f"{scorer.name} scores {what}", remedy="Choose another: metaeval scorers")


def _gaps(segment: FloatArray | None) -> int:
    if segment is None:
        return 0
    missing = np.isnan(segment)
    return int(missing[~missing.all(axis=1)].sum())


def _means(segment: FloatArray | None) -> FloatArray:
    if segment is None:
        return np.empty(0)
    there = ~np.isnan(segment)
    counts = there.sum(axis=1)
    means: FloatArray = np.full(len(segment), np.nan)
    np.divide(np.where(there, segment, 0.0).sum(axis=1), counts, out=means, where=counts > 0)
    return means
