"""The grammar of measures: what is printed parses back, and what does not parse says why."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.errors import InputError
from metaeval.measures.base import Measure, SegmentMeasure
from metaeval.measures.groups import GROUPINGS
from metaeval.measures.registry import describe_measures, measures, parse_measure

CONTRACT = {
    "segment": "pearson spearman tau_a tau_b tau_c tau_10 tau_13 tau_14 tau_eq acc_eq pdp",
    "system": "pa spa system_pearson system_spearman system_tau_b",
}
NUMBERS = st.one_of(st.integers(0, 10**6), st.floats(0, 1e6)).map(str)


@st.composite
def any_measure(draw: st.DrawFn) -> Measure:
    cls = measures()[draw(st.sampled_from(sorted(measures())))]
    given_: dict[str, Any] = {}
    for f in dataclasses.fields(cls):
        if "parse" in f.metadata and draw(st.booleans()):
            text = draw(st.sampled_from(["best", "true", "perm", "normal"]) | NUMBERS)
            try:
                given_[f.name] = f.metadata["parse"](text)
            except ValueError:
                continue
    if issubclass(cls, SegmentMeasure):
        given_["grouping"] = draw(st.sampled_from(GROUPINGS))
    try:
        return cls(**given_)
    except InputError:
        return cls(**{k: v for k, v in given_.items() if k == "grouping"})


@given(any_measure())
def test_what_a_measure_prints_parses_back_to_the_same_value(measure: Measure) -> None:
    assert parse_measure(str(measure)) == measure
    assert repr(measure) == str(measure)


@pytest.mark.parametrize("level", CONTRACT)
def test_the_names_of_the_contract_exist_at_their_level(level: str) -> None:
    for name in CONTRACT[level].split():
        assert measures()[name].level == level


def test_defaults_are_not_printed() -> None:
    assert str(parse_measure("acc_eq(epsilon=0)@item")) == "acc_eq@item"
    assert str(parse_measure("acc_eq(epsilon=0.50)@item")) == "acc_eq(epsilon=0.5)@item"


def test_every_measure_says_what_it_is_and_where_it_is_from() -> None:
    described = describe_measures()
    assert {entry["name"] for entry in described} == set(measures())
    for entry in described:
        assert entry["about"]
        assert entry["formula"]
        assert entry["cites"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tau b@item", "'tau b@item' is not a measure"),
        ("", "'' is not a measure"),
        ("taub@item", "there is no measure 'taub'\n  Did you mean tau_b?"),
        ("tau_b", "tau_b is measured on segments: needs a grouping\n  Write one of tau_b@none, tau_b@item"),
        ("tau_b@doc", "tau_b is measured on segments: no grouping 'doc'"),
        ("pa@item", "pa is measured on systems and has no grouping\n  Write pa, without @item"),
        ("acc_eq(eps=1)@item", "acc_eq has no parameter 'eps=1'\n  Did you mean epsilon?"),
        ("acc_eq(epsilon)@item", "acc_eq has no parameter 'epsilon'"),
        ("acc_eq(epsilon=1,epsilon=2)@item", "acc_eq has 'epsilon' twice"),
        (
            "acc_eq(epsilon=-1)@item",
            "acc_eq: epsilon=-1 is not possible: epsilon is 'best' or a number from 0",
        ),
        ("acc_eq(epsilon=nan)@item", "epsilon=nan is not possible"),
        ("acc_eq(relative=maybe)@item", "relative=maybe is not possible: expected yes or no"),
    ],
)
def test_what_is_not_a_measure_says_what_would_be(text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        parse_measure(text)
    assert message in str(error.value)


def test_values_map_to_the_unit_range_from_their_own() -> None:
    assert parse_measure("pearson@item").unit_range(0.5) == 0.75  # type: ignore[arg-type] # a scalar will do
    assert parse_measure("acc_eq@item").unit_range(0.5) == 0.5  # type: ignore[arg-type] # a scalar will do
