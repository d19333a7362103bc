"""Damage by a language model, against a service on this machine that answers by a rule."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from length_metrics import Length

from metaeval.errors import MetaevalError
from metaeval.evalset import EvalSet
from metaeval.perturb import NotApplicable, Output, Perturbed, parse_perturbation
from metaeval.perturb.drawing import ask_ahead, draw
from metaeval.perturb.llm import LanguageModel, question
from metaeval.perturb.words.lexicon import Lexicon
from metaeval.probes.local.texts import text_pairs
from metaeval.scorers.cache import Cache


class Service:
    """What was asked; answers the output with ``not `` before it, or as it is if it says stubborn."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []

    def answer(self, request: dict[str, Any]) -> str:
        self.asked.append(request)
        output = str(request["messages"][0]["content"].partition("OUTPUT: ")[2].partition("\n")[0])
        return output if "stubborn" in output else f'"not {output}"\n'


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    state = Service()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            reply = json.dumps({"choices": [{"message": {"content": state.answer(request)}}]}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    monkeypatch.setenv("METAEVAL_LLM_ADDRESS", f"http://127.0.0.1:{server.server_port}/v1")
    monkeypatch.setenv("METAEVAL_LLM_MODEL", "stand-in")
    yield state
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_model_is_asked_with_the_settings_of_the_paper(service: Service) -> None:
    output = Output("It is so.", "1", "A", reference="So it is.", source="So ist es.")
    result = parse_perturbation("llm").drawn(output, Lexicon("en"), seed=0)
    assert isinstance(result, Perturbed)
    assert result.text == "not It is so."
    (request,) = service.asked
    settings = {key: request[key] for key in ("model", "temperature", "top_p", "max_tokens")}
    assert settings == {"model": "stand-in", "temperature": 0.3, "top_p": 1.0, "max_tokens": 200}
    assert "SOURCE: So ist es.\nREFERENCE: So it is.\nOUTPUT: It is so." in request["messages"][0]["content"]


def test_the_task_decides_what_is_asked_and_what_is_not_there_is_not_shown() -> None:
    ((_, asked),) = question(Output("it is so", reference="so it is", task="asr"))
    assert "speech recognizer" in asked
    assert "SOURCE" not in asked
    ((_, asked),) = question(Output("it is so", reference="so it is"))
    assert "translation" in asked
    assert "SOURCE" not in asked


def test_a_study_of_speech_asks_for_mistakes_of_speech_once_an_output(service: Service) -> None:
    one = LanguageModel()
    data = EvalSet(systems=("A",), items=("1",), references={"ref": ("it is so",)}, outputs={"A": ("it is",)})
    found = text_pairs(data, [Length()], [one], task="asr", draws=4)
    assert len(found.pairs) == 1, "the same answer four times is one pair"
    assert "speech recognizer" in service.asked[0]["messages"][0]["content"]


@pytest.mark.parametrize("text", ['"It  is so."', "It  is so.", "“It is so.”"])
def test_blanks_and_quotation_marks_alone_are_no_damage(text: str) -> None:
    output = Output(text)
    one = LanguageModel()
    one.answers[question(output)] = text + "\n"
    assert isinstance(one.drawn(output, Lexicon(), seed=0), NotApplicable)


def test_an_unchanged_or_empty_output_is_not_applicable(service: Service) -> None:
    one = LanguageModel()
    stubborn = one.drawn(Output("stubborn"), Lexicon(), seed=0)
    assert stubborn == NotApplicable("the language model left the output as it was")
    assert one.drawn(Output(" "), Lexicon(), seed=0) == NotApplicable("an empty output")


def test_everything_is_asked_ahead_once_and_kept(service: Service, tmp_path: Path) -> None:
    outputs = [Output(f"text {i % 3} here", str(i), "A") for i in range(12)]
    rules = [parse_perturbation(name) for name in ("removal", "swapping")]

    def results() -> list[str]:
        chosen = [*rules, LanguageModel()]
        with Cache(tmp_path) as cache:
            ask_ahead(outputs, chosen, Lexicon("en"), seed=0, draws=2, cache=cache)
        before = len(service.asked)
        drawn = [draw(o, chosen, Lexicon("en"), seed=0, draws=2) for o in outputs]
        assert len(service.asked) == before, "nothing is asked one by one"
        return [str(attempt.result) for attempts in drawn for attempt in attempts]

    first = results()
    assert 1 <= len(service.asked) <= 3
    asked = len(service.asked)
    assert results() == first
    assert len(service.asked) == asked


def test_without_a_service_the_message_names_the_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("METAEVAL_LLM_ADDRESS", raising=False)
    with pytest.raises(MetaevalError, match="METAEVAL_LLM_ADDRESS is not set"):
        LanguageModel().drawn(Output("a b"), Lexicon(), seed=0)
