"""Weights of MQM errors: rules, their precedence, and what cannot be read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.errors import InputError
from metaeval.io.mqm_weights import GOOGLE, UNBABEL, MqmWeights


@pytest.mark.parametrize(
    ("severity", "category", "weight"),
    [
        ("Major", "Accuracy/Mistranslation", 5),
        ("Minor", "Accuracy/Mistranslation", 1),
        ("Minor", "Fluency/Punctuation", 0.1),
        ("Major", "Fluency/Punctuation", 5),
        ("Major", "Non-translation!", 25),
        ("minor", "non-translation", 25),
        ("Neutral", "Style/Awkward", 0),
        ("No-error", "No-error", 0),
        ("Major", "Source issue", 0),
        ("Major", "Source error", 5),
        ("Major", "Accuracy/Creative Reinterpretation", 0),
        ("critical", "Other", 5),
        ("trivial", "Other", 0.1),
    ],
)
def test_googles_weights_are_the_default_ones(severity: str, category: str, weight: float) -> None:
    assert GOOGLE.weight(severity, category) == weight


def test_more_of_the_category_wins_and_then_the_rule_that_states_the_severity() -> None:
    weights = MqmWeights.parse(
        "minor:1 fluency:2 minor/fluency:3 fluency/spelling:4 minor/fluency/spelling:5"
    )
    assert weights.weight("minor", "Style") == 1
    assert weights.weight("major", "Fluency/Grammar") == 2
    assert weights.weight("minor", "Fluency/Grammar") == 3
    assert weights.weight("major", "Fluency/Spelling") == 4
    assert weights.weight("minor", "Fluency/Spelling") == 5


def test_an_error_that_no_rule_matches_has_no_weight_rather_than_zero() -> None:
    assert UNBABEL.weight("Majr", "Style") is None


def test_the_named_weights_are_read_by_their_names() -> None:
    assert MqmWeights.parse(" Google ") is GOOGLE
    assert MqmWeights.parse("unbabel").weight("critical", "Style") == 10


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", "no rule"),
        ("major", "no rule"),
        (":5", "no rule"),
        ("major/:5", "no rule"),
        ("major:x", "no number"),
        ("major:nan", "not at least 0"),
        ("major:inf", "not at least 0"),
        ("major:-1", "not at least 0"),
        ("major:5 Major:4", "a rule twice"),
    ],
)
def test_weights_that_cannot_be_read_say_what_is_wrong_and_what_is_right(text: str, found: str) -> None:
    with pytest.raises(InputError, match=found) as caught:
        MqmWeights.parse(text)
    assert "Expected google, unbabel, or rules such as: major:5 minor:1" in str(caught.value)


@given(
    st.dictionaries(
        st.lists(st.sampled_from(["major", "minor", "style", "source-issue"]), min_size=1, max_size=3).map(
            tuple
        ),
        st.sampled_from([0.0, 0.1, 1.0, 5.0, 25.0]) | st.floats(0, 1e9),
        min_size=1,
    )
)
def test_what_is_printed_parses_to_the_same_weights(rules: dict[tuple[str, ...], float]) -> None:
    weights = MqmWeights(tuple(sorted(rules.items())))
    assert MqmWeights.parse(str(weights)) == weights
