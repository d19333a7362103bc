"""The thesaurus of a language: one of MyThes (LibreOffice), or WordNet for English, where installed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Protocol

MYTHES_FOLDER, WORDNET_FOLDER = "/usr/share/mythes", "/usr/share/wordnet"
"""Where Debian puts them; METAEVAL_MYTHES and WNSEARCHDIR name other folders."""


class Thesaurus(Protocol):
    """Synonyms of a word in small letters; none is an empty sequence."""

    @property
    def name(self) -> str: ...

    def synonyms(self, word: str) -> Sequence[str]: ...


def find_thesaurus(language: str) -> Thesaurus | None:
    """The thesaurus installed for a language; None where there is none."""
    mythes = os.environ.get("METAEVAL_MYTHES", MYTHES_FOLDER)
    return _find(language, mythes, os.environ.get("WNSEARCHDIR", WORDNET_FOLDER))


@cache
def _find(language: str, mythes: str, wordnet: str) -> Thesaurus | None:
    from metaeval.perturb.words.mythes import MyThes
    from metaeval.perturb.words.wordnet import WordNet

    if language:
        for index in sorted(Path(mythes).glob(f"th_{language}_*.idx")):
            if index.with_suffix(".dat").exists():
                return MyThes(index)
    if language == "en" and (Path(wordnet) / "data.noun").exists():
        return WordNet(Path(wordnet))
    return None
