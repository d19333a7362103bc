"""A metric as a classifier of pairs: precision, recall and F1 for ties and for ranks.

Deutsch et al. (2023, table 5) read a metric's verdict on a pair as one of three classes. Ties are one of
them; "rank" stands for the other two together, a rank being right when its direction is.
"""

from __future__ import annotations

from metaeval.kernels.pairs import PairCounts
from metaeval.measures.base import ratio
from metaeval.measures.kendall import PairStatistic
from metaeval.measures.registry import measure
from metaeval.scores import FloatArray

TABLE_5 = "Deutsch et al. 2023, table 5"


@measure("ties_precision", formula="T_hm / (T_hm + T_m)", cites=TABLE_5, bounds=(0.0, 1.0))
class TiesPrecision(PairStatistic):
    """The share of the metric's ties that are human ties; undefined where the metric ties nothing."""

    def value(self, n: PairCounts) -> FloatArray:
        return ratio(n.tied_both, n.tied_both + n.tied_metric)


@measure("ties_recall", formula="T_hm / (T_hm + T_h)", cites=TABLE_5, bounds=(0.0, 1.0))
class TiesRecall(PairStatistic):
    """The share of human ties that the metric ties; undefined where humans tie nothing."""

    def value(self, n: PairCounts) -> FloatArray:
        return ratio(n.tied_both, n.tied_both + n.tied_human)


@measure("ties_f1", formula="2 T_hm / (2 T_hm + T_h + T_m)", cites=TABLE_5, bounds=(0.0, 1.0))
class TiesF1(PairStatistic):
    """Harmonic mean of ties_precision and ties_recall; undefined where neither side ties anything."""

    def value(self, n: PairCounts) -> FloatArray:
        return ratio(2.0 * n.tied_both, 2.0 * n.tied_both + n.tied_human + n.tied_metric)


@measure("rank_precision", formula="C / (C + D + T_h)", cites=TABLE_5, bounds=(0.0, 1.0))
class RankPrecision(PairStatistic):
    """The share of the pairs ordered by the metric that humans order so; undefined where it ties all."""

    def value(self, n: PairCounts) -> FloatArray:
        return ratio(n.concordant, n.concordant + n.discordant + n.tied_human)


@measure("rank_recall", formula="C / (C + D + T_m)", cites=TABLE_5, bounds=(0.0, 1.0))
class RankRecall(PairStatistic):
    """The share of the pairs ordered by humans that the metric orders so; undefined where humans tie all."""

    def value(self, n: PairCounts) -> FloatArray:
        return ratio(n.concordant, n.concordant + n.discordant + n.tied_metric)


@measure("rank_f1", formula="2 C / (2 C + 2 D + T_h + T_m)", cites=TABLE_5, bounds=(0.0, 1.0))
class RankF1(PairStatistic):
    """Harmonic mean of rank_precision and rank_recall; undefined where both sides tie all."""

    def value(self, n: PairCounts) -> FloatArray:
        ordered = n.concordant + n.discordant
        return ratio(2.0 * n.concordant, 2.0 * ordered + n.tied_human + n.tied_metric)
