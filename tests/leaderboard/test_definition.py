"""A leaderboard on some of its pairs."""

from __future__ import annotations

from dataclasses import replace

import pytest
from leaderboard_data import definition, task

from metaeval.errors import InputError
from metaeval.leaderboard import find_definition
from metaeval.leaderboard.file import parse_definition


def test_a_pooled_task_keeps_the_share_of_its_weight_that_its_sets_are() -> None:
    few = find_definition("wmt23")[0].only("zh-en,he-en")
    assert [(str(t), t.weight) for t in few.tasks][:2] == [
        ("pa he-en+zh-en", 2.0),
        ("system_pearson he-en", 1.0),
    ]
    assert few.shares[0] == 2 / 8


def test_weights_are_shares_that_sum_to_one() -> None:
    found = parse_definition(definition(task("pa", weight=2) + task("spa")), "mine.toml")
    assert found.shares == pytest.approx((1 / 3, 1 / 3, 1 / 6, 1 / 6))


def test_a_part_says_what_it_is_a_part_of() -> None:
    (note,) = find_definition("wmt23")[0].only("zh-en").notes
    assert note.startswith("a part of the leaderboard: zh-en of en-de, he-en, zh-en")


def test_all_pairs_are_no_part() -> None:
    whole = find_definition("wmt24")[0]
    assert whole.only("*") is whole


def test_a_pair_that_is_not_in_it_is_refused() -> None:
    with pytest.raises(InputError, match="no set or pair of the leaderboard matches 'zh-de'"):
        find_definition("wmt23")[0].only("zh-de")


def test_a_part_without_a_task_is_refused() -> None:
    whole = find_definition("wmt23")[0]
    only_german = replace(whole, tasks=tuple(t for t in whole.tasks if t.sets == ("en-de",)))
    with pytest.raises(InputError, match="no task is left on these pairs"):
        only_german.only("zh-en")
