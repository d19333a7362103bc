"""Removal: a word is missing."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from metaeval.perturb.base import Change, Output, RulePerturbation
from metaeval.perturb.registry import perturbation
from metaeval.perturb.words.lexicon import Lexicon
from metaeval.perturb.words.tokens import Token


@perturbation("removal", "mt", "asr")
class Removal(RulePerturbation[Token]):
    """A random word is left out."""

    nowhere = "fewer than two words"

    def sites(self, output: Output, lexicon: Lexicon) -> Sequence[Token]:
        return output.words if len(output.words) > 1 else ()

    def act(self, site: Token, output: Output, lexicon: Lexicon, random: Random) -> tuple[Change, ...] | None:
        return (without(output.text, site),)


def without(text: str, word: Token) -> Change:
    """The word taken out with the blank that it makes superfluous.

    >>> without("He did, not (now) ...", Token("not", 8)).before
    ' not'
    """
    start, end = word.start, word.end
    while start > 0 and text[start - 1].isspace():
        start -= 1
    if start == word.start:
        while end < len(text) and text[end].isspace():
            end += 1
    return Change(text[start:end], "", start)
