"""MINTADJUST: the interfering metric, learned from others on systems that it did not choose."""

from __future__ import annotations

import dataclasses
import sys

import numpy as np
import pytest
from untouchable import without_people

from metaeval.errors import InputError, MissingExtra
from metaeval.evalset import EvalSet
from metaeval.probes.interference.adjust import Adjustment, mint_adjust
from metaeval.probes.interference.judge import judge
from metaeval.probes.interference.learners import learner
from metaeval.probes.interference.outside import outside
from metaeval.probes.interference.selection import best_by
from metaeval.scores import Scores
from metaeval.simulate import CLEAN, candidates, simulate

SIMULATION = simulate(systems=8, items=120, text=False, seed=1)
DATA = SIMULATION.evalset
GAMED = "Hazel"
FEATURES = "Lexical,Coarse,QE,Longish"

FIVE = "chrF-refA,COMETKiwi-src,BLEURT-20-refA,metricx_xl_MQM_2020-refA,UniTE-ref-refA"
MBR = ("bleu_bestmbr", "bleurt_bestmbr", "comet_bestmbr")


def adjusted(data: EvalSet = DATA, /, **options: object) -> Adjustment:
    chosen: dict[str, object] = {"suspects": GAMED, "features": FEATURES, "trees": 20, **options}
    return mint_adjust(data, "Neural", **chosen)  # type: ignore[arg-type] # any options


def test_no_human_score_is_read() -> None:
    found = adjusted(without_people(DATA))
    assert found.adjusted.segment is not None


def test_other_human_scores_give_the_same_bytes() -> None:
    human = DATA.human["mqm"]
    assert human.segment is not None
    shuffled = np.random.default_rng(0).permuted(human.segment, axis=1)
    other = dataclasses.replace(DATA, human={"mqm": Scores("mqm", segment=shuffled)})
    ours, theirs = adjusted().adjusted.segment, adjusted(other).adjusted.segment
    assert ours is not None
    assert theirs is not None
    assert ours.tobytes() == theirs.tobytes()


def test_it_is_the_regressor_fitted_on_the_training_systems_alone() -> None:
    found = adjusted()
    rows = [DATA.systems.index(s) for s in found.training]
    assert GAMED not in found.training
    assert len(rows) == 7
    keys = ("Lexical-refA", "Coarse-refA", "QE-src", "Longish-refA")
    assert found.features == keys
    table = np.stack([segments(DATA, key) for key in keys], axis=-1)
    model = learner(trees=20)
    model.fit(table[rows].reshape(-1, 4), segments(DATA, "Neural-refA")[rows].ravel())
    assert found.adjusted.segment is not None
    assert np.allclose(found.adjusted.segment, model.predict(table.reshape(-1, 4)).reshape(8, -1))


def segments(data: EvalSet, key: str) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    found = data.metrics[key].segment
    assert found is not None
    return found


def test_the_adjusted_metric_joins_the_data_under_its_own_name() -> None:
    joined = adjusted().add_to(DATA)
    assert "Neural-adjusted-refA" in joined.metrics
    assert joined.metrics["Neural-refA"] is DATA.metrics["Neural-refA"]


def test_the_seed_decides_and_the_jobs_do_not() -> None:
    one, same, other = (found.adjusted.segment for found in (adjusted(), adjusted(jobs=2), adjusted(seed=1)))
    assert one is not None
    assert same is not None
    assert other is not None
    assert one.tobytes() == same.tobytes()
    assert not np.array_equal(one, other)


