"""System scores against a baseline, metric by metric: tables 1, 2 and 8 to 15 of Pombal et al. 2025."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from metaeval.errors import InputError, choices
from metaeval.evalset import EvalSet
from metaeval.measures.base import system_means
from metaeval.names import Patterns
from metaeval.probes.interference.panel import panel

LEXICAL = ("bleu", "chrf", "ter", "rouge", "meteor", "wer", "cer", "lexical")
"""Metrics whose name holds one of these compare words or characters."""


@dataclass(frozen=True, slots=True)
class Delta:
    """What one metric says of one system against the baseline."""

    system: str
    metric: str
    family: str
    value: float
    delta: float
    interferes: bool
    """Whether this metric chose this system's outputs: the diagonal of the table."""


@dataclass(frozen=True, slots=True)
class DeltaTable:
    """All systems and metrics; the metrics of one family stand together."""

    baseline: str
    systems: tuple[str, ...]
    metrics: tuple[str, ...]
    cells: tuple[Delta, ...]

    def disagreements(self, system: str) -> tuple[str, ...]:
        """The metrics that say the opposite of most others about a system; a missing delta says nothing."""
        if system not in self.systems:
            raise InputError(f"there is no system {system!r}", remedy=choices(system, self.systems))
        of_system = [cell for cell in self.cells if cell.system == system and not np.isnan(cell.delta)]
        balance = sum(np.sign(cell.delta) for cell in of_system)
        return tuple(cell.metric for cell in of_system if np.sign(cell.delta) * balance < 0)


def deltas(
    evalset: EvalSet,
    baseline: str,
    *,
    chosen_by: Mapping[str, str] | None = None,
    systems: Patterns | None = None,
    metrics: Patterns | None = None,
    reference: str | None = None,
    families: Mapping[str, str] | None = None,
) -> DeltaTable:
    """Every system's mean score less the baseline's, on the segments that both have, by metric.

    Args:
        baseline: a system that no metric influenced: greedy decoding, training on a random sample.
        chosen_by: by system, the metric that chose its outputs or training data.
        families: by metric, key or name, its family; by default ``lexical`` by name, ``qe`` without
            reference, ``neural``.

    >>> from metaeval.simulate import simulate
    >>> table = deltas(simulate(seed=1, text=False).evalset, "Elm", metrics="Neural,Lexical", systems="Fir")
    >>> table.metrics, table.cells[0].family
    (('Lexical-refA', 'Neural-refA'), 'lexical')
    """
    board = panel(evalset, metrics=metrics, reference=reference)
    if baseline not in board.systems:
        raise InputError(f"there is no system {baseline!r}", remedy=choices(baseline, board.systems))
    chosen = chosen_by or {}
    for system, metric in chosen.items():
        board.rows([system])
        board.of(metric)
    rows = [i for i in board.rows(systems or "*") if board.systems[i] != baseline]
    named = {board.keys[board.of(metric)]: name for metric, name in (families or {}).items()}
    known = {key: named.get(key, family(key)) for key in board.keys}
    order = sorted(range(len(board.keys)), key=lambda i: (known[board.keys[i]], i))
    start = board.scores[:, board.systems.index(baseline)]
    cells = []
    for row in rows:
        system = board.systems[row]
        for i in order:
            both = np.isnan(board.scores[i, row] + start[i])
            pair = np.where(both, np.nan, np.stack([board.scores[i, row], start[i]]))
            value, at_start = system_means(pair).tolist()
            diagonal = system in chosen and board.of(chosen[system]) == i
            key = board.keys[i]
            cells.append(Delta(system, key, known[key], value, value - at_start, diagonal))
    names = tuple(board.systems[i] for i in rows)
    return DeltaTable(baseline, names, tuple(board.keys[i] for i in order), tuple(cells))


def family(key: str) -> str:
    """The family of a metric by its name.

    >>> family("f200spBLEU-refA"), family("COMETKiwi-src"), family("BLEURT-20-refA")
    ('lexical', 'qe', 'neural')
    """
    name = key.rpartition("-")[0].lower() or key.lower()
    if any(part in name for part in LEXICAL) and "bleurt" not in name:
        return "lexical"
    return "qe" if key.endswith("-src") else "neural"
