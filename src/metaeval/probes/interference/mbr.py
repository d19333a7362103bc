"""Minimum Bayes risk decoding: the candidate that agrees best with all candidates, by any scorer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError
from metaeval.evalset import Texts
from metaeval.parallel import spread
from metaeval.probes.interference.pairwise import pairwise_pools
from metaeval.scorers.base import Scorer
from metaeval.scorers.registry import parse_text_scorer
from metaeval.scores import FloatArray

CLOSE = 1e-9
"""Utilities that differ by no more than this share are equal: sums round."""


@dataclass(frozen=True, eq=False, slots=True)
class Decoded:
    """What MBR decoding chose."""

    choice: NDArray[np.intp]
    """By item, the number of the chosen candidate: of equal ones the first."""
    utility: FloatArray
    """candidates x items: expected utility, NaN where there is no text or no score."""
    texts: Texts
    """By item, the chosen text."""


def decode(
    candidates: Sequence[Sequence[str | None]],
    scorer: Scorer | str,
    *,
    sources: Sequence[str | None] | None = None,
    with_itself: bool = True,
    batch: int = 64,
    jobs: int = 1,
) -> Decoded:
    """For every item the candidate of the highest expected utility.

    The utility of a candidate is its mean score against all candidates as references; equal texts are
    scored once and count as often as they were drawn. A pair that the scorer gives no score is left out of
    the mean. Memory is that of one batch of items.

    Args:
        candidates: for each candidate the texts of all items, as :class:`metaeval.simulate.Candidates` has.
        scorer: a scorer that compares with a reference, or its name.
        sources: by item, for scorers that read sources.
        with_itself: whether a candidate is also compared with itself, as is usual.
        batch: items decoded at a time.
        jobs: processes; the numbers do not depend on it.
    """
    chosen = parse_text_scorer(scorer) if isinstance(scorer, str) else scorer
    items = _checked(candidates, sources, chosen, batch, jobs)
    chosen.check()
    pools = [
        (tuple(texts[i] for texts in candidates), "" if sources is None else sources[i] or "")
        for i in range(items)
    ]
    work = partial(_utilities, chosen, with_itself)
    batches = [pools[start : start + batch] for start in range(0, items, batch)]
    columns = [column for done in spread(work, batches, jobs=jobs, sharing="processes") for column in done]
    utility = np.stack(columns, axis=1) if columns else np.empty((len(candidates), 0))
    if len(silent := np.flatnonzero(np.isnan(utility).all(axis=0))):
        raise InputError(
            f"{chosen.name} gave no candidate of item {silent[0]} a score", remedy="Leave the item out."
        )
    choice = np.array([first_best(column) for column in columns], dtype=np.intp)
    return Decoded(choice, utility, tuple(pools[i][0][c] for i, c in enumerate(choice)))


def first_best(utility: FloatArray) -> int:
    """The first of the highest, up to rounding.

    >>> first_best(np.array([0.1 + 0.2, 0.3, np.nan]))
    0
    """
    best = float(np.nanmax(utility))
    return int(np.flatnonzero(utility >= best - CLOSE * max(1.0, abs(best)))[0])


def _utilities(scorer: Scorer, with_itself: bool, pools: Sequence[tuple[Texts, str]]) -> list[FloatArray]:
    """Expected utilities of the candidates of each pool; equal texts are scored once."""
    distinct: list[dict[str, int]] = [{} for _ in pools]
    places = [
        np.array([-1 if text is None else known.setdefault(text, len(known)) for text in texts])
        for known, (texts, _) in zip(distinct, pools, strict=True)
    ]
    asked = [(list(known), source) for known, (_, source) in zip(distinct, pools, strict=True)]
    scored = pairwise_pools(scorer, asked)
    sign = -1.0 if scorer.direction == "lower" else 1.0
    return [
        expected_utility(sign * scores, place, with_itself)
        for scores, place in zip(scored, places, strict=True)
    ]


def expected_utility(scores: FloatArray, place: NDArray[np.intp], with_itself: bool) -> FloatArray:
    """By candidate, from the scores of every two different texts.

    Args:
        scores: texts x texts as references, higher is better.
        place: by candidate its text, -1 where it has none.
    """
    drawn = np.bincount(place[place >= 0], minlength=len(scores)).astype(np.float64)
    there = ~np.isnan(scores)
    known = np.where(there, scores, 0.0)
    total, count = np.einsum("ij,j->i", known, drawn), there @ drawn
    if not with_itself:
        total, count = total - np.diag(known), count - np.diag(there)
    alone = 0.0 if drawn.sum() == 1 and not with_itself else np.nan
    means = np.divide(total, count, out=np.full(len(scores), alone), where=count > 0)
    return np.where(place >= 0, means[place], np.nan)


def _checked(
    candidates: Sequence[Sequence[str | None]],
    sources: Sequence[str | None] | None,
    scorer: Scorer,
    batch: int,
    jobs: int,
) -> int:
    """The number of items."""
    if not candidates:
        raise InputError("there are no candidates to choose from")
    if batch < 1:
        raise InputError(f"found a batch of {batch} items, expected at least 1")
    if jobs < 1:
        raise InputError(f"found {jobs} jobs, expected at least 1")
    items = len(candidates[0])
    for number, texts in enumerate(candidates):
        if len(texts) != items:
            raise InputError(f"candidate {number} has {len(texts):,} texts, the first has {items:,}")
    if sources is not None and len(sources) != items:
        raise InputError(f"found {len(sources):,} sources, expected {items:,}")
    if sources is None and "source" in scorer.needs:
        raise InputError(f"{scorer.name} reads sources", remedy="Give sources=.")
    for item in range(items):
        if all(texts[item] is None for texts in candidates):
            raise InputError(f"item {item} has no candidate with a text", remedy="Leave the item out.")
    return items
