"""What a perturbation is: places in an output where it could act, and what it does at one of them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import TYPE_CHECKING, ClassVar, Generic, Literal, TypeAlias, TypeVar

from metaeval.declared import Declared
from metaeval.perturb.randomness import shuffled, stream
from metaeval.perturb.words.tokens import Token, tokens

if TYPE_CHECKING:
    from metaeval.perturb.words.lexicon import Lexicon

Task: TypeAlias = Literal["mt", "asr", "ranking"]
TASKS: tuple[Task, ...] = ("mt", "asr", "ranking")
_Site = TypeVar("_Site")


@dataclass(frozen=True)
class Output:
    """One output with what belongs to it; its words are found once, for all perturbations."""

    text: str
    item: str = ""
    system: str = ""
    reference: str = ""
    source: str = ""
    task: Task = "mt"

    @cached_property
    def words(self) -> tuple[Token, ...]:
        return tokens(self.text)


@dataclass(frozen=True, slots=True)
class Change:
    """What was replaced: ``before`` became ``after``; ``at`` is where ``before`` starts in the original."""

    before: str
    after: str
    at: int

    def __str__(self) -> str:
        return f"{self.before!r} -> {self.after!r}"


@dataclass(frozen=True, slots=True)
class Perturbed:
    """A damaged output, and how it differs from the original."""

    text: str
    changes: tuple[Change, ...]

    def __str__(self) -> str:
        return f"{', '.join(map(str, self.changes))}: {self.text}"


@dataclass(frozen=True, slots=True)
class NotApplicable:
    """That a perturbation cannot act on an output, and why."""

    reason: str

    def __str__(self) -> str:
        return f"not applicable: {self.reason}"


@dataclass(frozen=True, repr=False)
class AnyPerturbation(Declared):
    """What is declared of every perturbation; its parameters are fields made by ``param``."""

    tasks: ClassVar[tuple[Task, ...]]
    by_default: ClassVar[bool] = True
    """Whether it is used where none is named."""
    varies: ClassVar[bool] = True
    """Whether another draw may damage an output differently."""


@dataclass(frozen=True, repr=False)
class Perturbation(AnyPerturbation):
    """A perturbation of texts, declared with :func:`metaeval.perturb.registry.perturbation`."""

    @abstractmethod
    def applies(self, output: Output, lexicon: Lexicon) -> bool:
        """Whether there is a place where it could act."""

    @abstractmethod
    def perturb(self, output: Output, lexicon: Lexicon, random: Random) -> Perturbed | NotApplicable:
        """The output, damaged at one place; its text always differs from the original."""

    def drawn(
        self, output: Output, lexicon: Lexicon, *, seed: int, number: int = 0
    ) -> Perturbed | NotApplicable:
        """The perturbation that seed, item, system and the number of the draw determine."""
        random = stream(seed, self.name, output.item, output.system, str(number))
        return self.perturb(output, lexicon, random)


@dataclass(frozen=True, repr=False)
class RulePerturbation(Perturbation, Generic[_Site]):
    """A perturbation that acts at one of some sites: a subclass lists them, and acts at one.

    Sites are tried in random order until one gives a different text.
    """

    nowhere: ClassVar[str]
    """Why there may be no site, for people."""

    @abstractmethod
    def sites(self, output: Output, lexicon: Lexicon) -> Sequence[_Site]:
        """Where it could act."""

    @abstractmethod
    def act(self, site: _Site, output: Output, lexicon: Lexicon, random: Random) -> tuple[Change, ...] | None:
        """What to replace, in the order of the text; None where this site is none after all."""

    def applies(self, output: Output, lexicon: Lexicon) -> bool:
        return next(self._attempts(output, lexicon, stream(0)), None) is not None

    def perturb(self, output: Output, lexicon: Lexicon, random: Random) -> Perturbed | NotApplicable:
        return next(self._attempts(output, lexicon, random), None) or NotApplicable(self.nowhere)

    def _attempts(self, output: Output, lexicon: Lexicon, random: Random) -> Iterator[Perturbed]:
        for site in shuffled(random, self.sites(output, lexicon)):
            changes = self.act(site, output, lexicon, random)
            if changes is not None:
                text = replaced(output.text, changes)
                if text != output.text:
                    yield Perturbed(text, changes)


def replaced(text: str, changes: Sequence[Change]) -> str:
    """The text after the changes, which are in its order and do not overlap.

    >>> replaced("a b c", [Change("a", "b", 0), Change("b", "a", 2)])
    'b a c'
    """
    parts, end = [], 0
    for change in changes:
        parts += [text[end : change.at], change.after]
        end = change.at + len(change.before)
    return "".join([*parts, text[end:]])
