"""Does calibration on the same data put discrete metrics at a disadvantage?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from metaeval.measures.registry import parse_measure
from metaeval.probes.audit.evidence import Evidence
from metaeval.probes.audit.finding import Finding, check
from metaeval.probes.sentinel.base import is_sentinel
from metaeval.probes.sentinel.perturbed import perturb

CALIBRATED = "acc_eq(epsilon=best)@item"
MANY_TIES = 0.05
LEAST = 0.005


@check("discrete", "discrete metrics that calibration on the same data puts at a disadvantage")
def discrete(evidence: Evidence) -> Iterator[Finding]:
    """The noisy twin orders what the metric orders; what it gains, it gains by being continuous."""
    paired, measure = evidence.paired, parse_measure(CALIBRATED)
    for metric, scores in zip(paired.metrics, paired.scores, strict=True):
        if is_sentinel(metric) or tied_share(scores) < MANY_TIES:
            continue
        own = measure.evaluate(paired.human, scores).value
        noisy = measure.evaluate(paired.human, perturb(scores, "ordered", evidence.seed)).value
        if not noisy - own >= LEAST:
            continue
        yield Finding(
            check="discrete",
            severity="warning",
            sentence=(
                f"{CALIBRATED} puts {metric.name} at a disadvantage because it is discrete: {own:.3f}, and "
                f"{noisy:.3f} with noise that inverts no order"
            ),
            remedy="calibrate on other data (metaeval ties --calibrate-on), or compare it with its twin",
            size=noisy - own,
            numbers={"metric": metric.key, "value": own, "twin": noisy, "gain": noisy - own},
        )


def tied_share(scores: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float:
    """The share of pairs of an item's outputs with equal scores."""
    tied = pairs = 0
    for column in scores.T:
        given = column[~np.isnan(column)]
        counts = np.unique(given, return_counts=True)[1]
        tied += int((counts * (counts - 1) // 2).sum())
        pairs += len(given) * (len(given) - 1) // 2
    return tied / pairs if pairs else 0.0
