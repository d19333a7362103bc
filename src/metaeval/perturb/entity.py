"""Named entity substitution: somebody or somewhere else."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from metaeval.perturb.base import Change, Output, RulePerturbation
from metaeval.perturb.randomness import shuffled
from metaeval.perturb.registry import perturbation
from metaeval.perturb.words.entities import entities
from metaeval.perturb.words.lexicon import Lexicon
from metaeval.perturb.words.tokens import Token

_TRIES = 5


@perturbation("entity", "mt")
class Entity(RulePerturbation[Token]):
    """A random name is replaced by another name from the data."""

    nowhere = "no name is recognised, or the data hold no other name"

    def sites(self, output: Output, lexicon: Lexicon) -> Sequence[Token]:
        if not lexicon.entities:
            return ()
        return entities(output.text, output.words, lexicon.capitals, output.source)

    def act(self, site: Token, output: Output, lexicon: Lexicon, random: Random) -> tuple[Change, ...] | None:
        for _, other in zip(range(_TRIES), shuffled(random, lexicon.entities), strict=False):
            if other.casefold() != site.text.casefold():
                return (Change(site.text, other, site.start),)
        return None
