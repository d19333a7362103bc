"""Ranked lists and the judgments of their documents: what an EvalSet is to texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError, choices
from metaeval.scores import FloatArray


@dataclass(frozen=True, eq=False, slots=True)
class RankedList:
    """The documents that a run returned for a topic, best first, with its scores.

    >>> RankedList(("d7", "d2"), np.array([1.5, 1.0])).documents
    ('d7', 'd2')
    """

    documents: tuple[str, ...]
    scores: FloatArray

    def __post_init__(self) -> None:
        scores = np.array(self.scores, dtype=np.float64)
        if scores.shape != (len(self.documents),):
            raise InputError(f"found {scores.size} scores for {len(self.documents)} documents")
        if len(set(self.documents)) != len(self.documents):
            raise InputError("a ranked list holds a document twice", remedy="Keep its best rank.")
        scores.flags.writeable = False
        object.__setattr__(self, "scores", scores)


@dataclass(frozen=True, eq=False, kw_only=True)
class Rankings:
    """Runs x topics of ranked lists, with the grades that people gave documents. Immutable.

    >>> rankings = Rankings(
    ...     runs=("A",), topics=("t",), qrels={"t": {"d1": 1, "d2": 0}},
    ...     lists={"A": (RankedList(("d2", "d1"), np.array([2.0, 1.0])),)},
    ... )
    >>> rankings.grades("t")[1]
    array([[0., 1.]])
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    lists: Mapping[str, tuple[RankedList | None, ...]]
    """By run: a list for each topic, None where the run has none."""
    qrels: Mapping[str, Mapping[str, int]]
    """By topic: the grade of each judged document."""
    topic_context: Mapping[str, tuple[str | None, ...]] = field(default_factory=dict)
    run_context: Mapping[str, tuple[str | None, ...]] = field(default_factory=dict)
    name: str = ""

    def __post_init__(self) -> None:
        for part in ("lists", "qrels", "topic_context", "run_context"):
            object.__setattr__(self, part, MappingProxyType(dict(getattr(self, part))))
        for what, names in (("run", self.runs), ("topic", self.topics)):
            if len(set(names)) != len(names):
                raise InputError(f"two {what}s have one name", remedy="Names must be unique.")
        for run in self.runs:
            if len(self.lists.get(run, ())) != len(self.topics):
                raise InputError(f"run {run!r} has no entry for each of the {len(self.topics)} topics")
        for topic in self.topics:
            if topic not in self.qrels:
                raise InputError(
                    f"topic {topic!r} has no judgments", remedy="Leave it out, or add it to the qrels."
                )
        for what, columns, size in (
            ("topic", self.topic_context, len(self.topics)),
            ("run", self.run_context, len(self.runs)),
        ):
            for column, values in columns.items():
                if len(values) != size:
                    raise InputError(
                        f"{what} context {column} has {len(values):,} entries, expected {size:,}"
                    )

    def grades(self, topic: str) -> tuple[NDArray[np.intp], FloatArray]:
        """The runs that have a list for the topic, and their grades by rank, padded with 0 at the end.

        An unjudged document has grade 0. O(runs x depth), once a topic.
        """
        if topic not in self._grades:
            self._grades[topic] = self._graded_lists(topic)
        return self._grades[topic]

    @cached_property
    def _grades(self) -> dict[str, tuple[NDArray[np.intp], FloatArray]]:
        return {}

    def _graded_lists(self, topic: str) -> tuple[NDArray[np.intp], FloatArray]:
        position = self._position(topic)
        lists = [self.lists[run][position] for run in self.runs]
        rows = [i for i, ranked in enumerate(lists) if ranked is not None]
        found = [self.graded(topic, ranked.documents) for ranked in lists if ranked is not None]
        depth = max(map(len, found), default=0)
        padded = np.zeros((len(rows), depth))
        for row, grades in enumerate(found):
            padded[row, : len(grades)] = grades
        padded.flags.writeable = False
        return np.array(rows, dtype=np.intp), padded

    def graded(self, topic: str, documents: tuple[str, ...]) -> FloatArray:
        """The grades of documents for a topic, 0 where not judged."""
        known = self.qrels[topic]
        return np.array([known.get(document, 0) for document in documents], dtype=np.float64)

    def judged(self, topic: str) -> FloatArray:
        """The grades of all documents judged for a topic."""
        return np.array(list(self.qrels[topic].values()), dtype=np.float64)

    def _position(self, topic: str) -> int:
        if topic not in self.topics:
            raise InputError(f"there is no topic {topic!r}", remedy=choices(topic, self.topics))
        return self.topics.index(topic)

    def __repr__(self) -> str:
        label = f"Rankings {self.name}" if self.name else "Rankings"
        return f"<{label}: {len(self.runs):,} runs, {len(self.topics):,} topics>"
