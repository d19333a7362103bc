"""The knobs of the simulator: each has a name, a default, a range and a meaning."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from math import isfinite
from typing import Any

from metaeval.errors import InputError, choices
from metaeval.simulate.kinds import KINDS, Kind, kind
from metaeval.simulate.knobs import check_knobs, described, flag, knob, label, number, whole


def _several(name: str, value: object) -> None:
    if not value:
        raise InputError("there are no metrics to simulate", remedy=choices("", KINDS))


def _listed(metrics: object) -> tuple[object, ...]:
    """Metrics from a sequence of them, or from names with commas between, as a command line gives them."""
    if isinstance(metrics, str):
        return tuple(part.strip() for part in metrics.split(","))
    return tuple(metrics) if isinstance(metrics, Iterable) else (metrics,)


def _effects(name: str, value: object) -> None:
    if not isinstance(value, int | float) or not isfinite(value) or value < 0:
        raise InputError(f"{name} is {value!r}, expected True, False or a size from 0")


def _qualities(name: str, value: object) -> None:
    for each in value if isinstance(value, tuple) else ():
        if not isinstance(each, int | float) or not isfinite(each):
            raise InputError(f"{name} holds {each!r}, expected numbers")


@dataclass(frozen=True, kw_only=True)
class Config:
    """What to simulate; the defaults resemble WMT22 zh-en.

    Spreads are standard deviations of latent quality, of which a unit more means 2.7 times fewer errors.
    The default plants every fault that the simulator knows; :data:`CLEAN` plants none.

    >>> Config(systems=1)
    Traceback (most recent call last):
    metaeval.errors.InputError: systems is 1, expected a whole number from 2 to 10,000
    """

    systems: int = whole(12, "systems", 2, 10_000)
    items: int = whole(400, "items (source segments)", 1)
    documents: int | None = whole(None, "documents, runs of items; a tenth of the items", 1, optional=True)
    domains: int = whole(3, "domains; they differ in length and difficulty", 1, 4)
    pair: str = label("qaa-qab", "name of the language pair")

    system_spread: float = number(0.4, "how much systems differ", 0)
    system_quality: tuple[float, ...] | None = knob(
        None, "latent qualities of the systems; drawn if not given", _qualities
    )
    item_spread: float = number(1.3, "how much items differ in difficulty", 0)
    document_spread: float = number(0.6, "how much documents differ in difficulty", 0)
    domain_spread: float = number(0.2, "how much domains differ in difficulty", 0)
    length_difficulty: float = number(0.4, "loss of quality per standard deviation of log length")
    residual_spread: float = number(0.7, "how much outputs differ beyond system and item", 0)

    words: float = number(18.0, "median length of an item in words", 1, 1000)
    length_spread: float = number(0.5, "standard deviation of an item's log length within a domain", 0, 2)
    verbosity: float = number(0.15, "how much systems differ in log length, in units of length_spread", 0, 10)
    wordiness: float = number(0.3, "how much outputs differ in log length, in units of length_spread", 0, 10)

    raters: int = whole(3, "raters", 1, 1000)
    raters_per_segment: int = whole(1, "raters who see a document; a score is their mean", 1, 1000)
    rater_spread: float = number(0.3, "how much raters differ in log severity", 0, 10)
    errors: float = number(0.6, "errors in an output of average quality; fewer make more ties", 0, 100)
    major: float = number(0.3, "share of major errors (weight 5; minor ones weigh 1)", 0, 1)
    punctuation: float = number(0.03, "punctuation errors (weight 0.1) in an output of any quality", 0, 100)
    unrated: float = number(0.1, "share of items that nobody rated", 0, 0.99)
    missing: float = number(0.0, "share of the rated items' cells that lack a human score", 0, 0.99)

    metrics: tuple[str | Kind, ...] = knob(tuple(KINDS), "kinds of metrics, by name or declared", _several)
    item_effects: bool | float = knob(True, "metrics' own item effects: as declared, none, a size", _effects)
    noise: float = number(1.0, "factor on the noise of every metric", 0, 1000)
    source_lean: float = number(0.5, "how much qe_length punishes long sources")
    length_bias: float = number(0.6, "how much length_biased favours long outputs")
    gamed: bool = flag(True, "the system of middle quality chose its outputs to please a metric")
    gamed_metric: str | None = label(None, "the metric it pleased (Neural-refA); the first if not given")
    gaming: float = number(1.0, "what it gained there, in residual standard deviations of that metric")

    text: bool = flag(True, "write sources, references and outputs")
    reference_system: bool = flag(False, "list the reference among the systems, as refA")

    def __post_init__(self) -> None:
        object.__setattr__(self, "metrics", _listed(self.metrics))
        if self.system_quality is not None:
            object.__setattr__(self, "system_quality", tuple(self.system_quality))
        check_knobs(self)
        self._check_together()

    def _check_together(self) -> None:
        if self.documents is not None and self.documents > self.items:
            raise InputError(f"there are {self.documents:,} documents for {self.items:,} items")
        if self.raters_per_segment > self.raters:
            raise InputError(
                f"raters_per_segment is {self.raters_per_segment}, but there are {self.raters} raters"
            )
        if self.system_quality is not None and len(self.system_quality) != self.systems:
            raise InputError(
                f"system_quality has {len(self.system_quality)} values for {self.systems} systems"
            )
        keys = [each.key for each in self.kinds]
        twice = sorted({key for key in keys if keys.count(key) > 1})
        if twice:
            raise InputError(f"two metrics are called {twice[0]}", remedy="Name each kind once.")
        if self.gamed and self.gamed_kind.residual == 0:
            raise InputError(
                f"{self.gamed_kind.key} cannot be gamed: it has no residual",
                remedy="Give another gamed_metric, or gamed=False.",
            )

    @cached_property
    def kinds(self) -> tuple[Kind, ...]:
        """The metrics with the knobs applied."""
        return tuple(self._tuned(kind(each)) for each in self.metrics)

    def _tuned(self, raw: Kind) -> Kind:
        sized = raw.item_effect > 0 and self.item_effects is not True
        return replace(
            raw,
            noise=raw.noise * self.noise,
            source_length=raw.source_length * self.source_lean,
            output_length=raw.output_length * self.length_bias,
            item_effect=float(self.item_effects) if sized else raw.item_effect,
        )

    @property
    def gamed_kind(self) -> Kind:
        """The metric that ``gamed`` is about, chosen by its key or by the name of its kind."""
        if self.gamed_metric is None:
            return self.kinds[0]
        known = {each.key: each for each in self.kinds}
        for named, each in zip(self.metrics, self.kinds, strict=True):
            if isinstance(named, str):
                known[named] = each
        if self.gamed_metric not in known:
            what = f"there is no metric {self.gamed_metric!r} to game"
            raise InputError(what, remedy=choices(self.gamed_metric, known))
        return known[self.gamed_metric]

    def with_knobs(self, /, **knobs: object) -> Config:
        """The same but for some knobs, given by name.

        >>> Config().with_knobs(systems=3).systems
        3
        """
        known = [each.name for each in fields(self)]
        for name in knobs:
            if name not in known:
                raise InputError(f"there is no knob {name!r}", remedy=choices(name, known))
        changes: dict[str, Any] = dict(knobs)
        return replace(self, **changes) if changes else self

    def as_dict(self) -> dict[str, Any]:
        """Every knob and its value, ready for JSON."""
        return asdict(self)


def knobs() -> Iterator[tuple[str, object, str]]:
    """Name, default and meaning of every knob, for help texts.

    >>> next(knobs())
    ('systems', 12, 'systems')
    """
    return described(Config)


CLEAN = Config(
    metrics=("unbiased", "lexical", "discrete", "qe_length", "length_biased"),
    length_difficulty=0.0,
    domain_spread=0.0,
    source_lean=0.0,
    length_bias=0.0,
    gamed=False,
)
"""Data without a fault: no source tells its quality, no metric leans on length, nobody gamed."""
