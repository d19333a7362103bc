"""What ties do, as a screen or as JSON."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import metaeval
from metaeval.errors import printable
from metaeval.measures.base import Measure
from metaeval.paired import Paired
from metaeval.probes.ties.breaking import TieBreaking
from metaeval.probes.ties.buckets import Bucketing
from metaeval.probes.ties.curve import TieCurve
from metaeval.probes.ties.heldout import Carried, Generalisation
from metaeval.probes.ties.questions import Answer, Questions
from metaeval.probes.ties.sampling import SampleSpread
from metaeval.probes.ties.statistics import HumanTies, TieCounts
from metaeval.probes.ties.table import TieTable
from metaeval.probes.ties.where import WhereTied
from metaeval.report.text_table import Column, lay_out
from metaeval.scores import Scores

CURVE_LINES = 25
"""Points of a curve on a screen; JSON has them all."""
BAR = 30
BY = {"none": "without grouping", "item": "by item", "system": "by system"}


def as_json(paired: Paired, questions: Questions, answers: Sequence[Answer]) -> str:
    """Every answer under its kind; what does not exist is null."""
    signature = {
        "version": metaeval.__version__,
        "human": paired.protocol,
        "reference": paired.reference,
        "systems": len(paired.systems),
        "items": len(paired.items),
        "seed": questions.seed,
    }
    found: dict[str, Any] = {"signature": signature, "notes": list(paired.notes)}
    for answer in answers:
        found.setdefault(answer.kind, []).append(plain(answer))
    return json.dumps(found, indent=1, ensure_ascii=False, allow_nan=False)


def plain(value: Any) -> Any:
    """A result as JSON has it: metrics by key, measures as text, NaN as null, what is derived written out."""
    if isinstance(value, Scores):
        return value.key
    if isinstance(value, Measure):
        return str(value)
    if dataclasses.is_dataclass(value):
        fields = {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
        derived = [n for n, v in vars(type(value)).items() if isinstance(v, property)]
        return fields | {name: plain(getattr(value, name)) for name in derived}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return None if isinstance(value, float) and math.isnan(value) else value


def as_text(paired: Paired, answers: Sequence[Answer]) -> str:
    """Every answer, one under the other, and what they rest on."""
    parts = [_SHOWN[type(answer)](answer) for answer in answers]
    about = [f"metaeval {metaeval.__version__}", f"human {paired.protocol}"]
    about += [f"reference {paired.reference}"] if paired.reference else []
    about += [f"{len(paired.items):,} items, {len(paired.systems)} systems"]
    notes = [f"  ! {printable(note, 300)}" for note in paired.notes]
    return "\n\n".join([*parts, *notes, "  " + printable(" | ".join(about), 300)])


def _table(table: TieTable) -> str:
    """Behind a statistic the groups it is averaged over, where they are not as many for every metric."""
    columns = [Column("metric", _keys([line.metric for line in table.lines]))]
    said: list[int] = []
    for i, statistic in enumerate(table.statistics):
        heading = str(statistic).partition("@")[0].replace("acc_eq(epsilon=best)", "acc*_eq")
        cells = [_ranked(line.outcomes[i].value, line.ranks[i]) for line in table.lines]
        columns.append(Column(heading, cells, "right"))
        if statistic.epsilon == "best":
            found = [line.outcomes[i].epsilon for line in table.lines]
            columns.append(Column("epsilon*", [_epsilon(e) for e in found], "right"))
        used = [line.outcomes[i].groups_used for line in table.lines]
        if len(set(used)) > 1 and used != said:
            columns.append(Column("groups", [f"{n:,}" for n in used], "right"))
            said = used
    return "\n\n".join([f"  {_humans(table.human)}", lay_out(columns), *_fewer_groups(table)])


def _fewer_groups(table: TieTable) -> list[str]:
    """Which statistics have no value in some groups for any metric, mostly those that humans tie."""
    fewer: dict[int, list[str]] = {}
    for i, statistic in enumerate(table.statistics):
        most = max(line.outcomes[i].groups_used for line in table.lines)
        if most < table.human.groups:
            fewer.setdefault(most, []).append(str(statistic).partition("@")[0])
    return [
        f"  {', '.join(names)}: no metric has a value in more than {most:,} of {table.human.groups:,} groups"
        for most, names in fewer.items()
    ]


def _statistics(counts: TieCounts) -> str:
    h = counts.human
    share = lay_out(
        [
            Column("metric", _keys([m.metric for m in counts.metrics])),
            Column("ties", [f"{m.ties:,}" for m in counts.metrics], "right"),
            Column("of pairs", [_percent(m.ties, h.pairs, 1) for m in counts.metrics], "right"),
            Column("all tied", [f"{m.constant_groups:,}" for m in counts.metrics], "right"),
        ]
    )
    groups = f"{h.constant_groups:,} of {h.groups:,} groups with all pairs tied"
    return f"  {_humans(h)}\n  {h.translations:,} translations, {groups}\n\n{share}"


def _curve(curve: TieCurve) -> str:
    count = len(curve.epsilon)
    best = int(np.flatnonzero(curve.epsilon == curve.best_epsilon)[0])
    shown = sorted({best, *np.linspace(0, count - 1, min(count, CURVE_LINES)).astype(int).tolist()})
    head = (
        f"  {curve.metric.key}, {curve.statistic}: {_decimal(curve.best_value)} "
        f"at {_epsilon(curve.best_epsilon)}"
    )
    columns = [
        Column("epsilon", [_epsilon(float(curve.epsilon[i])) for i in shown], "right"),
        Column(curve.statistic.name, [_decimal(curve.value[i]) for i in shown], "right"),
        Column("ties F1", [_decimal(curve.ties_f1[i]) for i in shown], "right"),
        Column("rank F1", [_decimal(curve.rank_f1[i]) for i in shown], "right"),
        Column("", ["best" if i == best else "" for i in shown]),
    ]
    return f"{head}\n\n{lay_out(columns)}"


def _buckets(found: Bucketing) -> str:
    columns = [
        Column("buckets", ["none" if s.buckets is None else f"{s.buckets:,}" for s in found.steps], "right")
    ]
    for i, statistic in enumerate(found.statistics):
        outcomes = [step.outcomes[i] for step in found.steps]
        columns.append(Column(str(statistic), [_decimal(o.value) for o in outcomes], "right"))
        columns.append(Column("groups", [f"{o.groups_used:,}" for o in outcomes], "right"))
    head = f"  {found.metric.key} in buckets of equal width"
    return f"{head}\n\n{lay_out(columns)}\n\n  values over different groups are not comparable"


def _where(found: WhereTied) -> str:
    largest = max(float((side / max(1, side.sum())).max()) for side in (found.pairs, found.tied))

    def bars(side: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> tuple[list[str], list[str]]:
        shares = side / max(1, int(side.sum()))
        return [f"{s:.1%}" for s in shares], ["#" * round(BAR * s / (largest or 1.0)) for s in shares]

    (all_shares, all_bars), (tied_shares, tied_bars) = bars(found.pairs), bars(found.tied)
    head = f"  {found.metric.key} {BY[found.grouping]}: pairs by their average score, epsilon* "
    means = f"  mean: all pairs {_short(found.mean_pairs)}, newly tied {_short(found.mean_tied)}"
    columns = [
        Column("from", [f"{edge:.3g}" for edge in found.edges[:-1]], "right"),
        Column("all pairs", all_shares, "right"),
        Column("", all_bars),
        Column("newly tied", tied_shares, "right"),
        Column("", tied_bars),
    ]
    return f"{head}{_epsilon(found.epsilon)}\n\n{lay_out(columns)}\n\n{means}"


def _broken(found: TieBreaking) -> str:
    columns = [
        Column("metric", _keys([m.metric for m in found.metrics])),
        Column("tied", [f"{m.tied:.1%}" for m in found.metrics], "right"),
    ]
    for i, statistic in enumerate(found.statistics):
        changes = [m.changes[i] for m in found.metrics]
        columns.append(Column(str(statistic), [_decimal(c.before) for c in changes], "right"))
        columns.append(Column("broken", [_decimal(c.mean) for c in changes], "right"))
    head = f"  ties broken at random: mean of {found.repeats} repeats, seed {found.seed}"
    return f"{head}\n\n{lay_out(columns)}"


def _generalisation(found: Generalisation) -> str:
    def side(name: str, carried: Sequence[Carried]) -> list[Column]:
        return [
            Column(f"{name}: epsilon*", [_epsilon(c.epsilon) for c in carried], "right"),
            Column("own", [_decimal(c.own) for c in carried], "right"),
            Column("carried", [_decimal(c.carried) for c in carried], "right"),
            Column("change", [_change(c.change) for c in carried], "right"),
        ]

    columns = [Column("metric", _keys([m.metric for m in found.metrics]))]
    columns += side("A", [m.here for m in found.metrics]) + side("B", [m.there for m in found.metrics])
    heads = [f"  {found.statistic} with its own epsilon*, and with the one carried over from the other data"]
    heads += [f"  {name}: {_humans(h)}" for name, h in (("A", found.here), ("B", found.there))]
    return "\n".join([*heads, "", lay_out(columns)])


def _sampling(found: SampleSpread) -> str:
    columns = [
        Column("metric", _keys([m.metric for m in found.metrics])),
        Column("epsilon*", [_epsilon(m.epsilon) for m in found.metrics], "right"),
        Column("lowest", [_epsilon(min(m.epsilons)) for m in found.metrics], "right"),
        Column("highest", [_epsilon(max(m.epsilons)) for m in found.metrics], "right"),
        Column("off by", [f"{m.epsilon_off:.2g}" for m in found.metrics], "right"),
        Column("value", [_decimal(m.value, 4) for m in found.metrics], "right"),
        Column("loses up to", [_short(m.value_off, 2) for m in found.metrics], "right"),
    ]
    head = f"  {found.statistic} with epsilon from {found.share:.0%} of the pairs, {found.repeats} seeds"
    return f"{head}, against all pairs\n\n{lay_out(columns)}"


_SHOWN: dict[type, Callable[[Any], str]] = {
    TieTable: _table,
    TieCounts: _statistics,
    TieCurve: _curve,
    Bucketing: _buckets,
    WhereTied: _where,
    TieBreaking: _broken,
    Generalisation: _generalisation,
    SampleSpread: _sampling,
}


def _humans(h: HumanTies) -> str:
    best = f"{_percent(h.ties_at_best, h.pairs)} at the best score, {h.best:g}"
    return f"{BY[h.grouping]}: {h.pairs:,} pairs, humans tie {_percent(h.ties, h.pairs)} ({best})"


def _keys(metrics: Sequence[Scores]) -> list[str]:
    return [printable(metric.key, 60) for metric in metrics]


def _ranked(value: float, rank: int | None) -> str:
    return "–" if rank is None else f"{value:.3f} ({rank:>2})"


def _decimal(value: float, digits: int = 3) -> str:
    return "–" if math.isnan(value) else f"{value:.{digits}f}"


def _change(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:+.1%}"


def _epsilon(value: float | None) -> str:
    return "–" if value is None else f"{value:.3g}"


def _short(value: float, digits: int = 3) -> str:
    return "–" if math.isnan(value) else f"{value:.{digits}g}"


def _percent(part: int, whole: int, digits: int = 0) -> str:
    return f"{part / whole:.{digits}%}" if whole else "–"
