"""Closed classes of words by language: pronouns, and how a clause is negated.

A language that has no entry is not guessed at: what needs the table is then not applicable, and says so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

from metaeval.errors import InputError
from metaeval.io.languages import short_code


@dataclass(frozen=True)
class Language:
    """What perturbations must know of a language.

    >>> LANGUAGES["de"].particle
    'nicht'
    """

    pronouns: tuple[frozenset[str], ...]
    """Sets of pronouns that may stand for each other: personal, oblique, possessive."""
    particle: str
    """The word that negates."""
    auxiliaries: frozenset[str]
    """Verbs next to which the particle stands: behind, or in front where ``in_front``."""
    in_front: bool
    endings: tuple[str, ...]
    """Endings of verbs and adjectives that the particle may precede."""
    not_ending: frozenset[str]
    """Words with such an ending that are something else."""
    negators: Mapping[str, str]
    """Negations, and what stands in their place once they are removed."""
    capital_nouns: bool = False
    """Whether every noun has a capital."""
    determiners: frozenset[str] = field(default_factory=frozenset)
    """Words before a common noun; only where nouns have capitals."""

    @cached_property
    def closed(self) -> frozenset[str]:
        """All words that are listed here: grammar, not content."""
        pronouns = frozenset().union(*self.pronouns)
        return pronouns | self.auxiliaries | self.determiners | frozenset(self.negators)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ENGLISH = Language(
    pronouns=(
        _words("i you he she it we they"),
        _words("me him her us them"),
        _words("my your his its our their"),
        _words("mine yours hers ours theirs"),
        _words("myself yourself himself herself itself ourselves themselves"),
    ),
    particle="not",
    auxiliaries=_words(
        "is are was were am be been has have had do does did will would can could shall should may might must"
    ),
    in_front=False,
    endings=("able", "ible", "ful", "ous", "less", "ish", "ed"),
    not_ending=_words("need feed seed speed indeed bed red table finish publish establish fish dish wish"),
    negators=MappingProxyType(
        dict.fromkeys(_words("not never no hardly neither"), "")
        | {
            "cannot": "can", "can't": "can", "won't": "will", "shan't": "shall", "ain't": "is",
            "nothing": "something", "nobody": "somebody", "nowhere": "somewhere", "none": "some",
            "without": "with",
        }
        | {
            f"{verb}n't": verb
            for verb in _words("is are was were has have had do does did would could should might must need")
        }
    ),
)  # fmt: skip

_GERMAN = Language(
    pronouns=(
        _words("ich du er sie es wir ihr"),
        _words("mich dich ihn uns euch"),
        _words("mir dir ihm ihnen"),
        _words("mein dein sein unser euer"),
        _words("meine deine seine ihre unsere eure"),
        _words("meinen deinen seinen ihren unseren euren"),
        _words("meinem deinem seinem ihrem unserem eurem"),
        _words("meiner deiner seiner ihrer unserer eurer"),
        _words("dieser jener"),
        _words("diese jene"),
        _words("dieses jenes"),
    ),
    particle="nicht",
    auxiliaries=_words(
        "ist sind war waren bin bist wird werden wurde wurden würde würden hat haben hatte hatten habe hätte "
        "kann können konnte konnten könnte muss müssen musste soll sollen sollte darf dürfen durfte will "
        "wollen wollte mag möchte möchten sei seien wäre wären"
    ),
    in_front=False,
    endings=("lich", "bar", "sam", "isch", "haft", "los", "ig"),
    not_ending=_words("sich plötzlich ziemlich wenig endlich nämlich einig bislang gemeinsam"),
    negators=MappingProxyType(
        dict.fromkeys(_words("nicht nie niemals keineswegs kaum nimmer"), "")
        | {
            "kein": "ein", "keine": "eine", "keinen": "einen", "keinem": "einem", "keiner": "einer",
            "keines": "eines", "nichts": "etwas", "niemand": "jemand", "niemanden": "jemanden",
            "niemandem": "jemandem", "nirgends": "irgendwo", "nirgendwo": "irgendwo", "ohne": "mit",
        }
    ),
    capital_nouns=True,
    determiners=_words(
        "der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner dieser "
        "diese dieses diesen diesem jeder jede jedes jeden jedem mein meine dein deine sein seine ihr ihre "
        "unser unsere euer eure im am zum zur vom beim ins ans seinen seinem seiner ihren ihrem ihrer alle "
        "viele einige mehrere welche welcher welches"
    ),
)  # fmt: skip

_RUSSIAN = Language(
    pronouns=(
        _words("я ты он она оно мы вы они"),
        _words("меня тебя его её ее нас вас их"),
        _words("мне тебе ему ей нам вам им"),
        _words("мной тобой нами вами ими"),
        _words("мой твой наш ваш"),
        _words("моя твоя наша ваша"),
        _words("моё мое твоё твое наше ваше"),
        _words("мои твои наши ваши"),
        _words("этот тот"),
        _words("эта та"),
        _words("эти те"),
    ),
    particle="не",
    auxiliaries=_words(
        "был была было были буду будет будут будем может могут мог могла могли можно нужно надо должен "
        "должна должны хочет хотят хотел хотела является являются стал стала стали"
    ),
    in_front=True,
    endings=(
        "ться", "тся", "ает", "яет", "ует", "ают", "яют", "уют", "ило", "али", "или", "ала", "ила", "ить",
        "ать", "еть", "ались", "ился", "илась",
    ),
    not_ending=_words("или если дела сила мать опять пять дали села могила школа начала"),
    negators=MappingProxyType(
        dict.fromkeys(_words("не ни никогда вовсе едва"), "")
        | {
            "нет": "есть", "нельзя": "можно", "ничего": "что-то", "ничто": "что-то", "никто": "кто-то",
            "никого": "кого-то", "никому": "кому-то", "нигде": "где-то", "никуда": "куда-то", "без": "с",
        }
    ),
)  # fmt: skip

_CHINESE = Language(
    pronouns=(_words("我 你 他 她 它"), _words("这 那")),
    particle="不",
    auxiliaries=_words("是 会 能 要 该 想 可 应"),
    in_front=True,
    endings=(),
    not_ending=frozenset(),
    negators=MappingProxyType({"不": "", "没": "", "未": "", "勿": ""}),
)

LANGUAGES: Mapping[str, Language] = MappingProxyType(
    {"en": _ENGLISH, "de": _GERMAN, "ru": _RUSSIAN, "zh": _CHINESE}
)
"""By two-letter code."""

_CODE = re.compile(r"([A-Za-z]{2,3})([-_][-\w]+)?")


def language_code(name: str) -> str:
    """The code under which tables and thesauri have a language, whatever its region; empty stays empty.

    >>> language_code("DE"), language_code("zh_CN"), language_code("rus")
    ('de', 'zh', 'ru')
    """
    match = _CODE.fullmatch(name.strip())
    if match is None:
        if not name.strip():
            return ""
        raise InputError(f"{name!r} is not the code of a language", remedy="Write two letters: en, de, ru.")
    return short_code(match[1].lower())
