"""The table of statistics, the counts of ties, and the metric they are asked of."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from pairing import paired_of, random_paired
from strategies import matrices

from metaeval.errors import InputError
from metaeval.measures.groups import GROUPINGS, Grouping
from metaeval.measures.registry import parse_measure
from metaeval.probes.ties.statistics import tie_counts
from metaeval.probes.ties.subject import statistic, subject
from metaeval.probes.ties.table import CONSTANT, PUBLISHED, tie_table
from metaeval.scores import FloatArray


@pytest.mark.parametrize("grouping", GROUPINGS)
def test_the_table_holds_what_each_measure_says(grouping: Grouping) -> None:
    paired = random_paired(seed=1, systems=4, items=8, metrics=3, missing=3, levels=2)
    table = tie_table(paired, grouping, [*PUBLISHED, "ties_f1(epsilon=0.5)"])
    assert [str(s) for s in table.statistics[-2:]] == [
        f"acc_eq(epsilon=best)@{grouping}",
        f"ties_f1(epsilon=0.5)@{grouping}",
    ]
    for line in table.lines:
        scores = paired.scores[paired.keys.index(line.metric.key)]
        for each, outcome in zip(table.statistics, line.outcomes, strict=True):
            assert outcome == parse_measure(str(each)).evaluate(paired.human, scores)


def test_ranks_count_better_metrics_and_the_last_column_orders() -> None:
    table = tie_table(random_paired(seed=2, systems=6, items=20, metrics=4), "item", ["tau_b", "acc_eq"])
    values = [line.outcomes[-1].value for line in table.lines]
    assert values == sorted(values, reverse=True)
    assert [line.ranks[-1] for line in table.lines] == [1, 2, 3, 4]


def test_a_constant_metric_has_accuracy_and_no_correlation() -> None:
    paired = random_paired(seed=2, systems=4, items=5, metrics=1, levels=1)
    table = tie_table(paired, "item", ["tau_b", "tau_10", "acc_eq"], constant=True)
    (line,) = [line for line in table.lines if line.metric.key == CONSTANT]
    assert math.isnan(line.outcomes[0].value)
    assert line.ranks[0] is None
    assert line.outcomes[1].value == -1.0
    assert line.outcomes[2].value == pytest.approx(table.human.ties / table.human.pairs)


@settings(deadline=None)
@given(matrices())
def test_ties_are_counted_as_by_going_through_the_pairs(data: tuple[FloatArray, FloatArray]) -> None:
    paired = paired_of(data[0], data[1][None])
    best = np.nanmax(data[0])
    for grouping in GROUPINGS:
        groups = {
            "none": [np.arange(paired.human.size)],
            "item": list(np.arange(paired.human.size).reshape(paired.human.shape).T),
            "system": list(np.arange(paired.human.size).reshape(paired.human.shape)),
        }[grouping]
        human, metric = paired.human.ravel(), paired.scores[0].ravel()
        pairs = [
            (i, j)
            for group in groups
            for i, j in itertools.combinations(group, 2)
            if not np.isnan(human[[i, j]]).any()
        ]
        found = tie_counts(paired, grouping)
        assert found.human.pairs == len(pairs)
        assert found.human.ties == sum(human[i] == human[j] for i, j in pairs)
        assert found.human.ties_at_best == sum(human[i] == human[j] == best for i, j in pairs)
        assert found.metrics[0].ties == sum(metric[i] == metric[j] for i, j in pairs)


def test_a_metric_is_found_by_its_name_or_key() -> None:
    paired = random_paired(seed=0, systems=3, items=3, metrics=2)
    assert subject(paired, "M1", "item").metric.key == "M1"
    with pytest.raises(InputError, match="several metrics are called 'M\\*'\n  Name one of them: M0, M1"):
        subject(paired, "M*", "item")
    with pytest.raises(InputError, match="no metric matches 'BLEU'"):
        subject(paired, "BLEU", "item")


def test_a_column_is_a_statistic_of_pairs() -> None:
    with pytest.raises(InputError, match="pearson is no statistic of pairs"):
        statistic("pearson", "item")
