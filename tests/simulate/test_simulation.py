"""The data: reproducible, well formed, with the gaps that were asked for."""

from itertools import groupby

import numpy as np
import pytest

from metaeval.scores import FloatArray
from metaeval.simulate import CLEAN, Kind, draw, equal_metrics, simulate
from metaeval.simulate.streams import Streams


def test_the_same_seed_gives_the_same_data_and_another_seed_other_data() -> None:
    first = simulate(items=40, seed=1).evalset
    assert first.digest == simulate(items=40, seed=1).evalset.digest
    assert first.digest != simulate(items=40, seed=2).evalset.digest


def test_what_is_switched_off_does_not_change_the_rest() -> None:
    full = simulate(items=30, seed=5)
    without_text = simulate(items=30, seed=5, text=False)
    fewer = simulate(items=30, seed=5, text=False, metrics=("unbiased", "constant"), unrated=0.0)
    assert without_text.evalset == simulate(items=30, seed=5, text=False).evalset
    for key in ("Neural-refA", "Constant-refA"):
        expected = full.evalset.metrics[key].segment
        assert np.array_equal(without_text.evalset.metrics[key].segment, expected)  # type: ignore[arg-type]  # scores have segments here
        assert np.array_equal(fewer.evalset.metrics[key].segment, expected)  # type: ignore[arg-type]  # as above
    rated = ~np.isnan(full.drawn.human)
    assert np.array_equal(full.drawn.human[rated], fewer.drawn.human[rated])


def test_texts_scores_and_context_are_all_there() -> None:
    evalset = simulate(systems=4, items=30, seed=0).evalset
    assert len(evalset.systems) == 4
    assert list(evalset.references) == ["refA"]
    assert set(evalset.outputs) == set(evalset.systems)
    assert set(evalset.item_context) == {"document", "domain"}
    assert {scores.reference for scores in evalset.metrics.values()} == {"refA", "src"}


def test_documents_are_contiguous_runs_of_several_sizes_within_a_domain() -> None:
    evalset = simulate(items=300, documents=25, domains=3, text=False).evalset
    names = [name for name, _ in groupby(evalset.item_context["document"])]
    assert len(names) == len(set(names)) == 25
    assert len({run.stop - run.start for _, run in evalset.documents}) > 3
    domains = [name for name, _ in groupby(evalset.item_context["domain"])]
    assert domains == ["news", "social", "speech"]


@pytest.mark.parametrize(("items", "documents"), [(1, None), (1, 1), (7, 7), (7, 1)])
def test_the_smallest_sets_work(items: int, documents: int | None) -> None:
    simulation = simulate(systems=2, items=items, documents=documents, unrated=0.0)
    assert len(simulation.evalset.documents) == (documents or 1)
    assert simulation.truth.ranking()


@pytest.mark.parametrize(("unrated", "missing"), [(0.0, 0.0), (0.25, 0.0), (0.0, 0.1), (0.25, 0.1)])
def test_the_shares_of_missing_scores_are_as_asked(unrated: float, missing: float) -> None:
    human = simulate(systems=10, items=200, text=False, unrated=unrated, missing=missing).drawn.human
    nobody = np.isnan(human).all(axis=0)
    assert nobody.sum() == 200 * unrated
    assert np.isnan(human[:, ~nobody]).sum() == round(missing * 10 * (~nobody).sum())


def test_a_reference_listed_as_a_system_is_rated_but_not_compared_with_itself() -> None:
    simulation = simulate(systems=5, items=50, reference_system=True)
    evalset = simulation.evalset
    assert evalset.systems[-1] == "refA"
    assert evalset.outputs["refA"] == evalset.references["refA"]
    for key, scores in evalset.metrics.items():
        assert scores.segment is not None
        assert np.isnan(scores.segment[-1]).all() == key.endswith("refA")
        assert not np.isnan(scores.segment[:-1]).any()
    assert np.nanmean(simulation.drawn.human[-1]) > np.nanmean(simulation.drawn.human[:-1])
    assert len(simulation.truth.as_dict()["systems"]) == 6


def test_many_systems_have_names_of_their_own() -> None:
    assert len(set(simulate(systems=50, items=2, text=False).evalset.systems)) == 50


def test_metrics_of_known_kinds_do_what_their_names_say() -> None:
    simulation = simulate(text=False)
    of = dict(zip([kind.name for kind in simulation.config.kinds], simulation.drawn.metrics, strict=True))
    assert np.ptp(of["Constant"]) == 0
    assert (np.ptp(of["Favourite"], axis=1) == 0).all()
    assert len(np.unique(of["Favourite"])) == 12
    assert len(np.unique(of["Coarse"])) == 6
    assert len(np.unique(of["Neural"])) > 4000


def _lean(simulation_scores: FloatArray, length: FloatArray, quality: FloatArray) -> float:
    """Slope of scores on length beside quality."""
    columns = np.column_stack([length.ravel(), quality.ravel(), np.ones(length.size)])
    return float(np.linalg.lstsq(columns, simulation_scores.ravel(), rcond=None)[0][0])


@pytest.mark.parametrize("bias", [0.0, 0.6, -0.4])
def test_length_bias_is_the_slope_of_the_length_biased_metric_beside_quality(bias: float) -> None:
    simulation = simulate(CLEAN, length_bias=bias, items=5000, text=False)
    position = [kind.name for kind in simulation.config.kinds].index("Longish")
    world, kind = simulation.drawn.world, simulation.config.kinds[position]
    slope = _lean(simulation.drawn.metrics[position] / kind.scale, world.output_length, world.quality)
    assert slope == pytest.approx(bias, abs=0.03)


def test_own_noise_by_document_makes_a_systems_scores_within_a_document_alike() -> None:
    kind = Kind(name="Mood", document_noise=1.0)
    drawn = draw(equal_metrics(1, like=kind, documents=20), seed=0)
    by_item = drawn.metrics[0][0]
    assert all(np.ptp(by_item[drawn.world.items.document == document]) == 0 for document in range(20))
    assert len(np.unique(by_item)) == 20


def test_a_draw_takes_a_seed_sequence_and_leaves_it_as_it_was() -> None:
    config, root = equal_metrics(2, systems=3, items=5), np.random.SeedSequence(7)
    once, again = draw(config, root), draw(config, root)
    assert np.array_equal(once.metrics, again.metrics)
    assert np.array_equal(once.metrics, draw(config, 7).metrics)
    assert root.n_children_spawned == 0


def test_streams_of_different_names_differ() -> None:
    streams = Streams(0)
    assert streams("metric", "a").random() != streams("metric", "b").random()


def test_a_simulation_says_what_it_is() -> None:
    assert repr(simulate(systems=3, items=10, seed=4)) == "<Simulation: 3 systems, 10 items, seed 4>"
