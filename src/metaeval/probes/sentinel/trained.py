"""The three sentinels that learn: from the source alone, the reference alone, the output alone."""

from __future__ import annotations

from metaeval.probes.sentinel.base import TrainedSentinel, sentinel


@sentinel("SENTINEL_SRC", "predicts the humans' score from the source alone", "src")
class SourceSentinel(TrainedSentinel):
    """Knows nothing of the output: all it can learn is which sources are hard (Perrella et al. 2024)."""


@sentinel("SENTINEL_REF", "predicts the humans' score from the reference alone", "ref")
class ReferenceSentinel(TrainedSentinel):
    """Knows nothing of the output; the reference says how hard its source was (Perrella et al. 2024)."""


@sentinel("SENTINEL_CAND", "predicts the humans' score from the output alone", "cand")
class OutputSentinel(TrainedSentinel):
    """May judge fluency, never whether the output says what the source says (Perrella et al. 2024)."""
