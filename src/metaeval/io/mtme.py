"""Reader of mt-metrics-eval-v2 folders: one test set, one folder a kind, one file a text or scorer.

The folder says what is there; no reference, protocol or gold standard is assumed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from metaeval.errors import InputError, choices, printable
from metaeval.evalset import EvalSet, Texts
from metaeval.io.lines import numbered_lines, read_lines
from metaeval.io.mtme_layout import (
    RATING,
    SCORE,
    Layout,
    files,
    pairs,
    score_file,
    split_reference,
)
from metaeval.io.mtme_scores import Expected, read_group_scores, read_ratings, read_scores
from metaeval.io.registry import Reader
from metaeval.scores import FloatArray, GroupScores, Scores

__all__ = ["READER", "pairs", "read", "sniff"]


def sniff(path: Path) -> bool:
    """Whether there are source texts where the layout has them, beside some other part of it."""
    try:
        beside = ("system-outputs", "metric-scores", "human-scores", "references", "documents", "metaeval")
        return bool(pairs(path)) and any((path / part).is_dir() for part in beside)
    except (InputError, OSError):
        return False


def read(path: Path, *, pair: str | None = None) -> EvalSet:
    """The EvalSet of one language pair; O(size of its files).

    Systems are those with outputs; without any outputs, those with scores. Items are called 1 to n.
    A system without lines in a score file has no scores there.
    """
    known = pairs(path)
    layout = Layout(path, _chosen(path, known, pair))
    source = read_lines(layout.source)
    if not source:
        raise InputError("is empty: found no segments", path=layout.source)
    size = Expected(len(source), f"one for each line of sources/{layout.pair}.txt")
    context = _documents(layout.documents, size)
    outputs = {name: _text(file, size) for name, file in files(layout.outputs, ".txt")}
    references = {name: _text(file, size) for name, file in layout.references(known)}
    human = _tables(layout.judgments(SCORE, known), size, context)
    metrics = _tables(layout.metric_files(), size, context)
    ratings = {rater: (file, read_ratings(file, size)) for rater, file in layout.judgments(RATING, known)}

    named = [(t.path, t.rows) for levels in (*human.values(), *metrics.values()) for t in levels.values()]
    systems = _systems(outputs, [*named, *ratings.values()])
    return EvalSet(
        systems=systems,
        items=tuple(str(i) for i in range(1, len(source) + 1)),
        human={name: _scores(name, None, levels, systems) for name, levels in human.items()},
        metrics={
            stem: _scores(*split_reference(stem, references), levels, systems)
            for stem, levels in metrics.items()
        },
        source=tuple(source),
        references=references,
        outputs=outputs,
        item_context=context,
        ratings={rater: by_system for rater, (_, by_system) in ratings.items()},
        name=path.resolve().name,
        pair=layout.pair,
    )


READER = Reader(name="mtme", about="mt-metrics-eval-v2 folder", sniff=sniff, read=read, order=20)


def _chosen(folder: Path, known: list[str], pair: str | None) -> str:
    if not known:
        raise InputError(
            "is not an mt-metrics-eval folder: found no sources/SRC-TGT.txt",
            path=folder,
            remedy="Name the folder of one test set (wmt23), which holds sources, metric-scores and so on.",
        )
    if pair is None and len(known) > 1:
        raise InputError(
            f"holds {len(known)} language pairs",
            path=folder,
            remedy=f"Choose one: --pair {' | '.join(known)}",
        )
    if pair is not None and pair not in known:
        raise InputError(f"has no language pair {pair!r}", path=folder, remedy=choices(pair, known))
    return known[0] if pair is None else pair


def _text(path: Path, size: Expected) -> tuple[str, ...]:
    """One text a line; a tab is part of the text."""
    lines = read_lines(path)
    if len(lines) != size.lines:
        raise InputError(
            f"found {len(lines):,} lines, expected {size.lines:,} ({size.why})",
            path=path,
            line=min(len(lines), size.lines + 1) or None,
            remedy="Is this the text of another language pair or test set?",
        )
    return tuple(lines)


def _documents(path: Path, size: Expected) -> dict[str, Texts]:
    """The columns ``document`` and ``domain``; none where there is no such file."""
    if not path.exists():
        return {}
    domains, documents = [], []
    for number, text in enumerate(_text(path, size), start=1):
        parts = text.strip(" ").split("\t" if "\t" in text else " ", 1)
        if len(parts) != 2 or not all(map(str.strip, parts)) or "\t" in parts[1]:
            raise InputError("expected DOMAIN <tab> DOCUMENT", path=path, line=number, shows=text)
        domains.append(parts[0].strip(" "))
        documents.append(parts[1].strip(" "))
    return {"document": tuple(documents), "domain": tuple(domains)}


@dataclass(frozen=True, slots=True)
class _Table:
    """A score file as it was read: a row of scores a system, a column an item, document or domain."""

    path: Path
    rows: Mapping[str, FloatArray]
    labels: tuple[str, ...] = ()

    def of(self, systems: tuple[str, ...]) -> FloatArray:
        """Systems x columns, NaN for a system without a row."""
        missing = np.full(len(next(iter(self.rows.values()))), np.nan)
        return np.array([self.rows.get(system, missing) for system in systems])


def _tables(
    files: Iterable[tuple[str, Path]], size: Expected, context: Mapping[str, Texts]
) -> dict[str, dict[str, _Table]]:
    """Every score file of a kind, by scorer and level."""
    found: dict[str, dict[str, _Table]] = {}
    for name, path in files:
        scorer, level = score_file(path, name)
        found.setdefault(scorer, {})[level] = _table(path, level, size, context)
    return found


def _table(path: Path, level: str, size: Expected, context: Mapping[str, Texts]) -> _Table:
    if level == "seg":
        return _Table(path, read_scores(path, size))
    if level == "sys":
        return _Table(path, read_scores(path, Expected(1, "one for the whole test set")))
    known = _labels(context, "document" if level == "doc" else "domain")
    if level == "doc":
        if not known:
            raise InputError("holds scores of documents, but there is no documents/SRC-TGT.docs", path=path)
        return _Table(path, read_scores(path, Expected(len(known), "one for each document")), known)
    by_system = read_group_scores(path)
    used = dict.fromkeys(group for of_system in by_system.values() for group in of_system)
    if known and not used.keys() <= set(known):
        unknown = next(group for group in used if group not in known)
        raise _unknown("domain", unknown, path, known)
    labels = tuple(label for label in known or used if label in used)
    return _Table(
        path,
        {
            s: np.array([of_system.get(label, np.nan) for label in labels])
            for s, of_system in by_system.items()
        },
        labels,
    )


def _labels(context: Mapping[str, Texts], column: str) -> tuple[str, ...]:
    return tuple(label for label in dict.fromkeys(context.get(column, ())) if label is not None)


def _scores(
    name: str, reference: str | None, levels: Mapping[str, _Table], systems: tuple[str, ...]
) -> Scores:
    return Scores(
        name,
        reference,
        segment=levels["seg"].of(systems) if "seg" in levels else None,
        system=levels["sys"].of(systems)[:, 0] if "sys" in levels else None,
        groups={
            level: GroupScores(table.labels, table.of(systems))
            for level, table in levels.items()
            if level in ("domain", "doc")
        },
    )


def _systems(outputs: Iterable[str], scored: Iterable[tuple[Path, Iterable[str]]]) -> tuple[str, ...]:
    """Sorted system ids. A score without an output is an error, unless there are no outputs at all."""
    known = set(outputs)
    if not known:
        return tuple(sorted({system for _, systems in scored for system in systems}))
    for path, systems in scored:
        for system in systems:
            if system not in known:
                raise _unknown("system", system, path, known)
    return tuple(sorted(known))


def _unknown(what: str, name: str, path: Path, known: Iterable[str]) -> InputError:
    """A name that nothing else knows, at the first line that has it."""
    lines = (number for number, text in numbered_lines(path) if name in re.split(r"[\t ]+", text))
    return InputError(
        f"names the unknown {what} {printable(name, 60)}",
        path=path,
        line=next(lines, None),
        remedy=choices(name, known) + ".",
    )
