"""Negation: it is not so."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from metaeval.perturb.base import Change, Output, RulePerturbation
from metaeval.perturb.insertion import before, behind
from metaeval.perturb.registry import perturbation
from metaeval.perturb.words.languages import Language
from metaeval.perturb.words.lexicon import Lexicon
from metaeval.perturb.words.tokens import Token

_SHORTEST = 5


@perturbation("negation", "mt")
class Negation(RulePerturbation[Change]):
    """A random verb, auxiliary or adjective is negated.

    Auxiliaries are listed by language; verbs and adjectives are told by their endings. Words next to a
    negation are left alone.
    """

    nowhere = "nothing to negate, or no rules of negation for the language"

    def sites(self, output: Output, lexicon: Lexicon) -> Sequence[Change]:
        language = lexicon.grammar
        if language is None:
            return ()
        folded = [word.text.casefold().replace("’", "'") for word in output.words]
        negated = {i for i, word in enumerate(folded) if word in language.negators}
        return [
            change
            for i, word in enumerate(output.words)
            if negated.isdisjoint((i - 1, i, i + 1))
            and (change := _negated(word, folded[i], language)) is not None
        ]

    def act(
        self, site: Change, output: Output, lexicon: Lexicon, random: Random
    ) -> tuple[Change, ...] | None:
        return (site,)


def _negated(word: Token, folded: str, language: Language) -> Change | None:
    if folded in language.auxiliaries and not language.in_front:
        return behind(word, language.particle)
    ends = (
        folded.endswith(language.endings) and len(folded) >= _SHORTEST and folded not in language.not_ending
    )
    plain = not (language.capital_nouns and word.text[:1].isupper())
    if folded in language.auxiliaries or (ends and plain):
        return before(word, language.particle) if word.start > 0 else None
    return None
