"""An mt-metrics-eval folder read cell by cell, as its README says; believes that the folder is valid."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from metaeval.evalset import EvalSet, by_key
from metaeval.scores import GroupScores, Scores


def lines_of(path: Path) -> list[str]:
    text = path.read_bytes().decode("utf-8").removeprefix("\ufeff")
    lines = text.split("\n")
    return [line.removesuffix("\r") for line in (lines[:-1] if lines[-1] == "" else lines)]


def cells(path: Path) -> list[list[str]]:
    """The fields of each line."""
    return [
        [f.strip(" ") for f in line.split("\t")] if "\t" in line else line.split() for line in lines_of(path)
    ]


def number(text: str) -> float:
    return math.nan if text == "None" else float(text)


def rows(path: Path, systems: list[str], width: int) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    values = np.full((len(systems), width), np.nan)
    for system in systems:
        own = [number(score) for name, score in cells(path) if name == system]
        if own:
            values[systems.index(system)] = own
    return values


def read_folder(folder: Path, pair: str) -> EvalSet:
    source = lines_of(folder / "sources" / f"{pair}.txt")
    outputs = {path.stem: tuple(lines_of(path)) for path in (folder / "system-outputs" / pair).glob("*.txt")}
    systems = sorted(outputs)
    context = {}
    if (folder / "documents" / f"{pair}.docs").exists():
        pairs = [
            line.replace("\t", " ").split(maxsplit=1)
            for line in lines_of(folder / "documents" / f"{pair}.docs")
        ]
        context = {"document": tuple(d.strip(" ") for _, d in pairs), "domain": tuple(d for d, _ in pairs)}

    def scores(name: str, reference: str | None, stem: Path) -> Scores:
        segment, system, groups = None, None, {}
        for level in ("seg", "sys", "doc", "domain"):
            path = stem.with_name(f"{stem.name}.{level}.score")
            if not path.exists():
                continue
            if level == "seg":
                segment = rows(path, systems, len(source))
            elif level == "sys":
                system = rows(path, systems, 1)[:, 0]
            elif level == "doc":
                documents = tuple(dict.fromkeys(context["document"]))
                groups["doc"] = GroupScores(documents, rows(path, systems, len(documents)))
            else:
                labels = tuple(dict.fromkeys(domain for domain, _, _ in cells(path)))
                values = np.full((len(systems), len(labels)), np.nan)
                for domain, name_, score in cells(path):
                    values[systems.index(name_), labels.index(domain)] = number(score)
                groups["domain"] = GroupScores(labels, values)
        return Scores(name, reference, segment, system, groups)

    human, metrics = folder / "human-scores", folder / "metric-scores" / pair
    protocols = {path.name.split(".")[1] for path in human.glob(f"{pair}.*.score")}
    variants = {path.name.split(".")[0] for path in metrics.glob("*.score")}
    ratings = {}
    for path in human.glob(f"{pair}.*.seg.rating"):
        by_system: dict[str, list[str | None]] = {}
        for line in lines_of(path):
            system, rating = line.replace("\t", " ", 1).split(" ", 1)
            by_system.setdefault(system, []).append(
                None if rating.strip(" ") == "None" else rating.strip(" ")
            )
        rater = path.name.removeprefix(f"{pair}.").removesuffix(".seg.rating")
        ratings[rater] = {system: tuple(texts) for system, texts in by_system.items()}
    return EvalSet(
        systems=tuple(systems),
        items=tuple(str(i + 1) for i in range(len(source))),
        human=by_key(scores(name, None, human / f"{pair}.{name}") for name in protocols),
        metrics=by_key(
            scores(stem.rpartition("-")[0], stem.rpartition("-")[2], metrics / stem) for stem in variants
        ),
        source=tuple(source),
        references={
            p.name.split(".")[1]: tuple(lines_of(p)) for p in (folder / "references").glob(f"{pair}.*")
        },
        outputs=outputs,
        item_context=context,
        ratings=ratings,
        pair=pair,
    )
