"""The two calls that most programs need: load whatever holds scores, and rank its metrics."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from metaeval.board import Board, SystemScores
from metaeval.board import rank as rank_evalset
from metaeval.evalset import EvalSet
from metaeval.measures.base import Measure
from metaeval.names import Patterns
from metaeval.paired import Missing
from metaeval.significance.correction import Correction
from metaeval.significance.plan import Alternative, Bootstrap, Convention, Plan, Test, Unit


def load(data: Any, *, pair: str | None = None, format: str | None = None) -> EvalSet:
    """An EvalSet from a file, a folder, a frame (polars or pandas), or a dict of columns.

    A frame is taken for a long table if it has a column ``scorer``, for preference pairs if it has
    ``winner``, else for a wide table, one row an output.

    >>> load({"system": ["A"], "item": ["1"], "mqm": [-1.0]})
    <EvalSet: 1 systems, 1 items, human: mqm, 0 metrics>
    """
    if isinstance(data, EvalSet):
        return data
    if isinstance(data, str | Path):
        from metaeval.io.registry import read

        return read(data, pair=pair, format=format)
    from metaeval.io.frames import as_table, from_long, from_pairs, from_wide

    columns = {column.lower() for column in as_table(data).columns}
    reader = from_long if "scorer" in columns else from_pairs if "winner" in columns else from_wide
    return reader(data, pair=pair)


def rank(
    data: Any,
    measures: Sequence[str | Measure] | str | Measure | None = None,
    *,
    pair: str | None = None,
    format: str | None = None,
    human: str | None = None,
    reference: str | None = None,
    metrics: Patterns | None = None,
    systems: Patterns | None = None,
    exclude: Patterns | None = None,
    domain: Patterns | None = None,
    missing: Missing = "error",
    common_groups: bool = False,
    system_scores: SystemScores = "mean",
    test: Test = "perm-inputs",
    draws: int = 1000,
    seed: int = 0,
    alpha: float = 0.05,
    unit: Unit = "item",
    bootstrap: Bootstrap | None = None,
    convention: Convention = "unbiased",
    correction: Correction = "none",
    standardise: bool = True,
    alternative: Alternative = "greater",
    early_stop: bool = False,
    jobs: int = 1,
) -> Board:
    """Ranks the metrics of anything :func:`load` reads; the options are those of ``metaeval rank``.

    ``standardise`` and ``alternative`` are ``--raw`` and ``--two-sided`` there.
    Intervals are bootstrapped by default, but not where nothing is tested (``test="none"``).
    """
    return rank_evalset(
        load(data, pair=pair, format=format),
        measures,
        human=human,
        reference=reference,
        metrics=metrics,
        systems=systems,
        exclude=exclude,
        domain=domain,
        missing=missing,
        common_groups=common_groups,
        system_scores=system_scores,
        correction=correction,
        plan=Plan(
            test=test,
            draws=draws,
            seed=seed,
            alpha=alpha,
            unit=unit,
            bootstrap=bootstrap or ("none" if test == "none" else "inputs"),
            convention=convention,
            standardise=standardise,
            alternative=alternative,
            early_stop=early_stop,
            jobs=jobs,
        ),
    )
