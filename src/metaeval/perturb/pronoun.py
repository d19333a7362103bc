"""Pronoun substitution: somebody else did it."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from metaeval.perturb.base import Change, Output, RulePerturbation
from metaeval.perturb.randomness import pick
from metaeval.perturb.registry import perturbation
from metaeval.perturb.words.lexicon import Lexicon
from metaeval.perturb.words.tokens import Token, like


@perturbation("pronoun", "mt")
class Pronoun(RulePerturbation[Token]):
    """A random pronoun is replaced by another of its kind: he by they, him by us."""

    nowhere = "no pronoun, or no table of pronouns for the language"

    def sites(self, output: Output, lexicon: Lexicon) -> Sequence[Token]:
        known = lexicon.pronouns
        return [word for word in output.words if word.text.casefold() in known]

    def act(self, site: Token, output: Output, lexicon: Lexicon, random: Random) -> tuple[Change, ...] | None:
        new = pick(random, lexicon.pronouns[site.text.casefold()])
        if new == "i":
            new = "I"
        elif site.text != "I" or site.start == 0:
            new = like(new, site.text)
        return (Change(site.text, new, site.start),)
