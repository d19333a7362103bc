"""The audit: planted faults are found, clean data get a clean bill, and it works without texts."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import metaeval
from metaeval.board import rank
from metaeval.cli.main import main
from metaeval.evalset import EvalSet
from metaeval.probes.audit.checks.discrete import tied_share
from metaeval.probes.audit.evidence import MEASURES, gather_evidence
from metaeval.probes.audit.finding import Audit, Finding, Severity, check, checks, ordered
from metaeval.probes.audit.pointer import pointed
from metaeval.probes.audit.run import audit
from metaeval.report.audit import as_json, as_text
from metaeval.scores import Scores
from metaeval.significance.plan import Plan
from metaeval.simulate import CLEAN, simulate

QUICK = ["pearson@none", "pearson@item"]
UNTESTED = Plan(test="none", bootstrap="none")


def found(result: Audit, name: str) -> list[Finding]:
    return [finding for finding in result.findings if finding.check == name]


@pytest.mark.parametrize("seed", [0, 1])
def test_clean_data_get_a_clean_bill(seed: int) -> None:
    result = audit(simulate(CLEAN, seed=seed).evalset, draws=300)
    assert result.clean
    assert "nothing wrong was found" in as_text(result)


@pytest.mark.parametrize("seed", [0, 1])
def test_a_planted_length_bias_is_found_and_named(seed: int) -> None:
    result = audit(simulate(CLEAN, length_bias=0.6, seed=seed).evalset, QUICK, draws=300)
    assert not result.clean
    (finding,) = found(result, "length")
    assert finding.numbers["metric"] == "Longish-refA"
    assert "Longish favours longer outputs" in finding.sentence


def test_sources_that_tell_their_quality_are_found_without_grouping_alone() -> None:
    pytest.importorskip("sklearn", reason="needs the extra learn")
    data = simulate(CLEAN, length_difficulty=1.5, metrics=("lexical", "random", "random_system"), seed=2)
    result = audit(data.evalset, QUICK, draws=100)
    (finding,) = found(result, "sentinels")
    assert finding.sentence.startswith("pearson@none rewards knowing only the ")
    assert finding.remedy == "group by item: pearson@item"


def test_without_texts_it_does_what_it_can_and_says_what_it_could_not() -> None:
    result = audit(simulate(CLEAN, text=False).evalset, QUICK)
    assert "sentinels: there are no texts that a sentinel could see" in result.unchecked
    assert "length: there are no output texts" in result.unchecked
    text = as_text(result)
    assert "not checked:" in text
    assert "4 of 8 checks done" in text


def test_texts_of_some_systems_do_not_drop_the_others() -> None:
    whole = simulate(CLEAN, items=40, seed=1).evalset
    first = whole.systems[0]
    result = audit(replace(whole, outputs={first: whole.outputs[first]}), ["pearson@none"], draws=50)
    assert result.signature["systems"] == len(whole.systems)
    assert result.signature["dropped_cells"] == 0
    assert any(r.startswith("SENTINEL_CAND_CHARS: it has no score for ") for r in result.unchecked)
    one_lost = {name: list(texts) for name, texts in whole.outputs.items()}
    human = whole.human["mqm"].segment
    assert human is not None
    one_lost[first][int(np.flatnonzero(~np.isnan(human[0]))[0])] = None
    holed = replace(whole, outputs={name: tuple(texts) for name, texts in one_lost.items()})
    assert audit(holed, ["pearson@none"], draws=50).signature["dropped_cells"] == 1


def test_without_the_extra_the_other_checks_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.feature_extraction.text", None)
    result = audit(simulate(CLEAN, length_bias=0.9, items=150).evalset, QUICK, draws=200)
    assert any("needs scikit-learn" in reason for reason in result.unchecked)
    assert found(result, "length")


def test_groups_that_a_discrete_metric_loses_are_found() -> None:
    base = simulate(CLEAN, items=60, systems=4, seed=1).evalset
    fine = base.metrics["Neural-refA"].segment
    assert fine is not None
    coarse = np.where(np.arange(60) % 2, fine, 1.0)
    data = base.with_metrics(Scores("Rough", "refA", segment=coarse))
    (finding,) = found(audit(data, ["pearson@item"]), "dropped")
    assert finding.severity == "serious"
    assert finding.numbers["metric"] == "Rough-refA"
    assert "rank with --common-groups" in finding.remedy


def test_groups_that_every_metric_loses_are_noted() -> None:
    base = simulate(CLEAN, items=60, systems=6, seed=1).evalset
    human = base.human["mqm"].segment
    assert human is not None
    tied = np.where(np.isnan(human) | (np.arange(60) % 3 > 0), human, 0.0)
    data = replace(base, human={"mqm": Scores("mqm", segment=tied)}).select(metrics="Neural,Lexical")
    result = audit(data, ["tau_b@item", "acc_eq@item"])
    (finding,) = found(result, "dropped")
    assert finding.severity == "note"
    assert "leaves out" in finding.sentence
    assert "groups for every metric" in finding.sentence


def test_a_reference_rated_worse_than_systems_is_found() -> None:
    base = simulate(CLEAN, items=40, systems=4, reference_system=True, unrated=0.0, seed=1).evalset
    human = base.human["mqm"].segment
    assert human is not None
    rated = human.copy()
    rated[base.systems.index("refA")] = -20.0
    data = EvalSet(
        systems=base.systems,
        items=base.items,
        human={"mqm": Scores("mqm", segment=rated)},
        metrics=base.metrics,
    )
    (finding,) = found(audit(data, ["pearson@item"]), "reference")
    assert finding.sentence.startswith("humans rate refA (-20.00) worse than 4 of 4 systems")


def test_a_reference_that_chance_puts_below_a_system_is_not() -> None:
    base = simulate(CLEAN, items=40, systems=4, reference_system=True, unrated=0.0, seed=1).evalset
    human = base.human["mqm"].segment
    assert human is not None
    rated, row = human.copy(), base.systems.index("refA")
    rated[row] = -np.inf
    best = int(rated.mean(axis=1).argmax())
    noise = np.random.default_rng(0).normal(size=40)
    rated[row] = human[best] + noise - noise.mean() - 0.01
    data = EvalSet(
        systems=base.systems,
        items=base.items,
        human={"mqm": Scores("mqm", segment=rated)},
        metrics=base.metrics,
    )
    assert rated[best].mean() > rated[row].mean()
    result = audit(data, ["pearson@item"], reference="refA")
    assert not found(result, "reference")
    assert not any(reason.startswith("reference:") for reason in result.unchecked)


def test_a_metric_that_chose_the_outputs_of_a_system_is_found() -> None:
    gamed = simulate(metrics="unbiased,lexical,discrete,qe_length", gaming=2.0, length_bias=0.0, seed=1)
    assert gamed.truth.gamed is not None
    findings = found(audit(gamed.evalset, QUICK, draws=100), "interference")
    assert findings[0].numbers["system"] == gamed.truth.gamed.system
    assert "see metaeval interference" in findings[0].remedy
    assert findings[0].remedy.endswith(f"--systems {gamed.truth.gamed.system}")


def test_few_systems_are_found() -> None:
    result = audit(simulate(CLEAN, systems=3, items=40).evalset, ["pearson@item"], draws=50)
    assert found(result, "power")[0].sentence.startswith("there are 3 systems, which make 3 pairs")


def test_few_systems_are_found_for_a_single_metric_too() -> None:
    table = {"system": ["A"] * 3, "item": list("123"), "human:h": [1, 2, 3], "metric:M": [1, 3, 2]}
    result = audit(metaeval.load(table))
    assert found(result, "power")[0].sentence.startswith("there is 1 system, which makes no pair")
    assert "power: there is a single metric" in result.unchecked
    assert not result.clean


def test_a_default_measure_that_does_not_exist_is_named() -> None:
    table = {"system": ["A"] * 3, "item": list("123"), "human:h": [1, 2, 3], "metric:M": [1, 3, 2]}
    result = audit(metaeval.load(table))
    measured = result.signature["measures"]
    assert isinstance(measured, list)
    assert set(MEASURES) <= {*measured, *(reason.partition(": ")[0] for reason in result.unchecked)}


def test_what_a_sentinel_reaches_on_a_few_items_is_no_finding() -> None:
    rng = np.random.default_rng(0)
    systems, items = tuple("ABCDEF"), tuple("123")
    human = rng.normal(size=(6, 3))
    data = EvalSet(
        systems=systems,
        items=items,
        human={"mqm": Scores("mqm", segment=human)},
        metrics={
            "a": Scores("SENTINEL_CAND_X", "src", segment=human + rng.normal(size=(6, 3))),
            "b": Scores("M", "src", segment=-human),
        },
    )
    assert not found(audit(data, ["pearson@none"]), "sentinels")


def test_a_discrete_metric_at_a_disadvantage_is_found() -> None:
    rng = np.random.default_rng(1)
    human = -rng.integers(0, 12, (8, 80)).astype(float)
    coarse = np.where(human > -6, 1.0, 0.0)
    data = EvalSet(
        systems=tuple("ABCDEFGH"),
        items=tuple(map(str, range(80))),
        human={"mqm": Scores("mqm", segment=human)},
        metrics={"C": Scores("Coarse", "refA", segment=coarse), "X": Scores("X", "refA", segment=human)},
    )
    (finding,) = found(audit(data, ["pearson@item"]), "discrete")
    assert finding.numbers["metric"] == "Coarse-refA"
    assert tied_share(coarse) > 0.4


def test_findings_are_ordered_most_serious_first() -> None:
    given: list[tuple[Severity, int]] = [("note", 9), ("serious", 1), ("serious", 2)]
    findings = [Finding("x", severity, "", "", size) for severity, size in given]
    assert [(f.severity, f.size) for f in ordered(findings)] == [("serious", 2), ("serious", 1), ("note", 9)]


def test_two_checks_of_one_name_are_a_bug() -> None:
    names = "discrete dropped interference leaning length power reference sentinels"
    assert list(checks()) == names.split()
    with pytest.raises(ValueError, match="two checks are called length"):
        check("length", "again")(lambda evidence: iter(()))


def test_a_metric_that_follows_a_sentinel_is_found() -> None:
    pytest.importorskip("sklearn", reason="needs the extra learn")
    base = simulate(CLEAN, length_difficulty=1.0, items=150, seed=3).evalset
    evidence = gather_evidence(base, ["pearson@item"])
    seen = next(m for m in evidence.paired.metrics if m.name == "SENTINEL_SRC").segment
    assert seen is not None
    noise = np.random.default_rng(0).normal(0, 0.1, seen.shape)
    result = audit(base.with_metrics(Scores("Guess", "src", segment=seen + noise)), ["pearson@item"])
    (finding,) = found(result, "leaning")
    assert finding.sentence.startswith("Guess correlates with SENTINEL_")
    constant = Scores("SENTINEL_SRC_MINE", "src", segment=np.zeros(seen.shape))
    rivals = base.with_metrics(constant, Scores("Guess", "src", segment=seen + noise))
    (again,) = found(audit(rivals, ["pearson@item"]), "leaning")
    assert again.sentence == finding.sentence


def test_a_metric_that_rewards_length_where_humans_punish_it_is_found() -> None:
    base = simulate(CLEAN, items=200, seed=3).evalset
    human = base.human["mqm"].segment
    assert human is not None
    size = np.array([[len(text or "") for text in base.outputs[s]] for s in base.systems], dtype=float)
    noise = np.random.default_rng(0).normal(0, 2 * size.std(), (2, *size.shape))
    data = replace(
        base,
        human={"mqm": Scores("mqm", segment=np.where(np.isnan(human), np.nan, noise[0] - size))},
        metrics={"Wordy": Scores("Wordy", segment=0.8 * size + noise[1])},
    )
    (finding,) = found(audit(data, ["pearson@item"]), "length")
    assert finding.sentence.startswith("Wordy favours longer outputs more than the humans do")


def test_rank_points_to_the_audit_only_where_something_serious_holds() -> None:
    clean, biased = simulate(CLEAN).evalset, simulate(CLEAN, length_bias=0.9).evalset
    for data, expected in ((clean, 0), (biased, 1)):
        board = pointed(rank(data, ["pearson@item"], plan=UNTESTED), data)
        assert sum("run metaeval audit" in note for note in board.notes) == expected
    without_sources = replace(biased, source=None)
    ranked = rank(without_sources, ["pearson@none"], plan=UNTESTED)
    assert any("run metaeval audit" in note for note in pointed(ranked, without_sources).notes)
    bare = simulate(CLEAN, text=False).evalset
    assert pointed(rank(bare, ["pearson@none"], plan=UNTESTED), bare).notes == ()


def test_the_command_prints_text_and_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "t.csv"
    rows = [
        f"S{s},i{i},{-((s * i) % 4)},{10 * s + i * i % 7},{(s + i) % 2}" for s in range(4) for i in range(12)
    ]
    table.write_text("system,item,human:mqm,metric:BLEU,metric:coarse\n" + "\n".join(rows) + "\n")
    main(["audit", str(table), "-m", "pearson@item", "--draws", "50"])
    assert "findings:" in capsys.readouterr().out
    main(["audit", str(table), "--json", "--draws", "50"])
    said = json.loads(capsys.readouterr().out)
    assert set(said) == {"signature", "clean", "findings", "checks", "unchecked"}
    with pytest.raises(SystemExit) as stopped:
        main(["audit", str(table), "-m", "nothing@item"])
    assert stopped.value.code == 2


@pytest.mark.real
def test_wmt23_rewards_knowing_only_the_source(wmt23: EvalSet) -> None:
    slim = wmt23.select(metrics="COMET,XCOMET-Ensemble,GEMBA-MQM,MaTESe,chrF,SENTINEL_*_MQM")
    bare = EvalSet(
        systems=slim.systems,
        items=slim.items,
        human=slim.human,
        metrics=slim.metrics,
        item_context=slim.item_context,
    )
    result = audit(bare, ["pearson@none", "pearson@item"], reference="refA")
    finding = found(result, "sentinels")[0]
    assert finding.sentence.startswith(
        "pearson@none rewards knowing only the source: SENTINEL_SRC_MQM 0.540, rank 2 of 6, "
        "above MaTESe (0.511)"
    )
    (leaning,) = found(result, "leaning")
    assert "XCOMET-Ensemble correlates with SENTINEL_SRC_MQM" in leaning.sentence
    assert json.loads(as_json(result))["findings"][0]["severity"] == "serious"
