"""Reader of mt-metrics-eval-v2 folders: one test set, one folder a kind, one file a text or scorer.

The folder says what is there; no reference, protocol or gold standard is assumed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from metaeval.errors import InputError, choices
from metaeval.evalset import EvalSet, Texts
from metaeval.io.lines import read_lines
from metaeval.io.mtme_extras import Extras, read_extras
from metaeval.io.mtme_layout import (
    RATING,
    SCORE,
    Layout,
    files,
    pairs,
    rating_file,
    split_reference,
)
from metaeval.io.mtme_scores import Expected, read_ratings
from metaeval.io.mtme_tables import score_tables, scorers, unknown_name
from metaeval.io.registry import Reader

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
    A system without lines in a score file has no scores there. What our writer put beside the layout
    (:mod:`metaeval.io.mtme_extras`) is read back.
    """
    if not path.is_dir():
        raise InputError("there is no such folder", path=path)
    known = pairs(path)
    layout = Layout(path, _chosen(path, known, pair))
    extras = read_extras(layout.extras)
    size = _size(layout, extras)
    source = _column(layout.source, size, extras.missing_source) if layout.source.exists() else None
    context = {**_documents(layout.documents, size), **_tuples(extras.item_context)}
    outputs = {
        name: _column(file, size, extras.missing_outputs.get(name))
        for name, file in files(layout.outputs, ".txt")
    }
    references = {
        name: _column(file, size, extras.missing_references.get(name))
        for name, file in layout.references(known)
    }
    human = score_tables(layout.judgments(SCORE, known), size, context)
    metrics = score_tables(layout.metric_files(), size, context)
    ratings = {
        rating_file(file, name): (file, read_ratings(file, size))
        for name, file in layout.judgments(RATING, known)
    }

    named = [(t.path, t.rows) for levels in (*human.values(), *metrics.values()) for t in levels.values()]
    systems = _systems({*outputs, *extras.systems}, [*named, *ratings.values()])
    human_names = {name: (name, None) for name in human} | extras.human
    metric_names = {stem: split_reference(stem, references) for stem in metrics} | extras.metrics
    try:
        return EvalSet(
            systems=systems,
            items=tuple(extras.items) or tuple(str(i) for i in range(1, size.lines + 1)),
            human=scorers(human_names, human, systems, extras.human_groups),
            metrics=scorers(metric_names, metrics, systems, extras.metric_groups),
            source=source,
            references=references,
            outputs=outputs,
            item_context=context,
            system_context={
                name: tuple(of_system.get(system) for system in systems)
                for name, of_system in extras.system_context.items()
            },
            ratings={rater: by_system for rater, (_, by_system) in ratings.items()}
            | {rater: _tuples(by_system) for rater, by_system in extras.ratings.items()},
            name=path.resolve().name,
            pair=layout.pair if extras.pair is None else extras.pair,
        )
    except InputError as error:  # the files were checked: what does not fit is in the side file
        raise InputError(error.what, path=layout.extras, remedy=error.remedy) from error


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
            remedy=f"Choose one with --pair: {', '.join(known)}",
        )
    if pair is not None and pair not in known:
        raise InputError(f"has no language pair {pair!r}", path=folder, remedy=choices(pair, known))
    return known[0] if pair is None else pair


def _size(layout: Layout, extras: Extras) -> Expected:
    """How many lines a text must have."""
    if layout.source.exists():
        lines = read_lines(layout.source)
        if not lines:
            raise InputError("is empty: found no segments", path=layout.source)
        return Expected(len(lines), f"one for each line of sources/{layout.pair}.txt")
    if not extras.items:
        raise InputError("lists no items, and there is no source text", path=layout.extras)
    return Expected(len(extras.items), f"one for each item of metaeval/{layout.pair}.json")


def _tuples(columns: Mapping[str, Sequence[str | None]]) -> dict[str, Texts]:
    return {name: tuple(values) for name, values in columns.items()}


def _column(path: Path, size: Expected, missing: Iterable[int] | None) -> Texts:
    """One text a line, None at the lines that are listed as missing."""
    texts: list[str | None] = [*_text(path, size)]
    for line in missing or ():
        if not 1 <= line <= len(texts) or texts[line - 1]:
            raise InputError("is listed as missing, and is not empty", path=path, line=line)
        texts[line - 1] = None
    return tuple(texts)


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


def _systems(outputs: Iterable[str], scored: Iterable[tuple[Path, Iterable[str]]]) -> tuple[str, ...]:
    """Sorted system ids. A score without an output is an error, unless there are no outputs at all."""
    known = set(outputs)
    if not known:
        return tuple(sorted({system for _, systems in scored for system in systems}))
    for path, systems in scored:
        for system in systems:
            if system not in known:
                raise unknown_name("system", system, path, known)
    return tuple(sorted(known))
