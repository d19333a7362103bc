"""Plan: what to exchange, what to resample, how often; a value that fits on a signature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from metaeval.errors import InputError, choices

Test: TypeAlias = Literal["perm-inputs", "perm-both", "perm-systems", "perm-pairs", "none"]
Bootstrap: TypeAlias = Literal["inputs", "systems", "both", "none"]
Unit: TypeAlias = Literal["item", "document"]
Convention: TypeAlias = Literal["unbiased", "wmt"]
Alternative: TypeAlias = Literal["greater", "two-sided"]

_ONE_OF = {
    "test": get_args(Test),
    "bootstrap": get_args(Bootstrap),
    "unit": get_args(Unit),
    "convention": get_args(Convention),
    "alternative": get_args(Alternative),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How differences between metrics are tested and values are given intervals.

    The tests and the bootstraps are those of Deutsch, Dror and Roth 2021, "A statistical analysis of
    summarization evaluation metrics using resampling methods"; perm-pairs is WMT's for calibrated accuracy.

    >>> Plan(draws=5000).test
    'perm-inputs'
    >>> Plan(test="perm-input")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    metaeval.errors.InputError: there is no test 'perm-input'
      Did you mean perm-inputs? There are: ...
    """

    test: Test = "perm-inputs"
    """What two metrics exchange: whole items, single cells, whole systems, outcomes of single pairs."""
    draws: int = 1000
    """Random exchanges, and bootstrap samples; all exchanges are enumerated where they are no more."""
    seed: int = 0
    unit: Unit = "item"
    """What counts as an input: an item, or a document with all its items."""
    convention: Convention = "unbiased"
    """(count + 1) / (draws + 1), which a p-value must be to hold its level, or WMT's count / draws."""
    bootstrap: Bootstrap = "inputs"
    alpha: float = 0.05
    """The level of the test; intervals cover 1 - alpha."""
    standardise: bool = True
    """Metrics are brought to one scale before their scores are exchanged."""
    alternative: Alternative = "greater"
    """One-sided, as WMT tests, or two-sided."""
    early_stop: bool = False
    """Leave off drawing for a pair of metrics once no further draw can change its verdict at alpha."""
    jobs: int = 1

    def __post_init__(self) -> None:
        for name, known in _ONE_OF.items():
            found = getattr(self, name)
            if found not in known:
                raise InputError(f"there is no {name} {found!r}", remedy=choices(str(found), known))
        for name, least in (("draws", 1), ("seed", 0), ("jobs", 1)):
            if getattr(self, name) < least:
                raise InputError(f"{name} is {getattr(self, name)}, expected a number from {least} up")
        if not 0 < self.alpha < 1:
            raise InputError(f"alpha is {self.alpha}, expected a number between 0 and 1")
