"""AUTORANK, AUTORANK-Ins and METAMETRICS-MT."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from oracles import interference as oracle
from untouchable import without_people

from metaeval.errors import InputError
from metaeval.evalset import EvalSet
from metaeval.probes.interference import rivals
from metaeval.probes.interference.rivals import auto_rank, auto_rank_ins, meta_metrics
from metaeval.scores import FloatArray, Scores
from metaeval.simulate import simulate

DATA = simulate(systems=6, items=40, text=False, seed=1).evalset
OTHER = simulate(systems=6, items=60, text=False, seed=2).evalset
ENSEMBLE = "Lexical,QE,Coarse"
KEYS = ("Lexical-refA", "Coarse-refA", "QE-src")


def of(scores: Scores) -> FloatArray:
    assert scores.segment is not None
    return scores.segment


def test_autorank_is_the_mean_of_scaled_system_means() -> None:
    scaled = [oracle.scaled(of(DATA.metrics[key]).mean(axis=1).tolist(), 6) for key in KEYS]
    assert np.allclose(of(auto_rank(DATA, ENSEMBLE)).mean(axis=1), np.mean(scaled, axis=0))


def test_autorank_ins_is_the_mean_of_scaled_segments() -> None:
    scaled = [oracle.scaled(of(DATA.metrics[key]).ravel().tolist(), 240) for key in KEYS]
    assert np.allclose(of(auto_rank_ins(DATA, ENSEMBLE)).ravel(), np.mean(scaled, axis=0))


def test_a_system_that_some_metric_did_not_score_is_not_among_those_scaled() -> None:
    gappy = of(DATA.metrics["QE-src"]).copy()
    gappy[3] = np.nan
    found = of(auto_rank(DATA.with_metrics(Scores("QE", "src", gappy)), "Lexical,QE"))
    others = of(auto_rank(DATA, "Lexical,QE", systems=[s for i, s in enumerate(DATA.systems) if i != 3]))
    assert np.array_equal(found, others, equal_nan=True)


def test_a_constant_metric_has_no_say_and_alone_is_refused() -> None:
    with_constant = of(auto_rank(DATA, f"{ENSEMBLE},Constant"))
    without = of(auto_rank(DATA, ENSEMBLE))
    assert np.corrcoef(with_constant.ravel(), without.ravel())[0, 1] == pytest.approx(1)
    with pytest.raises(InputError, match="every metric of the ensemble is constant"):
        auto_rank(DATA, "Constant")


def test_they_read_no_human_score_of_what_they_rank() -> None:
    guarded = without_people(DATA)
    assert np.array_equal(of(auto_rank(guarded, ENSEMBLE)), of(auto_rank(DATA, ENSEMBLE)))
    assert np.array_equal(of(auto_rank_ins(guarded, ENSEMBLE)), of(auto_rank_ins(DATA, ENSEMBLE)))
    learned, guarded_too = (of(meta_metrics(data, OTHER, ENSEMBLE, trees=5)) for data in (DATA, guarded))
    assert np.array_equal(learned, guarded_too)


@pytest.mark.parametrize("regressor", ["forest", "gp", "linear"])
def test_metametrics_learns_what_humans_say_of_other_data(
    regressor: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rivals, "GP_ROWS", 80)
    found = meta_metrics(DATA, OTHER, ENSEMBLE, regressor=regressor, trees=20)
    human = DATA.human["mqm"].segment
    assert human is not None
    rated = ~np.isnan(human)
    assert np.corrcoef(of(found)[rated], human[rated])[0, 1] > 0.3
    assert found.key == f"METAMETRICS-{regressor}-refA"


def test_a_gaussian_process_is_trained_on_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rivals, "GP_ROWS", 40)
    one, same, other = (of(meta_metrics(DATA, OTHER, "QE", regressor="gp", seed=s)) for s in (3, 3, 4))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


def test_a_metric_that_the_other_data_lack_is_named() -> None:
    poorer = dataclasses.replace(OTHER, metrics={"QE-src": OTHER.metrics["QE-src"]})
    with pytest.raises(InputError, match="the other data have no metric 'Lexical'"):
        meta_metrics(DATA, poorer, ENSEMBLE)


def test_no_segment_scored_by_all_is_refused() -> None:
    nothing = np.full((6, 40), np.nan)
    gappy: EvalSet = DATA.with_metrics(Scores("QE", "src", nothing))
    with pytest.raises(InputError, match="no segment is scored by all metrics of the ensemble"):
        auto_rank(gappy, ENSEMBLE)
