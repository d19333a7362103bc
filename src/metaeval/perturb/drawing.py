"""Which perturbations an output gets: a few at random, each once, those that do not apply left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from metaeval.perturb.base import NotApplicable, Output, Perturbation, Perturbed
from metaeval.perturb.llm import LanguageModel
from metaeval.perturb.randomness import shuffled, stream
from metaeval.perturb.words.lexicon import Lexicon
from metaeval.scorers.cache import Cache


class Drawn(NamedTuple):
    """One attempt: which perturbation, by its position, and what came of it."""

    perturbation: int
    result: Perturbed | NotApplicable


def draw(
    output: Output, perturbations: Sequence[Perturbation], lexicon: Lexicon, *, seed: int, draws: int
) -> list[Drawn]:
    """Attempts in random order until ``draws`` have succeeded or every perturbation was tried.

    Each perturbation acts once on an output; a single one is drawn ``draws`` times instead, if it varies.
    """
    if len(perturbations) == 1:
        only = perturbations[0]
        again = range(draws if only.varies else min(draws, 1))
        return [Drawn(0, only.drawn(output, lexicon, seed=seed, number=i)) for i in again]
    attempts: list[Drawn] = []
    for which in _order(output, perturbations, seed):
        if draws == 0:
            break
        attempts.append(Drawn(which, perturbations[which].drawn(output, lexicon, seed=seed)))
        draws -= isinstance(attempts[-1].result, Perturbed)
    return attempts


def ask_ahead(
    outputs: Sequence[Output],
    perturbations: Sequence[Perturbation],
    lexicon: Lexicon,
    *,
    seed: int,
    draws: int,
    cache: Cache | None = None,
) -> None:
    """Has the language model, where there is one, damage all together that it will have to."""
    for which, one in enumerate(perturbations):
        if isinstance(one, LanguageModel):
            one.prepare(
                [o for o in outputs if _reached(o, which, perturbations, lexicon, seed, draws)], cache
            )


def _reached(
    output: Output,
    which: int,
    perturbations: Sequence[Perturbation],
    lexicon: Lexicon,
    seed: int,
    draws: int,
) -> bool:
    """Whether fewer than ``draws`` of the perturbations before this one succeed."""
    if not perturbations[which].applies(output, lexicon):
        return False
    order = _order(output, perturbations, seed)
    before = [perturbations[i] for i in order[: order.index(which)]]
    if len(before) < draws:
        return True
    results = (one.drawn(output, lexicon, seed=seed) for one in before)
    return sum(isinstance(result, Perturbed) for result in results) < draws


def _order(output: Output, perturbations: Sequence[Perturbation], seed: int) -> list[int]:
    random = stream(seed, "order", output.item, output.system)
    return list(shuffled(random, range(len(perturbations))))
