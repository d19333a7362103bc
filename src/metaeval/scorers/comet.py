"""The COMET family with unbabel-comet: COMET, CometKiwi, UniTE."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np

from metaeval.declared import param
from metaeval.scorers.base import Need, Segment, SegmentScorer
from metaeval.scorers.libraries import library, loading, version
from metaeval.scorers.registry import scorer
from metaeval.scores import FloatArray

CHECKPOINT = "a checkpoint: its name on the hub, or a file"
ALL: tuple[Need, ...] = ("source", "reference", "output")
WITHOUT_REFERENCE: tuple[Need, ...] = ("source", "output")


@dataclass(frozen=True, repr=False)
class CometModel(SegmentScorer):
    """A checkpoint that unbabel-comet loads, from a hub or a file."""

    sharing = "none"
    cost = "model"
    batch = 1024
    model: str = param("", parse=str, about=CHECKPOINT)

    def check(self) -> None:
        _library(self.name)

    @property
    def signature(self) -> str:
        return f"{self.name}|{self.measured}"

    @property
    def measured(self) -> str:
        return f"comet|{self.model}|{'+'.join(self.needs)}|version:{version('unbabel-comet')}"

    def statistics(self, segments: Sequence[Segment]) -> FloatArray:
        named: list[dict[str, str]] = [{"src": s.source, "mt": s.output} for s in segments]
        if "reference" in self.needs:
            for sample, segment in zip(named, segments, strict=True):
                sample["ref"] = segment.reference
        return self.rows(_model(self.model).predict(named, batch_size=16, gpus=_gpus(), progress_bar=False))

    def rows(self, prediction: Any) -> FloatArray:
        return np.asarray(prediction["scores"], dtype=np.float64)[:, None]


@scorer("COMET", needs=ALL, cites="Rei et al. 2022", extra="comet")
class Comet(CometModel):
    """A learned metric of translations, by unbabel-comet."""

    model: str = param("Unbabel/wmt22-comet-da", parse=str, about=CHECKPOINT)


@scorer("CometKiwi", needs=WITHOUT_REFERENCE, cites="Rei et al. 2022", extra="comet")
class CometKiwi(CometModel):
    """A learned metric of translations that reads no reference, by unbabel-comet."""

    model: str = param("Unbabel/wmt22-cometkiwi-da", parse=str, about=CHECKPOINT)


@dataclass(frozen=True, repr=False)
class UniTE(CometModel):
    """Rows are the scores by source, by reference, and by both: three scorers share one pass."""

    part: ClassVar[int]
    model: str = param("Unbabel/unite-mup", parse=str, about=CHECKPOINT)

    def rows(self, prediction: Any) -> FloatArray:
        parts = prediction["metadata"]
        names = ("src_scores", "ref_scores", "unified_scores")
        return np.stack([np.asarray(parts[name], dtype=np.float64) for name in names], axis=1)

    def segment_scores(self, statistics: FloatArray) -> FloatArray:
        return statistics[..., self.part]


@scorer("UniTE-src", needs=ALL, cites="Wan et al. 2022", extra="comet")
class UniteSource(UniTE):
    """UniTE's score by the source, by unbabel-comet."""

    part = 0


@scorer("UniTE-ref", needs=ALL, cites="Wan et al. 2022", extra="comet")
class UniteReference(UniTE):
    """UniTE's score by the reference, by unbabel-comet."""

    part = 1


@scorer("UniTE", needs=ALL, cites="Wan et al. 2022", extra="comet")
class UniteUnified(UniTE):
    """UniTE's score by source and reference together, by unbabel-comet."""

    part = 2


@cache
def _model(name: str) -> Any:
    comet = _library("COMET")
    with loading(name, needed_for="COMET"):
        model = comet.load_from_checkpoint(name if name.endswith(".ckpt") else comet.download_model(name))
        model.eval()
    return model


def _gpus() -> int:
    torch = library("torch", package="torch", extra="comet", needed_for="COMET")
    return min(1, int(torch.cuda.device_count()))


def _library(needed_for: str) -> Any:
    return library("comet", package="unbabel-comet", extra="comet", needed_for=needed_for)
