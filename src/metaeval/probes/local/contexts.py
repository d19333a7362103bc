"""Contexts: a label for each output, from a column of the data or from bins of a score."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from metaeval.errors import InputError, choices
from metaeval.evalset import EvalSet, Texts
from metaeval.probes.local.pairs import IntArray, Pairs
from metaeval.rankings import Rankings
from metaeval.scores import FloatArray

BINS = 250
"""As Deviyani and Diaz (2025) cut MQM scores."""

MOST = 2_000
"""Contexts that are compared with each other: every two of them, so memory grows as the square."""

CROSSED = " / "


@dataclass(frozen=True, eq=False, slots=True)
class Context:
    """A partition of the outputs: ``codes`` (systems x items) points into ``labels``, -1 for no context."""

    name: str
    labels: tuple[str, ...]
    codes: IntArray

    def of(self, pairs: Pairs) -> IntArray:
        """The context of each pair: that of its better output."""
        return self.codes[pairs.system, pairs.item]


def find_context(data: EvalSet | Rankings, name: str, *, bins: int = BINS) -> Context:
    """The context called ``name``; several names with commas between are crossed.

    A name is ``system`` (or ``run``), ``item`` (``topic``), a column of items or systems, or a human or
    metric score, which is cut into bins of equal frequency.
    """
    parts = [part.strip() for part in name.split(",")]
    if not all(parts):
        raise InputError(f"{name!r} names no context", remedy="Write a column, or several with commas: a,b")
    found = [_one(data, part, bins) for part in parts]
    crossed = found[0]
    for other in found[1:]:
        crossed = _cross(crossed, other)
    if not crossed.labels:
        raise InputError(f"context {name!r} has no value for any output", remedy="Choose another column.")
    if len(crossed.labels) > MOST:
        raise InputError(
            f"context {name!r} has {len(crossed.labels):,} values, more than {MOST:,}, "
            "which are compared in pairs",
            remedy="Choose a coarser column, or fewer --bins of a score.",
        )
    return crossed


def _one(data: EvalSet | Rankings, name: str, bins: int) -> Context:
    if isinstance(data, Rankings):
        systems, items, by_item, by_system = data.runs, data.topics, data.topic_context, data.run_context
        scores: Mapping[str, FloatArray] = {}
        aliases: Mapping[str, tuple[str, ...]] = {"system": ("system", "run"), "item": ("item", "topic")}
    else:
        systems, items, by_item, by_system = (
            data.systems,
            data.items,
            data.item_context,
            data.system_context,
        )
        scorers = (*data.human.items(), *data.metrics.items())
        scores = {key: scorer.segment for key, scorer in scorers if scorer.segment is not None}
        aliases = {"system": ("system",), "item": ("item",)}
    shape = (len(systems), len(items))
    if name in by_item:
        return _labelled(name, by_item[name], np.arange(shape[1])[None, :], shape)
    if name in by_system:
        return _labelled(name, by_system[name], np.arange(shape[0])[:, None], shape)
    if name in aliases["system"]:
        return Context(name, systems, np.broadcast_to(np.arange(shape[0])[:, None], shape))
    if name in aliases["item"]:
        return Context(name, items, np.broadcast_to(np.arange(shape[1])[None, :], shape))
    if name in scores:
        return binned(name, scores[name], bins)
    known = {*by_item, *by_system, *aliases["system"], *aliases["item"], *scores}
    raise InputError(f"there is no context {name!r}", remedy=choices(name, known, limit=20))


def _labelled(name: str, column: Texts, along: IntArray, shape: tuple[int, int]) -> Context:
    labels = tuple(sorted({label for label in column if label is not None}))
    position: dict[str | None, int] = {label: i for i, label in enumerate(labels)}
    codes = np.array([position.get(label, -1) for label in column], dtype=np.intp)
    return Context(name, labels, np.broadcast_to(codes[along], shape))


def _cross(a: Context, b: Context) -> Context:
    """Only the combinations that occur."""
    both = np.where((a.codes >= 0) & (b.codes >= 0), a.codes * len(b.labels) + b.codes, -1)
    there = np.unique(both[both >= 0])
    labels = tuple(a.labels[c // len(b.labels)] + CROSSED + b.labels[c % len(b.labels)] for c in there)
    codes = np.where(both >= 0, np.searchsorted(there, both), -1)
    return Context(f"{a.name},{b.name}", labels, codes)


def binned(name: str, scores: FloatArray, bins: int = BINS) -> Context:
    """Bins of equal frequency over all scores. Equal scores share a bin, so ties make for fewer bins.

    >>> binned("mqm", np.array([[-5.0, 0.0], [-1.0, 0.0]]), bins=4).labels
    ('-5', '-1', '0')
    """
    if bins < 1:
        raise InputError(f"found {bins} bins, expected at least 1")
    given = ~np.isnan(scores)
    values, count = np.unique(scores[given], return_counts=True)
    middle = (np.cumsum(count) - count / 2) / max(count.sum(), 1)
    bin_of_value = np.minimum((middle * bins).astype(np.intp), bins - 1)
    there, dense = np.unique(bin_of_value, return_inverse=True)
    codes = np.full(scores.shape, -1, dtype=np.intp)
    codes[given] = dense[np.searchsorted(values, scores[given])]
    edges = [(values[dense == i].min() + 0.0, values[dense == i].max() + 0.0) for i in range(len(there))]
    labels = tuple(f"{low:g}" if low == high else f"{low:g} to {high:g}" for low, high in edges)
    return Context(name, labels, codes)


def find_contexts(data: EvalSet | Rankings, names: Iterable[str], *, bins: int = BINS) -> list[Context]:
    """The contexts of these names, each once; without any name the one of systems."""
    return [find_context(data, name, bins=bins) for name in dict.fromkeys(names)] or [
        find_context(data, "system")
    ]
