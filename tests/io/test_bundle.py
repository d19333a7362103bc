"""Bundles: equal when read again, small, refused when damaged, from the future or hostile."""

from __future__ import annotations

import hashlib
import json
import tempfile
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from conftest import real
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_mtme import evalsets, tiny

from metaeval.errors import InputError
from metaeval.evalset import EvalSet
from metaeval.io import mtme, registry
from metaeval.io.bundle import MAX_MANIFEST_BYTES, read, sniff, verify, write_bundle
from metaeval.io.mtme_write import write_mtme
from metaeval.scores import Scores

WRITE_AGAIN = "The bundle is damaged: write it again with metaeval convert."


@pytest.fixture
def evalset(tmp_path: Path) -> EvalSet:
    return mtme.read(tiny(tmp_path / "folder"))


@pytest.fixture
def bundle(tmp_path: Path, evalset: EvalSet) -> Path:
    write_bundle(evalset, tmp_path / "tiny.metaeval")
    return tmp_path / "tiny.metaeval"


def refusal(bundle: Path, pair: str | None = None) -> InputError:
    with pytest.raises(InputError) as caught:
        read(bundle, pair=pair)
    return caught.value


def say(bundle: Path, **parts: object) -> None:
    """Changes the manifest; None removes a part."""
    path = bundle / "metaeval.json"
    said: dict[str, Any] = json.loads(path.read_text()) | parts
    path.write_text(json.dumps({name: value for name, value in said.items() if value is not None}))


def put(bundle: Path, table: str, content: bytes) -> None:
    """Replaces a table, and its checksum with it: what an attacker can do and an accident cannot."""
    (bundle / f"{table}.parquet").write_bytes(content)
    said = json.loads((bundle / "metaeval.json").read_text())
    say(bundle, tables={**said["tables"], table: hashlib.sha256(content).hexdigest()})


def parquet(table: pl.DataFrame) -> bytes:
    packed = BytesIO()
    table.write_parquet(packed)
    return packed.getvalue()


# what comes back


@settings(max_examples=100, deadline=None)
@given(evalsets())
def test_reading_what_was_written_gives_the_same(evalset: EvalSet) -> None:
    texts = (evalset.source, evalset.references, evalset.outputs, evalset.system_context)
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "x"
        if "\\ud800" in repr(texts):
            with pytest.raises(InputError, match="lone surrogate"):
                write_bundle(evalset, path)
            assert not any(Path(place).iterdir())
        else:
            write_bundle(evalset, path)
            found = verify(path)
            assert found == evalset
            assert (found.systems, found.name) == (evalset.systems, evalset.name)
            assert [*found.metrics, *found.human] == [*evalset.metrics, *evalset.human]


def test_signs_of_zero_survive(tmp_path: Path) -> None:
    write_bundle(EvalSet(systems=("A",), items=("1",), metrics={"x": _one(-0.0)}), tmp_path / "b")
    segment = read(tmp_path / "b").metrics["x"].segment
    assert segment is not None
    assert np.signbit(segment[0, 0])


def _one(value: float) -> Scores:
    return Scores("x", segment=np.array([[value]]))


def test_an_empty_set_survives(tmp_path: Path) -> None:
    for number, evalset in enumerate(
        (EvalSet(systems=(), items=()), EvalSet(systems=("A",), items=(), human={"x": Scores("x")}))
    ):
        write_bundle(evalset, tmp_path / str(number))
        assert read(tmp_path / str(number)) == evalset


def test_a_missing_score_is_null_and_single_precision_is_kept_as_such(bundle: Path) -> None:
    segments = pl.read_parquet(bundle / "segments.parquet")
    assert segments["human:mqm"].null_count() == 4
    assert segments["human:mqm"].dtype == pl.Float64
    assert pl.read_parquet(bundle / "systems.parquet")["metric:chrF-src"].dtype == pl.Float32


def test_the_manifest_says_what_is_in_it(bundle: Path, evalset: EvalSet) -> None:
    said = json.loads((bundle / "metaeval.json").read_text())
    assert (said["format"], said["version"], said["systems"], said["items"]) == ("metaeval-bundle", 1, 3, 3)
    assert (said["name"], said["pair"], said["digest"]) == ("folder", "zh-en", evalset.digest)


