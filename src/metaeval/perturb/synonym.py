"""Synonym substitution: a word gives way to one that means nearly the same."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from metaeval.perturb.base import Change, Output, RulePerturbation
from metaeval.perturb.randomness import pick
from metaeval.perturb.registry import perturbation
from metaeval.perturb.words.lexicon import Lexicon
from metaeval.perturb.words.tokens import Token, like

_SHORTEST = 4
"""Shorter words are mostly grammar, and what a thesaurus has under them are abbreviations."""


@perturbation("synonym", "mt")
class Synonym(RulePerturbation[Token]):
    """A random word that has synonyms in the thesaurus is replaced by one of them."""

    nowhere = "no word has a synonym in the thesaurus, or no thesaurus is installed for the language"

    def sites(self, output: Output, lexicon: Lexicon) -> Sequence[Token]:
        if lexicon.thesaurus is None:
            return ()
        grammar = frozenset() if lexicon.grammar is None else lexicon.grammar.closed
        return [w for w in output.words if len(w.text) >= _SHORTEST and w.text.casefold() not in grammar]

    def act(self, site: Token, output: Output, lexicon: Lexicon, random: Random) -> tuple[Change, ...] | None:
        known = () if lexicon.thesaurus is None else lexicon.thesaurus.synonyms(site.text.casefold())
        if not known:
            return None
        return (Change(site.text, like(pick(random, known), site.text), site.start),)
