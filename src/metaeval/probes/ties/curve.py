"""What every threshold would give: a statistic along epsilon, with the F1 of ties and ranks (figure 6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from metaeval.kernels.curve import calibration_curve
from metaeval.measures.groups import Grouping
from metaeval.measures.kendall import PairStatistic
from metaeval.paired import Paired
from metaeval.probes.ties.subject import statistic, subject
from metaeval.scores import FloatArray, Scores


@dataclass(frozen=True, eq=False, slots=True)
class TieCurve:
    """Values at rising epsilons, the best one among them; each is the mean over groups where defined."""

    kind: ClassVar[str] = "curve"
    metric: Scores
    statistic: PairStatistic
    epsilon: FloatArray
    value: FloatArray
    ties_f1: FloatArray
    rank_f1: FloatArray
    best_epsilon: float
    best_value: float


def tie_curve(
    paired: Paired, metric: str, grouping: Grouping, of: str = "acc_eq", *, points: int = 200
) -> TieCurve:
    """A statistic of one metric at about ``points`` thresholds; its maximum is exact.

    The cost is a calibration and a count a point, O(points n log n).
    """
    which = statistic(of, grouping)
    ties, rank = (statistic(name, grouping) for name in ("ties_f1", "rank_f1"))
    chosen = subject(paired, metric, grouping)
    curve = calibration_curve(
        chosen.groups.human,
        chosen.scores,
        chosen.groups.offsets,
        which.value,
        linear=which.linear,
        monotone=which.monotone,
        others={"ties": ties.value, "rank": rank.value},
        points=points,
        relative=which.relative,
    )
    return TieCurve(
        chosen.metric,
        which,
        curve.epsilon,
        curve.value,
        curve.others["ties"],
        curve.others["rank"],
        curve.best.epsilon,
        curve.best.value,
    )
