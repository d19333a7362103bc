"""Texts in invented languages: words that look like words, translations that are worse where quality is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from metaeval.evalset import Texts
from metaeval.scores import FloatArray
from metaeval.simulate.config import Config
from metaeval.simulate.streams import Streams
from metaeval.simulate.world import IntArray, World

VOCABULARY = 1500
COMMON = 60
"""Words that all domains share: short and frequent."""

TARGET = ("a e i o u ai", "b d f g k l m n p r s t v st")
SOURCE = ("а е и о у я", "б в г д ж з к л м н п р с т")
"""Vowels and consonants; the two languages do not share a script."""

MOST_EDITED = 0.9


@cache
def vocabulary(letters: tuple[str, str]) -> tuple[str, ...]:
    """Distinct words of one syllable, then two, then three, in a fixed order.

    >>> vocabulary(TARGET)[:3], vocabulary(TARGET)[900]
    (('ba', 'me', 'vi'), 'baki')
    """
    vowels, consonants = (part.split() for part in letters)
    syllables = ["".join(parts) for parts in product(consonants, vowels)]
    words: list[str] = []
    for size in (1, 2, 3):
        room = COMMON if size == 1 else VOCABULARY * size // 3
        total = len(syllables) ** size
        stride = next(step for step in range(int(total * 0.382), total) if np.gcd(step, total) == 1)
        for position in range(min(total, room - len(words))):
            number, word = position * stride % total, ""
            for _ in range(size):
                number, digit = divmod(number, len(syllables))
                word += syllables[digit]
            words.append(word)
    return tuple(words)


@dataclass(frozen=True)
class Sentences:
    """Sentences as numbers of words, one after the other."""

    words: IntArray
    lengths: IntArray

    def texts(self, letters: tuple[str, str]) -> Texts:
        """Written out, with a capital and a full stop."""
        known = vocabulary(letters)
        written = [known[word] for word in self.words.tolist()]
        ends = np.cumsum(self.lengths).tolist()
        starts = [0, *ends[:-1]]
        return tuple(
            " ".join(written[start:end]).capitalize() + "." for start, end in zip(starts, ends, strict=True)
        )


def count_words(config: Config, log_length: FloatArray) -> IntArray:
    """Words of texts of the given standardised log lengths: at least 1."""
    lengths = np.rint(config.words * np.exp(config.length_spread * log_length))
    counted: IntArray = np.clip(lengths, 1, 50 * config.words).astype(np.int64)
    return counted


def write_texts(config: Config, world: World, systems: Sequence[str], streams: Streams) -> dict[str, Any]:
    """The source, the reference and the outputs of all systems, as parts of an EvalSet."""
    reference = draw_sentences(config, world, streams("source"))
    written = reference.texts(TARGET)
    outputs: dict[str, Texts] = {}
    for row, system in enumerate(systems):
        if row == world.reference:
            outputs[system] = written
        else:
            translated = translate(config, world, row, reference, streams("text", str(row)))
            outputs[system] = translated.texts(TARGET)
    return {"source": reference.texts(SOURCE), "references": {"refA": written}, "outputs": outputs}


def draw_words(domains: IntArray, rng: np.random.Generator) -> IntArray:
    """Words for places in texts of the given domains: Zipf's law, most content words are a domain's own."""
    common = rng.random(len(domains)) < 0.4
    rank = np.floor(np.exp(rng.random(len(domains)) * np.log(300))).astype(np.int64)
    own = COMMON + (rank * 4 + domains) % (VOCABULARY - COMMON)
    drawn: IntArray = np.where(common, rank % COMMON, own)
    return drawn


def draw_sentences(config: Config, world: World, rng: np.random.Generator) -> Sentences:
    """The content of every item, as the reference says it and, word by word, the source."""
    lengths = count_words(config, world.items.length)
    return Sentences(draw_words(np.repeat(world.items.domain, lengths), rng), lengths)


def translate(
    config: Config, world: World, row: int, reference: Sentences, rng: np.random.Generator
) -> Sentences:
    """One system's outputs: the reference stretched to their lengths, with wrong words where quality is low.

    Wrong words are words of the same domain, so that an output alone does not tell what is wrong with it.
    About 50 ns a word.
    """
    lengths = count_words(config, world.output_length[row])
    starts = np.cumsum(lengths) - lengths
    place = np.arange(lengths.sum()) - np.repeat(starts, lengths)
    stretch = np.repeat(reference.lengths / lengths, lengths)
    origin = np.minimum((place + 0.5) * stretch, np.repeat(reference.lengths, lengths) - 1).astype(np.int64)
    first = np.cumsum(reference.lengths) - reference.lengths
    words = reference.words[np.repeat(first, lengths) + origin]
    repeated = (origin == np.roll(origin, 1)) & (place > 0)
    edited = np.repeat(MOST_EDITED / (1 + np.exp(world.quality[row] + 1.0)), lengths)
    wrong = repeated | (rng.random(len(words)) < edited)
    others = draw_words(np.repeat(world.items.domain, lengths), rng)
    return Sentences(np.where(wrong, others, words), lengths)
