"""WordNet's own files (wndb(5)): index.POS names the synsets of a lemma, data.POS holds their words."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from metaeval.errors import InputError

PARTS = ("noun", "verb", "adj", "adv")


class WordNet:
    """Synonyms of a lemma: the words of all its synsets. The index is read once, some 0.3 s."""

    name = "WordNet"

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def synonyms(self, word: str) -> tuple[str, ...]:
        lemma = word.replace(" ", "_")
        found: dict[str, None] = {}
        for part in PARTS:
            for offset in self._index[part].get(lemma, ()):
                found.update(dict.fromkeys(self._words(part, offset)))
        return tuple(term for term in found if term.casefold() != word)

    @cached_property
    def _index(self) -> dict[str, dict[str, tuple[int, ...]]]:
        return {part: self._read_index(part) for part in PARTS}

    def _read_index(self, part: str) -> dict[str, tuple[int, ...]]:
        known = {}
        with (self._folder / f"index.{part}").open(encoding="utf-8") as file:
            for line in file:
                if line[0] != " ":
                    fields = line.split()
                    try:
                        known[fields[0]] = tuple(map(int, fields[-int(fields[2]) :]))
                    except (ValueError, IndexError):
                        raise InputError(
                            "is no index of WordNet",
                            path=self._folder / f"index.{part}",
                            shows=line.strip(),
                            remedy="Reinstall it.",
                        ) from None
        return known

    def _words(self, part: str, offset: int) -> list[str]:
        with (self._folder / f"data.{part}").open("rb") as file:
            file.seek(offset)
            fields = file.readline().decode().split()
        count = int(fields[3], 16)
        return [word.partition("(")[0].replace("_", " ") for word in fields[4 : 4 + 2 * count : 2]]
