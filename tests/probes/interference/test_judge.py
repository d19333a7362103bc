"""Who judges a gamed system rightly."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from oracles import interference as oracle

from metaeval.errors import InputError
from metaeval.measures.registry import parse_measure
from metaeval.paired import pair_up
from metaeval.probes.interference.adjust import mint_adjust
from metaeval.probes.interference.grid import grid
from metaeval.probes.interference.judge import Judgement, Verdict, judge, judge_suspects, overall
from metaeval.probes.interference.learners import learner
from metaeval.scores import Scores
from metaeval.simulate import simulate

DATA = simulate(systems=6, items=60, text=False, seed=1).evalset


def test_ranks_spa_and_ins_pa_are_those_of_the_pairs_that_contain_the_system() -> None:
    found = judge(DATA, "Elm", ["Neural-refA", "QE-src"])
    paired = pair_up(DATA, metrics="Neural,QE")
    row = paired.systems.index("Elm")
    human, scores = paired.human, paired.scores[0]
    assert found.human_rank == 1 + sum(np.nanmean(r) > np.nanmean(human[row]) for r in human)
    verdict = found.verdicts[0]
    assert verdict.metric == "Neural-refA"
    assert verdict.rank == 1 + sum(np.nanmean(r) > np.nanmean(scores[row]) for r in scores)
    assert verdict.ins_pa == pytest.approx(oracle.ins_pa(human.tolist(), scores.tolist(), row))
    spa = parse_measure("spa(containing=Elm)").bind(paired.systems)
    assert verdict.spa == spa.evaluate(human, scores).value


def test_scores_made_for_the_data_are_judged_beside_its_own() -> None:
    human = DATA.human["mqm"].segment
    assert human is not None
    found = judge(DATA, "Elm", [Scores("oracle", "refA", np.nan_to_num(human)), "Neural-refA"])
    assert found.verdicts[0] == Verdict("oracle-refA", found.human_rank, 1.0, 1.0)


def test_only_the_best_systems_can_be_compared_with() -> None:
    found = judge(DATA, "Elm", ["Neural-refA"], among="Alder,Birch")
    assert found.systems == 3


def test_averages_and_borda_counts_are_over_shared_metrics() -> None:
    one = Judgement(
        "A", 3, 9, 1, (Verdict("x", 1, 0.9, 0.5), Verdict("y", 2, 0.5, 0.6), Verdict("z", 1, 1, 1))
    )
    two = Judgement("B", 3, 9, 1, (Verdict("y", 2, 0.7, 0.7), Verdict("x", 1, 0.5, 0.6)))
    x, y = overall([one, two])
    assert (x.metric, x.spa, x.ins_pa, x.spa_borda, x.ins_pa_borda) == ("x", 0.7, 0.55, 1.5, 2.0)
    assert (y.metric, y.spa_borda) == ("y", 1.5)


def test_what_cannot_be_judged_is_said() -> None:
    with pytest.raises(InputError, match="there is no metric to judge"):
        judge(DATA, "Elm", [])
    with pytest.raises(InputError, match="there is no judgement to average"):
        overall([])
    one = Judgement("A", 3, 9, 1, (Verdict("x", 1, 0.9, 0.5),))
    two = Judgement("A", 3, 9, 1, (Verdict("y", 1, 0.9, 0.5),))
    with pytest.raises(InputError, match="the judgements have no metric in common"):
        overall([one, two])


def test_who_has_no_value_somewhere_has_no_rank() -> None:
    one = Judgement("A", 3, 9, 1, (Verdict("x", 1, np.nan, 0.5), Verdict("y", 2, 0.5, 0.6)))
    x, y = overall([one])
    assert np.isnan([x.spa, x.spa_borda]).all()
    assert (x.ins_pa_borda, y.spa_borda) == (2.0, 1.0)


def test_what_was_not_rated_or_scored_cannot_be_judged() -> None:
    human, neural = (np.array(s.segment) for s in (DATA.human["mqm"], DATA.metrics["Neural-refA"]))
    row = DATA.systems.index("Elm")
    human[row], neural[row] = np.nan, np.nan
    unrated = dataclasses.replace(DATA, human={"mqm": Scores("mqm", segment=human)})
    with pytest.raises(InputError, match=r"no segment of Elm has both a human score \(mqm\) and all metric"):
        judge(unrated, "Elm", ["Neural-refA"])
    with pytest.raises(InputError, match="no segment of Elm has both"):
        judge(DATA, "Elm", [Scores("Neural", "refA", neural)])
    with pytest.raises(InputError, match="there is no system 'Elmm'"):
        judge(DATA, "Elmm", ["Neural-refA"])
    with pytest.raises(InputError, match="there is no system to compare Elm with"):
        judge(DATA, "Elm", ["Neural-refA"], among="Elm")


def test_a_suspect_is_judged_where_it_was_rated_beside_others() -> None:
    found = mint_adjust(DATA, "Neural", suspects="Elm", features="Lexical", regressor=learner("linear"))
    assert [j.system for j in judge_suspects(DATA, found)] == ["Elm"]
    human = np.array(DATA.human["mqm"].segment)
    row = DATA.systems.index("Elm")
    alone, without = np.full_like(human, np.nan), human.copy()
    alone[row], without[row] = human[row], np.nan
    for ratings in (alone, without):
        data = dataclasses.replace(DATA, human={"mqm": Scores("mqm", segment=ratings)})
        assert judge_suspects(data, found) == ()
    assert judge_suspects(dataclasses.replace(DATA, human={}), found) == ()
    of_systems = Scores("mqm", system=np.arange(6.0))
    assert judge_suspects(dataclasses.replace(DATA, human={"mqm": of_systems}), found) == ()


def test_scores_to_judge_have_names_of_their_own() -> None:
    scores = DATA.metrics["QE-src"]
    with pytest.raises(InputError, match="two of the scores to judge are called QE-src"):
        judge(DATA, "Elm", [scores, "Neural-refA", scores])


def test_a_grid_does_not_learn_from_the_system_it_judges() -> None:
    with pytest.raises(InputError, match="Elm is both a suspect and a training system"):
        grid(DATA, "Neural", "Elm", {"lexical": "Lexical"}, {"all": "*"}, trees=5)


def test_the_grid_has_every_feature_set_by_every_training_set() -> None:
    cells = grid(
        DATA, "Neural", "Elm", {"lexical": "Lexical", "all": "Lexical,QE"},
        {"one": "Alder", "two": "Alder,Birch"}, trees=5,
    )  # fmt: skip
    assert [(c.method, c.training, c.features) for c in cells[:4]] == [
        ("AUTORANK", None, "lexical"),
        ("AUTORANK-Ins", None, "lexical"),
        ("MINTADJUST", "one", "lexical"),
        ("MINTADJUST", "two", "lexical"),
    ]
    assert len(cells) == 8
    assert all(0 <= c.spa <= 1 for c in cells)
    with pytest.raises(InputError, match="a grid needs feature sets and training sets"):
        grid(DATA, "Neural", "Elm", {}, {})
