"""The data of a leaderboard: every set loaded, cut to what counts, and paired."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np

from metaeval.errors import InputError, choices
from metaeval.evalset import EvalSet
from metaeval.io.registry import read
from metaeval.leaderboard.definition import Definition, SetSpec
from metaeval.paired import Missing, Paired, choose_reference, pair_up
from metaeval.scores import Scores


@dataclass(frozen=True, slots=True, order=True)
class Contestant:
    """A metric across sets: its base name, and whether it reads a reference.

    BLEU with refA in one pair and with refB in another is one contestant; a metric with and without
    reference is two, as on WMT's boards.
    """

    name: str
    reference_free: bool

    @classmethod
    def of(cls, metric: Scores) -> Contestant:
        return cls(metric.name, metric.reference_free)

    def __str__(self) -> str:
        return f"{self.name} *" if self.reference_free else self.name


@dataclass(frozen=True, eq=False, slots=True)
class Entry:
    """One set, ready to be measured."""

    label: str
    evalset: EvalSet
    paired: Paired
    contestants: tuple[Contestant, ...]
    """In the order of the paired metrics."""
    stream: int
    """Number of its random draws: sets made of the same data have the same draws."""


def load(definition: Definition, root: Path, missing: Missing | None = None) -> dict[str, Entry]:
    """Every set of the definition. All are tried, so that one message tells what is there and what not.

    Args:
        root: where relative paths start.
        missing: what to do about missing scores, in place of what the definition says.
    """
    whole: dict[tuple[str, str | None], EvalSet] = {}
    found: dict[str, Entry] = {}
    failed: dict[str, InputError] = {}
    streams = _streams(definition)
    for label, spec in definition.sets.items():
        try:
            key = (spec.path, spec.pair)
            if key not in whole:
                whole[key] = read(root / spec.path, pair=spec.pair, format=spec.format)
            found[label] = _entry(label, spec, whole[key], definition.metrics, missing, streams[label])
        except InputError as error:
            failed[label] = error
    if failed:
        label, reason = next(iter(failed.items()))
        rest = f"The others are all right, alone they run with --pairs {','.join(found)}" if found else None
        raise InputError(f"[sets.{label}]: {reason}", path=definition.where or None, remedy=rest)
    _check_globs(definition.metrics, [metric for entry in found.values() for metric in entry.paired.metrics])
    return found


def _entry(
    label: str,
    spec: SetSpec,
    whole: EvalSet,
    metrics: Sequence[str],
    missing: Missing | None,
    stream: int,
) -> Entry:
    evalset = whole.select(
        systems=spec.systems or None,
        exclude=(*spec.exclude, *spec.outliers) or None,
        domain=spec.domain or None,
    )
    reference = choose_reference(evalset, spec.reference)
    people = [s for s in evalset.systems if s in evalset.references and s != reference]
    if people and not spec.human_outputs:
        evalset = evalset.select(exclude=people)
    here = [glob for glob in metrics if any(_matches(glob, m) for m in evalset.metrics.values())]
    if metrics and not here:
        raise InputError(f"no metric matches {', '.join(metrics)}", remedy=choices(metrics[0], whole.metrics))
    paired = pair_up(
        evalset,
        human=spec.human,
        reference=reference,
        metrics=here or None,
        missing=missing or spec.missing,
    )
    contestants = tuple(Contestant.of(metric) for metric in paired.metrics)
    for place, contestant in enumerate(contestants):
        if contestant in contestants[:place]:
            keys = [m.key for m in paired.metrics if Contestant.of(m) == contestant]
            raise InputError(
                f"{' and '.join(keys)} are the same metric, {contestant.name}",
                remedy="Name a reference, or choose by --metrics.",
            )
    return Entry(label, evalset, paired, contestants, stream)


def shared(entries: Mapping[str, Entry]) -> tuple[Contestant, ...]:
    """The metrics that every set has, in the order of the first."""
    first, *others = entries.values()
    return tuple(c for c in first.contestants if all(c in other.contestants for other in others))


def stream_seed(seed: int, stream: int) -> int:
    """The seed of a set: that of the plan for the first, so that it agrees with ``metaeval rank``.

    >>> stream_seed(7, 0), stream_seed(7, 1) != stream_seed(7, 2)
    (7, True)
    """
    if stream == 0:
        return seed
    return int(np.random.SeedSequence(seed, spawn_key=(stream,)).generate_state(1, np.uint64)[0])


def _streams(definition: Definition) -> dict[str, int]:
    """Sets of the same path and pair are the same data, and not independent evidence."""
    order: dict[tuple[str, str | None], int] = {}
    return {
        label: order.setdefault((spec.path, spec.pair), len(order)) for label, spec in definition.sets.items()
    }


def _matches(glob: str, metric: Scores) -> bool:
    return any(name == glob or fnmatchcase(name, glob) for name in (metric.key, metric.name))


def _check_globs(globs: Sequence[str], metrics: Sequence[Scores]) -> None:
    for glob in globs:
        if not any(_matches(glob, metric) for metric in metrics):
            known = {name for metric in metrics for name in (metric.key, metric.name)}
            raise InputError(f"no metric matches {glob!r}", remedy=choices(glob, known))
