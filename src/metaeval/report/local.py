"""Local accuracy as a screen and as JSON: what to take, accuracies, both hypotheses, perturbations."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from metaeval.errors import printable
from metaeval.probes.local.confounders import Confounders
from metaeval.probes.local.study import LocalStudy, LocalTable
from metaeval.report.text_table import Column, lay_out
from metaeval.scores import FloatArray

_WIDE = 8
"""So many contexts are shown one by one; of more, the extremes."""


def as_text(study: LocalStudy) -> str:
    """Everything for people; a part that does not exist is left out."""
    order = [int(i) for i in np.argsort(-study.overall.value[0], kind="stable")]
    parts = [_head(study)]
    for table in study.tables:
        parts += [
            _advice(study, table),
            _accuracies(study, table, order),
            _hypotheses(study, table, order),
        ]
    if study.confounders is not None:
        parts.append(_perturbations(study, study.confounders, order))
    parts += ["\n".join(f"  ! {note}" for note in study.notes)] if study.notes else []
    return "\n\n".join([*parts, "  " + _signature(study)]).rstrip()


def as_json(study: LocalStudy) -> str:
    """The same for programs; what does not exist is null."""
    return json.dumps(as_dict(study), indent=1, ensure_ascii=False, allow_nan=False)


def as_dict(study: LocalStudy) -> dict[str, Any]:
    """Plain values only. Matrices of tau_AP have the global ranking first; rows are the reference."""
    found = study.confounders
    return {
        "signature": dict(study.signature),
        "pairs": study.pairs,
        "dropped": study.dropped,
        "perturbations": [
            {"perturbation": a.perturbation, "tried": a.tried, "applied": a.applied} for a in study.applied
        ],
        "global": [_cell(study, study.overall.value, study.overall, 0, m) for m in range(len(study.metrics))],
        "contexts": [_table_dict(study, table) for table in study.tables],
        "confounders": None if found is None else _confounders_dict(study, found),
        "notes": list(study.notes),
    }


def _table_dict(study: LocalStudy, table: LocalTable) -> dict[str, Any]:
    advice = table.recommendation
    return {
        "name": table.name,
        "results": [
            {"context": label, **_cell(study, table.local.value, table.local, row, m)}
            for row, label in enumerate(table.labels)
            for m in range(len(study.metrics))
        ],
        "h1": [
            {
                "metric": metric,
                "chi2": test.statistic,
                "degrees_of_freedom": test.freedom,
                "p": test.p,
                "p_clustered": test.p_clustered,
                "spread": float(table.spread[m]),
            }
            for m, (metric, test) in enumerate(zip(study.metrics, table.tests, strict=True))
        ],
        "h2": {"rows_and_columns": ["global", *table.labels], "tau_ap": _nulls(table.tau)},
        "recommendation": {
            "stable": advice.stable,
            "worst_context": advice.worst_context,
            "worst_accuracy": advice.worst,
            "contexts": [
                {"context": c.context, "best": c.best, "alike": list(c.alike), "cheap": c.cheap}
                for c in (advice.everywhere, *advice.choices)
            ],
        },
    }


def _confounders_dict(study: LocalStudy, found: Confounders) -> dict[str, Any]:
    return {
        "accuracy": [
            {"perturbation": kind, **_cell(study, found.by_kind.value, found.by_kind, row, m)}
            for row, kind in enumerate(found.kinds)
            for m in range(len(study.metrics))
        ],
        "variance": [
            {"metric": metric, "combined": k, "variance": float(found.variance[row, m])}
            for m, metric in enumerate(study.metrics)
            for row, k in enumerate(found.sizes)
        ],
    }


def _cell(study: LocalStudy, values: FloatArray, of: Any, row: int, metric: int) -> dict[str, Any]:
    return {
        "metric": study.metrics[metric],
        "accuracy": float(values[row, metric]),
        "ci_low": float(of.low[row, metric]),
        "ci_high": float(of.high[row, metric]),
        "tied": float(of.tied[row, metric]),
        "items": int(of.items[row]),
        "pairs": int(of.pairs[row]),
    }


def _nulls(matrix: FloatArray) -> list[list[float | None]]:
    return [[None if np.isnan(value) else float(value) for value in row] for row in matrix]


def _head(study: LocalStudy) -> str:
    shown = [("task", "{}"), ("systems", "{:,} systems"), ("items", "{:,} items")]
    parts = [form.format(study.signature[key]) for key, form in shown if key in study.signature]
    return "  local accuracy   " + ", ".join([*parts, f"{study.pairs:,} pairs"])


def _advice(study: LocalStudy, table: LocalTable) -> str:
    advice = table.recommendation
    wide = len(table.labels) > _WIDE
    lines = [f"  by {table.name}: {len(table.labels):,} contexts{' (each of them: --json)' if wide else ''}"]
    best = advice.everywhere
    lines.append(f"  best over all: {best.best}{_alike(best.alike)}")
    if not wide:
        lines += [f"  best in {printable(c.context, 40)}: {c.best}{_alike(c.alike)}" for c in advice.choices]
    else:
        wins = [c.best for c in advice.choices]
        counted = sorted(((wins.count(m), m) for m in set(wins)), key=lambda pair: (-pair[0], pair[1]))
        lines.append("  best in: " + ", ".join(f"{m} {count}" for count, m in counted))
    lines.append(
        f"  most stable: {advice.stable}, {advice.worst:.3f} in its worst context "
        f"({printable(advice.worst_context, 40)})"
    )
    for choice in (advice.everywhere, *(() if wide else advice.choices)):
        if choice.cheap is not None:
            lines.append(f"  cheaper and not distinguishable ({choice.context}): {choice.cheap}")
    return "\n".join(lines)


def _alike(metrics: Sequence[str]) -> str:
    if not metrics:
        return ""
    shown = ", ".join(metrics[:4]) + (f" and {len(metrics) - 4} more" if len(metrics) > 4 else "")
    return f" (not distinguishable: {shown})"


def _accuracies(study: LocalStudy, table: LocalTable, order: Sequence[int]) -> str:
    overall, value = study.overall, table.local.value
    columns = [
        Column("metric", [printable(study.metrics[m], 40) for m in order]),
        Column("global", [f"{overall.value[0, m]:.3f}" for m in order], "right"),
        Column("interval", [f"{overall.low[0, m]:.3f}  {overall.high[0, m]:.3f}" for m in order], "right"),
        Column("ties", [f"{overall.tied[0, m]:.3f}" for m in order], "right"),
    ]
    if len(table.labels) <= _WIDE:
        columns += [
            Column(printable(label, 16), [f"{value[i, m]:.3f}" for m in order], "right")
            for i, label in enumerate(table.labels)
        ]
    else:
        columns += [
            Column("lowest", [f"{value[:, m].min():.3f}" for m in order], "right"),
            Column("in", [printable(table.labels[int(value[:, m].argmin())], 20) for m in order]),
            Column("highest", [f"{value[:, m].max():.3f}" for m in order], "right"),
            Column("in", [printable(table.labels[int(value[:, m].argmax())], 20) for m in order]),
        ]
    columns.append(Column("spread", [f"{table.spread[m]:.3f}" for m in order], "right"))
    return lay_out(columns)


def _hypotheses(study: LocalStudy, table: LocalTable, order: Sequence[int]) -> str:
    tests = [table.tests[m] for m in order]
    first = lay_out(
        [
            Column("H1: metric", [printable(study.metrics[m], 40) for m in order]),
            Column("chi2", ["–" if t.statistic is None else f"{t.statistic:.1f}" for t in tests], "right"),
            Column("df", [str(t.freedom) for t in tests], "right"),
            Column("p", [_p(t.p) for t in tests], "right"),
            Column("p, clustered", [_p(t.p_clustered) for t in tests], "right"),
        ]
    )
    return f"{first}\n\n{_orders(table)}"


def _orders(table: LocalTable) -> str:
    """The matrix where it fits a screen, else how far it goes."""
    if np.isnan(table.tau).any():
        return "  H2: tau_AP needs two metrics"
    local = table.tau[1:, 1:]
    pairs = local[~np.eye(len(local), dtype=np.bool_)]
    said = f"mean {pairs.mean():.2f}, lowest {pairs.min():.2f}" if len(pairs) else "one context"
    line = (
        f"  H2: tau_AP between contexts: {said}; with the global order: "
        f"mean {table.tau[0, 1:].mean():.2f}, lowest {table.tau[0, 1:].min():.2f}"
    )
    if len(table.labels) > _WIDE:
        return line
    names = ["global", *(printable(label, 16) for label in table.labels)]
    columns = [Column("", names)]
    columns += [
        Column(n, [f"{v + 0.0:.2f}" for v in np.round(table.tau[:, i], 2)], "right")
        for i, n in enumerate(names)
    ]
    return f"{line}\n{lay_out(columns)}"


def _perturbations(study: LocalStudy, found: Confounders, order: Sequence[int]) -> str:
    columns = [Column("accuracy by perturbation", [printable(study.metrics[m], 40) for m in order])]
    columns += [
        Column(kind, [f"{found.by_kind.value[row, m]:.3f}" for m in order], "right")
        for row, kind in enumerate(found.kinds)
    ]
    columns.append(Column("spread", [f"{found.spread[m]:.3f}" for m in order], "right"))
    variance = [Column("variance over combinations of", [printable(study.metrics[m], 40) for m in order])]
    variance += [
        Column(str(k), [f"{found.variance[row, m]:.4f}" for m in order], "right")
        for row, k in enumerate(found.sizes)
    ]
    return f"{lay_out(columns)}\n\n{lay_out(variance)}"


def _p(value: float | None) -> str:
    if value is None:
        return "–"
    return "<0.0001" if value < 0.0001 else f"{value:.4f}"


def _signature(study: LocalStudy) -> str:
    shown = ("version", "data", "reference", "lexicon", "draws", "seed")
    parts = [f"{key} {study.signature[key]}" for key in shown if study.signature.get(key) is not None]
    skipped = [f"{a.perturbation} {a.applied:,}/{a.tried:,}" for a in study.applied if a.applied < a.tried]
    text = " | ".join(parts)
    return text if not skipped else f"{text}\n  applied of tried: {', '.join(skipped)}"
