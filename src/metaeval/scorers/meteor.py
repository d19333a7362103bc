"""METEOR with nltk, where WordNet is installed; nothing is downloaded."""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from metaeval.errors import MetaevalError
from metaeval.scorers.base import Segment, SegmentScorer
from metaeval.scorers.libraries import library, version
from metaeval.scorers.registry import scorer
from metaeval.scores import FloatArray

DEBIAN = "/usr/share/wordnet"
"""Where the package wordnet-base puts the database; the variable WNSEARCHDIR names another folder."""

_LEXICOGRAPHER_FILES = 45


@scorer("METEOR", cites="Banerjee and Lavie 2005; Bird, Klein and Loper 2009", extra="scorers")
class Meteor(SegmentScorer):
    """Words matched exactly, by stem and by synonym, with a penalty for broken order, by nltk.

    For English: stems are Porter's, synonyms are WordNet's. Text is split by nltk's word tokenizer.
    """

    cost = "lists"

    def check(self) -> None:
        _wordnet(os.environ.get("WNSEARCHDIR", DEBIAN))

    @property
    def signature(self) -> str:
        wordnet = _wordnet(os.environ.get("WNSEARCHDIR", DEBIAN))
        return f"METEOR|tok:nltk|wordnet:{wordnet.get_version()}|version:{version('nltk')}"

    def statistics(self, segments: Sequence[Segment]) -> FloatArray:
        wordnet = _wordnet(os.environ.get("WNSEARCHDIR", DEBIAN))
        meteor = _nltk("nltk.translate.meteor_score")
        words = _nltk("nltk.tokenize").NLTKWordTokenizer().tokenize
        scores = [
            meteor.single_meteor_score(words(s.reference), words(s.output), wordnet=wordnet) for s in segments
        ]
        return np.array(scores, dtype=np.float64).reshape(-1, 1)


@cache
def _wordnet(folder: str) -> Any:
    """nltk's WordNet where its data are installed, else one over the files in ``folder``."""
    reader = _nltk("nltk.corpus.reader.wordnet")
    data = _nltk("nltk.data")
    for name in ("corpora/wordnet", "corpora/wordnet.zip/wordnet/"):
        try:
            return _opened(reader.WordNetCorpusReader, data.find(name))
        except LookupError:
            continue
    if not (Path(folder) / "data.noun").exists():
        raise MetaevalError(
            f"METEOR needs WordNet, which is neither among nltk's data nor in {folder}\n"
            "  Install it: apt install wordnet-base, or python -m nltk.downloader wordnet; "
            "WNSEARCHDIR names a folder that has it"
        )
    if folder not in data.path:
        data.path.append(folder)  # nltk reads only below the folders that are named there
    # Debian leaves out the file that names the lexicographers' files, and there are no other versions of
    # WordNet to map senses to; synonyms need neither.
    names = "".join(f"{i:02}\tfile{i}\t1\n" for i in range(_LEXICOGRAPHER_FILES))

    def open_file(self: Any, file: str) -> Any:
        if file == "lexnames" and not (Path(folder) / file).exists():
            return io.StringIO(names)
        return reader.WordNetCorpusReader.__bases__[0].open(self, file)

    kind = type("FolderWordNet", (reader.WordNetCorpusReader,), {"open": open_file, "map_wn": _no_map})
    return _opened(kind, data.FileSystemPathPointer(folder))


def _no_map(self: Any, version: str = "wordnet") -> None:
    return None


def _opened(kind: Any, root: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that the multilingual functions are missing
        return kind(root, None)


def _nltk(module: str) -> Any:
    return library(module, package="nltk", extra="scorers", needed_for="METEOR")
