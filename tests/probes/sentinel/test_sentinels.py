"""Sentinels: what they see, that they learn only from it, and what they reach on the real data."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from metaeval.errors import InputError, MissingExtra
from metaeval.evalset import EvalSet
from metaeval.measures.registry import parse_measure
from metaeval.paired import rated_cells
from metaeval.probes.sentinel.adding import add
from metaeval.probes.sentinel.base import declared, is_sentinel, trained_for, view_of
from metaeval.probes.sentinel.crossfit import cross_fit, folds_of
from metaeval.probes.sentinel.examples import Examples, examples_of
from metaeval.probes.sentinel.perturbed import perturb, smallest_gap, twin
from metaeval.probes.sentinel.ridge import ALPHA, Features, Ridge
from metaeval.probes.sentinel.surface import SURFACE_SIZE, surface, units
from metaeval.probes.sentinel.views import SIDES, VIEWS, View, look
from metaeval.scores import FloatArray, Scores
from metaeval.simulate import simulate


@pytest.fixture(scope="module")
def data() -> EvalSet:
    return simulate(systems=4, items=60, unrated=0.2, seed=4).evalset


def hard_and_easy() -> Examples:
    texts = tuple(f"{'long and winding ' * (i % 5)}text {i}" for i in range(60))
    return Examples(texts, np.array([-float(i % 5) for i in range(60)]), np.ones(60))


def used_cells(human: FloatArray, scores: Scores) -> FloatArray:
    assert scores.segment is not None
    return np.where(np.isnan(human), np.nan, scores.segment)


def test_a_source_is_one_text_with_the_mean_of_the_scores_of_its_outputs() -> None:
    data = EvalSet(
        systems=("A", "B"),
        items=("1", "2"),
        source=("x", "y"),
        human={"mqm": Scores("mqm", segment=np.array([[0.0, -40.0], [-2.0, np.nan]]))},
    )
    found = examples_of(data, "src")
    assert found.texts == ("x", "y")
    assert found.scores.tolist() == [-1.0, -25.0]
    assert found.weights.tolist() == [2.0, 1.0]


def test_other_protocols_than_mqm_are_not_clipped() -> None:
    scores = Scores("esa", segment=np.array([[-40.0, 90.0]]))
    data = EvalSet(systems=("A",), items=("1", "2"), source=("x", "y"), human={"esa": scores})
    assert examples_of(data, "src").scores.tolist() == [-40.0, 90.0]


def test_cells_without_text_get_no_score(data: EvalSet) -> None:
    system = data.systems[0]
    holes = EvalSet(
        systems=data.systems,
        items=data.items,
        outputs={system: data.outputs[system]},
        human=data.human,
    )
    scores = declared()["SENTINEL_CAND_CHARS"]().scores(holes).segment
    assert scores is not None
    assert not np.isnan(scores[0]).any()
    assert np.isnan(scores[1:]).all()


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_without_texts_says_so(view: View) -> None:
    bare = EvalSet(systems=("A",), items=("1",))
    with pytest.raises(InputError, match=f"no {SIDES[view]} texts"):
        look(bare, view)


def test_a_reference_that_is_not_there_is_named(data: EvalSet) -> None:
    with pytest.raises(InputError, match="no texts of reference 'refZ'"):
        look(data, "ref", "refZ")


@pytest.mark.parametrize("text", ["", " ", "a", "你好。", "ไทย", "\ud800", "שלום, עולם!", "12 €" * 400])
def test_every_text_has_finite_features(text: str) -> None:
    found = surface([text])
    assert found.shape == (1, SURFACE_SIZE)
    assert np.isfinite(found).all()
    assert isinstance(units(text), list)


def test_a_regressor_learns_length_and_is_the_same_after_saving_and_loading(tmp_path: Path) -> None:
    pytest.importorskip("sklearn", reason="needs the extra learn")
    examples = hard_and_easy()
    model = Ridge.fit(examples)
    predicted = model.predict(examples.texts)
    assert np.corrcoef(predicted, examples.scores)[0, 1] > 0.95
    model.save(tmp_path / "src.npz")
    again = Ridge.load(tmp_path / "src.npz").predict(examples.texts)
    np.testing.assert_allclose(again, predicted, rtol=1e-12)
    model.save(tmp_path / "src.npz")  # a sentinel may be trained anew
    with pytest.raises(InputError, match="cannot be written"):
        model.save(tmp_path / "nowhere" / "src.npz")


def test_no_file_but_a_sentinel_is_written_over(tmp_path: Path) -> None:
    pytest.importorskip("sklearn", reason="needs the extra learn")
    model = Ridge.fit(hard_and_easy())
    data = tmp_path / "data.csv"
    data.write_text("system,item,scorer,score\n")
    for taken in (data, tmp_path):
        with pytest.raises(InputError, match="exists, and is no sentinel; it is left alone"):
            model.save(taken)
    assert data.read_text() == "system,item,scorer,score\n"
    assert list(tmp_path.iterdir()) == [data]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"used": np.array(3)}, "sizes that do not fit"),
        ({"rarity": np.zeros(1)}, "sizes that do not fit"),
        ({"centre": np.array(["x"] * SURFACE_SIZE)}, "not a sentinel that metaeval saved"),
        ({"intercept": np.array(np.nan)}, "not finite"),
        ({"spread": np.zeros(SURFACE_SIZE)}, "a spread of 0"),
        ({"more": np.zeros(2**21)}, "larger than a sentinel's"),
    ],
)
def test_a_tampered_sentinel_is_refused(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    pytest.importorskip("sklearn", reason="needs the extra learn")
    path = tmp_path / "src.npz"
    Ridge.fit(hard_and_easy()).save(path)
    with np.load(path, allow_pickle=False) as held:
        arrays = dict(held)
    np.savez_compressed(path, **{**arrays, **changes})
    with pytest.raises(InputError, match=message):
        Ridge.load(path)


def test_a_damaged_sentinel_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("sklearn", reason="needs the extra learn")
    path = tmp_path / "src.npz"
    Ridge.fit(hard_and_easy()).save(path)
    whole = path.read_bytes()
    flipped = bytearray(whole)
    flipped[100:110] = bytes(10)
    with path.open("wb") as bare:
        np.save(bare, np.zeros(3))
    for content in (path.read_bytes(), whole[: len(whole) // 2], bytes(flipped), b""):
        path.write_bytes(content)
        with pytest.raises(InputError, match="not a sentinel that metaeval saved"):
            Ridge.load(path)


def test_texts_read_in_parts_are_read_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sklearn", reason="needs the extra learn")
    texts, told = hard_and_easy().texts, []
    whole = Features.of(texts)
    monkeypatch.setattr("metaeval.probes.sentinel.ridge.AT_ONCE", 7)
    parts = Features.of(texts, progress=lambda what, done, total: told.append((what, done, total)))
    assert (whole.counts != parts.counts).nnz == 0
    np.testing.assert_array_equal(whole.surface, parts.surface)
    assert told[:2] == [("reading texts", 0, 60), ("reading texts", 7, 60)]


def test_a_text_rated_often_is_believed_as_if_it_were_there_so_often() -> None:
    pytest.importorskip("sklearn", reason="needs the extra learn")
    examples = hard_and_easy()
    often = Examples(examples.texts, examples.scores, np.full(60, 4.0))
    shrunk, believed = (np.ptp(Ridge.fit(e).predict(e.texts)) for e in (examples, often))
    assert believed > shrunk
    alike = Ridge.fit(examples, alpha=ALPHA / 4).predict(examples.texts)
    np.testing.assert_allclose(Ridge.fit(often).predict(often.texts), alike, atol=0.02)


def test_other_files_are_refused(tmp_path: Path) -> None:
    text, other = tmp_path / "a.npz", tmp_path / "b.npz"
    text.write_text("not arrays")
    with pytest.raises(InputError, match="not a sentinel that metaeval saved"):
        Ridge.load(text)
    np.savez(other, x=np.zeros(2))
    with pytest.raises(InputError, match="not a sentinel that metaeval saved"):
        Ridge.load(other)
    np.savez(other, kind=np.array("another 7"), used=np.zeros(0))
    with pytest.raises(InputError, match="found 'another 7', expected 'metaeval sentinel"):
        Ridge.load(other)
    with pytest.raises(InputError, match="cannot be read"):
        Ridge.load(tmp_path / "absent.npz")


def test_without_the_extra_it_says_which_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.feature_extraction.text", None)
    with pytest.raises(MissingExtra, match=r"pip install 'metaeval\[learn\]'"):
        Ridge.fit(hard_and_easy())


def test_examples_that_teach_nothing_are_refused() -> None:
    with pytest.raises(InputError, match="nothing can be learnt"):
        Examples(("a", "b"), np.zeros(2), np.ones(2))
    with pytest.raises(InputError, match="expected as many of each"):
        Examples(("a", "b"), np.zeros(3), np.ones(2))


def test_folds_keep_documents_whole_and_share_out_the_rated_items(data: EvalSet) -> None:
    rated = np.asarray((~np.isnan(rated_cells(data, "mqm", None))).any(axis=0))
    fold = folds_of(data, rated, 3, seed=0)
    for _, run in data.documents:
        assert len(set(fold[run].tolist())) == 1
    counts = np.bincount(fold, weights=rated)
    assert counts.max() - counts.min() <= 11
    with pytest.raises(InputError, match="found 1 folds"):
        folds_of(data, rated, 1, seed=0)
    with pytest.raises(InputError, match="found 1 rated item, expected at least 2"):
        folds_of(data, np.arange(len(rated)) == 0, 2, seed=0)


def test_out_of_fold_scores_do_not_know_their_own_human_scores(data: EvalSet) -> None:
    pytest.importorskip("sklearn", reason="needs the extra learn")
    human = data.human["mqm"].segment
    assert human is not None
    changed = human.copy()
    name, run = data.documents[0]
    changed[:, run] = np.where(np.isnan(changed[:, run]), np.nan, -13.0)
    other = EvalSet(
        systems=data.systems,
        items=data.items,
        source=data.source,
        human={"mqm": Scores("mqm", segment=changed)},
        item_context=data.item_context,
    )
    before, after = (cross_fit(d, "src").segment for d in (data, other))
    assert before is not None
    assert after is not None
    np.testing.assert_array_equal(before[:, run], after[:, run])
    assert name
    assert not np.array_equal(before, after)


def test_a_source_sentinel_is_undefined_by_item(data: EvalSet) -> None:
    pytest.importorskip("sklearn", reason="needs the extra learn")
    scores = cross_fit(data, "src").segment
    human = rated_cells(data, "mqm", None)
    assert scores is not None
    outcome = parse_measure("pearson@item").evaluate(human, np.where(np.isnan(human), np.nan, scores))
    assert np.isnan(outcome.value)


def test_ordered_noise_inverts_no_order_and_leaves_no_tie() -> None:
    scores = np.random.default_rng(0).integers(0, 5, (6, 50)).astype(float)
    noisy = perturb(scores, "ordered", seed=3)
    order = np.sign(scores.ravel()[:, None] - scores.ravel())
    after = np.sign(noisy.ravel()[:, None] - noisy.ravel())
    assert (after[order != 0] == order[order != 0]).all()
    assert len(np.unique(noisy)) == noisy.size
    np.testing.assert_array_equal(noisy, perturb(scores, "ordered", seed=3))
    assert smallest_gap(np.zeros(4)) == 1.0


def test_gaussian_noise_is_that_of_the_paper() -> None:
    noise = perturb(np.zeros((100, 1000)), "gaussian")
    assert noise.var() == pytest.approx(1e-4, rel=0.02)
    assert twin(Scores("X", "src")).key == "SENTINEL_TWIN_X-src"


def test_names_tell_what_a_sentinel_sees() -> None:
    assert is_sentinel(Scores("SENTINEL_REF_MQM", "refA"))
    assert view_of(Scores("SENTINEL_REF_MQM", "refA")) == "ref"
    assert view_of(Scores("chrF")) is None
    assert trained_for("cand").name == "SENTINEL_CAND"


def test_every_untrained_sentinel_scores_every_cell(data: EvalSet) -> None:
    names = [name for name, cls in declared().items() if not cls.trained]
    added = add(data, names, seed=2)
    assert added.left_out == ()
    for scores in added.sentinels:
        assert scores.segment is not None
        assert not np.isnan(scores.segment).any()
        assert scores.name in names


def test_the_twin_of_a_metric_is_added_by_its_name(data: EvalSet) -> None:
    added = add(data, ["SENTINEL_TWIN_Coarse", "SENTINEL_TWIN_Coarse"])
    (scores,) = added.sentinels
    assert scores.name == "SENTINEL_TWIN_Coarse"
    assert scores.key in added.evalset.metrics


@pytest.mark.parametrize(
    ("names", "call", "message"),
    [
        (["SENTINEL_TWIN_nothing"], {}, "no metric matches 'nothing'"),
        (["SENTINEL_SRC"], {"human": "nothing"}, "there are no human scores 'nothing'"),
        (["SENTINEL_SRC"], {"reference": "nothing"}, "there is no reference 'nothing'"),
    ],
)
def test_what_nobody_could_score_is_refused(
    data: EvalSet, names: list[str], call: dict[str, str], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        add(data, names, human=call.get("human"), reference=call.get("reference"))


def test_what_cannot_be_had_is_left_out_with_the_reason() -> None:
    bare = simulate(systems=3, items=20, text=False, seed=1).evalset
    added = add(bare, ["SENTINEL_SRC", "SENTINEL_RANDOM"])
    assert [s.name for s in added.sentinels] == ["SENTINEL_RANDOM"]
    assert added.left_out == ("SENTINEL_SRC: there are no source texts",)
    with pytest.raises(InputError, match="Did you mean SENTINEL_SRC"):
        add(bare, ["SENTINEL_SRCX"])


@pytest.mark.real
@pytest.mark.parametrize("way", ["trained on wmt22", "cross-fitted"])
def test_sentinels_reach_what_they_must_on_wmt23(way: str, wmt22: EvalSet, wmt23: EvalSet) -> None:
    pytest.importorskip("sklearn", reason="needs the extra learn")
    added = add(wmt23, train=wmt22 if way == "trained on wmt22" else None, reference="refA")
    human = rated_cells(wmt23, "mqm", "refA")
    for scores, least in zip(added.sentinels, (0.45, 0.49, 0.48), strict=True):
        cells = used_cells(human, scores)
        assert parse_measure("pearson@none").evaluate(human, cells).value >= least
        by_item = parse_measure("pearson@item").evaluate(human, cells).value
        assert abs(by_item) < 0.1 if view_of(scores) == "cand" else np.isnan(by_item)