def test_the_format_is_recognised(bundle: Path, evalset: EvalSet, tmp_path: Path) -> None:
    assert registry.read(bundle) == evalset
    assert not sniff(tmp_path)


def test_the_pair_may_be_named_if_it_is_the_right_one(bundle: Path, evalset: EvalSet) -> None:
    assert read(bundle, pair="zh-en") == evalset
    error = refusal(bundle, pair="en-de")
    assert (error.what, error.path) == ("holds the language pair zh-en, not 'en-de'", bundle)


# what is refused


def test_what_is_there_is_not_overwritten(bundle: Path, evalset: EvalSet) -> None:
    before = {path.name: path.read_bytes() for path in bundle.iterdir()}
    with pytest.raises(InputError, match="already exists"):
        write_bundle(evalset, bundle)
    assert {path.name: path.read_bytes() for path in bundle.iterdir()} == before


def test_nothing_is_left_of_a_write_that_fails(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="lone surrogate"):
        write_bundle(EvalSet(systems=("A",), items=("1",), source=("\ud800",)), tmp_path / "b")
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"version": 3}, "is a bundle of version 3, and this metaeval reads up to version 2"),
        ({"version": "1"}, "the manifest has no version"),
        ({"format": "x"}, "is not the manifest of a bundle"),
        ({"pair": None}, "the manifest has no valid 'pair'"),
        ({"items": "3"}, "the manifest has no valid 'items'"),
        ({"items": True}, "the manifest has no valid 'items'"),
        ({"items": 2**40}, "claims 3 systems x 1,099,511,627,776 items"),
        ({"items": -1}, "claims 3 systems x -1 items"),
        ({"tables": {"../../etc/passwd": "x"}}, "the manifest does not list the tables of a bundle"),
    ],
)
def test_a_manifest_that_cannot_be_used_is_refused(
    bundle: Path, parts: dict[str, object], message: str
) -> None:
    say(bundle, **parts)
    error = refusal(bundle)
    assert error.what.startswith(message)
    assert error.path == bundle / "metaeval.json"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "is not valid JSON"),
        (b"[" * 99_999, "is not valid JSON"),
        (b"\xff", "is not valid JSON"),
        (b"3", "is not a JSON object"),
        (b" " * (MAX_MANIFEST_BYTES + 1), "has more than the 1,048,576 bytes that are read"),
    ],
)
def test_a_manifest_that_is_none_is_refused(bundle: Path, content: bytes, message: str) -> None:
    (bundle / "metaeval.json").write_bytes(content)
    error = refusal(bundle)
    assert (error.what, error.path) == (message, bundle / "metaeval.json")


def test_a_newer_version_says_to_upgrade(bundle: Path) -> None:
    say(bundle, version=3)
    assert refusal(bundle).remedy == "Upgrade: pip install --upgrade metaeval"


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["items", "systems", "outputs", "scorers", "segments", "groups", "ratings"]),
    st.integers(0, 4000),
    st.sampled_from([b"", b"\0", b"\xff" * 8]),
    st.booleans(),
)
def test_a_damaged_table_is_refused_by_name(table: str, at: int, odd: bytes, cut: bool) -> None:
    with tempfile.TemporaryDirectory() as place:
        evalset = mtme.read(tiny(Path(place) / "folder"))
        bundle = Path(place) / "b"
        write_bundle(evalset, bundle)
        path = bundle / f"{table}.parquet"
        whole = path.read_bytes()
        at %= len(whole)
        path.write_bytes(whole[:at] + odd + (b"" if cut else whole[at + len(odd) :]))
        if path.read_bytes() == whole:
            assert read(bundle) == evalset
        else:
            error = refusal(bundle)
            assert (error.what, error.path) == ("the file is not the one that was written", path)
            assert error.remedy == WRITE_AGAIN


