"""The heavy scorers, over stand-ins for their libraries: what is loaded, what is passed, what is read."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from metaeval.errors import InputError, MetaevalError
from metaeval.scorers import bertscore, bleurt, comet, cosine
from metaeval.scorers.base import Segment
from metaeval.scorers.registry import parse_text_scorer

SEGMENTS = [Segment("aa", "a", "s1"), Segment("b", "bbb", "s2")]


@pytest.fixture(autouse=True)
def _models_are_forgotten() -> Iterator[None]:
    loaders = (bertscore._model, bleurt._model, comet._model, cosine._encoder)
    for loader in loaders:
        loader.cache_clear()
    yield
    for loader in loaders:
        loader.cache_clear()


def stand_in(monkeypatch: pytest.MonkeyPatch, name: str, **members: Any) -> None:
    module = ModuleType(name)
    for member, value in members.items():
        setattr(module, member, value)
    monkeypatch.setitem(sys.modules, name, module)


def test_cosine_encodes_each_text_once(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded: list[str] = []

    class Encoder:
        def __init__(self, model: str) -> None:
            assert model == "tiny"

        def encode(self, texts: list[str], show_progress_bar: bool) -> Any:
            encoded.extend(texts)
            return np.array(
                [{"x": [1, 0], "y": [1, 1], "": [0, 0]}[text] for text in texts], dtype=np.float32
            )

    stand_in(monkeypatch, "sentence_transformers", SentenceTransformer=Encoder)
    scorer = parse_text_scorer("cosine(model=tiny)")
    scorer.check()
    scores = scorer.score([Segment("x", "y"), Segment("x", "x"), Segment("", "x")])
    np.testing.assert_allclose(scores, [2**-0.5, 1, 0], rtol=1e-6)
    assert sorted(encoded) == ["", "x", "y"]
    assert scorer.signature.startswith("cosine|tiny|version:")


@pytest.mark.parametrize(("name", "value"), [("BERTScore-P", 0.1), ("BERTScore-R", 0.2), ("BERTScore", 0.3)])
def test_bertscore_has_three_scores_from_one_pass(
    name: str, value: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Model:
        def __init__(self, **named: str) -> None:
            assert named == {"lang": "de"}

        def score(self, outputs: list[str], references: list[str]) -> tuple[Any, ...]:
            assert (outputs, references) == (["aa", "b"], ["a", "bbb"])
            return tuple(np.full(2, part) for part in (0.1, 0.2, 0.3))

    stand_in(monkeypatch, "bert_score", BERTScorer=Model)
    scorer = parse_text_scorer(f"{name}(lang=de)")
    scorer.check()
    assert scorer.score(SEGMENTS).tolist() == [value, value]
    assert scorer.measured == parse_text_scorer("BERTScore(lang=de)").measured
    assert name in scorer.signature


class CometStandIn:
    def __init__(self, checkpoint: str) -> None:
        self.checkpoint, self.ready = checkpoint, False

    def eval(self) -> None:
        self.ready = True

    def predict(self, samples: list[dict[str, str]], **settings: Any) -> dict[str, Any]:
        assert self.ready
        assert settings["gpus"] == 0
        lengths = [float(len(sample["mt"]) + len(sample.get("ref", ""))) for sample in samples]
        parts = {"src_scores": [1.0, 1], "ref_scores": [2.0, 2], "unified_scores": [3.0, 3]}
        return {"scores": lengths, "metadata": parts}


@pytest.fixture
def comet_library(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    downloaded: list[str] = []

    def download(name: str) -> str:
        downloaded.append(name)
        return f"{name}.ckpt"

    stand_in(monkeypatch, "comet", download_model=download, load_from_checkpoint=CometStandIn)
    stand_in(monkeypatch, "torch", cuda=SimpleNamespace(device_count=lambda: 0))
    return downloaded


def test_comet_reads_references_and_cometkiwi_does_not(comet_library: list[str]) -> None:
    for name in ("COMET", "CometKiwi", "UniTE"):
        parse_text_scorer(name).check()
    assert parse_text_scorer("COMET").score(SEGMENTS).tolist() == [3, 4]
    assert parse_text_scorer("CometKiwi").score(SEGMENTS).tolist() == [2, 1]
    assert parse_text_scorer("COMET(model=/m/own.ckpt)").score(SEGMENTS).tolist() == [3, 4]
    assert comet_library == ["Unbabel/wmt22-comet-da", "Unbabel/wmt22-cometkiwi-da"]


def test_unite_has_three_scores_from_one_pass(comet_library: list[str]) -> None:
    names = ("UniTE-src", "UniTE-ref", "UniTE")
    assert [parse_text_scorer(name).score(SEGMENTS).tolist() for name in names] == [[1, 1], [2, 2], [3, 3]]
    assert len({parse_text_scorer(name).measured for name in names}) == 1
    assert len({parse_text_scorer(name).signature for name in names}) == 3


def test_bleurt_scores_with_the_checkpoint_that_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    class Model:
        def __init__(self, checkpoint: str) -> None:
            assert checkpoint == "/models/BLEURT-20"

        def score(self, *, references: list[str], candidates: list[str]) -> list[float]:
            return [len(r) - len(c) for r, c in zip(references, candidates, strict=True)]

    stand_in(monkeypatch, "bleurt")
    stand_in(monkeypatch, "bleurt.score", BleurtScorer=Model)
    scorer = parse_text_scorer("BLEURT(checkpoint=/models/BLEURT-20)")
    scorer.check()
    assert scorer.score(SEGMENTS).tolist() == [-1, 2]
    assert scorer.signature.startswith("BLEURT|BLEURT-20|")
    with pytest.raises(InputError, match=r"BLEURT needs the folder of a checkpoint\n.*BLEURT\(checkpoint="):
        parse_text_scorer("BLEURT").check()


@pytest.mark.parametrize(
    ("name", "module", "member"),
    [
        ("cosine(model=gone)", "sentence_transformers", "SentenceTransformer"),
        ("BERTScore(model=gone)", "bert_score", "BERTScorer"),
        ("COMET(model=gone)", "comet", "download_model"),
        ("BLEURT(checkpoint=gone)", "bleurt.score", "BleurtScorer"),
    ],
)
def test_a_model_that_cannot_be_had_is_one_message(
    name: str, module: str, member: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise OSError("no such model\nand much more")

    stand_in(monkeypatch, "bleurt")
    stand_in(monkeypatch, "torch", cuda=SimpleNamespace(device_count=lambda: 0))
    stand_in(monkeypatch, module, load_from_checkpoint=fails, **{member: fails})
    message = r"cannot load the model 'gone':\n    OSError: no such model\\nand much more\n  Name one"
    with pytest.raises(MetaevalError, match=message):
        parse_text_scorer(name).score(SEGMENTS)
