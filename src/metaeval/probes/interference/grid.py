"""How MINTADJUST depends on what it is learned from: feature sets by training systems (table 6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from metaeval.errors import InputError
from metaeval.evalset import EvalSet
from metaeval.names import Patterns
from metaeval.probes.interference.adjust import mint_adjust
from metaeval.probes.interference.judge import judge
from metaeval.probes.interference.rivals import auto_rank, auto_rank_ins
from metaeval.scores import Scores


@dataclass(frozen=True, slots=True)
class GridCell:
    """One way to correct the metric, and how well it judges."""

    method: str
    training: str | None
    features: str
    rank: int
    spa: float
    ins_pa: float


def grid(
    evalset: EvalSet,
    metric: str,
    system: str,
    features: Mapping[str, Patterns],
    training: Mapping[str, Patterns],
    *,
    human: str | None = None,
    reference: str | None = None,
    trees: int = 1000,
    seed: int = 0,
    jobs: int = 1,
) -> tuple[GridCell, ...]:
    """MINTADJUST for every feature set and training set, with AUTORANK and AUTORANK-Ins of the same features.

    Args:
        metric: the interfering metric.
        system: the system whose outputs it chose.
        features: sets of metrics by the name to show.
        training: sets of systems by the name to show.

    Costs a forest for each pair of sets.
    """
    if not features or not training:
        raise InputError("a grid needs feature sets and training sets", remedy="Name at least one of each.")
    cells = []
    for label, chosen in features.items():
        made: dict[tuple[str, str | None], Scores] = {
            ("AUTORANK", None): auto_rank(evalset, chosen, reference=reference),
            ("AUTORANK-Ins", None): auto_rank_ins(evalset, chosen, reference=reference),
        }
        for taught, systems in training.items():
            found = mint_adjust(
                evalset, metric, suspects=[system], training=systems, features=chosen,
                reference=reference, trees=trees, seed=seed, jobs=jobs,
            )  # fmt: skip
            made["MINTADJUST", taught] = found.adjusted
        for (method, learned), scores in made.items():
            verdict = judge(evalset, system, [scores], human=human, reference=reference).verdicts[0]
            cells.append(GridCell(method, learned, label, verdict.rank, verdict.spa, verdict.ins_pa))
    return tuple(cells)
