"""Adding sentinels to data, as metrics among metrics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from metaeval.errors import InputError, MissingExtra, choices
from metaeval.evalset import EvalSet
from metaeval.paired import choose_protocol, choose_reference, rated_cells
from metaeval.probes.sentinel.base import Model, TrainedSentinel, declared, trained_for
from metaeval.probes.sentinel.crossfit import cross_fit
from metaeval.probes.sentinel.perturbed import TWIN, twins
from metaeval.probes.sentinel.ridge import Ridge
from metaeval.probes.sentinel.views import VIEWS
from metaeval.progress import Progress
from metaeval.scores import Scores

MOST_LACKING = 0.05
"""The share of rated cells that a comparison with sentinels may lose for want of texts."""
TRAINED = ("SENTINEL_SRC", "SENTINEL_REF", "SENTINEL_CAND")


@dataclass(frozen=True, slots=True)
class Added:
    """The data with sentinels, and why some could not be had."""

    evalset: EvalSet
    sentinels: tuple[Scores, ...]
    left_out: tuple[str, ...]


def add(
    evalset: EvalSet,
    names: Iterable[str] = TRAINED,
    *,
    train: EvalSet | None = None,
    human: str | None = None,
    reference: str | None = None,
    seed: int = 0,
    lacking: float = 1.0,
    progress: Progress | None = None,
) -> Added:
    """Score sentinels on the data: trained on ``train``, or out of fold on the data itself.

    A sentinel whose texts or whose extra is missing is left out, with the reason; so is one that has no
    score for more than a share ``lacking`` of the rated cells: comparing it would drop those for all metrics.
    ``SENTINEL_TWIN_`` before a metric's name or glob is the noisy twin of that metric.

    >>> from metaeval.simulate import simulate
    >>> added = add(simulate(items=20, systems=3, seed=1).evalset, ["SENTINEL_SRC_CHARS", "SENTINEL_RANDOM"])
    >>> [s.key for s in added.sentinels]
    ['SENTINEL_SRC_CHARS-src', 'SENTINEL_RANDOM-src']
    """
    wanted = list(dict.fromkeys(names))
    _check_call(evalset, wanted, train, human, reference)
    found: list[Scores] = []
    left_out = []
    for done, name in enumerate(wanted):
        if progress is not None:
            progress("sentinels", done, len(wanted))
        try:
            if name.startswith(TWIN):
                found += twins(evalset, name.removeprefix(TWIN), seed=seed)
            else:
                found.append(_scored(evalset, name, train, human, reference, seed))
        except (InputError, MissingExtra) as error:
            left_out.append(f"{name}: {str(error).partition(chr(10))[0]}")
    for scores in [*found]:
        without, rated = _without(evalset, scores, human, reference)
        if without > lacking * rated:
            found.remove(scores)
            left_out.append(f"{scores.name}: it has no score for {without:,} of {rated:,} rated cells")
    return Added(evalset.with_metrics(*found), tuple(found), tuple(left_out))


def _check_call(
    evalset: EvalSet, names: list[str], train: EvalSet | None, human: str | None, reference: str | None
) -> None:
    """Refuse what nobody could score; what these data lack is another matter, and is left out."""
    for name in names:
        if name.startswith(TWIN):
            evalset.select(metrics=name.removeprefix(TWIN))
        elif name not in declared():
            raise InputError(f"there is no sentinel {name!r}", remedy=choices(name, declared()))
    if human is not None and (train is None or human not in train.human):
        choose_protocol(evalset, human)
    if reference is not None:
        choose_reference(evalset, reference)


def _without(evalset: EvalSet, scores: Scores, human: str | None, reference: str | None) -> tuple[int, int]:
    """The rated cells that a sentinel gives no score, and all rated cells; none where nothing is rated."""
    if not evalset.human or scores.segment is None:
        return 0, 0
    protocol, used = choose_protocol(evalset, human), choose_reference(evalset, reference)
    rated = ~np.isnan(rated_cells(evalset, protocol, used))
    return int((rated & np.isnan(scores.segment)).sum()), int(rated.sum())


def _scored(
    evalset: EvalSet, name: str, train: EvalSet | None, human: str | None, reference: str | None, seed: int
) -> Scores:
    cls = declared()[name]
    if not issubclass(cls, TrainedSentinel):
        return cls().scores(evalset, reference=reference, seed=seed)
    if train is None:
        return cross_fit(evalset, cls.view, human=human, reference=reference, seed=seed)
    fitted = cls.fit(train, human=human if human in train.human else None)
    return fitted.scores(evalset, reference=reference, seed=seed)


def load_model(named: str | Path) -> Model:
    """A saved sentinel: a file of the embedded encoder, a folder of a transformer, or a published one.

    A published one is a ``.ckpt``, the folder around it, or its name: ``sapienzanlp/sentinel-src-mqm``.
    """
    from metaeval.probes.sentinel.neural import published, storage

    path = Path(named)
    if path.is_dir() and not (path / published.INSIDE).is_file():
        return storage.load_model(path)
    checkpoint = published.find_checkpoint(named)
    return Ridge.load(path) if checkpoint is None else published.load_published(checkpoint)


def with_saved(
    evalset: EvalSet,
    models: Mapping[str, str | Path],
    *,
    reference: str | None = None,
    progress: Progress | None = None,
) -> Added:
    """The data with sentinels that were trained and saved before, by the side that they see."""
    found: list[Scores] = []
    for view, named in models.items():
        if view not in VIEWS:
            raise InputError(f"there is no view {view!r}", remedy=choices(view, VIEWS))
        saved = trained_for(view)(load_model(named), progress)
        found.append(saved.scores(evalset, reference=reference))
    return Added(evalset.with_metrics(*found), tuple(found), ())
