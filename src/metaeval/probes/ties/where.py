"""Where calibration introduces ties: among good translations or everywhere (section 8.3, figure 5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from metaeval.errors import InputError
from metaeval.kernels.averages import average_histogram
from metaeval.measures.groups import Grouping
from metaeval.paired import Paired
from metaeval.probes.ties.subject import statistic, subject
from metaeval.scores import FloatArray, Scores


@dataclass(frozen=True, eq=False, slots=True)
class WhereTied:
    """Pairs by the average of their two scores: all of them, and those that epsilon newly ties."""

    kind: ClassVar[str] = "where"
    metric: Scores
    grouping: Grouping
    epsilon: float
    edges: FloatArray
    """The bins' borders, of equal width from the lowest to the highest score."""
    pairs: np.ndarray[tuple[int, ...], np.dtype[np.int64]]
    tied: np.ndarray[tuple[int, ...], np.dtype[np.int64]]
    mean_pairs: float
    """The mean of the average scores over all pairs."""
    mean_tied: float
    """The same over the newly tied pairs; NaN where there are none."""


def where_tied(paired: Paired, metric: str, grouping: Grouping = "item", *, bins: int = 20) -> WhereTied:
    """The two distributions at the metric's calibrated epsilon: exact, and without holding many pairs.

    The cost is a calibration and, by item or system, a pass over the pairs of small groups; see
    :mod:`metaeval.kernels.averages`.
    """
    if bins < 1:
        raise InputError(f"found {bins} bins, expected at least 1")
    chosen = subject(paired, metric, grouping)
    epsilon = statistic("acc_eq(epsilon=best)", grouping).resolve_epsilon(chosen.groups, chosen.scores)
    edges = np.linspace(chosen.scores.min(), chosen.scores.max(), bins + 1)
    found = average_histogram(chosen.scores, chosen.groups.offsets, edges, epsilon)
    pairs, tied = int(found.pairs.sum()), int(found.tied.sum())
    return WhereTied(
        chosen.metric,
        grouping,
        epsilon,
        edges,
        found.pairs,
        found.tied,
        found.sum_pairs / pairs if pairs else float("nan"),
        found.sum_tied / tied if tied else float("nan"),
    )
