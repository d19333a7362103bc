"""The experiments of Perrella et al. (2024): against oracles, and against what the paper printed."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from conftest import expected

import metaeval
from metaeval.errors import InputError
from metaeval.evalset import EvalSet
from metaeval.measures.registry import parse_measure
from metaeval.paired import Paired, pair_up
from metaeval.probes.sentinel.correlations import correlations
from metaeval.probes.sentinel.da import is_da, read_da
from metaeval.probes.sentinel.groupings import by_grouping
from metaeval.probes.sentinel.heldout_ties import held_out_ties
from metaeval.probes.sentinel.item_pairs import ItemPairs
from metaeval.probes.sentinel.lengths import length_bias, lengths_on
from metaeval.probes.sentinel.perturbed import with_twins
from metaeval.probes.sentinel.subsampling import PROBABILITIES, parse_probabilities, tie_shares
from metaeval.scores import FloatArray, Scores
from metaeval.simulate import simulate


@pytest.fixture(scope="module")
def data() -> EvalSet:
    return simulate(systems=6, items=50, missing=0.1, unrated=0.1, seed=5).evalset


@pytest.fixture(scope="module")
def paired(data: EvalSet) -> Paired:
    return pair_up(data)


def test_calibration_on_all_pairs_is_that_of_the_measure(paired: Paired) -> None:
    found = tie_shares(paired, [(0.0, 0.0)], seeds=1)
    measure = parse_measure("acc_eq(epsilon=best)@item")
    for i, scores in enumerate(paired.scores):
        outcome = measure.evaluate(paired.human, scores)
        assert found.value[i, 0] == pytest.approx(outcome.value, abs=1e-9)
        assert found.epsilon[i, 0] == pytest.approx(outcome.epsilon, abs=1e-9)


def by_hand(human: FloatArray, metric: FloatArray, kept: set[tuple[int, int, int]], epsilon: float) -> float:
    """acc_eq over the pairs kept, item by item."""
    values = []
    for item in range(human.shape[1]):
        right = []
        for s in range(len(human)):
            for t in range(s + 1, len(human)):
                if (s, t, item) in kept:
                    h, m = human[s, item] - human[t, item], metric[s, item] - metric[t, item]
                    right.append(abs(m) <= epsilon if h == 0 else abs(m) > epsilon and m * h > 0)
        if right:
            values.append(np.mean(right))
    return float(np.mean(values))


def test_a_sample_of_pairs_is_calibrated_as_trying_every_epsilon_does(paired: Paired) -> None:
    pairs = ItemPairs.of(paired)
    kept = np.random.default_rng(1).random(len(pairs)) < 0.3
    rows, items = np.divmod(pairs.cells, len(paired.items))
    named = {
        (int(rows[a]), int(rows[b]), int(items[a]))
        for a, b in zip(pairs.first[kept], pairs.second[kept], strict=True)
    }
    metric = paired.scores[2]
    ordered, weights = pairs.sorted_by(metric), pairs.weights(kept)
    epsilons, values = ordered.curve(weights)
    for epsilon, value in list(zip(epsilons, values, strict=True))[::5]:
        assert value == pytest.approx(by_hand(paired.human, metric, named, epsilon), abs=1e-9)
        assert ordered.at(weights, epsilon) == pytest.approx(value, abs=1e-9)
    assert ordered.best(weights)[1] == pytest.approx(values.max(), abs=1e-9)


def test_ties_are_removed_with_their_probability_and_all_of_them_with_1(paired: Paired) -> None:
    found = tie_shares(paired, [(1.0, 0.0), (0.0, 0.5)], seeds=3)
    tied = int(ItemPairs.of(paired).tied.sum())
    assert (found.tied[0] == 0).all()
    assert (found.pairs[0] == len(ItemPairs.of(paired)) - tied).all()
    assert (found.tied[1] > tied / len(ItemPairs.of(paired))).all()


def test_a_draw_that_leaves_no_pair_counts_for_nothing_and_not_for_zero() -> None:
    human = np.array([[0.0], [1.0], [2.0]])
    table = {"system": list("ABC"), "item": ["1"] * 3, "human:h": human.ravel(), "metric:M": human.ravel()}
    small = pair_up(metaeval.load(table))
    found = tie_shares(small, [(0.0, 0.9), (0.0, 0.999999)], seeds=20)
    assert 0 in found.pairs[0]
    assert found.value[0, 0] == 1.0
    assert np.isnan(found.value[0, 1])
    assert np.isnan(found.epsilon[0, 1])


def test_what_each_item_gets_right_averages_to_acc_eq(paired: Paired) -> None:
    pairs = ItemPairs.of(paired)
    weights = pairs.weights(np.ones(len(pairs), dtype=np.bool_))
    for scores in paired.scores:
        ordered = pairs.sorted_by(scores)
        epsilon, value = ordered.best(weights)
        assert pairs.by_item(ordered.right(epsilon)).mean() == pytest.approx(value)


def test_held_out_calibration_is_never_better_than_the_rests_own(paired: Paired) -> None:
    found = held_out_ties(paired, [(0.9, 0.0), (0.0, 0.0), (0.0, 0.9)], seeds=2)
    assert (found.value <= found.own[:, None] + 1e-9).all()
    assert found.held_out == round(0.2 * found.items)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda p: tie_shares(p, [(1.0, 1.0)]), "leave some pairs"),
        (lambda p: tie_shares(p, [(-0.1, 0.0)]), "two from 0 to 1"),
        (lambda p: tie_shares(p, seeds=0), "found 0 seeds"),
        (lambda p: held_out_ties(p, share=1.0), "found a share of 1.0"),
        (lambda p: held_out_ties(p, share=0.001), "leaves one of the two parts empty"),
        (lambda p: parse_probabilities("0.5"), "is not P_T,P_N"),
        (lambda p: ItemPairs.of(p.take(systems=np.arange(len(p.systems)) == 0)), "no two rated outputs"),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    paired: Paired, call: Callable[[Paired], object], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        call(paired)


def test_slopes_are_those_of_least_squares(data: EvalSet, paired: Paired) -> None:
    found = length_bias(data, paired, draws=200, seed=1)
    lengths = lengths_on(data, paired, "cand")
    used = ~np.isnan(paired.human)
    slope = np.polyfit(lengths[used], paired.human[used], 1)[0]
    assert found.human.per_hundred == pytest.approx(100 * slope)
    for metric in found.metrics:
        scores = paired.scores[paired.keys.index(metric.metric.key)][used]
        if np.ptp(scores) == 0:
            assert np.isnan(metric.excess)
            continue
        assert metric.slope.standard == pytest.approx(np.corrcoef(lengths[used], scores)[0, 1])
        assert metric.slope.low <= metric.slope.standard <= metric.slope.high
    by_item = length_bias(data, paired, draws=50, grouping="item")
    assert abs(by_item.human.standard) <= 1
    with pytest.raises(InputError, match="without grouping or by item"):
        length_bias(data, paired, grouping="system")


def test_a_metric_that_rewards_the_length_that_humans_punish_exceeds_them() -> None:
    size = np.arange(1.0, 13.0).reshape(3, 4)
    wobble = np.array([[0.0, 3, -2, 1], [2, -1, 0, -3], [1, -2, 3, 0]])
    names, items = ("A", "B", "C"), ("1", "2", "3", "4")
    data = EvalSet(
        systems=names,
        items=items,
        outputs={name: tuple("x" * int(n) for n in size[i]) for i, name in enumerate(names)},
        human={"da": Scores("da", segment=wobble - size)},
        metrics={
            m.key: m
            for m in (
                Scores("Against", segment=wobble + size),
                Scores("Steeper", segment=-size),
                Scores("Like", segment=3.0 * wobble - size),
            )
        },
    )
    found = length_bias(data, pair_up(data), draws=300)
    human = np.corrcoef(size.ravel(), (wobble - size).ravel())[0, 1]
    excess = {metric.metric.name: metric.excess for metric in found.metrics}
    against = np.corrcoef(size.ravel(), (wobble + size).ravel())[0, 1]
    assert excess["Against"] == pytest.approx(against)
    assert excess["Steeper"] == pytest.approx(1 + human)
    assert excess["Like"] < 0
    assert found.metrics[0].excess_low > 0


def test_samples_of_items_do_not_depend_on_how_many_are_held(
    data: EvalSet, paired: Paired, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = length_bias(data, paired, draws=20).human
    monkeypatch.setattr("metaeval.probes.sentinel.lengths.MOST_DRAWN", 3 * len(paired.items))
    assert length_bias(data, paired, draws=20).human == whole


def test_items_without_texts_leave_samples_without_a_slope_out() -> None:
    data = simulate(systems=6, items=12, seed=5).evalset
    kept = {name: (*texts[:2], *(None for _ in texts[2:])) for name, texts in data.outputs.items()}
    few = replace(data, outputs=kept)
    found = length_bias(few, pair_up(few), draws=50)
    assert found.human.low <= found.human.standard <= found.human.high


def test_one_item_has_slopes_and_no_intervals() -> None:
    data = simulate(systems=6, items=50, seed=5).evalset
    paired = pair_up(data)
    one = paired.take(items=np.arange(len(paired.items)) == 0)
    found = length_bias(data, one, draws=20)
    assert not np.isnan(found.human.standard)
    assert np.isnan(found.human.low)
    assert all(np.isnan(metric.excess_low) for metric in found.metrics)


def test_texts_of_one_length_have_no_slope(paired: Paired) -> None:
    flat = EvalSet(
        systems=paired.systems,
        items=paired.items,
        outputs={system: ("same",) * len(paired.items) for system in paired.systems},
        human={"mqm": Scores("mqm", segment=paired.human)},
    )
    with pytest.raises(InputError, match="all output texts are of one length"):
        length_bias(flat, paired)


def test_correlations_use_unrated_items_too(data: EvalSet, paired: Paired) -> None:
    whole, rated = correlations(data, paired), correlations(data, paired, rated_only=True)
    assert whole.cells == len(paired.systems) * len(data.items)
    assert rated.cells == paired.cells
    np.testing.assert_array_equal(whole.human, rated.human)


DA = "lp,src,mt,ref,raw,score,annotators,domain,year\n"


def test_direct_assessments_become_examples(tmp_path: Path) -> None:
    path = tmp_path / "da.csv"
    rows = [
        'zh-en,"a, b",x,r,80,0.5,1,news,2019',
        "zh-en,c,y,r,10,-1,1,news,2020",
        'en-de,"a, b",z,s,9,2,1,n,2020',
    ]
    path.write_text(DA + "\n".join(rows) + "\n")
    assert is_da(path)
    assert read_da(path, "cand").texts == ("x", "y", "z")
    source = read_da(path, "src")
    assert source.texts == ("a, b", "c")
    assert source.scores.tolist() == [1.25, -1.0]
    assert source.weights.tolist() == [2.0, 1.0]
    path.write_text("\ufeff" + path.read_text() + "zh-en,,,,9,5,1,n,2020\n")
    assert read_da(path, "src", pairs=["zh-en"]).texts == ("a, b", "c")
    assert read_da(path, "cand", years=[2020]).texts == ("y", "z", "")
    path.write_text(path.read_text().removesuffix("zh-en,,,,9,5,1,n,2020\n"))
    assert read_da(path, "src", pairs=["zh-en"]).scores.tolist() == [0.5, -1.0]
    assert read_da(path, "cand", years=[2020]).texts == ("y", "z")
    with pytest.raises(InputError, match="no row is of xx-yy"):
        read_da(path, "src", pairs=["xx-yy"])


def test_direct_assessments_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "da.csv"
    path.write_text(DA + "zh-en,a,x,r,80,high,1,news,2019\n")
    with pytest.raises(InputError, match=r"line 2: the score is not a number\n    high"):
        read_da(path, "src")
    path.write_text("lp,mt,score\n")
    with pytest.raises(InputError, match="there is no column 'src'"):
        read_da(path, "src")
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="is not UTF-8"):
        read_da(path, "src")
    with pytest.raises(InputError, match="cannot be read"):
        read_da(tmp_path / "absent.csv", "src")
    path.write_text(DA)
    with pytest.raises(InputError, match="there are no rows below the header"):
        read_da(path, "src")
    path.write_text(DA + "zh-en,a,x,,80,1,1,news,2019\n")
    with pytest.raises(InputError, match="no row has a reference"):
        read_da(path, "ref")
    path.write_bytes(b"\xff\xfe")
    assert not is_da(tmp_path / "absent.csv")
    assert not is_da(path)


@pytest.fixture(scope="module")
def primary(wmt23: EvalSet) -> Paired:
    return pair_up(wmt23)


@pytest.mark.real
@pytest.mark.parametrize(("statistic", "published"), [("pearson", "pearson"), ("tau_b", "kendall_b")])
def test_tables_5_and_8_come_out_with_the_sentinels_in_them(
    statistic: str, published: str, primary: Paired
) -> None:
    found = {
        (str(table.measure).partition("@")[2], row.metric.name): row.value or 0.0
        for table in by_grouping(primary, [statistic])
        for row in table.rows
    }
    with expected("guardians_wmt23_zh-en.tsv").open(encoding="utf-8") as lines:
        rows = [row for row in csv.DictReader(lines, delimiter="\t") if row["statistic"] == published]
    assert sum("SENTINEL" in row["metric"] for row in rows) == 3
    for row in rows:
        for grouping in ("none", "item", "system"):
            assert found[grouping, row["metric"]] == pytest.approx(float(row[grouping]), abs=0.0005)


@pytest.mark.real
def test_the_correlations_of_figure_4_come_out(wmt23: EvalSet, primary: Paired) -> None:
    found = correlations(wmt23, primary)
    keys = [scorer.key for scorer in found.scorers]
    source = keys.index("SENTINEL_SRC_MQM-src")
    wanted = ("XCOMET-Ensemble-refA", "XCOMET-QE-Ensemble-src", "MetricX-23-refA", "MetricX-23-QE-src")
    values = [found.matrix[source, keys.index(key)] for key in wanted]
    assert values == pytest.approx([0.750, 0.736, 0.690, 0.712], abs=0.0006)


TABLE_12 = (
    *(93890, 104304, 114664, 123585, 104888, 85969, 76522),
    *(67237, 62624, 57948, 53110, 48491, 43730),
)


@pytest.mark.real
def test_table_12_and_figure_2_come_out(wmt23: EvalSet) -> None:
    slim = wmt23.select(metrics="GEMBA-MQM,MaTESe,COMET")
    paired = pair_up(with_twins(slim, "GEMBA-MQM", noise="gaussian"))
    found = tie_shares(paired)
    all_pairs, all_tied = 123_585, 29_695
    for (p_t, p_n), pairs, published in zip(PROBABILITIES, found.pairs, TABLE_12, strict=True):
        spread = np.sqrt(all_tied * p_t * (1 - p_t) + (all_pairs - all_tied) * p_n * (1 - p_n))
        assert (np.abs(pairs - published) <= 3 * np.sqrt(1 + 1 / 5) * spread).all()
    value = dict(zip(paired.keys, found.value, strict=True))
    epsilon = dict(zip(paired.keys, found.epsilon, strict=True))
    assert value["SENTINEL_TWIN_GEMBA-MQM-src"][0] > value["GEMBA-MQM-src"][0] + 0.1
    shares = found.tied.mean(axis=1)
    for key in ("GEMBA-MQM-src", "MaTESe-refA"):
        assert (epsilon[key][shares < 0.4] == 0).all()
        assert (epsilon[key][shares > 0.45] > 0).all()
