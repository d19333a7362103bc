"""From the score files of an mt-metrics-eval folder to scores: one table a file, one row a system."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from metaeval.errors import InputError, choices, printable
from metaeval.evalset import Texts
from metaeval.io.lines import numbered_lines
from metaeval.io.mtme_extras import Groups, group_scores
from metaeval.io.mtme_layout import score_file
from metaeval.io.mtme_scores import Expected, read_group_scores, read_scores
from metaeval.scores import FloatArray, GroupScores, Scores


@dataclass(frozen=True, slots=True)
class Table:
    """A score file as it was read: a row of scores a system, a column an item, document or domain."""

    path: Path
    rows: Mapping[str, FloatArray]
    labels: tuple[str, ...] = ()

    def of(self, systems: tuple[str, ...]) -> FloatArray:
        """Systems x columns, NaN for a system without a row."""
        missing = np.full(len(next(iter(self.rows.values()))), np.nan)
        return np.array([self.rows.get(system, missing) for system in systems])


def score_tables(
    files: Iterable[tuple[str, Path]], size: Expected, context: Mapping[str, Texts]
) -> dict[str, dict[str, Table]]:
    """Every score file of a kind, by scorer and level."""
    found: dict[str, dict[str, Table]] = {}
    for name, path in files:
        scorer, level = score_file(path, name)
        found.setdefault(scorer, {})[level] = _table(path, level, size, context)
    return found


def _table(path: Path, level: str, size: Expected, context: Mapping[str, Texts]) -> Table:
    if level == "seg":
        return Table(path, read_scores(path, size))
    if level == "sys":
        return Table(path, read_scores(path, Expected(1, "one for the whole test set")))
    known = _labels(context, "document" if level == "doc" else "domain")
    if level == "doc":
        if not known:
            raise InputError(
                "holds scores of documents, and it is not known which document an item belongs to",
                path=path,
                remedy="Add documents/SRC-TGT.docs, or remove this file.",
            )
        return Table(path, read_scores(path, Expected(len(known), "one for each document")), known)
    by_system = read_group_scores(path)
    used = dict.fromkeys(group for of_system in by_system.values() for group in of_system)
    if known and not used.keys() <= set(known):
        unknown = next(group for group in used if group not in known)
        raise unknown_name("domain", unknown, path, known)
    labels = tuple(label for label in known or used if label in used)
    return Table(
        path,
        {
            s: np.array([of_system.get(label, np.nan) for label in labels])
            for s, of_system in by_system.items()
        },
        labels,
    )


def _labels(context: Mapping[str, Texts], column: str) -> tuple[str, ...]:
    return tuple(label for label in dict.fromkeys(context.get(column, ())) if label is not None)


def scorers(
    names: Mapping[str, Sequence[str | None]],
    tables: Mapping[str, Mapping[str, Table]],
    systems: tuple[str, ...],
    groups: Mapping[str, Groups],
) -> dict[str, Scores]:
    """The scores of every scorer, from its files and the groups of the side file."""
    found = {}
    for key, (name, reference) in names.items():
        levels = tables.get(key, {})
        by_file = {
            level: GroupScores(table.labels, table.of(systems))
            for level, table in levels.items()
            if level in ("domain", "doc")
        }
        beside = {level: group_scores(said, systems) for level, said in groups.get(key, {}).items()}
        found[key] = Scores(
            name or "",
            reference,
            segment=levels["seg"].of(systems) if "seg" in levels else None,
            system=levels["sys"].of(systems)[:, 0] if "sys" in levels else None,
            groups=by_file | beside,
        )
    return found


def unknown_name(what: str, name: str, path: Path, known: Iterable[str]) -> InputError:
    """A name that nothing else knows, at the first line that has it."""
    lines = (number for number, text in numbered_lines(path) if name in re.split(r"[\t ]+", text))
    return InputError(
        f"names the unknown {what} {printable(name, 60)}",
        path=path,
        line=next(lines, None),
        remedy=choices(name, known) + ".",
    )
