"""Studies of tests: metrics of equal quality for their level, of given quality for their power."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

from metaeval.errors import InputError
from metaeval.simulate.config import CLEAN, Config
from metaeval.simulate.kinds import Kind, kind


def equal_metrics(
    count: int = 2, *, like: str | Kind = "unbiased", item_effects: bool | float = True, **knobs: object
) -> Config:
    """Metrics that differ in nothing but their own chance: exchangeable, so that no test may tell them apart.

    They have no effects of their own on systems: those would make one of them better on the systems at hand.
    No texts, nothing missing. ``item_effects``: as declared, none, or a size; they are what misleads a test
    that swaps single cells without grouping.

    >>> study = equal_metrics(2, systems=12, items=200)
    >>> [metric.key for metric in study.kinds]
    ['Equal1-refA', 'Equal2-refA']
    """
    if count < 1:
        raise InputError(f"count is {count}, expected at least 1 metric")
    pattern = replace(kind(like), system_effect=0.0)
    equals = tuple(replace(pattern, name=f"Equal{number}") for number in range(1, count + 1))
    quiet = {"text": False, "unrated": 0.0, "items": 200, "item_effects": item_effects}
    return CLEAN.with_knobs(metrics=equals, **{**quiet, **knobs})


def metric_reaching(
    correlation: float, name: str, *, like: str | Kind = "unbiased", config: Config = CLEAN
) -> Kind:
    """A metric without effects on systems whose expected correlation with quality by item is as given.

    A study of power draws sets with two of them: ``Config(metrics=(metric_reaching(0.6, "A"), ...))``.

    >>> better = metric_reaching(0.7, "Better")
    >>> round(better.noise, 3), round(metric_reaching(0.6, "Worse").noise, 3)
    (0.714, 0.933)
    """
    pattern = kind(like)
    if not 0 < correlation < 1:
        raise InputError(f"correlation is {correlation!r}, expected a number between 0 and 1")
    if pattern.quality <= 0 or pattern.residual == 0 or pattern.levels:
        raise InputError(
            f"{pattern.key} cannot be given a correlation: it is discrete, or has no quality or no noise",
            remedy="Try like='unbiased'.",
        )
    seen = pattern.quality * sqrt(config.system_spread**2 + config.residual_spread**2)
    factor = seen * sqrt(1 / correlation**2 - 1) / pattern.residual
    return replace(
        pattern,
        name=name,
        system_effect=0.0,
        output_length=0.0,
        noise=pattern.noise * factor,
        shared=pattern.shared * factor,
        document_noise=pattern.document_noise * factor,
    )
