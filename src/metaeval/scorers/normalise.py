"""How transcripts are made comparable before words are counted."""

from __future__ import annotations


def normalised(text: str) -> str:
    """Lower case, punctuation but apostrophes turned into blanks, single blanks.

    Letters, marks of letters and digits stay, of any script; curly apostrophes become straight ones.

    >>> normalised("Well-known, isn’t it?  $5.")
    "well known isn't it 5"
    """
    kept = "".join(c if _is_kept(c) else " " for c in text.lower().replace("’", "'"))
    return " ".join(kept.split())


def _is_kept(character: str) -> bool:
    if character.isalnum() or character == "'":
        return True
    if character.isascii():
        return False
    import unicodedata

    return unicodedata.category(character).startswith("M")
