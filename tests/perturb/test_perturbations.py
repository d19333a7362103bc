"""What each perturbation does, when it does not apply, and that nothing but its inputs decides."""

from __future__ import annotations

import random
import tracemalloc

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from metaeval.errors import InputError
from metaeval.perturb import (
    NotApplicable,
    Output,
    Perturbation,
    Perturbed,
    describe_perturbations,
    parse_perturbation,
)
from metaeval.perturb.base import replaced
from metaeval.perturb.drawing import draw
from metaeval.perturb.item_swapping import ItemSwapping
from metaeval.perturb.randomness import shuffled, stream
from metaeval.perturb.registry import of_task, parse_any, perturbations
from metaeval.perturb.words.lexicon import Lexicon
from metaeval.perturb.words.tokens import tokens

CAKE = "John said he did not like the beautiful cake she baked in Paris."
RULES = [p for task in ("mt", "asr") for p in of_task(task) if isinstance(p, Perturbation)]


class Pocket:
    """A thesaurus of two words."""

    name = "pocket"

    def synonyms(self, word: str) -> tuple[str, ...]:
        return {"cake": ("tart", "pie"), "kuchen": ("Torte",)}.get(word, ())


class PocketLexicon(Lexicon):
    @property
    def thesaurus(self) -> Pocket:
        return Pocket()


def lexicon(*texts: str, language: str = "en") -> Lexicon:
    made = Lexicon.of(texts, language, wordfreq=False)
    return PocketLexicon(language, made.words, made.entities, made.capitals)


ENGLISH = lexicon(CAKE, "Then Mary met Bob near London.")


def all_results(name: str, text: str, known: Lexicon = ENGLISH, source: str = "") -> set[str]:
    """What comes out over many draws."""
    one = parse_perturbation(name)
    results = [one.drawn(Output(text, "i", "s", source=source), known, seed=0, number=n) for n in range(60)]
    return {result.text for result in results if isinstance(result, Perturbed)}


def test_removal_leaves_a_word_out_with_its_blank() -> None:
    assert all_results("removal", "Ann, (met) Bo.") == {", (met) Bo.", "Ann, () Bo.", "Ann, (met)."}


def test_insertion_puts_a_word_of_the_data_anywhere() -> None:
    known = Lexicon(words=("x",))
    assert all_results("insertion", "a b.", known) == {"x a b.", "a x b.", "a b x."}


def test_swapping_exchanges_two_different_words() -> None:
    assert all_results("swapping", "a b, c") == {"b a, c", "c b, a", "a c, b"}
    assert all_results("swapping", "The the THE") == set()


def test_a_loop_of_one_word_is_not_searched_for_another_at_each_place() -> None:
    class Untouched(random.Random):
        def random(self) -> float:
            raise AssertionError

    loop = Output("la " * 5_000)
    assert parse_perturbation("swapping").perturb(loop, Lexicon("en"), Untouched()) == NotApplicable(
        "fewer than two different words"
    )


def test_a_synonym_keeps_the_capitals() -> None:
    assert all_results("synonym", "Cake, CAKE") == {"Tart, CAKE", "Pie, CAKE", "Cake, TART", "Cake, PIE"}


def test_a_pronoun_gives_way_to_another_of_its_kind() -> None:
    assert all_results("pronoun", "so I met him") == {
        *(f"so {p} met him" for p in ("you", "he", "she", "it", "we", "they")),
        *(f"so I met {p}" for p in ("me", "her", "us", "them")),
    }
    assert "I am" in all_results("pronoun", "he am")
    assert all_results("pronoun", "Они спят", lexicon(language="ru")) >= {"Мы спят", "Я спят"}


def test_a_name_gives_way_to_another_name_of_the_data() -> None:
    found = all_results("entity", "Then Mary met nobody.")
    assert found == {f"Then {name} met nobody." for name in ("Bob", "London", "Paris")}


def test_in_german_a_name_stands_in_the_source() -> None:
    known = lexicon("Er sah Anna und Bernd.", "Der Kuchen von Anna.", language="de")
    found = all_results("entity", "Er gab Kuchen an Anna.", known, source="He gave cake to Anna.")
    assert found == {"Er gab Kuchen an Bernd."}


def test_negation_stands_behind_auxiliaries_and_before_verbs_and_adjectives() -> None:
    assert all_results("negation", "it is wonderful") == {"it is not wonderful"}
    assert all_results("negation", "she baked it and was glad") == {
        "she not baked it and was glad",
        "she baked it and was not glad",
    }
    assert all_results("negation", "Es ist schön", lexicon(language="de")) == {"Es ist nicht schön"}
    assert all_results("negation", "Она была рада", lexicon(language="ru")) == {"Она не была рада"}
    assert all_results("negation", "我是学生", lexicon(language="zh")) == {"我不是学生"}


