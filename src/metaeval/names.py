"""Choosing by name: globs over the ids of systems, metrics and protocols."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable
from typing import TypeAlias

from metaeval.errors import InputError, choices

Patterns: TypeAlias = str | Iterable[str]
"""Names or globs: a comma-separated string, or an iterable of them."""


def matching(patterns: Patterns, names: Iterable[str], what: str) -> list[str]:
    """The names that match any of the globs, in their own order; a glob without a match is an error.

    >>> matching("ONLINE-*,GPT4", ["GPT4", "ONLINE-A", "HW"], "system")
    ['GPT4', 'ONLINE-A']
    """
    globs = patterns.split(",") if isinstance(patterns, str) else list(patterns)
    known = list(names)
    kept: set[str] = set()
    for glob in globs:
        found = [name for name in known if name == glob.strip() or fnmatch.fnmatchcase(name, glob.strip())]
        if not found:
            raise InputError(f"no {what} matches {glob.strip()!r}", remedy=choices(glob.strip(), known))
        kept.update(found)
    return [name for name in known if name in kept]
