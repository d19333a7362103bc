"""Scoring a data set: every distinct text once, in parallel, from and into the cache, resumable."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from metaeval.corpus import CorpusStatistics
from metaeval.errors import InputError, choices
from metaeval.evalset import EvalSet
from metaeval.names import Patterns, matching
from metaeval.parallel import spread
from metaeval.progress import Progress
from metaeval.scorers.base import AnyScorer, CorpusScorer, Need, Scorer, Segment
from metaeval.scorers.cache import Cache, content_key
from metaeval.scorers.registry import parse_text_scorer
from metaeval.scores import REFERENCE_FREE, FloatArray, Scores


@dataclass(frozen=True, slots=True)
class Workshop:
    """How scoring is done, whatever is scored."""

    cache: Cache | None = None
    jobs: int = 1
    progress: Progress | None = None
    """Called with (what, segments done, segments in all)."""


def score(
    evalset: EvalSet,
    scorers: Iterable[Scorer | str],
    *,
    references: Patterns | None = None,
    systems: Patterns | None = None,
    natural: bool = False,
    replace: bool = False,
    workshop: Workshop | None = None,
) -> EvalSet:
    """The set with scores of its outputs added: by segment, and by system (the true corpus score).

    A :class:`~metaeval.scorers.base.CorpusScorer` leaves its sufficient statistics with the scores.

    Args:
        evalset: a set with output texts.
        scorers: scorers, or their names.
        references: the references to compare with, each alone; by default every one that the set has.
        systems: the systems to score; by default all with outputs. A reference is not scored against itself.
        natural: keep the sign of error rates. By default scores where lower is better are stored negated,
            because everywhere else in metaeval, as in WMT's files, higher is better.
        replace: let new scores take the place of those that are there under the same name.
        workshop: cache, jobs and progress.
    """
    chosen = [parse_text_scorer(s) if isinstance(s, str) else s for s in scorers]
    rows = _rows(evalset, systems)
    compared = _references(evalset, chosen, references)
    tasks = [(s, name) for s in chosen for name in (compared if "reference" in s.needs else [REFERENCE_FREE])]
    for scorer, name in tasks:
        key = f"{scorer}-{name}"
        if key in evalset.metrics and not replace:
            raise InputError(f"there are scores {key} already", remedy="Leave them, or ask for --replace.")
        scorer.check()
    measured: dict[tuple[str, str], FloatArray] = {}
    added = []
    for scorer, name in tasks:
        work = (scorer.measured, name)
        if work not in measured:
            measured[work] = statistics(evalset, scorer, reference=name, rows=rows, workshop=workshop)
        added.append(_scores(scorer, name, measured[work], natural))
    return evalset.with_metrics(*added)


def statistics(
    evalset: EvalSet,
    scorer: Scorer,
    *,
    reference: str | None = None,
    rows: Iterable[str] | None = None,
    workshop: Workshop | None = None,
) -> FloatArray:
    """systems x items x F: what a scorer measures of every output; NaN where a text is missing.

    For a :class:`~metaeval.scorers.base.CorpusScorer` these are sufficient statistics:
    ``scorer.from_statistics(signs @ rows)`` is the corpus score of any recombination of segments.
    A system called like the reference is not compared with itself: NaN.
    """
    wanted = set(_rows(evalset, None) if rows is None else rows)
    cells, segments = [], []
    texts = _columns(evalset, scorer.needs, reference)
    for column, (source, against) in enumerate(texts):
        for row, system in enumerate(evalset.systems):
            output = evalset.outputs[system][column] if system in wanted else None
            if None in (source, against, output) or system == reference:
                continue
            cells.append((row, column))
            segments.append(Segment(output or "", against or "", source or ""))
    found = measure(scorer, segments, workshop=workshop)
    table = np.full((len(evalset.systems), len(evalset.items), max(found.shape[1], 1)), np.nan)
    if cells:
        table[tuple(np.array(cells, dtype=np.intp).T)] = found
    return table


def measure(scorer: Scorer, segments: Sequence[Segment], *, workshop: Workshop | None = None) -> FloatArray:
    """segments x F: the rows of a scorer, each distinct segment measured once.

    Batches follow the order of the segments, so put those with the same reference together.
    """
    shop = workshop or Workshop()
    needed = [_only(scorer.needs, segment) for segment in segments]
    position: dict[Segment, int] = {}
    order = np.array([position.setdefault(segment, len(position)) for segment in needed], dtype=np.intp)
    distinct = list(position)
    measured = scorer.measured
    keys = [content_key(measured, *segment) for segment in distinct] if shop.cache else []
    rows: list[FloatArray | None] = [None] * len(distinct)
    if shop.cache is not None:
        known = shop.cache.find(keys)
        rows = [_unpacked(known.get(key)) for key in keys]
    missing = np.array([i for i, row in enumerate(rows) if row is None], dtype=np.intp)
    for places, found in _computed(scorer, distinct, missing, shop):
        for place, row in zip(places, found, strict=True):
            rows[place] = row
        if shop.cache is not None:
            kept = ((place, row) for place, row in zip(places, found, strict=True) if not np.isnan(row).any())
            shop.cache.add({keys[place]: row.astype("<f8").tobytes() for place, row in kept})
    table = [row for row in rows if row is not None]
    return np.array(table).reshape(len(table), -1)[order] if table else np.empty((0, 0))


def _computed(
    scorer: Scorer, segments: Sequence[Segment], missing: NDArray[np.intp], shop: Workshop
) -> Iterator[tuple[NDArray[np.intp], FloatArray]]:
    """The rows of what is missing, a batch at a time and in order."""
    batches = [missing[start : start + scorer.batch] for start in range(0, len(missing), scorer.batch)]
    done, total = len(segments) - len(missing), len(segments)
    jobs = shop.jobs if scorer.sharing == "processes" else 1
    tasks = ([segments[i] for i in batch] for batch in batches)
    results = spread(partial(_rows_of, scorer), tasks, jobs=jobs, sharing="processes")
    for batch, found in zip(batches, results, strict=True):
        yield batch, found
        done += len(batch)
        if shop.progress is not None:
            shop.progress(str(scorer), done, total)


def _rows_of(scorer: Scorer, segments: Sequence[Segment]) -> FloatArray:
    return scorer.statistics(segments)


def _scores(scorer: Scorer, reference: str, rows: FloatArray, natural: bool) -> Scores:
    sign = -1.0 if scorer.direction == "lower" and not natural else 1.0
    segment, system = scorer.segment_scores(rows), scorer.system_score(rows)
    sums = isinstance(scorer, CorpusScorer) and not np.isnan(rows).all()
    kept = CorpusStatistics(str(scorer), rows, sign < 0) if sums else None
    return Scores(str(scorer), reference, sign * segment + 0.0, sign * system + 0.0, corpus=kept)


def _only(needs: Iterable[Need], segment: Segment) -> Segment:
    """The segment without what the scorer does not read: it must not part what is equal."""
    needed = set(needs)
    return Segment(
        segment.output,
        segment.reference if "reference" in needed else "",
        segment.source if "source" in needed else "",
    )


def _unpacked(value: bytes | None) -> FloatArray | None:
    if value is None or not value or len(value) % 8:
        return None
    return np.frombuffer(value, dtype="<f8")


def _rows(evalset: EvalSet, systems: Patterns | None) -> list[str]:
    if not evalset.outputs:
        raise InputError(
            "the data hold no output texts to score", remedy="See what they hold: metaeval describe"
        )
    named = [system for system in evalset.systems if system in evalset.outputs]
    return named if systems is None else matching(systems, named, "system with outputs")


def _references(evalset: EvalSet, scorers: Iterable[AnyScorer], wanted: Patterns | None) -> list[str]:
    needing = [scorer.name for scorer in scorers if "reference" in scorer.needs]
    if not needing:
        return []
    if not evalset.references:
        raise InputError(
            f"{needing[0]} compares with a reference, and the data hold none",
            remedy="Add reference texts, or choose scorers that need none: metaeval scorers",
        )
    return list(evalset.references) if wanted is None else matching(wanted, evalset.references, "reference")


def _columns(
    evalset: EvalSet, needs: Iterable[Need], reference: str | None
) -> Iterator[tuple[str | None, str | None]]:
    """Source and reference of each item; an empty text where the scorer does not need it."""
    nothing: tuple[str | None, ...] = ("",) * len(evalset.items)
    source, against = nothing, nothing
    if "source" in needs:
        if evalset.source is None:
            raise InputError("the scorer reads sources, and the data hold none", remedy="Add source texts.")
        source = evalset.source
    if "reference" in needs:
        if reference is None or reference not in evalset.references:
            raise InputError(
                f"there is no reference {reference!r}", remedy=choices(str(reference), evalset.references)
            )
        against = evalset.references[reference]
    return zip(source, against, strict=True)
