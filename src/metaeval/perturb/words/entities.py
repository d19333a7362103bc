"""Names, told by their capitals and by how the data write a word elsewhere; no model, no list.

Where a language writes all nouns with capitals, a name is a capitalised word that stands in the source too,
or, without a source, one that never follows an article or a possessive in the data. Scripts without
capitals have no names here, except those written in Latin letters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from metaeval.perturb.words.languages import LANGUAGES
from metaeval.perturb.words.tokens import Token, tokens

_ENDS_A_SENTENCE = frozenset('.!?:;…。！？"“”„«»‹›()[]-–—•*')
_NEVER_NAMES = frozenset(("i", "i'm", "i've", "i'd", "i'll", "i’m", "i’ve", "i’d", "i’ll"))


@dataclass(frozen=True)
class Capitals:
    """How the data use capitals."""

    common: frozenset[str] = frozenset()
    """Words (case-folded) that are no names although they may have a capital."""
    needs_source: bool = False
    """Whether a capital says little: all nouns have one."""


def capitals(texts: Iterable[Sequence[Token]], language: str) -> Capitals:
    """What the words of all texts say of capitals.

    >>> usage = capitals([tokens("The cake of Mike. the Cake, a cake")], "en")
    >>> sorted(usage.common)
    ['a', 'cake', 'of', 'the']
    """
    grammar = LANGUAGES.get(language)
    nouns = grammar is not None and grammar.capital_nouns
    determiners = grammar.determiners if grammar is not None and nouns else frozenset()
    small, large = Counter[str](), Counter[str]()
    after = set()
    for words in texts:
        previous = ""
        for word in words:
            folded = word.text.casefold()
            (large if word.text[:1].isupper() else small)[folded] += 1
            if previous in determiners:
                after.add(folded)
            previous = folded
    common = {word for word, count in small.items() if count >= large[word]}
    return Capitals(frozenset(common | after), nouns)


def entities(text: str, words: Sequence[Token], usage: Capitals, source: str = "") -> list[Token]:
    """The names in a text, words of one name taken together.

    >>> words = tokens("Then Ann Lee met Bo in the park.")
    >>> [name.text for name in entities("Then Ann Lee met Bo in the park.", words, Capitals())]
    ['Ann Lee', 'Bo']
    """
    if text.isupper():
        return []
    in_source = {word.text for word in tokens(source)} if usage.needs_source and source else None
    found: list[Token] = []
    for word in words:
        if not _is_name(text, word, usage, in_source):
            continue
        if found and text[found[-1].end : word.start] == " ":
            found[-1] = Token(text[found[-1].start : word.end], found[-1].start)
        else:
            found.append(word)
    return found


def _is_name(text: str, word: Token, usage: Capitals, in_source: set[str] | None) -> bool:
    folded = word.text.casefold()
    if not word.text[0].isupper() or folded in usage.common or folded in _NEVER_NAMES:
        return False
    if in_source is not None:
        return word.text in in_source
    return not _starts_a_sentence(text, word.start)


def _starts_a_sentence(text: str, at: int) -> bool:
    before = text[:at].rstrip()
    return not before or before[-1] in _ENDS_A_SENTENCE
