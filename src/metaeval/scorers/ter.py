"""TER with sacrebleu."""

from __future__ import annotations

from typing import Any

import numpy as np

from metaeval.declared import param, switch
from metaeval.scorers.base import divide
from metaeval.scorers.ngrams import POST, SacrebleuScorer
from metaeval.scorers.registry import scorer
from metaeval.scores import FloatArray


@scorer("TER", cites=f"Snover et al. 2006; {POST}", direction="lower", extra="scorers")
class Ter(SacrebleuScorer):
    """Edits and shifts from output to reference, in percent of its words, by sacrebleu.

    Rows are edits and reference length. The search for shifts makes it the slow one of its family.
    """

    width = 2
    cost = "lists"
    normalized: bool = param(False, parse=switch, about="tercom's own tokenization")
    no_punct: bool = param(False, parse=switch, about="whether punctuation is removed")
    asian_support: bool = param(False, parse=switch, about="with normalized: CJK text by characters")
    case_sensitive: bool = param(False, parse=switch, about="whether case counts")

    def build(self, metrics: Any) -> Any:
        return metrics.TER(
            normalized=self.normalized,
            no_punct=self.no_punct,
            asian_support=self.asian_support,
            case_sensitive=self.case_sensitive,
        )

    def from_statistics(self, sums: FloatArray) -> FloatArray:
        edits, length = sums[..., 0], sums[..., 1]
        return 100.0 * divide(edits, length, np.where(edits > 0, 1.0, 0.0))
