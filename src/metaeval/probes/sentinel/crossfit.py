"""Sentinels without other data: trained on some documents, scored on the others, in turn.

No text is scored by a model that saw a score of its document, so that what a sentinel reaches is not memory.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError
from metaeval.evalset import EvalSet
from metaeval.paired import choose_reference
from metaeval.probes.sentinel.base import trained_for
from metaeval.probes.sentinel.examples import clipped, gather
from metaeval.probes.sentinel.ridge import Features, Ridge
from metaeval.probes.sentinel.views import View, look
from metaeval.scores import REFERENCE_FREE, Scores

FOLDS = 5


def cross_fit(
    evalset: EvalSet,
    view: View,
    *,
    human: str | None = None,
    reference: str | None = None,
    folds: int = FOLDS,
    seed: int = 0,
) -> Scores:
    """The trained sentinel of a view, scored out of fold: texts are read once, then one fit a fold."""
    used = choose_reference(evalset, reference)
    seen, human_scores = look(evalset, view, used), clipped(evalset, human, reference)
    fold = folds_of(evalset, np.asarray(~np.isnan(human_scores).all(axis=0)), folds, seed)
    features = Features.of(seen.texts)
    found = np.full(len(seen.texts), np.nan)
    for number in range(int(fold.max()) + 1):
        examples, rows = gather(seen, human_scores, fold != number)
        model = Ridge.fit(examples, features=features.take(rows))
        wanted = np.flatnonzero(fold[seen.item] == number)
        if len(wanted):
            found[wanted] = model.predict((), features=features.take(wanted))
    of = used if view == "ref" else REFERENCE_FREE
    return Scores(trained_for(view).name, of, segment=seen.to_cells(found))


def folds_of(evalset: EvalSet, rated: NDArray[np.bool_], folds: int, seed: int) -> NDArray[np.intp]:
    """The fold of each item: whole documents, or single items where no documents are known.

    Documents with human scores are dealt out by size, largest first, each to the fold with fewest rated
    items; equal ones in a random order.
    """
    if folds < 2:
        raise InputError(f"found {folds} folds, expected at least 2")
    unit = np.zeros(len(evalset.items), dtype=np.intp)
    for number, (_, run) in enumerate(evalset.documents):
        unit[run] = number
    if len(np.unique(unit[rated])) < 2:
        unit = np.arange(len(evalset.items), dtype=np.intp)
    sizes = np.bincount(unit, weights=rated.astype(np.float64))
    if (there := int((sizes > 0).sum())) < 2:
        raise InputError(
            f"found {there} rated item{'' if there == 1 else 's'}, expected at least 2 to cross-fit",
            remedy="Train the sentinels on other data: --train",
        )
    of_unit, load = np.zeros(len(sizes), dtype=np.intp), np.zeros(min(folds, int((sizes > 0).sum())))
    shuffled = np.random.default_rng([seed, 3]).permutation(len(sizes))
    for chosen in shuffled[np.argsort(-sizes[shuffled], kind="stable")]:
        of_unit[chosen] = load.argmin()
        load[of_unit[chosen]] += sizes[chosen]
    return of_unit[unit]
