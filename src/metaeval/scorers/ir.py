"""Any measure of ir-measures, by its name there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from metaeval.declared import param
from metaeval.errors import InputError
from metaeval.scorers.libraries import library, version
from metaeval.scorers.ranking import RankingScorer
from metaeval.scorers.registry import scorer
from metaeval.scores import FloatArray

if TYPE_CHECKING:
    from metaeval.rankings import Rankings


@scorer("ir", cites="MacAvaney, Macdonald and Ounis 2022", extra="scorers")
class IrMeasure(RankingScorer):
    """A measure of ir-measures by its name there: ir(measure=nDCG@7)."""

    measure: str = param("nDCG@10", parse=str, about="as ir-measures writes it: nDCG@10, RR(rel=2)@5, Bpref")

    def check(self) -> None:
        self._parsed()

    @property
    def signature(self) -> str:
        return f"{self}|version:{version('ir-measures')}"

    def of_rankings(self, rankings: Rankings) -> FloatArray:
        """Ranks are kept: lists go to the library with scores that fall by rank."""
        measure = self._parsed()
        position = {topic: i for i, topic in enumerate(rankings.topics)}
        qrels = {topic: dict(rankings.qrels[topic]) for topic in rankings.topics}
        scores = np.full((len(rankings.runs), len(rankings.topics)), np.nan)
        for row, run in enumerate(rankings.runs):
            lists = dict(zip(rankings.topics, rankings.lists[run], strict=True))
            given = {
                topic: {document: float(-rank) for rank, document in enumerate(ranked.documents)}
                for topic, ranked in lists.items()
                if ranked is not None
            }
            for result in measure.iter_calc(qrels, given):
                if result.query_id in given:
                    scores[row, position[result.query_id]] = result.value
        return scores

    def _parsed(self) -> Any:
        library_ = library("ir_measures", package="ir-measures", extra="scorers", needed_for=self.name)
        try:
            return library_.parse_measure(self.measure)
        except (NameError, ValueError, SyntaxError, TypeError) as error:
            raise InputError(
                f"ir-measures knows no measure {self.measure!r}: {error}", remedy="Write one like nDCG@10."
            ) from error
