"""Sentinels that learn nothing: lengths, chance, a favourite system, one score for all."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from metaeval.evalset import EvalSet
from metaeval.probes.sentinel.base import Sentinel, sentinel
from metaeval.probes.sentinel.surface import words
from metaeval.probes.sentinel.views import look
from metaeval.scores import FloatArray


class Length(Sentinel):
    """Minus the length of one side: says that what is longer is worse."""

    by_word: ClassVar[bool] = False

    def score(self, evalset: EvalSet, reference: str | None, seed: int) -> FloatArray:
        if self.view is None:
            raise TypeError(f"{self.name} is declared without the side that it measures")
        seen = look(evalset, self.view, reference)
        lengths = [words(text) if self.by_word else len(text) for text in seen.texts]
        return seen.to_cells(-np.array(lengths, dtype=np.float64))


@sentinel("SENTINEL_SRC_CHARS", "minus the characters of the source", "src")
class SourceCharacters(Length):
    pass


@sentinel("SENTINEL_SRC_WORDS", "minus the words of the source", "src")
class SourceWords(Length):
    by_word = True


@sentinel("SENTINEL_REF_CHARS", "minus the characters of the reference", "ref")
class ReferenceCharacters(Length):
    pass


@sentinel("SENTINEL_REF_WORDS", "minus the words of the reference", "ref")
class ReferenceWords(Length):
    by_word = True


@sentinel("SENTINEL_CAND_CHARS", "minus the characters of the output", "cand")
class OutputCharacters(Length):
    pass


@sentinel("SENTINEL_CAND_WORDS", "minus the words of the output", "cand")
class OutputWords(Length):
    by_word = True


@sentinel("SENTINEL_RANDOM", "chance, cell by cell")
class Chance(Sentinel):
    """Standard normal; any value it gets is chance."""

    def score(self, evalset: EvalSet, reference: str | None, seed: int) -> FloatArray:
        shape = (len(evalset.systems), len(evalset.items))
        return np.random.default_rng([seed, 1]).standard_normal(shape)


@sentinel("SENTINEL_RANDOM_SYSTEM", "chance, with a favourite order of systems")
class Favourites(Sentinel):
    """Each system has a random mean, as WMT's Random-sysname has: system-level agreement can be luck."""

    def score(self, evalset: EvalSet, reference: str | None, seed: int) -> FloatArray:
        rng = np.random.default_rng([seed, 2])
        liked = rng.standard_normal((len(evalset.systems), 1))
        scores: FloatArray = liked + rng.standard_normal((len(evalset.systems), len(evalset.items)))
        return scores


@sentinel("SENTINEL_CONSTANT", "the same score for everything")
class Constant(Sentinel):
    """Ties every pair; correlations do not exist for it."""

    def score(self, evalset: EvalSet, reference: str | None, seed: int) -> FloatArray:
        return np.zeros((len(evalset.systems), len(evalset.items)))
