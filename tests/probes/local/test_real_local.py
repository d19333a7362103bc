"""The paper's experiments on real data, small: the contexts, degrees of freedom and plain expectations."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import real

from metaeval.evalset import EvalSet
from metaeval.io.transcripts import read_folder
from metaeval.io.trec import read_trec
from metaeval.probes.local.run import Settings, local_accuracy
from metaeval.probes.local.study import LocalStudy

pytestmark = pytest.mark.real


def check(study: LocalStudy, freedom: list[int]) -> None:
    assert [table.tests[0].freedom for table in study.tables] == freedom
    for table in study.tables:
        size = len(table.labels) + 1
        assert table.tau.shape == (size, size)
        assert np.diag(table.tau) == pytest.approx(1.0)
        assert (table.local.low <= table.local.value).all()
        assert (table.local.value <= table.local.high).all()


def test_translation_by_system_domain_and_mqm(wmt22: EvalSet) -> None:
    pytest.importorskip("sacrebleu", reason="the extra 'scorers' is not installed")
    rated = wmt22.human["mqm"].segment
    assert rated is not None
    systems = [s for s, row in zip(wmt22.systems, ~np.isnan(rated), strict=True) if row.any() and s != "refA"]
    some = wmt22.select(items=wmt22.items[::40], systems=systems)
    found = local_accuracy(
        some,
        "mt",
        ["BLEU", "chrF", "ROUGE-1"],
        Settings(contexts=["system", "domain", "mqm"], bins=10, reference="refA"),
    )
    mqm = len(found.tables[2].labels)
    assert 5 <= mqm <= 10
    check(found, [14, 3, mqm - 1])
    assert found.confounders is not None
    at = found.confounders.kinds.index("swapping")
    # a handful of references repeat a word, or rouge-score drops one: nothing else may differ
    assert found.confounders.by_kind.value[at, 2] < 0.02


def test_speech_by_speaker_system_and_quality() -> None:
    pytest.importorskip("jiwer", reason="the extra 'scorers' is not installed")
    data = read_folder(real("asr-librispeech", "rnnt"))
    some = data.select(items=data.items[::40])
    found = local_accuracy(some, "asr", None, Settings(contexts=["speaker", "system", "set"]))
    speakers = {s for s in some.item_context["speaker"] if s}
    check(found, [len(speakers) - 1, 6, 1])
    # nearly every change of a good transcript is an error: the speech metrics agree (the paper's section 6.2)
    assert found.overall.value.min() > 0.8


def test_rankings_by_run() -> None:
    folder = real("trec-robust03")
    found = local_accuracy(
        read_trec(folder / "robust03_qrels.txt", folder / "runs"),
        "ranking",
        None,
        Settings(contexts=["run"], draws=2),
    )
    assert len(found.metrics) == 23
    check(found, [16])
    by_name = dict(zip(found.metrics, found.overall.value[0], strict=True))
    assert by_name["map"] > by_name["P_5"]
