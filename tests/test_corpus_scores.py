"""True corpus scores on boards: sacrebleu and jiwer, scoring the texts again, are the oracle throughout."""

from __future__ import annotations

import dataclasses
import itertools
from functools import cache

import numpy as np
import pytest
from oracles import corpus as oracle
from oracles import spa as spa_oracle
from scipy.stats import pearsonr

from metaeval.board import rank
from metaeval.corpus import CorpusStatistics
from metaeval.corpus_scores import exchangeable, with_corpus_scores
from metaeval.errors import InputError
from metaeval.evalset import EvalSet
from metaeval.kernels.corpus import CorpusSums
from metaeval.kernels.corpus_pvalues import corpus_normal_p, corpus_permutation_p
from metaeval.kernels.flips import Flips
from metaeval.kernels.pvalues import SystemPairs
from metaeval.measures.registry import parse_measure
from metaeval.paired import Paired, pair_up
from metaeval.scorers.corpus import corpus_score
from metaeval.scorers.run import score
from metaeval.scores import FloatArray, Scores
from metaeval.significance.engine import gather
from metaeval.significance.paths import path_for_resampling
from metaeval.significance.paths.base import Task
from metaeval.significance.plan import Plan, Test

pytest.importorskip("sacrebleu", reason="the extra 'scorers' is not installed")
pytest.importorskip("jiwer", reason="the extra 'scorers' is not installed")

NAMES = ("BLEU", "chrF", "TER", "WER")
WORDS = ("the", "a", "cat", "sat", "on", "mat", "house", "and", "then", "left")
QUIET = Plan(test="none", bootstrap="none")


@cache
def scored(systems: int = 4, items: int = 7, missing: int = 0) -> EvalSet:
    """Outputs that are references with words replaced, ever more of them; human scores fall with them."""
    rng = np.random.default_rng(5)
    references = [list(rng.choice(WORDS, size=rng.integers(3, 9))) for _ in range(items)]
    outputs = {}
    for s in range(systems):
        spoiled = [[rng.choice(WORDS) if rng.random() < 0.1 * (s + 2) else w for w in r] for r in references]
        outputs[f"S{s}"] = tuple(" ".join(words) for words in spoiled)
    human = -np.arange(systems)[:, None] / 4 + rng.normal(size=(systems, items))
    for cell in rng.permutation(systems * items)[:missing]:
        human.ravel()[cell] = np.nan
    data = EvalSet(
        systems=tuple(outputs),
        items=tuple(map(str, range(items))),
        human={"mqm": Scores("mqm", segment=human)},
        references={"ref": tuple(" ".join(words) for words in references)},
        outputs=outputs,
    )
    return score(data, NAMES)


def outputs_of(data: EvalSet) -> list[tuple[str, ...]]:
    return [tuple(text or "" for text in data.outputs[system]) for system in data.systems]


def references_of(data: EvalSet) -> tuple[str, ...]:
    return tuple(text or "" for text in data.references["ref"])


def paired_of(data: EvalSet) -> Paired:
    return with_corpus_scores(pair_up(data), data)


def corpus_of(paired: Paired, name: str) -> CorpusSums:
    return paired.corpora[f"{name}-ref"]


def values(data: EvalSet, measure: str) -> dict[str, float | None]:
    board = rank(data, [measure], plan=QUIET, system_scores="corpus")
    return {row.metric.name: row.value for row in board.tables[0].rows}


# values


