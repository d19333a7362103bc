"""What the perturbations of one data set know: its words and names, its language, a thesaurus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import Any

from metaeval.perturb.words.entities import Capitals, capitals, entities
from metaeval.perturb.words.languages import LANGUAGES, Language
from metaeval.perturb.words.thesaurus import Thesaurus, find_thesaurus
from metaeval.perturb.words.tokens import Token, tokens

_FEW = 200
"""Below so many different words the lists of wordfreq are added, where it is installed."""
_FROM_WORDFREQ = 5000


@dataclass(frozen=True)
class Lexicon:
    """Word lists of one language. Made once from all texts, so that a part of the data sees the same lists.

    >>> lexicon = Lexicon.of(["Ann met Bo.", "Then Bo met Cy."], "en", wordfreq=False)
    >>> lexicon.words
    ('Ann', 'Bo', 'Cy', 'Then', 'met')
    >>> lexicon.entities
    ('Bo', 'Cy')
    """

    language: str = ""
    """Two letters; empty where it is not known."""
    words: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    capitals: Capitals = field(default_factory=Capitals)
    made_of: str = "nothing"

    @classmethod
    def of(cls, texts: Iterable[str], language: str = "", *, wordfreq: bool = True) -> Lexicon:
        """The lexicon of a data set's texts. O(size): some 5 s for a hundred thousand sentences.

        The texts are split twice, so that the words of one text are held at a time and not those of all.
        """
        distinct = list(dict.fromkeys(texts))
        forms = Counter[str]()

        def counted() -> Iterator[Sequence[Token]]:
            for text in distinct:
                words = tokens(text)
                forms.update(word.text for word in words if any(map(str.isalpha, word.text)))
                yield words

        usage = capitals(counted(), language)
        best: dict[str, tuple[int, str]] = {}
        for form, count in forms.items():
            best[form.casefold()] = max((count, form), best.get(form.casefold(), (0, "")))
        names = {name.text for text in distinct for name in entities(text, tokens(text), usage)}
        known, made_of = {form for _, form in best.values()}, "the data"
        if wordfreq and len(known) < _FEW and (more := _common_words(language)):
            known, made_of = known | set(more), "the data and wordfreq"
        return cls(language, tuple(sorted(known)), tuple(sorted(names)), usage, made_of)

    @property
    def grammar(self) -> Language | None:
        return LANGUAGES.get(self.language)

    @cached_property
    def pronouns(self) -> Mapping[str, tuple[str, ...]]:
        """By pronoun: those that may take its place. One that is in several classes goes with the first."""
        classes = () if self.grammar is None else self.grammar.pronouns
        return {one: tuple(sorted(members - {one})) for members in reversed(classes) for one in members}

    @cached_property
    def thesaurus(self) -> Thesaurus | None:
        return find_thesaurus(self.language)

    @property
    def signature(self) -> str:
        """What the perturbations rest on, for people."""
        thesaurus = "no thesaurus" if self.thesaurus is None else self.thesaurus.name
        return f"language {self.language or 'unknown'}, words of {self.made_of}, {thesaurus}"


def _common_words(language: str) -> list[str]:
    try:
        wordfreq: Any = import_module("wordfreq")
    except ModuleNotFoundError:
        return []
    if language not in wordfreq.available_languages():
        return []
    return [word for word in wordfreq.top_n_list(language, _FROM_WORDFREQ) if word.isalpha()]
