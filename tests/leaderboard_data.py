"""Small simulated data on disk, and leaderboards that name it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from metaeval.evalset import EvalSet, by_key
from metaeval.io.registry import choose_writer
from metaeval.simulate import CLEAN, simulate

SETS = {"aa-bb": 1, "cc-dd": 2}
"""Language pairs, with the seeds they are simulated with."""


def simulated(pair: str, seed: int, systems: int = 5, items: int = 24) -> EvalSet:
    """Texts are left out; the pair is the set's."""
    return simulate(CLEAN, seed=seed, systems=systems, items=items, text=False, pair=pair).evalset


def write_sets(folder: Path, sets: dict[str, EvalSet] | None = None) -> Path:
    """A bundle a pair: ``aa-bb.bundle``."""
    known = sets or {pair: simulated(pair, seed) for pair, seed in SETS.items()}
    for pair, evalset in known.items():
        path = folder / f"{pair}.bundle"
        choose_writer(path, "bundle").write(evalset, path)
    return folder


def definition(tasks: str, pairs: Sequence[str] = tuple(SETS), more: str = "") -> str:
    """The text of a definition over these pairs."""
    sets = "".join(f'[sets.{pair}]\npath = "{pair}.bundle"\n' for pair in pairs)
    return f'name = "test"\n{more}\n{sets}\n{tasks}\n'


def task(measure: str, **keys: object) -> str:
    """One task in TOML."""
    shown = {str: lambda v: f'"{v}"', bool: lambda v: str(v).lower()}
    lines = [f"{k} = {shown.get(type(v), str)(v)}" for k, v in {"measure": measure, **keys}.items()]
    return "\n".join(["[[tasks]]", *lines, ""])


def renamed(evalset: EvalSet, reference: str) -> EvalSet:
    """The same with all metrics that read a reference using another."""
    return replace(
        evalset,
        metrics=by_key(
            m if m.reference_free else replace(m, reference=reference) for m in evalset.metrics.values()
        ),
    )
