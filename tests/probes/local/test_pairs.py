"""From data to judged pairs: texts, rankings, people; contexts and weights; what is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from length_metrics import Length, Unsure, small_set

from metaeval.errors import InputError
from metaeval.evalset import EvalSet
from metaeval.io.pairs import read_pairs
from metaeval.perturb import NotApplicable, parse_perturbation
from metaeval.perturb.item_swapping import ItemSwapping
from metaeval.probes.local import contexts, texts
from metaeval.probes.local.confounders import confounders
from metaeval.probes.local.contexts import binned, find_context, find_contexts
from metaeval.probes.local.defaults import default_scorers
from metaeval.probes.local.lists import list_pairs
from metaeval.probes.local.pairs import Pairs
from metaeval.probes.local.people import people_pairs
from metaeval.probes.local.run import Settings, human_accuracy, local_accuracy
from metaeval.probes.local.texts import text_pairs
from metaeval.probes.local.weights import weighted
from metaeval.rankings import RankedList, Rankings
from metaeval.scorers.ranking import RankingScorer, TrecMeasure
from metaeval.scorers.registry import parse_text_scorer
from metaeval.scorers.run import Workshop
from metaeval.scorers.run_rankings import trec_measures
from metaeval.scores import FloatArray, Scores


class ReadsSources(Length):
    """A length that asks for sources."""

    name = "sources"
    needs = ("source", "output")


RULES = [parse_perturbation(name) for name in ("removal", "insertion", "swapping")]


def small_rankings() -> Rankings:
    """Two runs, the second without a list for the last topic and with one item for the first."""
    rng = np.random.default_rng(3)

    def ranked(size: int) -> RankedList:
        return RankedList(tuple(f"d{i}" for i in rng.permutation(30)[:size]), -np.arange(size, dtype=float))

    return Rankings(
        runs=("good", "bad"),
        topics=("t1", "t2", "t3"),
        qrels={t: {f"d{i}": int(rng.integers(0, 3)) for i in range(20)} for t in ("t1", "t2", "t3")},
        lists={"good": (ranked(30), ranked(30), ranked(20)), "bad": (ranked(1), ranked(25), None)},
        topic_context={"kind": ("easy", "hard", None)},
        run_context={"depth": ("30", "25")},
        name="small",
    )


ONE = (RankedList(("d1",), np.ones(1)),) * 3


def same(a: Pairs, b: Pairs) -> bool:
    return all(np.array_equal(getattr(a, p), getattr(b, p)) for p in ("item", "system", "kind", "verdict"))


def test_each_output_has_as_many_copies_as_were_drawn() -> None:
    found = text_pairs(small_set(), [Length()], RULES, draws=2)
    assert len(found.pairs) == 12 * 3 * 2
    assert [a.perturbation for a in found.applied] == ["removal", "insertion", "swapping"]
    assert sum(a.applied for a in found.applied) == len(found.pairs)
    assert found.reference == "ref"
    assert found.lexicon.language == "en"


def test_a_second_run_is_identical_and_another_seed_is_not() -> None:
    first, again, other = (
        text_pairs(small_set(), [Length()], RULES, draws=2, seed=seed).pairs for seed in (0, 0, 1)
    )
    assert same(first, again)
    assert not same(first, other)


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = text_pairs(small_set(), [Length()], RULES).pairs
    monkeypatch.setattr(texts, "_BLOCK", 5)
    assert same(text_pairs(small_set(), [Length()], RULES).pairs, whole)


def test_pairs_without_all_scores_are_left_out_and_counted() -> None:
    removal = [parse_perturbation("removal")]
    whole = text_pairs(small_set(), [Length()], removal, draws=8).pairs
    found = text_pairs(small_set(), [Length(), Unsure()], removal, draws=8).pairs
    assert found.dropped > 0
    assert len(found) + found.dropped == len(whole)


def test_the_reference_is_no_output_of_itself() -> None:
    data = small_set()
    data = replace(data, references={**data.references, "A": data.outputs["A"]})
    assert set(text_pairs(data, [Length()], RULES, reference="A").pairs.system) == {1, 2}


def test_a_scorer_that_needs_no_reference_works_without() -> None:
    data = replace(small_set(), references={})
    found = text_pairs(data, [Length()], RULES, language="de", systems="A")
    assert (found.reference, found.lexicon.language) == (None, "de")
    assert set(found.pairs.system) == {0}


def test_an_output_without_the_source_that_a_scorer_reads_has_no_pairs() -> None:
    data = replace(small_set(), source=("a",) * 11 + (None,))
    assert set(text_pairs(data, [ReadsSources()], RULES).pairs.item) == set(range(11))
    assert set(text_pairs(data, [Length()], RULES).pairs.item) == set(range(12))


def test_a_scorer_named_twice_is_used_once() -> None:
    pytest.importorskip("sacrebleu", reason="the extra 'scorers' is not installed")
    assert local_accuracy(small_set(), "mt", ["BLEU", "bleu", "BLEU(tokenize=13a)"]).metrics == ("BLEU",)


def test_outputs_without_pairs_and_perturbations_that_never_act_are_named() -> None:
    data = small_set()
    gap = replace(data, outputs={**data.outputs, "A": (None, *data.outputs["A"][1:])}, pair="")
    found = text_pairs(gap, [Length()], [*RULES, parse_perturbation("negation")])
    assert found.notes == (
        "outputs that count for nothing (no text, or nothing to compare with): 1",
        "never applicable: negation; the language of the outputs is not known: --language",
    )
    known = text_pairs(gap, [Length()], [*RULES, parse_perturbation("negation")], language="tlh")
    assert known.notes[1] == "never applicable: negation"
    assert text_pairs(data, [Length()], RULES).notes == ()
    shown = local_accuracy(gap, "mt", [Length()], Settings(perturbations=["removal", "negation"]))
    assert shown.notes == found.notes


@pytest.mark.parametrize(
    ("pair", "language", "expected"),
    [
        ("en-de", None, "de"),
        ("en-de_DE", None, "de"),
        ("eng-rus", None, "ru"),
        ("de", None, "de"),
        ("", None, ""),
        ("two words", None, ""),
        ("en-de", "EN", "en"),
        ("en-de", "zh-CN", "zh"),
    ],
)
def test_the_language_is_known_by_its_code_whatever_the_region(
    pair: str, language: str | None, expected: str
) -> None:
    found = text_pairs(replace(small_set(), pair=pair), [Length()], RULES, language=language)
    assert found.lexicon.language == expected


def test_progress_is_told_by_block(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[str, int, int]] = []
    shop = Workshop(progress=lambda what, done, total: told.append((what, done, total)))
    monkeypatch.setattr(texts, "_BLOCK", 18)
    text_pairs(small_set(), [Length()], RULES, workshop=shop)
    assert [what for what, _, _ in told] == ["length, part 1", "length, part 2"]
    assert all(done == total for _, done, total in told)


def naive_list_pairs(rankings: Rankings, measures: list[TrecMeasure], draws: int) -> list[list[int]]:
    rows = []
    for at, topic in enumerate(rankings.topics):
        judged = rankings.judged(topic)
        for run in rankings.runs:
            ranked = rankings.lists[run][at]
            if ranked is None:
                continue
            grades = rankings.graded(topic, ranked.documents)
            for number in range(draws):
                order = ItemSwapping().drawn(len(grades), item=topic, system=run, seed=0, number=number)
                if not isinstance(order, NotApplicable):
                    before = [float(m.of_grades(grades, judged)) for m in measures]
                    after = [float(m.of_grades(grades[order], judged)) for m in measures]
                    rows.append(
                        [
                            0 if abs(b - a) < 1e-12 else int(np.sign(b - a))
                            for b, a in zip(before, after, strict=True)
                        ]
                    )
    return rows


def test_lists_are_judged_as_one_by_one() -> None:
    rankings, measures = small_rankings(), trec_measures()
    found = list_pairs(rankings, measures, draws=5)
    assert len(measures) == 23
    assert found.verdict.tolist() == naive_list_pairs(rankings, measures, 5)
    assert len(found) == 4 * 5, "a list of one item has no copies, and no list none"


def test_swaps_are_counted_and_those_of_lists_with_one_item_cannot_be() -> None:
    found = local_accuracy(small_rankings(), "ranking", ["map"], Settings(draws=3))
    assert [(a.perturbation, a.tried, a.applied) for a in found.applied] == [("item-swapping", 15, 12)]
    one = local_accuracy(small_rankings(), "ranking", ["map"], Settings(draws=3, systems="good"))
    assert (one.signature["systems"], one.applied[0].tried) == (1, 9)


def test_lists_judged_by_several_processes_are_the_same() -> None:
    one, two = (list_pairs(small_rankings(), trec_measures()[:2], jobs=jobs) for jobs in (1, 2))
    assert same(one, two)


def test_any_other_measure_of_rankings_sees_the_same_copies() -> None:
    class ByRuns(RankingScorer):
        name, task, direction, needs, extra, cites = "p5", "ranking", "higher", (), None, ""

        def of_rankings(self, rankings: Rankings) -> FloatArray:
            (topic,) = rankings.topics
            shares: FloatArray = (rankings.grades(topic)[1][:, :5] >= 1).mean(axis=1, keepdims=True)
            return shares

    measure = next(m for m in trec_measures() if m.name == "P_5")
    found = list_pairs(small_rankings(), [measure, ByRuns()], draws=10)
    assert (found.verdict[:, 0] == found.verdict[:, 1]).all()


def test_people_order_all_pairs_of_an_item() -> None:
    data = small_set()
    metric = np.random.default_rng(0).integers(0, 3, size=(3, 12)).astype(float)
    metric[0, 0] = np.nan
    data = data.with_metrics(Scores("m", segment=metric))
    human = data.human["mqm"].segment
    assert human is not None
    expected = []
    for item in range(12):
        for a, b in combinations(range(3), 2):
            better, worse = (a, b) if human[a, item] > human[b, item] else (b, a)
            margin = metric[better, item] - metric[worse, item]
            if human[a, item] != human[b, item] and not np.isnan(margin):
                expected.append((item, better, int(np.sign(margin))))
    found = people_pairs(data, "mqm")
    rows = zip(found.item.tolist(), found.system.tolist(), found.verdict[:, 0].tolist(), strict=True)
    assert sorted(rows) == sorted(expected)
    assert found.dropped > 0
    assert set(people_pairs(data, "mqm", systems="B,C").system) <= {1, 2}


def test_people_are_compared_with_metrics_of_one_reference_whose_output_is_left_out() -> None:
    data = small_set()
    noise = np.random.default_rng(0).normal(size=(4, 3, 12))
    noise[0, 0] = np.nan  # a reference has no score against itself
    named = [("m", "A"), ("m", "B"), ("n", "A"), ("qe", "src")]
    data = data.with_metrics(*(Scores(m, r, segment=s) for (m, r), s in zip(named, noise, strict=True)))
    found = human_accuracy(data, "mqm")
    assert (found.metrics, found.signature["reference"]) == (("m-A", "n-A", "qe-src"), "A")
    assert found.notes == ("1 metrics are left out: they used another reference than A",)
    assert found.tables[0].labels == ("B", "C")
    assert found.dropped == 0
    other = human_accuracy(data, "mqm", settings=Settings(reference="B"))
    assert (other.metrics, other.tables[0].labels) == (("m-B", "qe-src"), ("A", "C"))
    assert human_accuracy(data, "mqm", metrics="m-B,qe").signature["reference"] == "B"
    with pytest.raises(InputError, match="there is no reference 'refX'"):
        human_accuracy(data, "mqm", settings=Settings(reference="refX"))


def test_preferences_about_one_input_are_averaged_first(tmp_path: object) -> None:
    from pathlib import Path

    path = Path(str(tmp_path)) / "pairs.csv"
    path.write_text("item,winner,m_a,m_b,topic\nx,a,2,1,p\nx,a,1,2,p\nx,b,1,2,p\ny,b,2,1,q\nz,tie,1,2,q\n")
    found = human_accuracy(read_pairs(path), "preference", settings=Settings(contexts=["topic"]))
    assert found.pairs == 4
    assert found.overall.value[0, 0] == pytest.approx((2 / 3 + 0) / 2)
    assert found.overall.items[0] == 2
    assert found.tables[0].local.value[:, 0].tolist() == pytest.approx([2 / 3, 0.0])
    assert found.confounders is None


def test_weights_count_within_the_input() -> None:
    data = small_set()
    pairs = text_pairs(data, [Length()], RULES).pairs
    assert weighted(pairs, data, "share").weight is not None
    found = local_accuracy(data, "mt", [Length()], Settings(weight="share", perturbations=["removal"]))
    assert found.overall.pairs[0] == found.pairs == 12 * 2 * 4, "A has weight 0"
    assert found.tables[0].labels == ("B", "C"), "a context without weight is no context"
    by_item = local_accuracy(data, "mt", [Length()], Settings(weight="use"))
    plain = local_accuracy(data, "mt", [Length()], Settings())
    assert by_item.overall.value == pytest.approx(plain.overall.value)


def test_a_score_weighs_single_outputs() -> None:
    data = small_set()
    likely = np.ones((3, 12))
    likely[0, :6], likely[:, 6:] = 3.0, 0.0
    data = data.with_metrics(Scores("likely", segment=likely))
    pairs = text_pairs(data, [Length()], RULES, draws=1).pairs
    found = weighted(pairs, data, "likely")
    assert found.weight is not None
    assert len(found) == 6 * 3
    assert [(s == 0) * 2.0 + 1.0 for s in found.system] == found.weight.tolist()


def test_a_perturbation_that_acts_in_no_context_is_left_out_of_the_combinations() -> None:
    data = replace(small_set(), item_context={"part": ("x",) * 6 + (None,) * 6})
    pairs = text_pairs(data, [Length()], RULES, draws=3).pairs
    context = find_context(data, "part").of(pairs)
    only = pairs.take((context >= 0) != (pairs.kind == 2))
    found = confounders(only, find_context(data, "part").of(only), 1)
    assert found is not None
    assert found.kinds == ("removal", "insertion")
    assert np.isfinite(found.variance).all()


@pytest.mark.parametrize(
    ("reference", "names"),
    [
        ("Он не пришёл домой, don't you know", ["BLEU", "chrF", "ROUGE-1(tokenize=intl)"]),
        ("他昨天没有回家。OK", ["BLEU(tokenize=char)", "chrF", "ROUGE-1(tokenize=char)"]),
        ("Er ist schön müde nach Hause gegangen", ["BLEU", "chrF", "ROUGE-1"]),
        ("", ["BLEU", "chrF", "ROUGE-1"]),
    ],
)
def test_default_scorers_can_read_the_script(reference: str, names: list[str]) -> None:
    data = replace(small_set(), references={"ref": (reference,) * 12})
    assert [str(s) for s in default_scorers(data, "mt")][:3] == names


def test_default_scorers_without_a_reference_go_by_the_outputs_and_each_task_has_its_own() -> None:
    data = replace(small_set(), references={})
    assert str(default_scorers(data, "mt")[0]) == "BLEU"
    assert str(default_scorers(data, "asr")[0]) == "WER(normalise=yes)"
    assert len(default_scorers(small_rankings(), "ranking")) == 23


def test_a_metric_sees_damage_in_any_script() -> None:
    pytest.importorskip("rouge_score", reason="the extra 'scorers' is not installed")
    pytest.importorskip("sacrebleu", reason="the extra 'scorers' is not installed")
    words = ["он", "вчера", "не", "пришёл", "домой", "один", "потому", "что", "шёл", "дождь"]
    data = replace(
        small_set(),
        pair="en-ru",
        references={"ref": (" ".join(words),) * 12},
        outputs={s: (" ".join(words),) * 12 for s in "ABC"},
    )
    found = local_accuracy(data, "mt", None, Settings(perturbations=["removal"]))
    assert found.overall.value.min() == 1.0


@given(st.lists(st.integers(-9, 0), min_size=1, max_size=60), st.integers(1, 20))
def test_bins_are_ordered_and_equal_scores_share_one(scores: list[int], bins: int) -> None:
    values = np.array([scores], dtype=float)
    found = binned("s", values, bins)
    codes = found.codes[0]
    assert len(found.labels) <= bins
    assert set(codes) == set(range(len(found.labels)))
    for (a, x), (b, y) in combinations(zip(scores, codes, strict=True), 2):
        assert x == y if a == b else (x <= y if a < b else x >= y)


def test_bins_without_ties_are_equally_full() -> None:
    found = binned("s", np.random.default_rng(0).permutation(1000.0 + np.arange(1000))[None, :], 250)
    assert set(np.bincount(found.codes[0])) == {4}


def test_contexts_are_columns_scores_or_crossed() -> None:
    data = small_set()
    assert find_context(data, "system").labels == ("A", "B", "C")
    assert find_context(data, "domain").labels == ("news", "talk")
    assert find_context(data, "share").codes[1].tolist() == [1] * 12
    assert len(find_context(data, "item").labels) == 12
    assert find_context(data, "mqm").labels == ("-4", "-3", "-2", "-1", "0")
    crossed = find_context(data, "domain,system")
    assert crossed.labels[0] == "news / A"
    assert len(crossed.labels) == 6
    ranked = find_context(small_rankings(), "kind")
    assert ranked.codes.tolist() == [[0, 1, -1]] * 2
    assert find_context(small_rankings(), "run").labels == ("good", "bad")
    assert [c.name for c in find_contexts(data, [])] == ["system"]


def test_more_contexts_than_memory_can_compare_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contexts, "MOST", 12)
    assert len(find_context(small_set(), "item").labels) == 12
    with pytest.raises(InputError, match="context 'item,system' has 36 values, more than 12, which are"):
        find_context(small_set(), "item,system")


def test_the_study_has_the_degrees_of_freedom_of_its_contexts() -> None:
    data = small_set()
    found = local_accuracy(data, "mt", [Length()], Settings(contexts=["system", "domain", "mqm"]))
    assert [table.tests[0].freedom for table in found.tables] == [2, 1, 4]
    assert found.signature["draws"] == 4


def without_texts(data: EvalSet) -> EvalSet:
    return replace(data, outputs={})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda d: find_context(d, "domian"), "there is no context 'domian'\n  Did you mean domain?"),
        (lambda d: find_context(d, "a,,b"), "'a,,b' names no context"),
        (lambda d: binned("s", np.zeros((1, 1)), 0), "found 0 bins, expected at least 1"),
        (
            lambda d: find_context(replace(d, item_context={"n": (None,) * 12}), "n"),
            "context 'n' has no value for any output",
        ),
        (lambda d: text_pairs(d, [Length()], RULES, draws=0), "found 0 draws, expected at least 1"),
        (lambda d: text_pairs(d, [Length()], RULES, reference="r"), "there is no reference 'r'"),
        (
            lambda d: text_pairs(replace(d, references={}), [parse_text_scorer("TER")], RULES),
            "TER compares with a reference, and the data hold none",
        ),
        (
            lambda d: text_pairs(d, [ReadsSources()], RULES),
            "sources reads sources, and the data hold none\n  Add source texts",
        ),
        (
            lambda d: text_pairs(replace(d, references={"ref": (None,) * 12}), [Length()], RULES),
            "no output has all texts that are needed",
        ),
        (lambda d: text_pairs(without_texts(d), [Length()], RULES), "the data hold no output texts"),
        (
            lambda d: text_pairs(d, [Length()], [parse_perturbation("entity")]),
            "no perturbation applies to any output",
        ),
        (lambda d: list_pairs(small_rankings(), [], draws=0), "found 0 draws, expected at least 1"),
        (
            lambda d: list_pairs(replace(small_rankings(), lists={"good": ONE, "bad": ONE}), []),
            "no list has two items to swap",
        ),
        (
            lambda d: local_accuracy(
                small_rankings(),
                "ranking",
                settings=Settings(perturbations=["item-swapping(pairs=1)", "item-swapping"]),
            ),
            "lists are damaged in one way at a time, found item-swapping(pairs=1) and item-swapping",
        ),
        (
            lambda d: local_accuracy(small_rankings(), "ranking", settings=Settings(language="en")),
            "rankings have no language\n  Leave --language out.",
        ),
        (
            lambda d: local_accuracy(small_rankings(), "ranking", settings=Settings(reference="refA")),
            "rankings have no reference\n  Leave --reference out.",
        ),
        (
            lambda d: text_pairs(d, [Length()], RULES, language="German"),
            "'German' is not the code of a language\n  Write two letters",
        ),
        (lambda d: people_pairs(d, "esa"), "there are no human scores 'esa'"),
        (lambda d: people_pairs(replace(d, metrics={}), "mqm"), "the data hold no segment scores of metrics"),
        (lambda d: local_accuracy(d, "mt", [Length()], Settings(weight="x")), "there is no column 'x'"),
        (
            lambda d: weighted(
                text_pairs(d, [Length()], RULES).pairs,
                replace(d, system_context={"none": ("0", "0", "0")}),
                "none",
            ),
            "every output has weight 0 in 'none'",
        ),
        (
            lambda d: weighted(text_pairs(d, [Length()], RULES).pairs, d, "domain"),
            "column 'domain' holds 'talk', expected numbers as weights",
        ),
        (
            lambda d: weighted(
                text_pairs(d, [Length()], RULES).pairs,
                replace(d, system_context={"w": ("1", None, "2")}),
                "w",
            ),
            "the output of 'B' for item '0' has no weight in 'w', expected a number from 0",
        ),
        (
            lambda d: weighted(text_pairs(d, [Length()], RULES, systems="C").pairs, d, "mqm"),
            "the output of 'C' for item '",
        ),
        (lambda d: local_accuracy(d, "ranking"), "the data are texts, the task is ranking"),
        (lambda d: local_accuracy(small_rankings(), "mt"), "the data are rankings, the task is mt"),
        (lambda d: local_accuracy(d, "mt", ["map"]), "map scores rankings, and the data are texts"),
        (
            lambda d: local_accuracy(small_rankings(), "ranking", ["BLEU"]),
            "BLEU scores texts, and the data are rankings",
        ),
        (
            lambda d: local_accuracy(
                replace(d, system_context={"k": ("x", None, None)}),
                "mt",
                [Length()],
                Settings(contexts=["k"], systems="B"),
            ),
            "no pair of outputs has a value of k",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_said(call: Callable[[EvalSet], object], message: str) -> None:
    with pytest.raises(InputError) as caught:
        call(small_set())
    assert str(caught.value).startswith(message)


def test_people_who_order_nothing_are_named() -> None:
    data = replace(small_set(), human={"flat": Scores("flat", segment=np.zeros((3, 12)))})
    data = data.with_metrics(Scores("m", segment=np.zeros((3, 12))))
    with pytest.raises(InputError, match="flat orders no pair of outputs that every metric scored"):
        people_pairs(data, "flat")
    only_systems = replace(data, human={"sys": Scores("sys", system=np.zeros(3))})
    with pytest.raises(InputError, match="sys has no segment scores"):
        people_pairs(only_systems, "sys")