def test_what_is_negated_is_not_negated_again() -> None:
    assert all_results("negation", "it is not so") == set()


def test_negation_removal_knows_short_forms_and_other_words() -> None:
    assert all_results("negation-removal", CAKE) == {CAKE.replace(" not", "")}
    assert all_results("negation-removal", "Nobody didn’t.") == {"Somebody didn’t.", "Nobody did."}
    assert all_results("negation-removal", "Ich habe kein Buch", lexicon(language="de")) == {
        "Ich habe ein Buch"
    }
    assert all_results("negation-removal", "Я не знаю", lexicon(language="ru")) == {"Я знаю"}


def test_phonetic_substitution_sounds_alike() -> None:
    assert all_results("phonetic", "phd") == {"fd", "pht"}
    assert "пат" in all_results("phonetic", "бат")
    assert all_results("phonetic", "か") == {"が"}


def test_texts_without_spaces_are_taken_by_characters() -> None:
    assert [w.text for w in tokens("ไก่ 他说hi")] == ["ไ", "ก่", "他", "说", "hi"]
    assert all_results("swapping", "他说") == {"说他"}
    assert all_results("removal", "他说。") == {"说。", "他。"}
    assert all_results("insertion", "他", Lexicon(words=("说",))) == {"说他", "他说"}


def test_marks_stay_with_their_letters() -> None:
    assert [w.text for w in tokens("हिन्दी é")] == ["हिन्दी", "é"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("removal", "one"), ("insertion", "..."), ("swapping", "one"), ("synonym", "the"),
        ("pronoun", "cake"), ("entity", "cake"), ("negation", "cake"), ("negation-removal", "cake"),
        ("phonetic", "1"),
    ],
)  # fmt: skip
def test_what_does_not_apply_says_why(name: str, text: str) -> None:
    one = parse_perturbation(name)
    assert not one.applies(Output(text), ENGLISH)
    result = one.drawn(Output(text), ENGLISH, seed=0)
    assert isinstance(result, NotApplicable)
    assert str(result).startswith("not applicable: ")
    assert len(result.reason) > 10


@given(
    st.text(), st.sampled_from(RULES), st.sampled_from(["en", "de", "ru", "zh", "fr", ""]), st.integers(0, 99)
)
@example("a b", RULES[0], "en", 0)
@example("ſ K I\u0307 ς", parse_perturbation("phonetic"), "", 0)
def test_the_output_differs_or_the_perturbation_does_not_apply(
    text: str, one: Perturbation, language: str, number: int
) -> None:
    known = PocketLexicon(language, ENGLISH.words, ENGLISH.entities, ENGLISH.capitals)
    output = Output(text, "i", "s")
    result = one.drawn(output, known, seed=0, number=number)
    assert one.applies(output, known) == isinstance(result, Perturbed)
    if isinstance(result, Perturbed):
        assert result.text != text
        assert result.changes
        assert replaced(text, result.changes) == result.text
    assert result == one.drawn(Output(text, "i", "s"), known, seed=0, number=number)


@given(st.lists(st.sampled_from("abcdefgh"), min_size=2, max_size=20).map(" ".join), st.integers(0, 50))
def test_lengths_follow_the_kind_of_damage(text: str, seed: int) -> None:
    lengths = {
        name: len(result.text) - len(text)
        for name in ("removal", "insertion", "swapping")
        if isinstance(result := parse_perturbation(name).drawn(Output(text), ENGLISH, seed=seed), Perturbed)
    }
    assert lengths["removal"] < 0 < lengths["insertion"]
    assert lengths.get("swapping", 0) == 0


def test_the_same_seed_gives_the_same_and_another_item_something_else() -> None:
    long = " ".join(f"w{i}" for i in range(500))
    one = parse_perturbation("removal")

    def text(item: str = "1", system: str = "A", seed: int = 0, number: int = 0) -> str:
        result = one.drawn(Output(long, item, system), ENGLISH, seed=seed, number=number)
        assert isinstance(result, Perturbed)
        return result.text

    others = [text(item="2"), text(system="B"), text(seed=1), text(number=1)]
    assert text() == text()
    assert text() not in others


def test_global_random_state_is_neither_read_nor_changed() -> None:
    random.seed(1)
    before = random.getstate()
    first = draw(Output(CAKE, "1", "A"), RULES, ENGLISH, seed=0, draws=4)
    assert random.getstate() == before
    random.seed(2)
    assert draw(Output(CAKE, "1", "A"), RULES, ENGLISH, seed=0, draws=4) == first


