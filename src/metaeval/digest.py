"""A fingerprint of an EvalSet's content, for equality and for the signature of every number."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from metaeval.scores import FloatArray, Scores

_T = TypeVar("_T")

if TYPE_CHECKING:
    from metaeval.evalset import EvalSet


def content_digest(evalset: EvalSet) -> str:
    """SHA-256 over ids, scores, texts and context. O(size).

    The order of items counts; that of systems, scorers and columns does not. -0.0 equals 0.0. What a set
    does not have leaves no trace, so that digests outlive new kinds of content.
    """
    seen = hashlib.sha256()
    order = sorted(range(len(evalset.systems)), key=evalset.systems.__getitem__)

    def add(*parts: object) -> None:
        seen.update(repr(parts).encode("utf-8", "surrogatepass"))

    def numbers(values: FloatArray | None) -> None:
        add(None if values is None else values.shape)
        if values is not None:
            one_nan = np.where(np.isnan(values), np.nan, values + 0.0)
            seen.update(np.ascontiguousarray(one_nan[order]).tobytes())

    def scorers(kind: str, by_key: Mapping[str, Scores]) -> None:
        for key, scores in sorted(by_key.items()):
            add(kind, key, scores.name, scores.reference)
            numbers(scores.segment)
            numbers(scores.system)
            if scores.corpus is not None:
                add("corpus", scores.corpus.scorer, scores.corpus.negated)
                numbers(scores.corpus.rows)
            for level, group in sorted(scores.groups.items()):
                add(level, sorted(group.labels))
                numbers(group.values[:, sorted(range(len(group.labels)), key=group.labels.__getitem__)])

    add(evalset.pair, [evalset.systems[i] for i in order], evalset.items, evalset.source)
    scorers("human", evalset.human)
    scorers("metric", evalset.metrics)
    add(_sorted(evalset.references.items()), _sorted(evalset.outputs.items()))
    add(_sorted(evalset.item_context.items()))
    add([(name, [column[i] for i in order]) for name, column in _sorted(evalset.system_context.items())])
    add([(rater, _sorted(by_system.items())) for rater, by_system in _sorted(evalset.ratings.items())])
    return seen.hexdigest()


def _sorted(pairs: Iterable[tuple[str, _T]]) -> list[tuple[str, _T]]:
    return sorted(pairs, key=lambda pair: pair[0])
