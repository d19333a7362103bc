"""The errors a user can meet: each says where, what was found, what was expected, and what to do.

The command line prints one message and exits with code 2; a traceback would mean a bug in metaeval.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from os import PathLike, fspath


class MetaevalError(Exception):
    """Anything that the user can put right. Its text is complete: print it, nothing else."""


class InputError(MetaevalError):
    r"""An input that cannot be used.

    Args:
        what: what was found, and what was expected instead.
        path: the file at fault, if there is one.
        line: its line, counted from 1.
        row: its row, counted from 1, where the data have no lines (Parquet, frames).
        shows: the offending text; shown shortened, with control characters made visible.
        remedy: what to do about it.

    >>> print(InputError("found 3 fields, expected 2", path="x.tsv", line=7, shows="a b c"))
    x.tsv, line 7: found 3 fields, expected 2
        a b c
    """

    def __init__(
        self,
        what: str,
        *,
        path: str | PathLike[str] | None = None,
        line: int | None = None,
        row: int | None = None,
        shows: str | None = None,
        remedy: str | None = None,
    ) -> None:
        self.what, self.path, self.line, self.row = what, path, line, row
        self.shows, self.remedy = shows, remedy
        super().__init__(what)

    def __str__(self) -> str:
        where = "" if self.path is None else printable(fspath(self.path))
        for unit, number in (("line", self.line), ("row", self.row)):
            if number is not None:
                where += f", {unit} {number}" if where else f"{unit} {number}"
        text = f"{where}: {self.what}" if where else self.what
        if self.shows is not None:
            text += f"\n    {printable(self.shows)}"
        if self.remedy is not None:
            text += f"\n  {self.remedy}"
        return text


class MissingExtra(MetaevalError):
    """An optional dependency that is not installed.

    >>> print(MissingExtra("scikit-learn", extra="learn", needed_for="trained sentinels"))
    trained sentinels needs scikit-learn, which is not installed
      Install it: pip install 'metaeval[learn]'
    """

    def __init__(self, package: str, *, extra: str, needed_for: str) -> None:
        super().__init__(
            f"{needed_for} needs {package}, which is not installed\n"
            f"  Install it: pip install 'metaeval[{extra}]'"
        )


def printable(text: str, limit: int = 160) -> str:
    r"""Text safe to show on a terminal: one line, at most ``limit`` characters, no control characters.

    >>> printable("a\x1b[31m\n" + "b" * 200, limit=12)
    'a\\x1b[31m\\n…'
    """
    shown = "".join(map(_shown, text[: limit + 1]))
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def visible(text: str) -> str:
    r"""Text of several lines safe to show on a terminal: no control characters but the line ends.

    >>> visible("a\x1b[31m\nb")
    'a\\x1b[31m\nb'
    """
    return text if text.isprintable() else "".join(c if c == "\n" else _shown(c) for c in text)


def _shown(character: str) -> str:
    return character if character.isprintable() else character.encode("unicode_escape").decode()


def choices(wanted: str, known: Iterable[str], *, limit: int = 8) -> str:
    """The remedy for a name that does not exist: the closest names first, then what there is.

    >>> choices("BLUE-refA", ["BLEU-refA", "chrF-refA"])
    'Did you mean BLEU-refA? There are: BLEU-refA, chrF-refA'
    """
    names = sorted(set(known))
    close = difflib.get_close_matches(wanted, names, n=1, cutoff=0.6)
    shown = ", ".join(printable(name, 60) for name in names[:limit])
    if len(names) > limit:
        shown += f" and {len(names) - limit} more"
    listing = f"There are: {shown}" if names else "There are none"
    return f"Did you mean {printable(close[0], 60)}? {listing}" if close else listing
