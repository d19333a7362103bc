"""Error rates of transcripts with jiwer: one alignment, four counts, five ways to read them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from metaeval.declared import param, switch
from metaeval.scorers.base import CorpusScorer, Segment, divide
from metaeval.scorers.libraries import library, version
from metaeval.scorers.normalise import normalised
from metaeval.scorers.registry import scorer
from metaeval.scores import FloatArray

MORRIS = "Morris, Maier and Green 2004"


@dataclass(frozen=True, repr=False)
class ErrorRate(CorpusScorer):
    """Rows are hits, substitutions, deletions, insertions; fractions, as jiwer gives them.

    A reference without words has as many errors as the output has words (jiwer's rule). What is
    normalised to nothing counts like an empty text.
    """

    normalise: bool = param(False, parse=switch, about="lower case, no punctuation but apostrophes")
    unit = "words"
    width = 4

    def check(self) -> None:
        _jiwer(self.name)

    @property
    def signature(self) -> str:
        return f"{self.name}|normalise:{'yes' if self.normalise else 'no'}|jiwer:{version('jiwer')}"

    @property
    def measured(self) -> str:
        return f"alignment of {self.unit}|{self.signature.partition('|')[2]}"

    def statistics(self, segments: Sequence[Segment]) -> FloatArray:
        if not segments:
            return np.empty((0, 4))
        jiwer = _jiwer(self.name)
        clean = normalised if self.normalise else str
        process = jiwer.process_words if self.unit == "words" else jiwer.process_characters
        aligned = process([clean(s.reference) for s in segments], [clean(s.output) for s in segments])
        return np.array([_counts(chunks) for chunks in aligned.alignments], dtype=np.float64)

    def from_statistics(self, sums: FloatArray) -> FloatArray:
        hits, substitutions, deletions, insertions = (sums[..., i] for i in range(4))
        errors = substitutions + deletions + insertions
        return self.rate(hits, errors, hits + substitutions + deletions, hits + substitutions + insertions)

    @abstractmethod
    def rate(
        self, hits: FloatArray, errors: FloatArray, spoken: FloatArray, written: FloatArray
    ) -> FloatArray:
        """The rate from hits, errors, and the lengths of reference and output."""


def _jiwer(needed_for: str) -> Any:
    return library("jiwer", package="jiwer", extra="scorers", needed_for=needed_for)


def _counts(chunks: Sequence[Any]) -> tuple[int, int, int, int]:
    found = {"equal": 0, "substitute": 0, "delete": 0, "insert": 0}
    for chunk in chunks:
        inserted = chunk.type == "insert"
        found["substitute" if chunk.type == "replace" else chunk.type] += (
            chunk.hyp_end_idx - chunk.hyp_start_idx if inserted else chunk.ref_end_idx - chunk.ref_start_idx
        )
    return found["equal"], found["substitute"], found["delete"], found["insert"]


@scorer("WER", cites="Morris, Maier and Green 2004", direction="lower", extra="scorers")
class WordErrorRate(ErrorRate):
    """Word errors over the words of the reference, by jiwer; may exceed 1."""

    def rate(
        self, hits: FloatArray, errors: FloatArray, spoken: FloatArray, written: FloatArray
    ) -> FloatArray:
        return divide(errors, spoken, errors)


@scorer("MER", cites=MORRIS, direction="lower", extra="scorers")
class MatchErrorRate(ErrorRate):
    """Word errors over all aligned positions, by jiwer: the chance that a match is wrong."""

    def rate(
        self, hits: FloatArray, errors: FloatArray, spoken: FloatArray, written: FloatArray
    ) -> FloatArray:
        return divide(errors, hits + errors, 0.0 * errors)


@scorer("WIP", cites=MORRIS, extra="scorers")
class WordInformationPreserved(ErrorRate):
    """Share of hits in the reference times share of hits in the output, by jiwer."""

    def rate(
        self, hits: FloatArray, errors: FloatArray, spoken: FloatArray, written: FloatArray
    ) -> FloatArray:
        nothing_said = np.where(spoken + written > 0, 0.0, 1.0)
        shares = divide(hits, spoken, nothing_said) * divide(hits, written, nothing_said)
        return np.where(np.isnan(spoken), np.nan, shares)


@scorer("WIL", cites=MORRIS, direction="lower", extra="scorers")
class WordInformationLost(WordInformationPreserved):
    """What WIP leaves to 1, by jiwer."""

    def rate(
        self, hits: FloatArray, errors: FloatArray, spoken: FloatArray, written: FloatArray
    ) -> FloatArray:
        return 1.0 - super().rate(hits, errors, spoken, written)


@scorer("CER", cites=MORRIS, direction="lower", extra="scorers")
class CharacterErrorRate(WordErrorRate):
    """Character errors over the characters of the reference, blanks included, by jiwer."""

    unit = "characters"
