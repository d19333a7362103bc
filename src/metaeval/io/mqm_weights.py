"""What an MQM error costs: weights by severity and category, as a value that prints and parses."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TypeAlias

from metaeval.declared import show
from metaeval.errors import InputError

Path: TypeAlias = tuple[str, ...]
"""``("minor", "fluency", "punctuation")``: a severity and the start of a category, or either alone."""


@dataclass(frozen=True, slots=True)
class MqmWeights:
    """Rules that give an error its weight; the most specific rule that matches decides.

    A rule is a severity, the beginning of a category, or both (``minor/Fluency/Punctuation``). More of
    the category is more specific; of equals, the rule that states the severity. Case does not count, and
    a blank is a hyphen (``Source-issue``); a final ``!`` is dropped (``Non-translation!``).

    >>> weights = MqmWeights.parse("major:5 minor:1 minor/Fluency/Punctuation:0.1 Non-translation:25")
    >>> weights.weight("minor", "Fluency/Punctuation"), weights.weight("Major", "Fluency/Punctuation")
    (0.1, 5.0)
    >>> MqmWeights.parse(str(weights)) == weights
    True
    """

    rules: tuple[tuple[Path, float], ...]

    @classmethod
    def parse(cls, text: str) -> MqmWeights:
        """The weights that a text states, or those called ``google`` or ``unbabel``."""
        if text.strip().lower() in NAMED:
            return NAMED[text.strip().lower()]
        rules: dict[Path, float] = {}
        for rule in re.split(r"[\s,]+", text.strip()):
            key, _, number = rule.rpartition(":")
            path = _path(key)
            if not key or not all(path) or path in rules:
                raise _malformed(rule, "a rule twice" if path in rules else "no rule")
            rules[path] = _weight(rule, number)
        return cls(tuple(sorted(rules.items())))

    def weight(self, severity: str, category: str) -> float | None:
        """The weight of an error; None where no rule matches, so that a typing error is not worth 0."""
        of_category = _path(category)
        with_severity = (_fold(severity), *of_category)
        best: tuple[tuple[int, bool], float] | None = None
        for path, weight in self.rules:
            for depth, stated, whole in (
                (len(path) - 1, True, with_severity),
                (len(path), False, of_category),
            ):
                if whole[: len(path)] == path and (best is None or (depth, stated) > best[0]):
                    best = ((depth, stated), weight)
        return None if best is None else best[1]

    def __str__(self) -> str:
        return " ".join(f"{'/'.join(path)}:{show(weight)}" for path, weight in self.rules)


def _path(text: str) -> Path:
    return tuple(_fold(part) for part in text.split("/"))


def _fold(text: str) -> str:
    return re.sub(r"[\s_]+", "-", text.strip().rstrip("!").casefold())


def _weight(rule: str, number: str) -> float:
    try:
        value = float(number)
    except ValueError:
        raise _malformed(rule, "no number") from None
    if not math.isfinite(value) or value < 0:
        raise _malformed(rule, "a weight that is not at least 0")
    return value


def _malformed(rule: str, found: str) -> InputError:
    return InputError(
        f"MQM weights: found {found}",
        shows=rule,
        remedy="Expected google, unbabel, or rules such as: major:5 minor:1 minor/Fluency/Punctuation:0.1",
    )


NAMED: dict[str, MqmWeights] = {}
NAMED["google"] = GOOGLE = MqmWeights.parse(
    "critical:5 major:5 minor:1 trivial:0.1 neutral:0 no-error:0 minor/Fluency/Punctuation:0.1 "
    "Non-translation:25 Source-issue:0 Accuracy/Creative-reinterpretation:0"
)
"""Freitag et al. 2021, with what WMT added: creative reinterpretation and source issues cost nothing.

What the older files call *Source error* costs what its severity says, as in the scores published then.
"""
NAMED["unbabel"] = UNBABEL = MqmWeights.parse("critical:10 major:5 minor:1 neutral:0 no-error:0")
"""Rei et al. 2020; to be used with the length-normalised score."""
