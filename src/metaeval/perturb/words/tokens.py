"""Words of a text as spans of it, in any script; what is between them stays untouched.

A word is a run of letters, digits and their marks, with apostrophes and hyphens inside. In scripts that are
written without spaces (Han, Kana, Thai, Lao, Khmer, Burmese, Tibetan, ...) each character with its marks is
a word, which needs no dictionary and no library.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import NamedTuple

SPACELESS = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u0f00-\u0fff"  # Tibetan
    "\u1000-\u109f\uaa60-\uaa7f\ua9e0-\ua9ff"  # Burmese
    "\u1780-\u17ff\u19e0-\u19ff"  # Khmer
    "\u1950-\u19df\u1a20-\u1aaf"  # Tai Le, New Tai Lue, Tai Tham
    "\u3005-\u3007\u3021-\u3029\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # Kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
)
_JOINERS = "\u200c\u200d"
_MARKS_END = 0x1F000
_VARIATION = "\ufe00-\ufe0f\U000e0100-\U000e01ef"


class Token(NamedTuple):
    """A word and where it starts."""

    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def tokens(text: str) -> tuple[Token, ...]:
    """The words of a text, in order. Linear.

    >>> [word.text for word in tokens("It's a well-known  fact: 他说。")]
    ["It's", 'a', 'well-known', 'fact', '他', '说']
    """
    return tuple(Token(m[0], m.start()) for m in _pattern().finditer(text))


@cache
def without_spaces(word: str) -> bool:
    """Whether a word is of a script that is written without spaces."""
    return re.match(f"[{SPACELESS}]", word) is not None


def like(new: str, old: str) -> str:
    """The new word with the capitals of the old one.

    >>> like("cake", "Pie"), like("cake", "PIE"), like("Berlin", "pie"), like("cake", "I")
    ('Cake', 'CAKE', 'Berlin', 'Cake')
    """
    if len(old) > 1 and old.isupper():
        return new.upper()
    return new[:1].upper() + new[1:] if old[:1].isupper() else new


@cache
def _pattern() -> re.Pattern[str]:
    marks = _marks()
    letter = f"[^\\W{SPACELESS}]"
    return re.compile(f"[{SPACELESS}][{marks}]*|{letter}[{marks}]*(?:['’-]?{letter}[{marks}]*)*")


def _marks() -> str:
    """The combining marks of Unicode as ranges; 30 ms, once."""
    ranges: list[list[int]] = []
    for code in range(0x300, _MARKS_END):
        if unicodedata.category(chr(code))[0] == "M":
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
    return "".join(f"{chr(a)}-{chr(b)}" for a, b in ranges) + _JOINERS + _VARIATION
