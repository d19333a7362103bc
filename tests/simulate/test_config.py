"""Knobs: every one is named, explained and checked."""

import json
from typing import Any

import pytest

from metaeval.errors import InputError
from metaeval.simulate import CLEAN, KINDS, Config, Kind, knobs, simulate


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"systems": 1}, "systems is 1, expected a whole number from 2 to 10,000"),
        ({"systems": 2.0}, "systems is 2.0, expected a whole number"),
        ({"items": True}, "items is True, expected a whole number"),
        ({"items": 0}, "items is 0, expected"),
        ({"documents": 0}, "documents is 0, expected"),
        ({"items": 5, "documents": 6}, "there are 6 documents for 5 items"),
        ({"domains": 9}, "domains is 9, expected a whole number from 1 to 4"),
        ({"item_spread": -1}, "item_spread is -1, expected a number from 0"),
        ({"noise": float("nan")}, "noise is nan, expected a number"),
        ({"gaming": float("inf")}, "gaming is inf, expected a number"),
        ({"length_bias": "much"}, "length_bias is 'much', expected a number"),
        ({"gamed": 1}, "gamed is 1, expected True or False"),
        ({"pair": ""}, "pair is '', expected a text"),
        ({"gamed_metric": 3}, "gamed_metric is 3, expected a text"),
        ({"unrated": 1.0}, "unrated is 1.0, expected a number from 0 to 0.99"),
        ({"raters": 2, "raters_per_segment": 3}, "raters_per_segment is 3, but there are 2 raters"),
        ({"system_quality": (0.0, 1.0)}, "system_quality has 2 values for 12 systems"),
        ({"system_quality": (0.0, "x"), "systems": 2}, "system_quality holds 'x', expected numbers"),
        ({"item_effects": -0.5}, "item_effects is -0.5, expected True, False or a size"),
        ({"metrics": ()}, "there are no metrics to simulate"),
        ({"metrics": "unbiased, lexicl"}, "Did you mean lexical?"),
        ({"metrics": 3}, "there is no kind of metric 3"),
        ({"metrics": ("lexical", "lexical")}, "two metrics are called Lexical-refA"),
        ({"gamed_metric": "Neural-src"}, "there is no metric 'Neural-src' to game"),
        ({"metrics": ("constant",)}, "Constant-refA cannot be gamed"),
        ({"sistems": 3}, "Did you mean systems?"),
    ],
)
def test_a_wrong_knob_is_named_with_what_it_accepts(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        simulate(**wrong)
    assert message in str(caught.value)


@pytest.mark.parametrize("seed", [-1, 1.5, True, "1"])
def test_a_seed_is_a_whole_number(seed: Any) -> None:
    with pytest.raises(InputError, match=r"seed is .*, expected a whole number from 0"):
        simulate(seed=seed)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"name": ""}, "empty name"),
        ({"name": "X", "noise": -1.0}, "X has a part out of range"),
        ({"name": "X", "levels": 1}, "X has a part out of range"),
        ({"name": "X", "scale": 0.0}, "X has a part out of range"),
        ({"name": "X", "quality": float("nan")}, "X has a part that is not a number"),
    ],
)
def test_a_kind_that_cannot_be_is_refused(parts: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Kind(**parts)


def test_every_knob_has_a_meaning() -> None:
    described = list(knobs())
    assert {name for name, _, _ in described} == set(Config().as_dict())
    assert all(meaning for _, _, meaning in described)


def test_a_configuration_can_be_written_as_json() -> None:
    own = Config(metrics=("lexical", Kind(name="Mine", quality=1.0, noise=0.1)))
    assert json.loads(json.dumps(own.as_dict()))["metrics"][1]["name"] == "Mine"


def test_metrics_are_chosen_by_name_as_on_a_command_line() -> None:
    assert Config(metrics="lexical, qe_length").metrics == ("lexical", "qe_length")  # type: ignore[arg-type]  # as typed by a user


def test_item_effects_are_declared_none_or_of_a_size() -> None:
    def of(**knobs: Any) -> list[float]:
        return [kind.item_effect for kind in Config(**knobs).kinds]

    declared = [kind.item_effect for kind in KINDS.values()]
    assert of() == declared
    assert of(item_effects=False) == [0.0] * len(declared)
    assert of(item_effects=0.3) == [0.3 if size else 0.0 for size in declared]


def test_the_clean_configuration_plants_nothing() -> None:
    assert not CLEAN.gamed
    assert all(kind.source_length == kind.output_length == 0 for kind in CLEAN.kinds)
    assert all(kind.quality > 0 for kind in CLEAN.kinds)
    assert CLEAN.length_difficulty == CLEAN.domain_spread == 0
