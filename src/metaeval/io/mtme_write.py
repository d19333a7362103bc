"""Writer of mt-metrics-eval-v2 folders: reading one again gives an equal EvalSet."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from metaeval.errors import InputError, printable
from metaeval.evalset import EvalSet, Texts
from metaeval.io.lines import MAX_LINE_CHARS
from metaeval.io.mtme_extras import Extras, Groups, group_json, to_json
from metaeval.io.mtme_layout import RATING, SCORE, Layout, pairs, split_reference
from metaeval.io.mtme_scores import is_rating
from metaeval.io.registry import Writer
from metaeval.io.staging import is_free, settle, staged
from metaeval.scores import FloatArray, GroupScores, Scores

UNDETERMINED = "und-und"
"""The pair in file names where an EvalSet has none (ISO 639 for undetermined languages)."""


def write_mtme(evalset: EvalSet, path: str | Path) -> None:
    """Writes the folder of a test set, or adds a language pair to one; all of it or nothing.

    What the layout has no place for goes to ``metaeval/SRC-TGT.json``. What no text file can hold (a line
    break in a text, a slash in a name) is refused, and so is a pair that is already there.
    """
    if not evalset.systems or not evalset.items:
        raise InputError("there is nothing to write: no systems or no items")
    target, pair = Path(path), _file_name(evalset.pair or UNDETERMINED, "language pair")
    with staged(target) as staging:
        add = not is_free(target)
        if add:
            _refuse_clash(target, pair)
        _Writer(evalset, Layout(staging, pair)).write()
        if add:
            _add(staging, target)
        else:
            settle(staging, target)


def not_in_mtme(evalset: EvalSet) -> tuple[str, ...]:
    """What the folder cannot hold, for people."""
    summed = sum(s.corpus is not None for s in (*evalset.human.values(), *evalset.metrics.values()))
    return (f"corpus statistics of {summed} scorers",) if summed else ()


WRITER = Writer(name="mtme", about="mt-metrics-eval-v2 folder", write=write_mtme, loses=not_in_mtme)


@dataclass(slots=True)
class _Writer:
    """Writes one file a text and scorer; collects for the side file what does not fit."""

    evalset: EvalSet
    layout: Layout
    extras: Extras = field(default_factory=Extras)
    scored: set[str] = field(default_factory=set)
    """The systems that some score file names."""

    def write(self) -> None:
        for system in self.evalset.systems:
            _file_name(system, "system")
        self.texts()
        self.context()
        self.human()
        self.metrics()
        self.ratings()
        self.ids()
        if self.extras:
            _write(self.layout.extras, [to_json(self.extras)])

    def texts(self) -> None:
        data, layout, extras = self.evalset, self.layout, self.extras
        if data.source is not None:
            extras.missing_source = _write_texts(layout.source, data.source, "the source")
        for name, texts in data.references.items():
            path = layout.reference(_file_name(name, "reference"))
            if missing := _write_texts(path, texts, f"reference {name}"):
                extras.missing_references[name] = missing
        for system, texts in data.outputs.items():
            if missing := _write_texts(layout.outputs / f"{system}.txt", texts, f"the output of {system}"):
                extras.missing_outputs[system] = missing

    def context(self) -> None:
        """Documents and domains where they are as the layout has them; other columns beside it."""
        data = self.evalset
        columns = {name: list(values) for name, values in data.item_context.items()}
        domains, documents = columns.get("domain", [None]), columns.get("document", [None])
        if all(map(_is_field, (*domains, *documents))):
            del columns["domain"], columns["document"]
            lines = (f"{domain}\t{name}" for domain, name in zip(domains, documents, strict=True))
            _write(self.layout.documents, lines)
        self.extras.item_context = columns
        self.extras.system_context = {
            name: dict(zip(data.systems, values, strict=True)) for name, values in data.system_context.items()
        }

    def human(self) -> None:
        for key, scores in self.evalset.human.items():
            held = self.scorer(scores, self.layout.human(_file_name(key, "human protocol")))
            self.extras.human_groups |= {key: beside} if (beside := self.groups_beside(scores)) else {}
            if not held or (scores.name, scores.reference) != (key, None):
                self.extras.human[key] = [scores.name, scores.reference]

    def metrics(self) -> None:
        for key, scores in self.evalset.metrics.items():
            held = self.scorer(scores, self.layout.metrics / _file_name(key, "metric"))
            self.extras.metric_groups |= {key: beside} if (beside := self.groups_beside(scores)) else {}
            known = split_reference(key, self.evalset.references)
            if not held or (scores.name, scores.reference) != known:
                self.extras.metrics[key] = [scores.name, scores.reference]

    def scorer(self, scores: Scores, stem: Path) -> bool:
        """The files ``STEM.LEVEL.score``; whether there is any."""
        written = {}
        if scores.segment is not None:
            written["seg"] = self.blocks(scores.segment)
        if scores.system is not None:
            written["sys"] = self.blocks(scores.system[:, np.newaxis])
        for level, group in scores.groups.items():
            order = self.held_labels(level, group)
            if level == "doc" and order:
                written[level] = self.blocks(group.values[:, order])
            elif order:
                written[level] = self.labelled(group)
        for level, lines in written.items():
            _write(stem.with_name(f"{stem.name}.{level}{SCORE}"), lines)
        return bool(written)

    def blocks(self, values: FloatArray) -> list[str]:
        """A block of lines a system."""
        return [f"{system}\t{_number(x)}" for system, row in self.rows(values) for x in row]

    def labelled(self, group: GroupScores) -> list[str]:
        rows = self.rows(group.values)
        return [f"{label}\t{s}\t{_number(row[i])}" for i, label in enumerate(group.labels) for s, row in rows]

    def rows(self, values: FloatArray) -> list[tuple[str, list[float]]]:
        """The systems with a score, as the layout wants it for metrics; all of them where none has one."""
        kept = np.flatnonzero((~np.isnan(values)).any(axis=1))
        kept = kept if kept.size else np.arange(len(values))
        rows = [(self.evalset.systems[i], values[i].tolist()) for i in kept]
        self.scored.update(system for system, _ in rows)
        return rows

    def held_labels(self, level: str, group: GroupScores) -> list[int]:
        """The labels in the order of the layout's file for this level; none if it has none."""
        at = {label: i for i, label in enumerate(group.labels)}
        column = self.evalset.item_context.get({"doc": "document", "domain": "domain"}.get(level, ""), ())
        known = [label for label in dict.fromkeys(column) if label is not None]
        if level == "doc" and set(known) == set(at):
            return [at[label] for label in known]
        if level == "domain" and all(map(_is_field, at)) and (not known or set(at) <= set(known)):
            return list(at.values())
        return []

    def groups_beside(self, scores: Scores) -> Groups:
        return {
            level: group_json(group, self.evalset.systems)
            for level, group in scores.groups.items()
            if not self.held_labels(level, group)
        }

    def ratings(self) -> None:
        for rater, by_system in self.evalset.ratings.items():
            if by_system and all(map(_is_line, (text for texts in by_system.values() for text in texts))):
                lines = [f"{system}\t{text}" for system, texts in by_system.items() for text in texts]
                _write(self.layout.human(_file_name(rater, "rater") + f".seg{RATING}"), lines)
            else:
                self.extras.ratings[rater] = {s: list(texts) for s, texts in by_system.items()}

    def ids(self) -> None:
        data = self.evalset
        if data.source is None or data.items != tuple(str(i + 1) for i in range(len(data.items))):
            self.extras.items = list(data.items)
        if data.outputs or self.scored != set(data.systems):
            self.extras.systems = [system for system in data.systems if system not in data.outputs]
        if self.layout.pair != data.pair:
            self.extras.pair = data.pair


