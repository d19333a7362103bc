"""Does calibration on the same data put discrete metrics at a disadvantage?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from metaeval.probes.audit.evidence import Evidence
from metaeval.probes.audit.finding import Finding, check
from metaeval.probes.sentinel.base import is_sentinel
from metaeval.probes.sentinel.item_pairs import ItemPairs
from metaeval.probes.sentinel.perturbed import perturb
from metaeval.scores import FloatArray

CALIBRATED = "acc_eq(epsilon=best)@item"
MANY_TIES = 0.05
LEAST = 0.005
TWINS = 5
"""Draws of the noise, so that none is lucky."""
ERRORS = 2.0
"""Standard errors, over items, that the gain must exceed."""


@check("discrete", "discrete metrics that calibration on the same data puts at a disadvantage")
def discrete(evidence: Evidence) -> Iterator[Finding]:
    """The noisy twin orders what the metric orders; what it gains, it gains by being continuous."""
    paired = evidence.paired
    chosen = [
        (metric, scores)
        for metric, scores in zip(paired.metrics, paired.scores, strict=True)
        if not is_sentinel(metric) and tied_share(scores) >= MANY_TIES
    ]
    if not chosen:
        return
    pairs = ItemPairs.of(paired)
    for metric, scores in chosen:
        noisy = [perturb(scores, "ordered", evidence.seed + n) for n in range(TWINS)]
        own, twin = calibrated(pairs, scores), np.mean([calibrated(pairs, n) for n in noisy], axis=0)
        gain, error = float((twin - own).mean()), float((twin - own).std()) / len(own) ** 0.5
        if gain < max(LEAST, ERRORS * error):
            continue
        yield Finding(
            check="discrete",
            severity="warning",
            sentence=(
                f"{CALIBRATED} puts {metric.name} at a disadvantage because it is discrete: "
                f"{own.mean():.3f}, and {twin.mean():.3f} with noise that inverts no order"
            ),
            remedy="calibrate on other data (metaeval ties --calibrate-on), or compare it with its twin",
            size=gain,
            numbers={
                "metric": metric.key,
                "value": float(own.mean()),
                "twin": float(twin.mean()),
                "gain": gain,
                "standard_error": error,
            },
        )


def calibrated(pairs: ItemPairs, scores: FloatArray) -> FloatArray:
    """acc_eq of each item, at the epsilon that is best for all."""
    ordered = pairs.sorted_by(scores)
    epsilon, _ = ordered.best(pairs.weights(np.ones(len(pairs), dtype=np.bool_)))
    return pairs.by_item(ordered.right(epsilon))


def tied_share(scores: FloatArray) -> float:
    """The share of pairs of an item's outputs with equal scores."""
    tied = pairs = 0
    for column in scores.T:
        given = column[~np.isnan(column)]
        counts = np.unique(given, return_counts=True)[1]
        tied += int((counts * (counts - 1) // 2).sum())
        pairs += len(given) * (len(given) - 1) // 2
    return tied / pairs if pairs else 0.0
