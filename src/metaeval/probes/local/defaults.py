"""Which scorers are used where none is named: those of the paper that need no model."""

from __future__ import annotations

import re
from collections.abc import Iterable

from metaeval.evalset import EvalSet
from metaeval.perturb.words.tokens import SPACELESS
from metaeval.rankings import Rankings
from metaeval.scorers.base import AnyScorer
from metaeval.scorers.registry import parse_scorer
from metaeval.scorers.run_rankings import trec_measures

TRANSLATION = ("BLEU", "chrF", "ROUGE-1", "ROUGE-2", "ROUGE-L")
SPEECH = tuple(f"{name}(normalise=yes)" for name in ("WER", "MER", "WIL", "WIP", "CER"))

_PLAIN = re.compile("[A-Za-z]")
_SPACELESS = re.compile(f"[{SPACELESS}]")


def default_scorers(data: EvalSet | Rankings, task: str, reference: str | None = None) -> list[AnyScorer]:
    """The scorers of a task; of rankings the 23 measures of trec_eval.

    Args:
        data: what will be scored.
        task: ``mt``, ``asr`` or ``ranking``.
        reference: the reference in use, whose script decides how words are told; by default the first.
    """
    if isinstance(data, Rankings):
        return [*trec_measures()]
    if task == "asr":
        return [parse_scorer(name) for name in SPEECH]
    against = data.references.get(reference or next(iter(data.references), ""), ())
    texts = [against] if any(against) else data.outputs.values()
    return [parse_scorer(name) for name in of_script(text for column in texts for text in column if text)]


def of_script(texts: Iterable[str]) -> tuple[str, ...]:
    """The scorers of translations, with tokenizers that know the script of most letters of the texts.

    BLEU's usual tokenizer takes a text without blanks for one word, and that of ROUGE reads nothing but
    a-z and 0-9.

    >>> of_script(["Он дома"])
    ('BLEU', 'chrF', 'ROUGE-1(tokenize=intl)', 'ROUGE-2(tokenize=intl)', 'ROUGE-L(tokenize=intl)')
    >>> of_script(["他说。"])[0]
    'BLEU(tokenize=char)'
    """
    plain, spaceless, letters = 0, 0, 0
    for text in texts:
        plain += len(_PLAIN.findall(text))
        spaceless += len(_SPACELESS.findall(text))
        letters += sum(map(str.isalpha, text))
    if 2 * spaceless > letters:
        return tuple(name if name == "chrF" else f"{name}(tokenize=char)" for name in TRANSLATION)
    if 2 * plain < letters:
        return tuple(f"{name}(tokenize=intl)" if name.startswith("ROUGE") else name for name in TRANSLATION)
    return TRANSLATION
