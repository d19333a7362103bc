"""What can be read off a text without knowing its language: units, shapes, lengths, scripts.

Words are units where a script parts them by blanks; elsewhere (Chinese, Japanese, Thai, Lao, Khmer, Burmese,
Tibetan) runs of one, two and three characters are.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from metaeval.scores import FloatArray

_UNSPACED = r"\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"[{_UNSPACED}]+|[^\W{_UNSPACED}]+|[^\w\s]")
_UNSPACED_CHARACTER = re.compile(rf"[{_UNSPACED}]")
_SENTENCE_ENDS = ".!?…。！？।؟"
LONGEST_RUN = 3
LONG = 300
"""Characters from which a text counts as long; sentences end before, paragraphs after."""
SURFACE_SIZE = 21


def units(text: str) -> list[str]:
    """Words, marks, pairs of neighbours, and runs of characters where words are not parted.

    >>> units("Hi, 你好")
    ['Hi', ',', '你', '好', '你好', 'Hi ,', ', 你好']
    """
    tokens = _TOKEN.findall(text)
    found: list[str] = []
    for token in tokens:
        if _UNSPACED_CHARACTER.match(token):
            for size in range(1, LONGEST_RUN + 1):
                found += (token[i : i + size] for i in range(len(token) - size + 1))
        else:
            found.append(token)
    found += (f"{one} {next_one}" for one, next_one in pairwise(tokens))
    return found


def words(text: str) -> int:
    """How many words a text has; a character of a script without blanks is a word.

    >>> words("A word, two"), words("你好 GPT4")
    (3, 3)
    """
    counted = 0
    for token in _TOKEN.findall(text):
        if _UNSPACED_CHARACTER.match(token):
            counted += len(token)
        else:
            counted += token.isalnum() or "_" in token
    return counted


def surface(texts: Sequence[str]) -> FloatArray:
    """Lengths, shares of kinds of characters, and repetition: texts x ``SURFACE_SIZE``. 30 us a text."""
    return np.array([_features(text) for text in texts]).reshape(len(texts), SURFACE_SIZE)


def _features(text: str) -> list[float]:
    size, tokens = max(len(text), 1), text.split()
    kinds = Counter(unicodedata.category(c)[0] for c in text)
    encoded = text.encode("utf-8", "surrogatepass")
    return [
        *(np.log1p(len(text)), np.log1p(len(text)) ** 2, size**0.5, len(text) / 100),
        *(min(len(text), LONG) / 100, np.log1p(len(tokens)), len(tokens) / 20),
        len(text) / max(len(tokens), 1),
        *(kinds[kind] / size for kind in "NPSZ"),
        *(np.log1p(kinds[kind]) for kind in "NP"),
        sum(c.isupper() for c in text) / size,
        sum(c.isascii() and c.isalpha() for c in text) / size,
        len(set(text)) / size,
        len(set(tokens)) / max(len(tokens), 1),
        len(zlib.compress(encoded)) / max(len(encoded), 1),
        float(np.log1p(sum(c in _SENTENCE_ENDS for c in text))),
        float(text.strip()[-1:] in tuple(_SENTENCE_ENDS)),
    ]
