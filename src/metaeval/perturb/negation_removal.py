"""Negation removal: it is so after all."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from metaeval.perturb.base import Change, Output, RulePerturbation
from metaeval.perturb.registry import perturbation
from metaeval.perturb.removal import without
from metaeval.perturb.words.lexicon import Lexicon
from metaeval.perturb.words.tokens import Token, like


@perturbation("negation-removal", "mt")
class NegationRemoval(RulePerturbation[Token]):
    """A random negation is left out, or replaced by what it negates: never, didn't, nobody."""

    nowhere = "no negation, or no list of negations for the language"

    def sites(self, output: Output, lexicon: Lexicon) -> Sequence[Token]:
        if lexicon.grammar is None or len(output.words) < 2:
            return ()
        known = lexicon.grammar.negators
        return [word for word in output.words if _folded(word) in known]

    def act(self, site: Token, output: Output, lexicon: Lexicon, random: Random) -> tuple[Change, ...] | None:
        if lexicon.grammar is None:
            return None
        instead = lexicon.grammar.negators[_folded(site)]
        if not instead:
            return (without(output.text, site),)
        return (Change(site.text, like(instead, site.text), site.start),)


def _folded(word: Token) -> str:
    return word.text.casefold().replace("’", "'")
