"""Small damages to an output, each leaving the original better than its copy with high probability.

One file a perturbation, found by its name; ``words/`` holds what several of them read: tokens, word lists,
thesauri. Everything random follows from the seed, the item, the system and the number of the draw, so a
second run, on any machine and in any order, damages the same texts in the same way (Deviyani and Diaz 2025).

>>> from metaeval.perturb.words.lexicon import Lexicon
>>> output = Output("John said he did not like the cake.", item="7", system="A")
>>> print(parse_perturbation("negation-removal").drawn(output, Lexicon("en"), seed=0))
' not' -> '': John said he did like the cake.
"""

from metaeval.perturb.base import Change, NotApplicable, Output, Perturbation, Perturbed
from metaeval.perturb.registry import describe_perturbations, parse_perturbation, perturbations

__all__ = [
    "Change",
    "NotApplicable",
    "Output",
    "Perturbation",
    "Perturbed",
    "describe_perturbations",
    "parse_perturbation",
    "perturbations",
]
