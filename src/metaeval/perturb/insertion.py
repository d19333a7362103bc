"""Insertion: a word too many."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from metaeval.perturb.base import Change, Output, RulePerturbation
from metaeval.perturb.randomness import pick
from metaeval.perturb.registry import perturbation
from metaeval.perturb.words.lexicon import Lexicon
from metaeval.perturb.words.tokens import Token, without_spaces


@perturbation("insertion", "mt", "asr")
class Insertion(RulePerturbation[int]):
    """A random word of the data is put in at a random place."""

    nowhere = "no words are known to insert"

    def sites(self, output: Output, lexicon: Lexicon) -> Sequence[int]:
        return range(len(output.words) + 1) if output.words and lexicon.words else ()

    def act(self, site: int, output: Output, lexicon: Lexicon, random: Random) -> tuple[Change, ...] | None:
        new = pick(random, lexicon.words)
        if site < len(output.words):
            return (before(output.words[site], new),)
        return (behind(output.words[-1], new),)


def before(word: Token, new: str) -> Change:
    """A word put in before another; no blank between words of scripts that have none."""
    return Change("", new + _blank(word, new), word.start)


def behind(word: Token, new: str) -> Change:
    """A word put in behind another.

    >>> behind(Token("is", 3), "not")
    Change(before='', after=' not', at=5)
    """
    return Change("", _blank(word, new) + new, word.end)


def _blank(word: Token, new: str) -> str:
    return "" if without_spaces(word.text) and without_spaces(new) else " "