@pytest.mark.parametrize("name", NAMES)
def test_the_score_of_a_system_is_that_of_the_library(name: str) -> None:
    data = scored()
    theirs = [oracle.libraries()[name](texts, references_of(data)) for texts in outputs_of(data)]
    published = data.metrics[f"{name}-ref"].system
    assert published is not None
    np.testing.assert_allclose(published, theirs, rtol=1e-12)
    np.testing.assert_allclose(corpus_of(paired_of(data), name).scores(), theirs, rtol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_the_score_is_over_the_rated_cells_alone(name: str) -> None:
    data = scored(missing=8)
    paired = paired_of(data)
    rated = ~np.isnan(paired.human)
    theirs = [
        oracle.repeated(texts, references_of(data), rated[s].astype(int).tolist(), oracle.libraries()[name])
        for s, texts in enumerate(outputs_of(data))
    ]
    np.testing.assert_allclose(corpus_of(paired, name).scores(), theirs, rtol=1e-12)


def test_system_measures_compare_corpus_scores_with_the_means_of_humans() -> None:
    data = scored()
    human = paired_of(data).human.mean(axis=1)
    found, orders = values(data, "system_pearson"), values(data, "pa")
    for name in NAMES:
        theirs = [oracle.libraries()[name](texts, references_of(data)) for texts in outputs_of(data)]
        assert found[name] == pytest.approx(pearsonr(human, theirs).statistic, rel=1e-9)
        assert orders[name] == pytest.approx(spa_oracle.pa(human.tolist(), theirs))


def test_measures_of_segments_do_not_change() -> None:
    for measure in ("pearson@none", "acc_eq(epsilon=best)@item"):
        means = rank(scored(), [measure], plan=QUIET).tables[0].rows
        board = rank(scored(), [measure], plan=QUIET, system_scores="corpus")
        assert [row.value for row in means] == [row.value for row in board.tables[0].rows]
        assert board.notes == ("--system-scores corpus changes nothing: no measure here reads system scores",)


# p-values of pairs of systems


@pytest.mark.parametrize("missing", [0, 8])
@pytest.mark.parametrize(("name", "draws"), [("BLEU", 200), ("chrF", 50), ("TER", 50), ("WER", 200)])
def test_p_values_equal_swapping_the_texts_and_scoring_again(name: str, draws: int, missing: int) -> None:
    data = scored(items=9, missing=missing)
    corpus = corpus_of(paired_of(data), name)
    pairs = SystemPairs.of(corpus.used)
    forward, backward = corpus_permutation_p(corpus, pairs, Flips.of(9, draws, seed=0))
    library, references = oracle.libraries()[name], references_of(data)
    assert forward.tolist() == oracle.p_values(outputs_of(data), references, library, draws, corpus.used)
    turned = oracle.p_values(outputs_of(data), references, lambda o, r: -library(o, r), draws, corpus.used)
    assert backward.tolist() == turned


def test_soft_pairwise_accuracy_compares_these_p_values_with_those_of_humans() -> None:
    data = scored(items=6)
    paired, references = paired_of(data), references_of(data)
    flips = Flips.of(6, 1000, seed=0).rows(slice(None))
    humans = [spa_oracle.permutation_p(x, y, flips) for x, y in itertools.combinations(paired.human, 2)]
    for name, value in values(data, "spa").items():
        theirs = oracle.p_values(outputs_of(data), references, oracle.libraries()[name], 1000)
        assert value == pytest.approx(1 - np.abs(np.subtract(humans, theirs)).mean())


def test_blocks_of_draws_do_not_change_the_p_values(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = corpus_of(paired_of(scored()), "BLEU")
    pairs, flips = SystemPairs.of(corpus.used), Flips.of(7, 100, seed=3)
    whole = corpus_permutation_p(corpus, pairs, flips)
    monkeypatch.setattr("metaeval.kernels.corpus_pvalues.SUMS", 1)
    np.testing.assert_array_equal(corpus_permutation_p(corpus, pairs, flips), whole)


def test_systems_with_the_same_outputs_have_p_one_both_ways() -> None:
    data = scored()
    twins = dataclasses.replace(data, outputs=dict.fromkeys(data.systems, data.outputs["S0"]), metrics={})
    corpus = corpus_of(paired_of(score(twins, NAMES)), "chrF")
    pairs = SystemPairs.of(corpus.used)
    assert np.all(np.array(corpus_permutation_p(corpus, pairs, Flips.of(7, 100, 0))) == 1)
    assert np.all(np.array(corpus_normal_p(corpus, pairs)) == 0.5)


@pytest.mark.parametrize("missing", [0, 8])
def test_normal_p_values_are_those_of_what_items_contribute(missing: int) -> None:
    data = scored(items=9, missing=missing)
    corpus = corpus_of(paired_of(data), "TER")
    library, references, outputs = oracle.libraries()["TER"], references_of(data), outputs_of(data)
    forward, backward = corpus_normal_p(corpus, SystemPairs.of(corpus.used))
    expected = []
    for s, t in itertools.combinations(range(4), 2):
        both = np.flatnonzero(corpus.used[s] & corpus.used[t])
        x, y = (
            oracle.contributions([outputs[k][i] for i in both], [references[i] for i in both], library)
            for k in (s, t)
        )
        expected.append(spa_oracle.normal_p(x, y))
    np.testing.assert_allclose(forward, expected, atol=1e-9)
    np.testing.assert_allclose(forward + backward, 1.0)


def test_the_normal_method_is_close_to_the_permutations_it_stands_for() -> None:
    data = scored(items=150)
    exact, limit = values(data, "spa(draws=3000)"), values(data, "spa(method=normal)")
    for name in NAMES:
        assert limit[name] == pytest.approx(exact[name], abs=0.015)


# what items contribute


@pytest.mark.parametrize("name", NAMES)
def test_contributions_are_pseudo_values_of_the_library_and_their_mean_is_the_score(name: str) -> None:
    data = scored()
    corpus = corpus_of(paired_of(data), name)
    found = corpus.contributions()
    theirs = [
        oracle.contributions(texts, references_of(data), oracle.libraries()[name])
        for texts in outputs_of(data)
    ]
    np.testing.assert_allclose(found, theirs, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found.mean(axis=1), corpus.scores(), rtol=1e-12)


def test_a_single_item_contributes_the_whole_score() -> None:
    data = scored(items=1)
    corpus = corpus_of(paired_of(data), "WER")
    np.testing.assert_array_equal(corpus.contributions()[:, 0], corpus.scores())


def test_cells_without_human_scores_contribute_nothing() -> None:
    paired = paired_of(scored(missing=8))
    found = exchangeable(paired, parse_measure("pa")).scores
    assert (np.isnan(found) == np.isnan(paired.human)).all()


def test_a_metric_without_statistics_keeps_its_scores_and_the_board_says_so() -> None:
    data = scored()
    plain = dataclasses.replace(data.metrics["WER-ref"], name="Plain", corpus=None)
    mixed = data.with_metrics(plain)
    paired = paired_of(mixed)
    measure, at = parse_measure("system_pearson"), paired.keys.index("Plain-ref")
    np.testing.assert_array_equal(exchangeable(paired, measure).scores[at], paired.scores[at])
    board = rank(mixed, ["system_pearson"], plan=QUIET, system_scores="corpus")
    of = {row.metric.name: row.value for row in board.tables[0].rows}
    means = rank(mixed, ["system_pearson"], plan=QUIET).tables[0].rows
    assert of["Plain"] == next(row.value for row in means if row.metric.name == "Plain")
    assert board.notes[-1] == (
        "system scores are true corpus scores of BLEU-ref, chrF-ref, TER-ref, WER-ref; means of Plain-ref"
    )
    assert board.signature["system_scores"] == "corpus"


# resampling


@pytest.mark.parametrize("name", NAMES)
def test_a_bootstrap_sample_is_a_test_set_with_items_repeated(name: str) -> None:
    data = scored()
    paired, measure = paired_of(data), parse_measure("system_pearson")
    outcomes = [
        measure.evaluate_corpus(paired.human, paired.scores[m], paired.corpora[key])
        for m, key in enumerate(paired.keys)
    ]
    path = path_for_resampling(measure, "inputs")(Task(exchangeable(paired, measure), measure, outcomes))
    times = np.random.default_rng(0).multinomial(7, [1 / 7] * 7, size=5).astype(np.int64)
    found = path.resampled(times, np.ones((5, 4), dtype=np.int64))[:, paired.keys.index(f"{name}-ref")]
    for d, row in enumerate(times):
        library, references = oracle.libraries()[name], references_of(data)
        theirs = [oracle.repeated(texts, references, row.tolist(), library) for texts in outputs_of(data)]
        human = paired.human @ row / row.sum()
        assert found[d] == pytest.approx(pearsonr(human, theirs).statistic, abs=1e-6)


def test_a_sample_that_leaves_a_system_without_items_has_no_score() -> None:
    corpus = corpus_of(paired_of(scored(missing=8)), "BLEU")
    weights = np.where(corpus.used[0], 0.0, 1.0)[None]
    found = corpus.weighted(weights)
    assert np.isnan(found[0, 0])
    assert not np.isnan(found[0, 1:]).all()


def test_metrics_exchange_what_items_contribute_on_one_scale() -> None:
    data = scored(items=6)
    measure = parse_measure("system_pearson")
    paired = paired_of(data)
    outcomes = [
        measure.evaluate_corpus(paired.human, paired.scores[m], paired.corpora[key])
        for m, key in enumerate(paired.keys)
    ]
    plan = Plan(bootstrap="none")
    found = gather(exchangeable(paired, measure), measure, outcomes, plan)
    assert found.exact
    z = []
    for key in paired.keys:
        library = oracle.libraries()[key.removesuffix("-ref")]
        own = np.array([oracle.contributions(o, references_of(data), library) for o in outputs_of(data)])
        z.append((own - own.mean()) / own.std())
    human = paired.human.mean(axis=1)

    def difference(x: FloatArray, y: FloatArray) -> float:
        return float(pearsonr(human, x.mean(axis=1)).statistic - pearsonr(human, y.mean(axis=1)).statistic)

    for i, j in itertools.permutations(range(4), 2):
        masks = [np.array(mask) for mask in itertools.product([False, True], repeat=6)]
        null = [difference(np.where(m, z[j], z[i]), np.where(m, z[i], z[j])) for m in masks]
        assert found.delta[i, j] == pytest.approx(null[0], abs=1e-7)
        assert found.p[i, j] == np.mean(np.array(null) >= null[0] - 1e-9)


@pytest.mark.parametrize("measure", ["pa", "system_pearson", "spa(draws=50)", "spa(method=normal)"])
@pytest.mark.parametrize("test", ["perm-inputs", "perm-both", "perm-systems"])
def test_every_test_and_interval_works_on_corpus_scores(measure: str, test: Test) -> None:
    plan = Plan(test=test, draws=20, bootstrap="both")
    board = rank(scored(missing=3), [measure], plan=plan, system_scores="corpus")
    assert all(0 <= comparison.p <= 1 for comparison in board.tables[0].comparisons)
    assert all(row.interval is not None for row in board.tables[0].rows)
    assert any("exchange what items contribute" in note for note in board.notes)


def test_a_metric_that_is_a_mean_has_the_results_of_means() -> None:
    rng = np.random.default_rng(2)
    human, metric = rng.normal(size=(2, 4, 6))
    paired = pair_up(
        EvalSet(
            systems=tuple("ABCD"),
            items=tuple("123456"),
            human={"mqm": Scores("mqm", segment=human)},
            metrics={name: Scores(name, segment=x) for name, x in (("m", metric), ("n", human + metric))},
        )
    )
    used = np.ones((4, 6), dtype=np.bool_)
    sums = {
        key: CorpusSums(np.stack([x, np.ones((4, 6))], axis=-1), used, lambda s: s[..., 0] / s[..., 1])
        for key, x in zip(paired.keys, paired.scores, strict=True)
    }
    for text in ("system_pearson", "spa", "spa(method=normal)"):
        measure, plan = parse_measure(text), Plan(draws=64)
        means = [measure.evaluate(paired.human, x) for x in paired.scores]
        with_sums = dataclasses.replace(paired, corpora=sums)
        exact = [
            measure.evaluate_corpus(paired.human, x, sums[key])
            for key, x in zip(paired.keys, paired.scores, strict=True)
        ]
        assert [o.value for o in exact] == pytest.approx([o.value for o in means])
        one = gather(paired, measure, means, plan)
        other = gather(exchangeable(with_sums, measure), measure, exact, plan)
        np.testing.assert_array_equal(one.p, other.p)
        np.testing.assert_allclose([one.ci_low, one.ci_high], [other.ci_low, other.ci_high], atol=1e-7)


# what is refused


def test_a_board_of_corpus_scores_needs_a_metric_that_has_them() -> None:
    data = scored()
    without = {key: dataclasses.replace(scores, corpus=None) for key, scores in data.metrics.items()}
    with pytest.raises(InputError) as caught:
        rank(dataclasses.replace(data, metrics=without), ["pa"], system_scores="corpus")
    assert caught.value.what == "no metric has statistics that a corpus score could be made of"
    assert caught.value.remedy == (
        "Make them: metaeval score DATA -s BLEU --out NEW; or use --system-scores mean."
    )


def test_a_rated_cell_without_statistics_is_refused() -> None:
    data = scored()
    metric = data.metrics["BLEU-ref"]
    assert metric.corpus is not None
    rows = metric.corpus.rows.copy()
    rows[0, :2] = np.nan
    broken = dataclasses.replace(metric, corpus=CorpusStatistics("BLEU", rows))
    with pytest.raises(InputError) as caught:
        rank(data.with_metrics(broken), ["pa"], system_scores="corpus")
    assert caught.value.what == "BLEU-ref has no corpus statistics for 2 of 28 cells used"
    assert caught.value.remedy == (
        "Score the outputs again: metaeval score DATA -s SCORER --replace --out NEW"
    )


@pytest.mark.parametrize(
    ("scorer", "message"),
    [
        ("ROUGE-1", "ROUGE-1 reads no corpus statistics"),
        ("TER", "the corpus statistics of TER have 3 numbers, expected 2"),
        ("nothing", "there is no scorer 'nothing'"),
    ],
)
def test_statistics_that_their_scorer_cannot_read_are_refused(scorer: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        corpus_score(CorpusStatistics(scorer, np.zeros((1, 1, 3))))
    assert caught.value.what == message


@pytest.mark.parametrize("name", ["BLEU", "chrF", "chrF++", "TER", "WER", "MER", "WIP", "WIL", "CER"])
def test_every_corpus_scorer_says_how_many_numbers_it_measures(name: str) -> None:
    data = dataclasses.replace(scored(systems=2, items=2), metrics={})
    (metric,) = score(data, [name]).metrics.values()
    assert metric.corpus is not None
    read = corpus_score(metric.corpus)
    assert metric.corpus.rows.shape[2] == read.scorer.width
    np.testing.assert_array_equal(read(metric.corpus.rows.sum(axis=1)), metric.system)