def test_a_missing_table_is_refused_by_name(bundle: Path) -> None:
    (bundle / "segments.parquet").unlink()
    error = refusal(bundle)
    assert (error.what, error.path) == (
        "cannot be read: No such file or directory",
        bundle / "segments.parquet",
    )


TEXT, NUMBER = ["x", "y", "z"], [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("table", "content", "message"),
    [
        ("items", b"PAR1", "is not a readable Parquet file"),
        ("items", b"", "is not a readable Parquet file"),
        ("items", b"\x80\x04N.", "is not a readable Parquet file"),
        ("items", parquet(pl.DataFrame({"id": TEXT * 9})), "does not have the expected rows (3)"),
        ("segments", parquet(pl.DataFrame({"human:mqm": [1.0]})), "does not have the expected rows (9)"),
        (
            "segments",
            parquet(pl.DataFrame({"human:x": NUMBER * 3})),
            "scores of the unknown scorer 'human:x'",
        ),
        (
            "segments",
            parquet(pl.DataFrame({"human:mqm": TEXT * 3})),
            "the column 'human:mqm' does not hold numbers",
        ),
        (
            "segments",
            parquet(pl.DataFrame({"human:mqm": [float("inf")] * 9})),
            "segment scores of mqm hold infinite",
        ),
        ("items", parquet(pl.DataFrame({"x": TEXT})), "there is no text column 'id'"),
        ("items", parquet(pl.DataFrame({"id": NUMBER})), "there is no text column 'id'"),
        ("items", parquet(pl.DataFrame({"id": ["x", "x", None]})), "two items are called 'x'"),
        ("systems", parquet(pl.DataFrame({"id": [*TEXT[:2], None]})), "a system has no id"),
        (
            "systems",
            parquet(pl.DataFrame({"id": TEXT, "human:x": NUMBER})),
            "scores of the unknown scorer 'human:x'",
        ),
        ("outputs", parquet(pl.DataFrame({"C": TEXT})), "texts of an unknown system 'C'"),
        ("ratings", parquet(pl.DataFrame({"C": TEXT})), "the ratings column 'C' names no rater"),
        ("ratings", parquet(pl.DataFrame({"3": TEXT})), "the ratings column '3' names no rater"),
        ("ratings", parquet(pl.DataFrame({'["a", "b", "c"]': TEXT})), "the ratings column"),
        ("groups", parquet(pl.DataFrame({"scorer": ["human:mqm"]})), "there is no text column 'level'"),
        (
            "scorers",
            parquet(pl.DataFrame({"kind": ["robot"], "name": ["x"], "reference": ["y"]})),
            "the scorer 'robot:x-y' is not one of its kind",
        ),
        (
            "scorers",
            parquet(pl.DataFrame({"kind": ["human"], "name": [""], "reference": ["y"]})),
            "a scorer has an empty name",
        ),
    ],
)
def test_a_hostile_table_is_refused(bundle: Path, table: str, content: bytes, message: str) -> None:
    put(bundle, table, content)
    error = refusal(bundle)
    assert error.what.startswith(message)
    assert error.path in (bundle, bundle / f"{table}.parquet")
    assert error.remedy == WRITE_AGAIN


def test_a_change_that_keeps_its_shape_is_found_by_the_digest(bundle: Path) -> None:
    scores = pl.read_parquet(bundle / "segments.parquet")
    put(bundle, "segments", parquet(scores.with_columns(pl.col("human:mqm") - 1)))
    read(bundle)
    with pytest.raises(InputError, match="the content is not the one that was written"):
        verify(bundle)


@pytest.mark.real
@pytest.mark.parametrize("name", ["wmt22", "wmt23"])
def test_the_real_folders_come_back_equal_from_a_bundle_a_third_their_size(tmp_path: Path, name: str) -> None:
    folder = real(name)
    evalset = mtme.read(folder)
    write_bundle(evalset, tmp_path / "bundle")
    unpacked = verify(tmp_path / "bundle")
    write_mtme(unpacked, tmp_path / name)
    assert evalset == unpacked == mtme.read(tmp_path / name)
    assert _size(tmp_path / "bundle") <= _size(folder) / 3


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
