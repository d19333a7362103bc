"""Where an mt-metrics-eval folder keeps what, and what its file names mean."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from metaeval.errors import InputError
from metaeval.scores import ALL_REFERENCES, REFERENCE_FREE

LEVELS = ("sys", "domain", "doc", "seg")
SCORE, RATING = ".score", ".rating"


@dataclass(frozen=True, slots=True)
class Layout:
    """The files of one language pair.

    >>> Layout(Path("wmt22"), "zh-en").source.as_posix()
    'wmt22/sources/zh-en.txt'
    """

    folder: Path
    pair: str

    @property
    def source(self) -> Path:
        return self.folder / "sources" / f"{self.pair}.txt"

    @property
    def documents(self) -> Path:
        return self.folder / "documents" / f"{self.pair}.docs"

    @property
    def outputs(self) -> Path:
        """The folder of one text a system."""
        return self.folder / "system-outputs" / self.pair

    @property
    def metrics(self) -> Path:
        """The folder of ``NAME-REF.LEVEL.score``."""
        return self.folder / "metric-scores" / self.pair

    @property
    def extras(self) -> Path:
        """What the layout has no place for; see :mod:`metaeval.io.mtme_extras`."""
        return self.folder / "metaeval" / f"{self.pair}.json"

    def reference(self, name: str) -> Path:
        return self.folder / "references" / f"{self.pair}.{name}.txt"

    def human(self, name: str) -> Path:
        """A file of human judgments; ``name`` is ``PROTOCOL.LEVEL.score`` or ``RATER.seg.rating``."""
        return self.folder / "human-scores" / f"{self.pair}.{name}"

    def references(self, pairs: Collection[str] = ()) -> Iterator[tuple[str, Path]]:
        """The references as (name, path); ``pairs`` are all pairs of the folder."""
        return self._of_pair(self.folder / "references", ".txt", pairs)

    def judgments(self, ending: str, pairs: Collection[str] = ()) -> Iterator[tuple[str, Path]]:
        """Files of human judgments that end in SCORE or RATING, as (name without the ending, path)."""
        return self._of_pair(self.folder / "human-scores", ending, pairs)

    def metric_files(self) -> Iterator[tuple[str, Path]]:
        """Metric scores as (``NAME-REF.LEVEL``, path)."""
        return files(self.metrics, SCORE)

    def _of_pair(self, folder: Path, ending: str, pairs: Collection[str]) -> Iterator[tuple[str, Path]]:
        """Files of another pair are left to it, also where that pair begins like this one (``zh-en.v2``)."""
        prefix = f"{self.pair}."
        longer = tuple(f"{pair}." for pair in pairs if pair.startswith(prefix))
        for name, path in files(folder, ending):
            if f"{name}.".startswith(prefix) and not f"{name}.".startswith(longer):
                yield _named(path, name[len(prefix) :]), path


def pairs(folder: str | Path) -> list[str]:
    """The language pairs that a folder holds, sorted: those with a source text (or a side file of ours)."""
    place = Path(folder)
    texts = [path.stem for path in listing(place / "sources") if path.suffix == ".txt"]
    extras = [path.stem for path in listing(place / "metaeval") if path.suffix == ".json"]
    return sorted({*texts, *extras})


def listing(folder: Path) -> list[Path]:
    """What a folder holds, sorted by name, hidden files left out; nothing where there is no such folder."""
    if not folder.exists():
        return []
    try:
        return sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError as error:
        raise InputError(f"cannot be listed: {error.strerror}", path=folder) from error


def files(folder: Path, ending: str) -> Iterator[tuple[str, Path]]:
    """The files of a folder that end so, as (name without the ending, path)."""
    for path in listing(folder):
        if path.name.endswith(ending):
            if not path.is_file():
                raise InputError("is not a file", path=path)
            yield _named(path, path.name.removesuffix(ending)), path


def score_file(path: Path, name: str) -> tuple[str, str]:
    """What ``NAME.LEVEL`` (``.score`` taken off) says: the scorer and the level.

    >>> score_file(Path("BLEU-refA.seg.score"), "BLEU-refA.seg")
    ('BLEU-refA', 'seg')
    """
    scorer, _, level = name.rpartition(".")
    if level not in LEVELS or not scorer:
        raise InputError(
            "the name of a score file does not say what it holds",
            path=path,
            remedy="Call it NAME.LEVEL.score, where LEVEL is one of " + ", ".join(LEVELS) + ".",
        )
    return scorer, level


def rating_file(path: Path, name: str) -> str:
    """The rater of ``RATER.seg`` (``.rating`` taken off).

    >>> rating_file(Path("zh-en.mqm.rater1.seg.rating"), "mqm.rater1.seg")
    'mqm.rater1'
    """
    rater, _, level = name.rpartition(".")
    if level != "seg" or not rater:
        raise InputError(
            "the name of a rating file does not say what it holds",
            path=path,
            remedy="Ratings are by segment: call it SRC-TGT.RATER.seg.rating.",
        )
    return rater


def split_reference(stem: str, references: Collection[str]) -> tuple[str, str | None]:
    """A metric's name and the reference it used, from ``NAME-REF``.

    REF is ``src``, ``all`` or references joined by dots. Of several readings the shortest REF counts; where
    no reading is known the name stays whole. In a folder without references any REF is believed.

    >>> split_reference("MS-COMET-22-refA", {"refA", "refB"})
    ('MS-COMET-22', 'refA')
    >>> split_reference("UniTE-src-src", {"refA"})
    ('UniTE-src', 'src')
    >>> split_reference("MS-COMET", {"refA"})
    ('MS-COMET', None)
    """
    at = stem.rfind("-")
    while at > 0:
        name, reference = stem[:at], stem[at + 1 :]
        if reference in (REFERENCE_FREE, ALL_REFERENCES):
            return name, reference
        if reference and (not references or all(part in references for part in reference.split("."))):
            return name, reference
        at = stem.rfind("-", 0, at)
    return stem, None


def _named(path: Path, name: str) -> str:
    if not name:
        raise InputError("the file name lacks the name of what it holds", path=path)
    return name
