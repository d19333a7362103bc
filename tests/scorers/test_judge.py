"""The model behind an address: a stand-in server that answers, refuses and fails as it is told."""

from __future__ import annotations

import json
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from metaeval.errors import InputError, MetaevalError
from metaeval.scorers.base import Segment
from metaeval.scorers.cache import Cache
from metaeval.scorers.chat import ADDRESS, KEY, MODEL, Chat
from metaeval.scorers.prompts import read_errors, read_number
from metaeval.scorers.registry import parse_text_scorer

QUESTION = (("user", "how good?"),)


@dataclass
class Service:
    """What the stand-in does with a request, and what it saw."""

    answer: Callable[[dict[str, Any]], str] = lambda body: "75"
    problems: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    """Status and headers of the next replies, before answers begin."""
    raw: bytes | None = None
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    busy: int = 0
    most_busy: int = 0
    delay: float = 0.0
    address: str = ""
    lock: threading.Lock = field(default_factory=threading.Lock)


@pytest.fixture
def service() -> Iterator[Service]:
    state = Service()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with state.lock:
                state.requests.append(body)
                state.headers.append(dict(self.headers))
                state.busy += 1
                state.most_busy = max(state.most_busy, state.busy)
                problem = state.problems.pop(0) if state.problems else None
            time.sleep(state.delay)
            with state.lock:
                state.busy -= 1
            if problem is not None:
                self.reply(problem[0], b'{"error": "as told"}', problem[1])
                return
            completion = {"choices": [{"message": {"content": state.answer(body)}}]}
            self.reply(200, json.dumps(completion).encode() if state.raw is None else state.raw, {})

        def reply(self, status: int, content: bytes, headers: dict[str, str]) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.address = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield state
    server.shutdown()
    server.server_close()
    thread.join()


def chat(service: Service, **settings: Any) -> Chat:
    return Chat(address=service.address, model="m", wait=lambda seconds: None, **settings)


def test_a_question_is_asked_as_the_interface_has_it(service: Service) -> None:
    assert chat(service, key="k", temperature=0.3, max_tokens=200).ask([QUESTION]) == ["75"]
    assert service.requests == [
        {
            "model": "m",
            "messages": [{"role": "user", "content": "how good?"}],
            "temperature": 0.3,
            "top_p": 1.0,
            "max_tokens": 200,
        }
    ]
    assert service.headers[0]["Authorization"] == "Bearer k"


def test_answers_come_in_the_order_of_the_questions_and_equal_questions_are_asked_once(
    service: Service,
) -> None:
    service.answer = lambda body: str(body["messages"][0]["content"]).upper()
    questions = [(("user", text),) for text in ("a", "b", "a", "c")]
    assert chat(service).ask(questions) == ["A", "B", "A", "C"]
    assert len(service.requests) == 3


def test_no_more_questions_are_under_way_than_allowed(service: Service) -> None:
    service.delay = 0.02
    chat(service, concurrency=3).ask([(("user", str(i)),) for i in range(9)])
    assert 1 < service.most_busy <= 3


def test_overload_and_faults_are_met_with_waits_that_double(service: Service) -> None:
    service.problems = [(429, {}), (503, {"Retry-After": "7"}), (500, {"Retry-After": "soon"})]
    waits: list[float] = []
    asked = Chat(address=service.address, model="m", wait=waits.append)
    assert asked.ask([QUESTION]) == ["75"]
    assert waits == [1.0, 7.0, 4.0]


def test_a_service_that_never_answers_is_given_up(service: Service) -> None:
    service.problems = [(500, {})] * 2
    with pytest.raises(MetaevalError, match=r"did not answer: HTTP 500, 2 times\n    .*as told"):
        chat(service, attempts=2).ask([QUESTION])


def test_a_refusal_is_not_repeated(service: Service) -> None:
    service.problems = [(401, {})]
    with pytest.raises(MetaevalError, match=r"did not answer: HTTP 401\n    .*as told"):
        chat(service, key="secret").ask([QUESTION])
    assert len(service.requests) == 1


def test_a_redirection_is_not_followed(service: Service) -> None:
    service.problems = [(302, {"Location": service.address + "/elsewhere"})]
    with pytest.raises(MetaevalError, match="HTTP 302"):
        chat(service, key="secret").ask([QUESTION])
    assert len(service.requests) == 1


@pytest.mark.parametrize("raw", [b"no json", b"{}", b'{"choices": [{"message": {"content": null}}]}'])
def test_a_reply_that_is_no_completion_is_a_fault_of_the_service(service: Service, raw: bytes) -> None:
    service.raw = raw
    with pytest.raises(MetaevalError, match=r"did not answer: .*, 2 times"):
        chat(service, attempts=2).ask([QUESTION])
    assert len(service.requests) == 2


