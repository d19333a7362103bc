"""Swapping: two words in each other's place."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from metaeval.perturb.base import Change, Output, RulePerturbation
from metaeval.perturb.randomness import shuffled
from metaeval.perturb.registry import perturbation
from metaeval.perturb.words.lexicon import Lexicon
from metaeval.perturb.words.tokens import Token


@perturbation("swapping", "mt", "asr")
class Swapping(RulePerturbation[Token]):
    """Two random words change places. Words that differ in case alone do not count as two."""

    nowhere = "fewer than two different words"

    def sites(self, output: Output, lexicon: Lexicon) -> Sequence[Token]:
        first = output.words[0].text.casefold() if output.words else ""
        differ = any(word.text.casefold() != first for word in output.words)
        return output.words if differ else ()

    def act(self, site: Token, output: Output, lexicon: Lexicon, random: Random) -> tuple[Change, ...] | None:
        folded = site.text.casefold()
        for other in shuffled(random, output.words):
            if other.text.casefold() != folded:
                first, second = sorted((site, other), key=lambda word: word.start)
                return (
                    Change(first.text, second.text, first.start),
                    Change(second.text, first.text, second.start),
                )
        return None
