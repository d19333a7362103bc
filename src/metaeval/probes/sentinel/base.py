"""What a sentinel is: a name, what it sees, and scores of every cell."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar, Protocol, TypeVar

from metaeval.errors import InputError, choices
from metaeval.evalset import EvalSet
from metaeval.paired import choose_reference
from metaeval.probes.sentinel.examples import Examples, examples_of
from metaeval.probes.sentinel.views import SIDES, View, look
from metaeval.progress import Progress
from metaeval.scores import REFERENCE_FREE, FloatArray, Scores

PREFIX = "SENTINEL_"
_MODULES = ("trained", "untrained")
_S = TypeVar("_S", bound=type["Sentinel"])
_DECLARED: dict[str, type[Sentinel]] = {}


class Model(Protocol):
    """A regressor from text to score, whatever its encoder."""

    def predict(self, texts: Sequence[str], *, progress: Progress | None = None) -> FloatArray: ...

    def save(self, path: Path) -> None: ...


class Sentinel(ABC):
    """A metric that must not win. Subclasses are declared with :func:`sentinel`."""

    name: ClassVar[str]
    about: ClassVar[str]
    view: ClassVar[View | None] = None
    """The side of the texts that it sees; None where it sees nothing."""
    trained: ClassVar[bool] = False

    @abstractmethod
    def score(self, evalset: EvalSet, reference: str | None, seed: int) -> FloatArray:
        """systems x items, NaN where it has no text to see."""

    def scores(self, evalset: EvalSet, *, reference: str | None = None, seed: int = 0) -> Scores:
        """Its scores as those of any metric."""
        used = choose_reference(evalset, reference)
        of = used if self.view == "ref" else REFERENCE_FREE
        return Scores(self.name, of, segment=self.score(evalset, used, seed))


class TrainedSentinel(Sentinel):
    """A sentinel that learns the humans' scores from the one side of the texts that it sees."""

    trained = True
    view: ClassVar[View]

    def __init__(self, model: Model, progress: Progress | None = None) -> None:
        self.model, self.progress = model, progress

    @classmethod
    def fit(
        cls, evalset: EvalSet, *, human: str | None = None, reference: str | None = None
    ) -> TrainedSentinel:
        """Trained on an EvalSet with the embedded encoder."""
        return cls.fit_examples(examples_of(evalset, cls.view, human=human, reference=reference))

    @classmethod
    def fit_examples(cls, examples: Examples) -> TrainedSentinel:
        """Trained on any texts with scores."""
        from metaeval.probes.sentinel.ridge import Ridge

        return cls(Ridge.fit(examples))

    def score(self, evalset: EvalSet, reference: str | None, seed: int) -> FloatArray:
        seen = look(evalset, self.view, reference)
        return seen.to_cells(self.model.predict(seen.texts, progress=self.progress))


def sentinel(name: str, about: str, view: View | None = None) -> Callable[[_S], _S]:
    """Declares a class as the sentinel called ``name``."""

    def declare(cls: _S) -> _S:
        cls.name, cls.about, cls.view = name, about, view
        if name in _DECLARED:
            raise ValueError(f"two sentinels are called {name}")
        _DECLARED[name] = cls
        return cls

    return declare


@cache
def declared() -> Mapping[str, type[Sentinel]]:
    """Every sentinel by name.

    >>> list(declared())[:3]
    ['SENTINEL_SRC', 'SENTINEL_REF', 'SENTINEL_CAND']
    """
    for module in _MODULES:
        import_module(f"metaeval.probes.sentinel.{module}")
    return MappingProxyType(_DECLARED)


def trained_for(view: View) -> type[TrainedSentinel]:
    """The trained sentinel that sees this side."""
    for cls in declared().values():
        if issubclass(cls, TrainedSentinel) and cls.view == view:
            return cls
    raise InputError(f"there is no view {view!r}", remedy=choices(view, SIDES))


def is_sentinel(metric: Scores) -> bool:
    """Whether a metric is a sentinel, ours or one that came with the data (``SENTINEL_SRC_MQM``).

    >>> is_sentinel(Scores("SENTINEL_SRC_MQM")), is_sentinel(Scores("chrF"))
    (True, False)
    """
    return metric.name.upper().startswith(PREFIX)


def view_of(metric: Scores) -> View | None:
    """Which side a sentinel sees, read off its name; None where it sees none or that is not known.

    >>> view_of(Scores("SENTINEL_CAND_MQM")), view_of(Scores("SENTINEL_RANDOM"))
    ('cand', None)
    """
    found: dict[str, View] = {"SRC": "src", "REF": "ref", "CAND": "cand"}
    parts = metric.name.upper().split("_")
    return found.get(parts[1]) if is_sentinel(metric) and len(parts) > 1 else None