def test_an_endless_answer_is_not_read(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("metaeval.scorers.chat._MAX_REPLY_BYTES", 10)
    with pytest.raises(MetaevalError, match="the answer is too long"):
        chat(service, attempts=1).ask([QUESTION])


def test_a_service_that_is_not_there_is_named() -> None:
    nowhere = Chat(address="http://127.0.0.1:9/v1", model="m", attempts=1, wait=lambda seconds: None)
    with pytest.raises(MetaevalError, match=r"the language model at http://127.0.0.1:9/v1 did not answer"):
        nowhere.ask([QUESTION])


def test_what_does_not_speak_http_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

        def answer() -> None:
            for _ in range(2):
                line, _ = listener.accept()
                with line:
                    line.recv(65536)
                    line.sendall(b"what?\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        asked = Chat(address=f"http://127.0.0.1:{port}", model="m", attempts=2, wait=lambda seconds: None)
        with pytest.raises(MetaevalError, match=r"did not answer: BadStatusLine: .*, 2 times"):
            asked.ask([QUESTION])
        thread.join()


def test_answers_are_kept_by_their_question(service: Service, tmp_path: Path) -> None:
    with Cache(tmp_path) as cache:
        chat(service).ask([QUESTION], cache)
        assert chat(service).ask([QUESTION], cache) == ["75"]
        assert len(service.requests) == 1
        chat(service, temperature=1.0).ask([QUESTION], cache)
    assert len(service.requests) == 2


def test_a_blank_answer_is_not_kept(service: Service, tmp_path: Path) -> None:
    service.answer = lambda body: " "
    with Cache(tmp_path) as cache:
        assert chat(service).ask([QUESTION], cache) == [" "]
        service.answer = lambda body: "75"
        assert chat(service).ask([QUESTION], cache) == ["75"]


@pytest.mark.parametrize(
    "address",
    [
        "localhost:8000",
        "file:///etc/passwd",
        "http://",
        "http://[::1",
        "http://here:port/v1",
        "http://a b/v1",
    ],
)
def test_only_web_addresses_are_asked(address: str) -> None:
    with pytest.raises(InputError, match="is not the address of a service"):
        Chat(address=address, model="m")


def test_without_an_address_or_a_model_the_judge_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ADDRESS, raising=False)
    monkeypatch.delenv(MODEL, raising=False)
    with pytest.raises(MetaevalError, match=f"{ADDRESS} is not set"):
        parse_text_scorer("LLM-DA").check()
    monkeypatch.setenv(ADDRESS, "http://localhost:1/v1")
    with pytest.raises(MetaevalError, match=f"{MODEL} is not set"):
        parse_text_scorer("LLM-DA").check()


@pytest.fixture
def judged(service: Service, monkeypatch: pytest.MonkeyPatch) -> Service:
    monkeypatch.setenv(ADDRESS, service.address)
    monkeypatch.setenv(MODEL, "judge-1")
    monkeypatch.delenv(KEY, raising=False)
    return service


def test_direct_assessment_reads_a_number_and_shows_the_texts(judged: Service) -> None:
    scores = parse_text_scorer("LLM-DA").score([Segment("out", "ref", "src")])
    assert scores.tolist() == [75]
    asked = judged.requests[0]["messages"][1]["content"]
    assert asked == "<source>src</source>\n<reference>ref</reference>\n<output>out</output>"
    parse_text_scorer("LLM-DA-QE(model=other)").score([Segment("out", "ref", "src")])
    assert "reference" not in judged.requests[1]["messages"][1]["content"]
    assert judged.requests[1]["model"] == "other"


def test_errors_cost_by_severity_and_at_most_25(judged: Service) -> None:
    judged.answer = lambda body: json.dumps(
        {"errors": [{"severity": s} for s in body["messages"][1]["content"].split("output>")[1][:-2].split()]}
    )
    scorer = parse_text_scorer("LLM-MQM")
    outputs = ["", "minor", "major minor", "critical", "major major major major major major"]
    scores = scorer.score([Segment(output, "r", "s") for output in outputs])
    assert scores.tolist() == [0, -1, -6, -25, -25]
    assert parse_text_scorer("LLM-MQM-QE").score([Segment("major", "", "s")]).tolist() == [-5]


def test_an_answer_that_cannot_be_read_gives_no_score_and_is_counted(
    judged: Service, caplog: pytest.LogCaptureFixture
) -> None:
    judged.answer = lambda body: "I would rather not."
    with caplog.at_level(logging.WARNING):
        scores = parse_text_scorer("LLM-MQM").score([Segment("a"), Segment("b")])
    assert np.isnan(scores).all()
    assert "LLM-MQM: 2 of 2 answers cannot be read: no score" in caplog.text


def test_the_signature_names_model_settings_and_prompt_but_not_the_address(judged: Service) -> None:
    direct, spans = (parse_text_scorer(name).signature for name in ("LLM-DA", "LLM-MQM"))
    assert direct.startswith("LLM-DA|judge-1|t:0|p:1|max:512|prompt:")
    assert direct.rpartition(":")[2] != spans.rpartition(":")[2]
    assert "127.0.0.1" not in direct


@pytest.mark.parametrize(
    ("answer", "number"),
    [
        ("100", 100),
        ("90/100", 90),
        ("It is 33.5.", 33.5),
        ("7 errors: 40", 40),
        ("85 out of 100.", 85),
        ("2 of 5 are wrong: 60", 60),
    ],
)
def test_a_number_is_found_in_an_answer(answer: str, number: float) -> None:
    assert read_number(answer) == number


@pytest.mark.parametrize("answer", ["", "none", "101", "1000", "8/10", "8.5 out of 10"])
def test_what_holds_no_number_from_0_to_100_is_not_read(answer: str) -> None:
    assert read_number(answer) is None


@pytest.mark.parametrize(
    "answer",
    ["", "{}", '{"errors": 3}', '{"errors": [{}]}', '{"errors": [{"severity": "awful"}]}', "{" * 100_000],
)
def test_what_holds_no_errors_with_severities_is_not_read(answer: str) -> None:
    assert read_errors(answer) is None
