"""Language codes: three letters to two, and the pair that a file name states."""

from __future__ import annotations

import re

TWO_LETTERS = {
    "bul": "bg", "ces": "cs", "dan": "da", "deu": "de", "ell": "el", "eng": "en", "est": "et", "fas": "fa",
    "fin": "fi", "fra": "fr", "guj": "gu", "hau": "ha", "heb": "he", "hin": "hi", "hrv": "hr", "hun": "hu",
    "iku": "iu", "ind": "id", "isl": "is", "ita": "it", "jpn": "ja", "kat": "ka", "kaz": "kk", "khm": "km",
    "kor": "ko", "lit": "lt", "lav": "lv", "mar": "mr", "nld": "nl", "nor": "no", "pol": "pl", "por": "pt",
    "pus": "ps", "ron": "ro", "rus": "ru", "slk": "sk", "slv": "sl", "spa": "es", "srp": "sr", "swe": "sv",
    "tam": "ta", "tha": "th", "tur": "tr", "ukr": "uk", "vie": "vi", "xho": "xh", "zho": "zh", "zul": "zu",
}  # fmt: skip
"""ISO 639-3 to 639-1, for the languages of WMT and their neighbours."""

_WORDS = {"data", "plus", "site", "item", "file"}


def short_code(language: str) -> str:
    """The two-letter code of a language, or the code itself where none is known.

    >>> short_code("jpn"), short_code("bho")
    ('ja', 'bho')
    """
    return TWO_LETTERS.get(language.lower(), language)


def pair_in_name(name: str) -> str:
    """The language pair that a file name states, or nothing where it states none or several.

    >>> pair_in_name("mqm_ted_zhen.tsv"), pair_in_name("mqm-en-de.tsv"), pair_in_name("mqm_data.tsv")
    ('zh-en', 'en-de', '')
    """
    known = set(TWO_LETTERS.values())
    joined = [
        (w[:2], w[2:]) for w in re.findall("[a-z]+", name.casefold()) if len(w) == 4 and w not in _WORDS
    ]
    hyphened = re.findall(r"(?<![a-z])([a-z]{2})-([a-z]{2})(?![a-z])", name.casefold())
    found = {f"{s}-{t}" for s, t in (*joined, *hyphened) if s in known and t in known and s != t}
    return found.pop() if len(found) == 1 else ""