def test_four_different_perturbations_are_drawn_and_those_that_do_not_apply_passed_over() -> None:
    mt = [p for p in of_task("mt") if isinstance(p, Perturbation)]
    attempts = draw(Output("one two three", "1", "A"), mt, ENGLISH, seed=0, draws=4)
    applied = [mt[a.perturbation].name for a in attempts if isinstance(a.result, Perturbed)]
    assert sorted(applied) == ["insertion", "removal", "swapping"]
    assert len(attempts) == len(mt)
    full = draw(Output(CAKE, "1", "A"), mt, ENGLISH, seed=0, draws=4)
    assert len({a.perturbation for a in full if isinstance(a.result, Perturbed)}) == 4


def test_a_single_perturbation_is_drawn_again_and_again() -> None:
    attempts = draw(Output(CAKE, "1", "A"), [parse_perturbation("removal")], ENGLISH, seed=0, draws=9)
    assert len(attempts) == 9
    assert len({str(a.result) for a in attempts}) > 3


@given(st.integers(0, 300), st.integers(1, 20), st.integers(1, 150))
def test_items_of_a_ranking_change_places_in_pairs(length: int, pairs: int, depth: int) -> None:
    one = ItemSwapping(pairs=pairs, depth=depth)
    order = one.drawn(length, item="t", system="r", seed=0)
    assert one.applies(length) == (not isinstance(order, NotApplicable))
    if isinstance(order, NotApplicable):
        return
    moved = np.flatnonzero(order != np.arange(length))
    assert len(moved) == 2 * min(pairs, min(length, depth) // 2)
    assert (order[order] == np.arange(length)).all()
    assert moved.max() < depth


@given(st.integers(0, 30), st.integers(0, 30))
def test_shuffling_gives_each_once(size: int, seed: int) -> None:
    assert sorted(shuffled(stream(seed), range(size))) == list(range(size))


def test_few_words_in_the_data_are_made_more_by_wordfreq() -> None:
    pytest.importorskip("wordfreq", reason="wordfreq is not installed")
    made = Lexicon.of(["Ann met Bo"], "en")
    assert len(made.words) > 1000
    assert made.signature.startswith("language en, words of the data and wordfreq, ")
    assert Lexicon.of(["Ann met Bo"], "xx").words == ("Ann", "Bo", "met")


def test_a_lexicon_holds_its_words_and_not_all_texts_split() -> None:
    texts = [" ".join(f"w{(i * 7 + j) % 500}" for j in range(100)) for i in range(1000)]
    Lexicon.of(texts[:1], "en", wordfreq=False)  # what is made once is not counted
    tracemalloc.start()
    made = Lexicon.of(texts, "en", wordfreq=False)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(made.words) == 500
    assert peak < 2_000_000, "100,000 words as tokens are over 10 MB"


def test_names_print_and_parse_back() -> None:
    for name in perturbations():
        assert str(parse_any(name)) == name
    assert parse_any("item-swapping(pairs=3,depth=50)") == ItemSwapping(pairs=3, depth=50)
    assert {d["tasks"] for d in describe_perturbations()} == {"mt", "asr", "mt, asr", "ranking"}
    assert all(d["about"] for d in describe_perturbations())


def test_the_language_model_is_used_only_when_named() -> None:
    assert [p.name for p in of_task("mt")] == [
        "entity", "insertion", "negation", "negation-removal", "pronoun", "removal", "swapping", "synonym",
    ]  # fmt: skip
    assert [p.name for p in of_task("asr")] == ["insertion", "phonetic", "removal", "swapping"]
    assert [p.name for p in of_task("ranking")] == ["item-swapping"]
    assert [p.name for p in of_task("asr", ["llm"])] == ["llm"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: parse_any("remove()x"), "'remove()x' is not a perturbation\n  Write name"),
        (lambda: parse_any("removing"), "there is no perturbation 'removing'\n  Did you mean removal?"),
        (lambda: parse_any("removal(n=2)"), "removal has no parameter 'n=2'\n  There are none"),
        (
            lambda: parse_any("item-swapping(pairs=0)"),
            "item-swapping: pairs=0 is not possible: expected at least 1",
        ),
        (
            lambda: parse_perturbation("item-swapping"),
            "item-swapping perturbs rankings, not texts\n  Use it with --task ranking.",
        ),
        (lambda: of_task("speech"), "there is no task 'speech'\n  There are: asr, mt, ranking"),
        (lambda: of_task("asr", ["synonym"]), "synonym is a perturbation for mt, not for asr\n  There"),
        (lambda: of_task("asr", []), "no perturbation is named\n  Leave --perturbation"),
    ],
)  # fmt: skip
def test_what_is_asked_wrongly_is_answered(call: object, message: str) -> None:
    with pytest.raises(InputError) as caught:
        call()  # type: ignore[operator] # lambdas of different types
    assert str(caught.value).startswith(message)
