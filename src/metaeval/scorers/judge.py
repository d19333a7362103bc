"""A language model as a judge: direct assessment, or errors with severities."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from metaeval.declared import param
from metaeval.scorers.base import Need, Segment, SegmentScorer
from metaeval.scorers.cache import content_key
from metaeval.scorers.chat import Chat, Messages
from metaeval.scorers.prompts import direct_question, read_errors, read_number, span_question
from metaeval.scorers.registry import scorer
from metaeval.scores import FloatArray

GEMBA_DA = "Kocmi and Federmann 2023a"
GEMBA_MQM = "Kocmi and Federmann 2023b"
WITH_REFERENCE: tuple[Need, ...] = ("source", "reference", "output")
WITHOUT: tuple[Need, ...] = ("source", "output")

WEIGHTS = (25.0, 5.0, 1.0)
"""What a critical, a major and a minor error cost."""
WORST = 25.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True, repr=False)
class Judge(SegmentScorer):
    """A model behind the address in METAEVAL_LLM_ADDRESS; an answer that cannot be read gives no score."""

    sharing = "none"
    cost = "service"
    batch = 64
    columns: ClassVar[int] = 1
    model: str = param("", parse=str, about="the model's name; METAEVAL_LLM_MODEL where empty")
    kind: str = param("translation", parse=str, about="what is judged, in words: translation, summary, ...")

    def question(self, segment: Segment) -> Messages:
        return direct_question(segment, self.kind, with_reference="reference" in self.needs)

    def read(self, answer: str) -> FloatArray | None:
        return read_number(answer)

    def check(self) -> None:
        self._chat()

    @property
    def signature(self) -> str:
        empty = content_key(*(text for _, text in self.question(Segment("", "", "")))).hex()[:8]
        return f"{self.name}|{self._chat().signature}|prompt:{empty}"

    def statistics(self, segments: Sequence[Segment]) -> FloatArray:
        answers = self._chat().ask([self.question(segment) for segment in segments])
        rows = [self.read(answer) for answer in answers]
        unread = sum(row is None for row in rows)
        if unread:
            _log.warning("%s: %d of %d answers cannot be read: no score", self.name, unread, len(rows))
        table = np.full((len(rows), self.columns), np.nan)
        for i, row in enumerate(rows):
            if row is not None:
                table[i] = row
        return table

    def _chat(self) -> Chat:
        return Chat.from_environment(self.model or None)


@scorer("LLM-DA", needs=WITH_REFERENCE, cites=GEMBA_DA)
class DirectAssessment(Judge):
    """A language model gives 0 to 100, knowing source and reference."""


@scorer("LLM-DA-QE", needs=WITHOUT, cites=GEMBA_DA)
class DirectAssessmentWithoutReference(Judge):
    """A language model gives 0 to 100, knowing the source."""


@dataclass(frozen=True, repr=False)
class ErrorJudge(Judge):
    """Rows are counts of critical, major and minor errors; a segment costs at most 25."""

    columns = 3

    def question(self, segment: Segment) -> Messages:
        return span_question(segment, self.kind, with_reference="reference" in self.needs)

    def read(self, answer: str) -> FloatArray | None:
        return read_errors(answer)

    def segment_scores(self, statistics: FloatArray) -> FloatArray:
        costs: FloatArray = statistics @ np.array(WEIGHTS)
        return -np.minimum(costs, WORST)


@scorer("LLM-MQM", needs=WITH_REFERENCE, cites=GEMBA_MQM)
class Mqm(ErrorJudge):
    """A language model marks errors with severities, knowing source and reference."""


@scorer("LLM-MQM-QE", needs=WITHOUT, cites=GEMBA_MQM)
class MqmWithoutReference(ErrorJudge):
    """A language model marks errors with severities, knowing the source."""