def _number(value: float) -> str:
    """The shortest text that reads as the same number."""
    return "None" if math.isnan(value) else repr(value)


def _is_line(rating: str | None) -> bool:
    """Whether a rating file can hold it."""
    return rating is None or ("\n" not in rating and rating == rating.strip() and is_rating(rating))


def _is_field(text: str | None) -> bool:
    """Whether a name reads as itself between two tabs."""
    if not text or text != text.strip(" "):
        return False
    return "\ufeff" not in text and not any(c < " " for c in text)


def _file_name(name: str, what: str) -> str:
    """The name; refused where a file cannot have it, or would not be found again."""
    if not _is_field(name) or name.startswith(".") or "/" in name or "\\" in name:
        raise InputError(
            f"the {what} {printable(name, 60)!r} cannot name a file",
            remedy="Rename it: no slash, no control character, no leading dot, no blank at either end.",
        )
    return name


def _write_texts(path: Path, texts: Texts, what: str) -> list[int]:
    """A text a line; the lines, from 1, that stand for no text."""
    for line, text in enumerate(texts, start=1):
        broken = "line break" if text and ("\n" in text or text.endswith("\r")) else ""
        broken = "NUL character" if text and "\0" in text else broken
        broken = "byte-order mark" if line == 1 and text and text.startswith("\ufeff") else broken
        if broken:
            raise InputError(
                f"{printable(what, 80)} holds a {broken} in item {line:,}",
                shows=text,
                remedy="An mt-metrics-eval folder has one text a line: replace it, or write a bundle.",
            )
    _write(path, (text or "" for text in texts))
    return [line for line, text in enumerate(texts, start=1) if text is None]


def _write(path: Path, lines: Iterable[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    content = "".join(f"{line}\n" for line in lines)
    try:
        encoded = content.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"{path.name} would hold text that is not Unicode (a lone surrogate)",
            shows=content[max(0, error.start - 40) : error.end],
            remedy="Read the data again with the right encoding.",
        ) from error
    if len(content) > MAX_LINE_CHARS and max(map(len, content.split("\n"))) > MAX_LINE_CHARS:
        raise InputError(f"{path.name} would hold a line of more than {MAX_LINE_CHARS:,} characters")
    with path.open("xb") as file:
        file.write(encoded)


def _refuse_clash(target: Path, pair: str) -> None:
    """A pair can be added to a folder that holds other pairs, and nothing of this one."""
    known = pairs(target) if target.is_dir() else []
    if not known:
        raise InputError(
            "already exists, and is not an mt-metrics-eval folder", path=target, remedy="Choose another name."
        )
    there = Layout(target, pair)
    whole = (there.source, there.documents, there.outputs, there.metrics, there.extras)
    alike = any(f"{one}.".startswith(f"{pair}.") or f"{pair}.".startswith(f"{one}.") for one in known)
    if alike or any(path.exists() for path in whole) or any((*there.judgments(""), *there.references())):
        raise InputError(
            f"already holds files of {pair}", path=target, remedy="Choose another name, or remove them."
        )


def _add(staging: Path, target: Path) -> None:
    """Moves every file; the two kinds that make a pair appear come last."""
    files = sorted(path.relative_to(staging) for path in staging.rglob("*") if path.is_file())
    files.sort(key=lambda path: path.parts[0] in ("sources", "metaeval"))
    moved = []
    try:
        for path in files:
            (target / path).parent.mkdir(parents=True, exist_ok=True)
            (staging / path).rename(target / path)
            moved.append(target / path)
    except OSError:
        for path in moved:
            path.unlink()
        raise
