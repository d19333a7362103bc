"""Phonetic substitution: written as it might have been heard."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from random import Random

from metaeval.perturb.base import Change, Output, RulePerturbation
from metaeval.perturb.randomness import pick
from metaeval.perturb.registry import perturbation
from metaeval.perturb.words.lexicon import Lexicon
from metaeval.perturb.words.tokens import Token, like

LATIN = (
    "tion=shun sion=zhun ough=uff|o igh=y ph=f ck=k kn=n wr=r wh=w sch=sh sh=ch ch=sh th=d|t qu=kw x=ks "
    "ee=ea ea=ee ie=ee ei=ie oo=u ou=ow ai=ay au=o oa=o ll=l ss=s tt=t nn=n mm=m pp=b "
    "b=p p=b d=t t=d g=k k=g c=k s=z z=s f=v v=f m=n n=m j=g w=v l=r r=l "
    "a=e e=i i=e o=u u=o y=i ä=e ö=e ü=i ß=s"
)
CYRILLIC = (
    "тся=ца ться=ца жи=жы ши=шы сч=щ стн=сн здн=зн б=п п=б д=т т=д г=к к=г з=с с=з в=ф ф=в ж=ш ш=ж "
    "о=а а=о е=и и=е э=е ы=и у=ю ю=у я=е ё=о м=н н=м"
)
_KANA_PAIRS = "かがきぎくぐけげこごさざしじすずせぜそぞただちぢつづてでとどはばひびふぶへべほぼ"
_KATAKANA_OFFSET = 0x60


@perturbation("phonetic", "asr")
class Phonetic(RulePerturbation[Token]):
    """A random letter or group of letters is replaced by one that sounds alike: t by d, ph by f.

    For Latin, Cyrillic and Kana scripts; elsewhere spelling says too little about sound.
    """

    nowhere = "no letters with a similar sound"

    def sites(self, output: Output, lexicon: Lexicon) -> Sequence[Token]:
        pattern = _pattern()
        return [
            Token(match[0], word.start + match.start())
            for word in output.words
            for match in pattern.finditer(word.text)
        ]

    def act(self, site: Token, output: Output, lexicon: Lexicon, random: Random) -> tuple[Change, ...] | None:
        alike = sounds().get(site.text.lower())
        if alike is None:  # a letter that equals one of ours only when case is ignored: the long s
            return None
        return (Change(site.text, like(pick(random, alike), site.text), site.start),)


@cache
def sounds() -> Mapping[str, tuple[str, ...]]:
    """What each letter or group may become.

    >>> sounds()["t"], sounds()["ough"], sounds()["カ"]
    (('d',), ('uff', 'o'), ('ガ',))
    """
    rules = (rule.split("=") for rule in f"{LATIN} {CYRILLIC}".split())
    table = {old: tuple(new.split("|")) for old, new in rules}
    for plain, voiced in zip(_KANA_PAIRS[::2], _KANA_PAIRS[1::2], strict=True):
        for offset in (0, _KATAKANA_OFFSET):
            a, b = chr(ord(plain) + offset), chr(ord(voiced) + offset)
            table[a], table[b] = (b,), (a,)
    return table


@cache
def _pattern() -> re.Pattern[str]:
    longest_first = sorted(sounds(), key=lambda letters: (-len(letters), letters))
    return re.compile("|".join(longest_first), re.IGNORECASE)
