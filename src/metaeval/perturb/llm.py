"""Damage by a language model: mistakes that no rule makes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random

from metaeval.perturb.base import Change, NotApplicable, Output, Perturbation, Perturbed
from metaeval.perturb.registry import perturbation
from metaeval.perturb.words.lexicon import Lexicon
from metaeval.scorers.cache import Cache
from metaeval.scorers.chat import Chat, Messages

TEMPERATURE, TOP_P, MAX_TOKENS = 0.3, 1.0, 200
"""As in Deviyani and Diaz (2025), whose model was Llama-3-8B-instruct."""

_TRANSLATION = """\
Below are a source text, a reference translation and the output of a machine translation system.
Make the output slightly worse: put in small mistakes of the kind that machine translation makes, and keep
it largely understandable. Stay in the language of the output."""

_SPEECH = """\
Below are a reference transcript and the output of a speech recognizer.
Make the output slightly worse: put in small mistakes of the kind that speech recognition makes."""

_ONLY = "Answer with the changed output alone, without quotation marks, explanations or anything else."


@perturbation("llm", "mt", "asr")
@dataclass(frozen=True, repr=False)
class LanguageModel(Perturbation):
    """A language model is asked for an output that is slightly worse.

    The model answers at METAEVAL_LLM_ADDRESS. :meth:`prepare` asks for many outputs at once; one that was
    not prepared is asked for alone.
    """

    by_default = False
    varies = False
    answers: dict[Messages, str] = field(default_factory=dict, init=False, compare=False)

    def applies(self, output: Output, lexicon: Lexicon) -> bool:
        return bool(output.text.strip())

    def perturb(self, output: Output, lexicon: Lexicon, random: Random) -> Perturbed | NotApplicable:
        if not self.applies(output, lexicon):
            return NotApplicable("an empty output")
        asked = question(output)
        if asked not in self.answers:
            self.prepare([output])
        answer = cleaned(self.answers[asked])
        if answer in {"", " ".join(output.text.split()), cleaned(output.text)}:
            return NotApplicable("the language model left the output as it was")
        return Perturbed(answer, (Change(output.text, answer, 0),))

    def prepare(self, outputs: Iterable[Output], cache: Cache | None = None) -> None:
        """Asks for all outputs together; what the cache knows is not asked again."""
        asked = list(dict.fromkeys(map(question, outputs)))
        answers = chat().ask(asked, cache) if asked else []
        self.answers.update(zip(asked, answers, strict=True))

    @property
    def signature(self) -> str:
        return f"llm|{chat().signature}"


def chat() -> Chat:
    """The service that the environment names, with the paper's settings."""
    return Chat.from_environment(temperature=TEMPERATURE, top_p=TOP_P, max_tokens=MAX_TOKENS)


def question(output: Output) -> Messages:
    """What is asked, after the paper's prompts: with the source where there is one; speech has none."""
    parts = [("SOURCE", output.source), ("REFERENCE", output.reference), ("OUTPUT", output.text)]
    task = _SPEECH if output.task == "asr" else _TRANSLATION
    shown = "\n".join(f"{name}: {text}" for name, text in parts if text)
    return (("user", f"{task}\n\n{shown}\n\n{_ONLY}"),)


def cleaned(answer: str) -> str:
    """The answer without blanks around it, on one line, and without quotation marks around all of it.

    >>> cleaned('"It is\\nso." ')
    'It is so.'
    """
    text = " ".join(answer.split())
    quoted = len(text) > 1 and (text[0], text[-1]) in {('"', '"'), ("'", "'"), ("“", "”"), ("„", "“")}
    return text[1:-1].strip() if quoted else text
