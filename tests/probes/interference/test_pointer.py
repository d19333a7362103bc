"""The note on a ranking that points to interference."""

from __future__ import annotations

import pytest

from metaeval.board import Board, rank
from metaeval.evalset import EvalSet
from metaeval.probes.interference import pointer
from metaeval.probes.interference.pointer import pointed
from metaeval.significance.plan import Plan
from metaeval.simulate import CLEAN, simulate

QUICK = Plan(test="none", bootstrap="none")


def ranked(data: EvalSet) -> Board:
    return rank(data, ["pearson@item"], plan=QUICK)


def test_a_ranking_points_to_a_suspect() -> None:
    simulation = simulate(seed=1, text=False)
    planted = simulation.truth.gamed
    assert planted is not None
    data = simulation.evalset
    note = pointed(ranked(data), data).notes[-1]
    assert note.startswith(f"{planted.metric} may have chosen the outputs of {planted.system}")
    assert note.endswith(": run metaeval interference")


def test_it_is_silent_without_a_suspect_or_where_nothing_can_be_said() -> None:
    for data in (simulate(CLEAN, seed=3, text=False).evalset, simulate(systems=4, text=False).evalset):
        board = ranked(data)
        assert pointed(board, data) is board


def test_it_does_not_look_where_that_would_take_long(monkeypatch: pytest.MonkeyPatch) -> None:
    data = simulate(seed=1, text=False).evalset
    board = ranked(data)
    monkeypatch.setattr(pointer, "MOST_NUMBERS", 1000)
    assert pointed(board, data) is board
