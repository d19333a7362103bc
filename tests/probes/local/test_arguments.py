"""The arguments of Deviyani and Diaz (2025), appendix A.2.3, on metrics that cannot judge."""

from __future__ import annotations

import numpy as np
import pytest
from length_metrics import Length, Shortness, small_set

from metaeval.perturb import parse_perturbation
from metaeval.probes.local.accuracy import accuracy, units
from metaeval.probes.local.confounders import confounders
from metaeval.probes.local.pairs import Pairs
from metaeval.probes.local.texts import text_pairs
from metaeval.scorers.base import Scorer
from metaeval.scorers.registry import parse_text_scorer

THREE = ("removal", "insertion", "swapping")


def pairs_of(*perturbations: str, scorer: Scorer | None = None) -> Pairs:
    chosen = [parse_perturbation(name) for name in perturbations]
    return text_pairs(small_set(), [scorer or Length()], chosen, draws=len(chosen)).pairs


def overall(pairs: Pairs) -> float:
    return float(accuracy(units(pairs, np.zeros(len(pairs), dtype=np.intp), 1)).value[0, 0])


@pytest.mark.parametrize(
    ("perturbations", "expected"),
    [(("removal",), 1.0), (("insertion",), 0.0), (("swapping",), 0.0), (THREE, 1 / 3)],
)
def test_a_length_metric_is_as_good_as_the_perturbation_lets_it(
    perturbations: tuple[str, ...], expected: float
) -> None:
    assert overall(pairs_of(*perturbations)) == pytest.approx(expected)


def test_a_metric_where_lower_is_better_is_read_the_other_way() -> None:
    assert overall(pairs_of("insertion", scorer=Shortness())) == 1.0


def test_swapping_leaves_length_tied_not_wrong() -> None:
    pairs = pairs_of("swapping")
    found = accuracy(units(pairs, np.zeros(len(pairs), dtype=np.intp), 1))
    assert found.tied[0, 0] == 1.0


@pytest.mark.parametrize("name", ["ROUGE-1", "chrF"])
def test_rouge_1_does_not_see_swapping_and_chrf_does(name: str) -> None:
    pytest.importorskip("rouge_score", reason="the extra 'scorers' is not installed")
    pytest.importorskip("sacrebleu", reason="the extra 'scorers' is not installed")
    value = overall(pairs_of("swapping", scorer=parse_text_scorer(name)))
    assert value == 0.0 if name == "ROUGE-1" else value > 0.0


def test_the_variance_over_combinations_falls_as_they_grow() -> None:
    pairs = pairs_of(*THREE, "pronoun", "phonetic")
    found = confounders(pairs, pairs.system, 3, limit=100)
    assert found is not None
    assert found.kinds == (*THREE, "phonetic")
    by_kind = found.by_kind.value[:, 0]
    assert by_kind[:3].tolist() == [1.0, 0.0, 0.0]
    assert found.sizes == (1, 2, 3)
    assert (np.diff(found.variance[:, 0]) < 0).all()
    assert found.spread[0] == pytest.approx(by_kind.std())
    # of single perturbations the variance is that of their mean accuracies over the contexts
    assert found.variance[0, 0] == pytest.approx(by_kind.var())


def test_combinations_are_limited_and_follow_the_seed() -> None:
    pairs = pairs_of(*THREE, "phonetic")
    one, again = (confounders(pairs, pairs.system, 3, limit=2, seed=5) for _ in range(2))
    assert one is not None
    assert again is not None
    assert (one.variance == again.variance).all()


def test_one_perturbation_confounds_nothing() -> None:
    pairs = pairs_of("removal")
    assert confounders(pairs, pairs.system, 3) is None
