"""Pairwise accuracy of segments over pairs of systems (Pombal et al. 2025)."""

from __future__ import annotations

import numpy as np

from metaeval.measures.base import Measure, Outcome
from metaeval.measures.pairwise import SystemPairMeasure
from metaeval.measures.registry import measure
from metaeval.scores import FloatArray


@measure(
    "ins_pa",
    formula="segments of pairs of systems whose two outputs human and metric order alike / such segments",
    cites="Pombal et al. 2025, equation 4",
    bounds=(0.0, 1.0),
)
class InstancePairwiseAccuracy(SystemPairMeasure, Measure):
    """How often the metric prefers the output that humans prefer, segment by segment, over pairs of systems.

    Where humans tie two outputs only a metric that ties them is right; no threshold is calibrated. A pair of
    systems counts the segments rated for both. With ``containing`` only the pairs of one system count.
    Undefined where no segment is rated for two systems. O(systems^2 items), O(systems items) with
    ``containing``.

    >>> human, metric = np.array([[1.0, 2.0], [0.0, 2.0]]), np.array([[0.5, 0.7], [0.4, 0.6]])
    >>> InstancePairwiseAccuracy().evaluate(human, metric).value
    0.5
    """

    def evaluate(self, human: FloatArray, metric: FloatArray) -> Outcome:
        first, second = np.triu_indices(len(human), k=1)
        kept = self.chosen(first, second)
        agree = count = 0
        for s, t in zip(first[kept].tolist(), second[kept].tolist(), strict=True):
            of_human, of_metric = human[s] - human[t], metric[s] - metric[t]
            rated = ~(np.isnan(of_human) | np.isnan(of_metric))
            agree += int((np.sign(of_human) == np.sign(of_metric))[rated].sum())
            count += int(rated.sum())
        return Outcome(agree / count) if count else Outcome(float("nan"), None, 0, 1)
