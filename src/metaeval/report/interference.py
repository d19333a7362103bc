"""Suspects, and a metric before and after its correction, as a screen or as JSON."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

import metaeval
from metaeval.errors import printable
from metaeval.evalset import EvalSet
from metaeval.measures.base import system_means
from metaeval.probes.interference.adjust import Adjustment
from metaeval.probes.interference.detect import Detection, Suspicion
from metaeval.probes.interference.judge import Judgement
from metaeval.report.text_table import Column, lay_out
from metaeval.scores import FloatArray, Scores

SHOWN = 10
"""Pairs shown where there are fewer suspects."""


def detection_json(evalset: EvalSet, found: Detection) -> str:
    """All pairs, the most suspicious first; each says whether it is a suspect."""
    signature = {
        "version": metaeval.__version__,
        "data": evalset.digest[:8],
        "reference": found.reference,
        "systems": list(found.systems),
        "metrics": list(found.metrics),
        "items": found.items,
        "alpha": found.alpha,
        "correction": found.correction,
    }
    pairs = [asdict(pair) | {"suspect": pair.suspect(found.alpha)} for pair in found.pairs]
    return _dump({"signature": signature, "pairs": pairs, "untested": list(found.untested)})


def detection_text(found: Detection) -> str:
    """The answer in a sentence, then the suspects and whoever comes next."""
    suspects = found.suspects
    shown = found.pairs[: max(SHOWN, len(suspects))]
    columns = [
        Column("metric", [printable(pair.metric, 40) for pair in shown]),
        Column("system", [printable(pair.system, 40) for pair in shown]),
        Column("bias", [f"{pair.bias:+.3g}" for pair in shown], "right"),
        Column("in sd", [f"{pair.size:+.2f}" for pair in shown], "right"),
        Column("t", [f"{pair.t:.1f}" for pair in shown], "right"),
        Column("p", [_p(pair.p) for pair in shown], "right"),
        Column(_corrected(found), [_p(pair.p_corrected) for pair in shown], "right"),
        Column("", ["suspect" if pair.suspect(found.alpha) else "" for pair in shown]),
    ]
    about = (
        f"{len(found.pairs):,} pairs of {len(found.metrics)} metrics and {len(found.systems)} systems, "
        f"{found.items:,} items, no human score read"
    )
    parts = [f"  {_answer(suspects)}\n  {about}", lay_out(columns)]
    parts.append(
        "  bias: what the metric gives the system beyond what the other metrics explain, in its points\n"
        "  and in standard deviations of its differences between outputs of one item"
    )
    if suspects:
        chosen = ",".join(dict.fromkeys(suspicion.system for suspicion in suspects))
        parts.append(
            f"  ! correct it: metaeval adjust DATA --metric {_argument(suspects[0].metric)} "
            f"--systems {_argument(chosen)}"
        )
    if found.untested:
        parts.append("\n".join(f"  not tested: {printable(note, 200)}" for note in found.untested))
    return "\n\n".join(parts)


def _argument(text: str) -> str:
    """As a shell takes it."""
    return shlex.quote(printable(text, 400))


def _answer(suspects: Sequence[Suspicion]) -> str:
    if not suspects:
        return "No metric likes a system more than the other metrics explain."
    count = (
        "1 metric likes a system" if len(suspects) == 1 else f"{len(suspects)} times a metric likes a system"
    )
    return f"{count} more than the other metrics explain."


def _corrected(found: Detection) -> str:
    return {"holm": "p (Holm)", "bh": "p (BH)"}.get(found.correction, "p used")


def adjustment_json(evalset: EvalSet, found: Adjustment, judgements: Sequence[Judgement]) -> str:
    """System means before and after, importances, warnings, and how humans judge it where they rated."""
    return _dump(
        {
            "signature": {
                "version": metaeval.__version__,
                "data": evalset.digest[:8],
                "metric": found.metric.key,
                "adjusted": found.adjusted.key,
                "features": list(found.features),
                "training": list(found.training),
                "segments": found.segments,
                "unpredicted": found.unpredicted,
            },
            "systems": [
                dict(zip(("system", "before", "after", "rank_before", "rank_after"), row, strict=True))
                | {"suspect": row[0] in found.suspects}
                for row in _before_and_after(evalset, found)
            ],
            "importances": None if found.importances is None else dict(found.importances),
            "outside": [asdict(o) | {"warns": o.warns} for o in found.outside],
            "judgements": [asdict(judgement) for judgement in judgements],
        }
    )


def adjustment_text(evalset: EvalSet, found: Adjustment, judgements: Sequence[Judgement]) -> str:
    """The ranking before and after, what it was learned from, and whether it can be relied on."""
    rows = _before_and_after(evalset, found)
    columns = [
        Column("after", [str(row[4]) for row in rows], "right"),
        Column("before", [str(row[3]) for row in rows], "right"),
        Column("system", [printable(row[0], 40) + " <" * (row[0] in found.suspects) for row in rows]),
        Column("adjusted", _aligned([row[2] for row in rows]), "right"),
        Column(printable(found.metric.key, 30), _aligned([row[1] for row in rows]), "right"),
    ]
    head = (
        f"  {found.adjusted.key}: from {len(found.features)} metrics on {len(found.training)} systems,"
        f" {found.segments:,} segments, no human score read"
    )
    parts = [head, lay_out(columns)]
    if found.importances is not None:
        ranked = sorted(found.importances.items(), key=lambda pair: -pair[1])
        parts.append("  importance: " + ", ".join(f"{printable(k, 40)} {v:.2f}" for k, v in ranked[:8]))
    if found.unpredicted:
        parts.append(f"  ! {found.unpredicted:,} segments lack a feature and are not predicted")
    warned = [o for o in found.outside if o.warns]
    if warned:
        said = ", ".join(f"{printable(o.system, 40)} {o.share:.0%}" for o in warned)
        parts.append(
            f"  ! segments unlike those learned from (1% expected), where predictions extrapolate: {said}"
        )
    parts += [_judged(judgement) for judgement in judgements]
    return "\n\n".join(parts)


def _judged(judgement: Judgement) -> str:
    columns = [
        Column("", [printable(v.metric, 60) for v in judgement.verdicts]),
        Column("rank", [str(v.rank) for v in judgement.verdicts], "right"),
        Column("SPA", [_decimal(v.spa) for v in judgement.verdicts], "right"),
        Column("Ins-PA", [_decimal(v.ins_pa) for v in judgement.verdicts], "right"),
    ]
    head = (
        f"  {judgement.system}: humans rank it {judgement.human_rank} of {judgement.systems}; over its pairs"
    )
    return f"{head}\n\n{lay_out(columns)}"


def _before_and_after(evalset: EvalSet, found: Adjustment) -> list[tuple[str, float, float, int, int]]:
    """Systems that have both: name, means on the cells that have both, and ranks; best adjusted first."""
    before, after = _segments(found.metric), _segments(found.adjusted)
    both = ~(np.isnan(before) | np.isnan(after))
    old = system_means(np.where(both, before, np.nan))
    new = system_means(np.where(both, after, np.nan))
    rows = [i for i in range(len(evalset.systems)) if both[i].any()]
    table = [
        (
            evalset.systems[i],
            float(old[i]),
            float(new[i]),
            1 + sum(bool(old[j] > old[i]) for j in rows),
            1 + sum(bool(new[j] > new[i]) for j in rows),
        )
        for i in rows
    ]
    return sorted(table, key=lambda row: row[4])


def _segments(scores: Scores) -> FloatArray:
    return np.empty((0, 0)) if scores.segment is None else scores.segment


def _dump(value: dict[str, Any]) -> str:
    return json.dumps(_plain(value), indent=1, ensure_ascii=False, allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _aligned(values: Sequence[float]) -> list[str]:
    """With the decimals that give the largest four digits.

    >>> _aligned([0.7964, 0.793]), _aligned([52.3, -7.0])
    (['0.7964', '0.7930'], ['52.30', '-7.00'])
    """
    largest = max(map(abs, values), default=0.0)
    before_point = math.floor(math.log10(largest)) + 1 if largest > 0 else 0
    decimals = max(0, 4 - before_point)
    if decimals > 8 or before_point > 12:
        return [f"{value:.4g}" for value in values]
    return [f"{value:.{decimals}f}" for value in values]


def _decimal(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.3f}"


def _p(p: float) -> str:
    return "<0.0001" if p < 0.0001 else f"{p:.4f}"
