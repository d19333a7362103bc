"""Random choices that depend on names alone, and that no version of Python changes.

``random.Random.random`` is the one method whose sequence Python promises to keep, so every choice is made
from it. About 10 µs for a stream.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from random import Random
from typing import TypeVar

_T = TypeVar("_T")


def stream(seed: int, *names: str) -> Random:
    """A generator that follows from the seed and the names, whatever else was drawn.

    >>> stream(0, "item", "system").random() == stream(0, "item", "system").random()
    True
    >>> stream(0, "ab", "c").random() == stream(0, "a", "bc").random()
    False
    """
    seen = hashlib.blake2b(str(seed).encode(), digest_size=16)
    for name in names:
        encoded = name.encode("utf-8", "surrogatepass")
        seen.update(len(encoded).to_bytes(8, "little"))
        seen.update(encoded)
    return Random(int.from_bytes(seen.digest(), "little"))


def pick(random: Random, choices: Sequence[_T]) -> _T:
    """One of them, all alike."""
    return choices[int(random.random() * len(choices))]


def shuffled(random: Random, choices: Sequence[_T]) -> Iterator[_T]:
    """All of them in random order; taking the first few costs no more than those.

    >>> sorted(shuffled(stream(0), "abc"))
    ['a', 'b', 'c']
    """
    moved: dict[int, int] = {}
    for last in range(len(choices) - 1, -1, -1):
        at = int(random.random() * (last + 1))
        yield choices[moved.get(at, at)]
        moved[at] = moved.get(last, last)