@pytest.mark.parametrize("trees", [10, 25, 60])
def test_watching_the_trees_grow_does_not_change_them(trees: int) -> None:
    seen: list[tuple[str, int, int]] = []

    def watch(what: str, done: int, total: int) -> None:
        seen.append((what, done, total))

    watched = adjusted(regressor=learner(trees=trees, progress=watch))
    plain = adjusted(trees=trees)
    assert seen[-1] == ("trees", trees, trees)
    assert len(seen) == -(-trees // 25)
    assert watched.adjusted.segment is not None
    assert plain.adjusted.segment is not None
    assert watched.adjusted.segment.tobytes() == plain.adjusted.segment.tobytes()
    assert watched.importances == plain.importances


def test_any_regressor_will_do() -> None:
    found = adjusted(regressor=learner("linear"))
    assert found.importances is None
    assert found.adjusted.segment is not None


def test_importances_are_by_feature_and_sum_to_one() -> None:
    importances = adjusted().importances
    assert importances is not None
    assert list(importances) == ["Lexical-refA", "Coarse-refA", "QE-src", "Longish-refA"]
    assert sum(importances.values()) == pytest.approx(1)


def test_a_segment_that_lacks_a_feature_is_not_predicted() -> None:
    gappy = segments(DATA, "QE-src").copy()
    gappy[3, 5] = np.nan
    found = adjusted(DATA.with_metrics(Scores("QE", "src", gappy))).adjusted.segment
    assert found is not None
    assert np.argwhere(np.isnan(found)).tolist() == [[3, 5]]
    assert adjusted(DATA.with_metrics(Scores("QE", "src", gappy))).unpredicted == 1


def test_a_suspect_that_nothing_can_be_predicted_for_is_named() -> None:
    gappy = segments(DATA, "QE-src").copy()
    gappy[DATA.systems.index(GAMED)] = np.nan
    with pytest.raises(InputError, match="no segment of Hazel has all features: no score from QE-src"):
        adjusted(DATA.with_metrics(Scores("QE", "src", gappy)))


def test_an_earlier_adjustment_is_no_feature_unless_named() -> None:
    joined = adjusted().add_to(DATA)
    assert "Neural-adjusted-refA" not in adjusted(joined, features=None).features
    assert adjusted(joined, features="Neural-adjusted").features == ("Neural-adjusted-refA",)


def test_a_reference_among_the_systems_is_not_learned_from_unless_named() -> None:
    data = dataclasses.replace(DATA, references={"Elm": ("x",) * 120, "refA": ("x",) * 120})
    assert "Elm" not in adjusted(data).training
    assert "Elm" in adjusted(data, training="Elm,Fir").training


def test_features_outside_what_was_learned_are_warned_of() -> None:
    far = {key: segments(DATA, key).copy() for key in ("Lexical-refA", "Coarse-refA")}
    row = DATA.systems.index(GAMED)
    for values in far.values():
        values[row] += 8 * values.std()
    moved = DATA.with_metrics(
        Scores("Lexical", "refA", far["Lexical-refA"]), Scores("Coarse", "refA", far["Coarse-refA"])
    )
    worst = adjusted(moved).outside[0]
    assert (worst.system, worst.warns) == (GAMED, True)
    assert worst.share > 0.9
    assert not adjusted().outside[0].warns


def test_one_in_a_hundred_of_the_learned_is_outside() -> None:
    cells = np.random.default_rng(0).normal(size=(2, 1000, 3))
    known = np.ones((2, 1000), dtype=np.bool_)
    learned = known & np.array([[True], [False]])
    assert outside(cells, learned, known, [0]) == [(0, 0.01)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"suspects": None}, "nothing says which systems are free of interference"),
        ({"suspects": "*"}, "every system is a suspect"),
        ({"training": "Hazel,Elm"}, "Hazel is both a suspect and a training system"),
        ({"features": "Neural,QE"}, "Neural-refA cannot be learned from itself"),
        ({"features": "Nothing"}, r"no metric .* matches 'Nothing'"),
        ({"suspects": "Nobody"}, "no system matches 'Nobody'"),
        ({"trees": 0}, "found 0 trees, expected at least 1"),
    ],
)
def test_what_cannot_be_done_is_said(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        adjusted(DATA, **options)


def test_too_little_to_learn_from_is_said() -> None:
    tiny = simulate(systems=3, items=10, text=False, seed=1).evalset
    with pytest.raises(InputError, match="20 segments to learn Neural-refA from, expected at least 30"):
        mint_adjust(tiny, "Neural", suspects="Birch")


def test_a_metric_that_is_not_there_or_not_unique_is_named() -> None:
    with pytest.raises(InputError, match="no metric is called 'Neurl'"):
        mint_adjust(DATA, "Neurl", suspects=GAMED)
    twice = DATA.with_metrics(Scores("Neural", "src", segments(DATA, "QE-src")))
    with pytest.raises(InputError, match="several metrics are called 'Neural'"):
        mint_adjust(twice, "Neural", suspects=GAMED)
    alone = dataclasses.replace(DATA, metrics={"Neural-refA": DATA.metrics["Neural-refA"]})
    with pytest.raises(InputError, match="there is no metric but Neural-refA"):
        mint_adjust(alone, "Neural", suspects=GAMED)


def test_an_unknown_learner_is_named() -> None:
    with pytest.raises(InputError, match="there is no learner 'tree'"):
        learner("tree")
    with pytest.raises(InputError, match="found 0 jobs, expected at least 1"):
        learner(jobs=0)


def test_scikit_learn_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.ensemble", None)
    with pytest.raises(MissingExtra, match=r"needs scikit-learn.*\n.*metaeval\[learn\]"):
        learner()


def test_it_orders_a_reranked_system_better_than_the_metric_that_chose_it() -> None:
    """6 sets; 100 sets and the rivals: benchmarks/interference.py."""
    before: list[float] = []
    after: list[float] = []
    for seed in range(6):
        simulation = simulate(CLEAN, systems=10, items=80, seed=seed, text=False)
        quality = simulation.truth.system_quality
        weak = simulation.systems[int(np.argsort(quality)[1])]
        pool = candidates(simulation, weak, count=8)
        choice = best_by(pool.scores["Neural-refA"])
        data = pool.add_to(simulation.evalset, choice.tolist(), "chosen")
        found = mint_adjust(data, "Neural", suspects="chosen", trees=20).adjusted.segment
        assert found is not None
        true = np.append(simulation.truth.quality.mean(axis=1), pool.quality[choice, np.arange(80)].mean())
        for values, into in ((segments(data, "Neural-refA"), before), (found, after)):
            means = values.mean(axis=1)
            right = np.sign(means[-1] - means[:-1]) == np.sign(true[-1] - true[:-1])
            into.append(float(right.mean()))
    assert np.mean(after) > np.mean(before) + 0.05


@pytest.mark.real
def test_wmt22_comet_bestmbr_falls_to_where_humans_have_it(wmt22: EvalSet) -> None:
    """A forest of 50 trees; 1000 give 7th, 0.822 and 0.400 (benchmarks/interference.py)."""
    training = [
        s for s in wmt22.systems if s not in (*MBR, "chrf_bestmbr", "refA", "refB") and s in rated(wmt22)
    ]
    found = mint_adjust(wmt22, "COMET-20", training=training, features=FIVE, trees=50)
    verdict = judge(wmt22, "comet_bestmbr", ["COMET-20-refA", found.adjusted])
    before, after = verdict.verdicts
    assert (verdict.human_rank, verdict.systems) == (7, 15)
    assert (before.rank, after.rank) == (3, 7)
    assert (round(before.spa, 2), round(before.ins_pa, 2)) == (0.76, 0.36)
    assert after.spa >= 0.81
    assert after.ins_pa >= 0.39


def rated(data: EvalSet) -> set[str]:
    human = data.human["mqm"].segment
    assert human is not None
    return {s for s, row in zip(data.systems, human, strict=True) if not np.isnan(row).all()}
