"""EvalSet: everything known about one test set, keyed by system id and item id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from metaeval.digest import content_digest
from metaeval.errors import InputError, choices, printable
from metaeval.names import Patterns, matching
from metaeval.scores import Scores, made_again

Texts: TypeAlias = tuple[str | None, ...]
"""One text an item (or a context value an item or system); None where there is none."""


@dataclass(frozen=True, eq=False, kw_only=True)
class EvalSet:
    """Systems x items with human scores, metric scores, texts and context. Immutable.

    Whatever is optional may be empty: scores without texts, texts without human scores. Items keep their
    order, since documents are contiguous runs of items. Two sets are equal when their content is.

    >>> demo = EvalSet(
    ...     systems=("A", "B"), items=("1", "2"),
    ...     human={"mqm": Scores("mqm", segment=np.array([[0.0, -5.0], [0.0, np.nan]]))},
    ...     item_context={"document": ("d1", "d1")},
    ... )
    >>> demo
    <EvalSet: 2 systems, 2 items, human: mqm, 0 metrics>
    >>> demo.select(systems="A").human["mqm"].segment
    array([[ 0., -5.]])
    """

    systems: tuple[str, ...]
    items: tuple[str, ...]
    human: Mapping[str, Scores] = field(default_factory=dict)
    """Human scores by protocol."""
    metrics: Mapping[str, Scores] = field(default_factory=dict)
    """Metric scores by variant (``BLEU-refA``)."""
    source: Texts | None = None
    references: Mapping[str, Texts] = field(default_factory=dict)
    outputs: Mapping[str, Texts] = field(default_factory=dict)
    """Output texts by system."""
    item_context: Mapping[str, Texts] = field(default_factory=dict)
    """Columns that describe items; ``document`` and ``domain`` are known by these names."""
    system_context: Mapping[str, Texts] = field(default_factory=dict)
    ratings: Mapping[str, Mapping[str, Texts]] = field(default_factory=dict)
    """Raw span annotations: rater (``mqm.rater1``) -> system -> one JSON text an item."""
    name: str = ""
    """Where it is from, for people: ``wmt23``."""
    pair: str = ""
    """The language pair: ``zh-en``."""

    def __post_init__(self) -> None:
        def put(part: str, value: object) -> None:
            object.__setattr__(self, part, value)

        put("systems", _unique(self.systems, "system"))
        put("items", _unique(self.items, "item"))
        for part in ("human", "metrics"):
            put(part, MappingProxyType(by_key(getattr(self, part).values())))
        if self.source is not None:
            put("source", tuple(self.source))
        for part in ("references", "outputs", "item_context", "system_context"):
            put(part, MappingProxyType({k: tuple(v) for k, v in getattr(self, part).items()}))
        put(
            "ratings",
            MappingProxyType(
                {
                    rater: MappingProxyType({system: tuple(texts) for system, texts in by_system.items()})
                    for rater, by_system in self.ratings.items()
                }
            ),
        )
        self._check_shapes()

    def _check_shapes(self) -> None:
        rows, columns = len(self.systems), len(self.items)
        for key, scores in (*self.human.items(), *self.metrics.items()):
            if scores.segment is not None and scores.segment.shape != (rows, columns):
                found = " x ".join(map(str, scores.segment.shape))
                raise InputError(f"scores {key} are {found}, expected {rows} systems x {columns} items")
            if scores.system is not None and scores.system.shape != (rows,):
                raise InputError(f"{key} has {scores.system.size} system scores, expected {rows}")
            if scores.corpus is not None and scores.corpus.shape != (rows, columns):
                found = " x ".join(map(str, scores.corpus.shape))
                raise InputError(
                    f"corpus statistics of {key} are {found}, expected {rows} systems x {columns} items"
                )
            for level, group in scores.groups.items():
                if group.values.shape != (rows, len(group.labels)):
                    raise InputError(f"{level} scores of {key} are not one row a system ({rows} systems)")
        for what, texts in self._item_columns():
            if len(texts) != columns:
                raise InputError(f"{what} has {len(texts):,} entries, expected {columns:,}")
        for name, values in self.system_context.items():
            if len(values) != rows:
                raise InputError(f"system context {name} has {len(values):,} entries, expected {rows:,}")
        known = set(self.systems)
        for system in (*self.outputs, *(s for by_system in self.ratings.values() for s in by_system)):
            if system not in known:
                raise InputError(f"texts of an unknown system {system!r}", remedy=choices(system, known))

    def _item_columns(self) -> Iterator[tuple[str, Texts]]:
        if self.source is not None:
            yield "source", self.source
        for what, part in (
            ("reference", self.references),
            ("output of", self.outputs),
            ("context", self.item_context),
        ):
            for name, texts in part.items():
                yield f"{what} {name}", texts
        for rater, by_system in self.ratings.items():
            for system, texts in by_system.items():
                yield f"ratings {rater} of {system}", texts

    @cached_property
    def documents(self) -> tuple[tuple[str, slice], ...]:
        """Documents in order: a name and the run of items; a single run where no document is known."""
        column = self.item_context.get("document")
        if column is None:
            return (("", slice(0, len(self.items))),) if self.items else ()
        runs, start = [], 0
        for document, members in groupby(column):
            stop = start + sum(1 for _ in members)
            runs.append((document or "", slice(start, stop)))
            start = stop
        return tuple(runs)

    def select(
        self,
        *,
        systems: Patterns | None = None,
        exclude: Patterns | None = None,
        items: Iterable[str] | None = None,
        domain: Patterns | None = None,
        human: Patterns | None = None,
        metrics: Patterns | None = None,
    ) -> EvalSet:
        """A smaller set. Names may be globs; one that matches nothing is an error, not an empty set."""
        rows = list(self.systems) if systems is None else matching(systems, self.systems, "system")
        if exclude is not None:
            dropped = set(matching(exclude, self.systems, "system"))
            rows = [system for system in rows if system not in dropped]
        columns = list(range(len(self.items)))
        if items is not None:
            position = {item: i for i, item in enumerate(self.items)}
            wanted = list(items)
            for item in wanted:
                if item not in position:
                    raise InputError(f"there is no item {item!r}", remedy=choices(item, self.items))
            columns = sorted({position[item] for item in wanted})
        if domain is not None:
            of_item = self.item_context.get("domain")
            if of_item is None:
                raise InputError("the items have no domain", remedy="Give them a context column 'domain'.")
            kept = set(matching(domain, sorted({d for d in of_item if d is not None}), "domain"))
            columns = [i for i in columns if of_item[i] in kept]
        chosen = replace(
            self,
            human=self.human if human is None else _subset(self.human, human, "human protocol"),
            metrics=self.metrics if metrics is None else _subset(self.metrics, metrics, "metric"),
        )
        at = {system: i for i, system in enumerate(self.systems)}
        return chosen._take(np.array([at[s] for s in rows], dtype=np.intp), np.array(columns, dtype=np.intp))

    def _take(self, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> EvalSet:
        if len(rows) == len(self.systems) and len(columns) == len(self.items):
            return self
        systems = tuple(self.systems[i] for i in rows)

        def cut(texts: Texts) -> Texts:
            return tuple(texts[i] for i in columns)

        return replace(
            self,
            systems=systems,
            items=tuple(self.items[i] for i in columns),
            human={key: scores.take(rows, columns) for key, scores in self.human.items()},
            metrics={key: scores.take(rows, columns) for key, scores in self.metrics.items()},
            source=None if self.source is None else cut(self.source),
            references={name: cut(texts) for name, texts in self.references.items()},
            outputs={s: cut(self.outputs[s]) for s in systems if s in self.outputs},
            item_context={name: cut(values) for name, values in self.item_context.items()},
            system_context={n: tuple(v[i] for i in rows) for n, v in self.system_context.items()},
            ratings={
                rater: {s: cut(by_system[s]) for s in systems if s in by_system}
                for rater, by_system in self.ratings.items()
            },
        )

    def with_metrics(self, *added: Scores) -> EvalSet:
        """The same set with further metrics; one of the same key is replaced."""
        return replace(self, metrics={**self.metrics, **{scores.key: scores for scores in added}})

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the content, not of ``name``; see :mod:`metaeval.digest`. Computed once."""
        return content_digest(self)

    def __eq__(self, other: object) -> bool:
        return self.digest == other.digest if isinstance(other, EvalSet) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.digest)

    def __reduce__(self) -> tuple[object, ...]:
        return made_again(self)

    def __repr__(self) -> str:
        human = ", ".join(self.human) or "none"
        label = " ".join(part for part in ("EvalSet", self.name, self.pair) if part)
        size = f"{len(self.systems):,} systems, {len(self.items):,} items"
        return printable(f"<{label}: {size}, human: {human}, {len(self.metrics)} metrics>", limit=400)


def _subset(scorers: Mapping[str, Scores], patterns: Patterns, what: str) -> dict[str, Scores]:
    """Scorers whose key or plain name matches: ``BLEU`` finds BLEU-refA and BLEU-refB."""
    names = [name for scores in scorers.values() for name in (scores.key, scores.name)]
    kept = set(matching(patterns, names, what))
    return {key: scores for key, scores in scorers.items() if key in kept or scores.name in kept}


def by_key(scorers: Iterable[Scores]) -> dict[str, Scores]:
    """The mapping that an EvalSet holds; two scorers of one key are an error."""
    listed = list(scorers)
    _unique([scores.key for scores in listed], "scorer")
    return {scores.key: scores for scores in listed}


def _unique(names: Iterable[str], what: str) -> tuple[str, ...]:
    known: dict[str, None] = {}
    for name in names:
        if not name:
            raise InputError(f"a {what} has no id: found {name!r}")
        if name in known:
            raise InputError(f"two {what}s are called {name!r}", remedy="Ids must be unique.")
        known[name] = None
    return tuple(known)
