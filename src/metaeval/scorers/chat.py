"""A language model behind any OpenAI-compatible address: many questions, bounded concurrency, patience.

Standard library only. Used by the judges here and by perturbations that a model writes.
"""

from __future__ import annotations

import http.client
import json
import os
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeAlias

from metaeval.errors import InputError, MetaevalError, printable
from metaeval.scorers.cache import Cache, content_key

Messages: TypeAlias = tuple[tuple[str, str], ...]
"""What is said, as pairs of role (``system``, ``user``, ``assistant``) and text."""

ADDRESS, MODEL, KEY = "METAEVAL_LLM_ADDRESS", "METAEVAL_LLM_MODEL", "METAEVAL_LLM_KEY"

_MAX_REPLY_BYTES = 4 * 1024**2
_LONGEST_WAIT_SECONDS = 60.0


@dataclass(frozen=True, kw_only=True)
class Chat:
    """Where a model answers, and how it is asked.

    Args:
        address: the base of the service: ``http://localhost:8000/v1``.
        model: its name there.
        key: sent as a bearer token, never shown or stored.
    """

    address: str
    model: str
    key: str | None = None
    temperature: float = 0.0
    top_p: float = 1.0
    max_tokens: int = 512
    concurrency: int = 8
    attempts: int = 6
    timeout: float = 120.0
    wait: Callable[[float], None] = time.sleep

    def __post_init__(self) -> None:
        if not _is_address(self.address):
            raise InputError(
                f"{self.address!r} is not the address of a service",
                remedy="Write its base, with the version: http://localhost:8000/v1",
            )

    @classmethod
    def from_environment(cls, model: str | None = None, **settings: Any) -> Chat:
        """The service that METAEVAL_LLM_ADDRESS, METAEVAL_LLM_MODEL and METAEVAL_LLM_KEY name."""
        address, named = os.environ.get(ADDRESS), model or os.environ.get(MODEL)
        if not address or not named:
            missing = ADDRESS if not address else MODEL
            raise MetaevalError(
                f"no language model is named: {missing} is not set\n"
                f"  Set {ADDRESS} (http://localhost:8000/v1) and {MODEL}; {KEY} if the service wants a key"
            )
        return cls(address=address, model=named, key=os.environ.get(KEY), **settings)

    @property
    def signature(self) -> str:
        """What answers depend on: the model and the sampling, not where it runs."""
        return f"{self.model}|t:{self.temperature:g}|p:{self.top_p:g}|max:{self.max_tokens}"

    def ask(self, questions: Sequence[Messages], cache: Cache | None = None) -> list[str]:
        """One answer a question, in order. What the cache knows is not asked again; no blank answer is kept.

        Overload (429), faults of the service (5xx) and of the line are met with waits that double, or
        that the service asks for; anything else stops everything with its message.
        """
        keys = [content_key("chat", self.signature, json.dumps(q)) for q in questions]
        known = {} if cache is None else {k: v.decode() for k, v in cache.find(keys).items()}
        fresh = {key: q for key, q in zip(keys, questions, strict=True) if key not in known}
        pool = ThreadPoolExecutor(max_workers=max(1, self.concurrency))
        try:
            for key, answer in zip(fresh, pool.map(self._answer, fresh.values()), strict=True):
                known[key] = answer
                if cache is not None and answer.strip():  # a blank one is a fault, and may be none tomorrow
                    cache.add({key: answer.encode("utf-8", "replace")})
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
        return [known[key] for key in keys]

    def _answer(self, question: Messages) -> str:
        for attempt in range(1, self.attempts + 1):
            try:
                return _content(self._post(question))
            except urllib.error.HTTPError as error:
                with error:
                    said = error.read(_MAX_REPLY_BYTES).decode("utf-8", "replace")
                if error.code != 429 and error.code < 500:
                    raise self._failed(f"HTTP {error.code}", said) from error
                problem, asked = f"HTTP {error.code}", error.headers.get("Retry-After")
            except (OSError, http.client.HTTPException, ValueError) as error:
                problem, said, asked = printable(f"{type(error).__name__}: {error}"), "", None
            if attempt < self.attempts:
                self.wait(_pause(attempt, asked))
        raise self._failed(f"{problem}, {self.attempts} times", said)

    def _failed(self, problem: str, said: str) -> MetaevalError:
        shown = f"\n    {printable(said)}" if said else ""
        return MetaevalError(f"the language model at {self.address} did not answer: {problem}{shown}")

    def _post(self, question: Messages) -> bytes:
        body = {
            "model": self.model,
            "messages": [{"role": role, "content": text} for role, text in question],
            "temperature": self.temperature,
            "top_p": self.top_p,
            "max_tokens": self.max_tokens,
        }
        request = urllib.request.Request(
            self.address.rstrip("/") + "/chat/completions",
            data=json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
        )
        if self.key:
            request.add_unredirected_header("Authorization", f"Bearer {self.key}")
        opener = urllib.request.build_opener(_NoRedirect)
        with opener.open(request, timeout=self.timeout) as reply:
            content: bytes = reply.read(_MAX_REPLY_BYTES + 1)
        if len(content) > _MAX_REPLY_BYTES:
            raise ValueError("the answer is too long")
        return content


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A service that sends us elsewhere is a wrong address, not one to follow with texts and a key."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def _is_address(text: str) -> bool:
    """Whether a text is a base to which a path can be added.

    >>> _is_address("http://localhost:8000/v1"), _is_address("localhost:8000"), _is_address("http://[::1")
    (True, False, False)
    """
    try:
        parts = urllib.parse.urlsplit(text)
        _ = parts.port  # ValueError where it is no number
    except ValueError:
        return False
    return (
        parts.scheme in {"http", "https"} and bool(parts.hostname) and text.isprintable() and " " not in text
    )


def _content(reply: bytes) -> str:
    try:
        answer = json.loads(reply)["choices"][0]["message"]["content"]
    except (KeyError, IndexError, TypeError, RecursionError) as error:
        raise ValueError("the reply is not a chat completion") from error
    if not isinstance(answer, str):
        raise ValueError("the reply holds no text")
    return answer


def _pause(attempt: int, asked: str | None) -> float:
    """Seconds to wait: what the service asks for, else 1, 2, 4, ...; never more than a minute.

    >>> _pause(1, None), _pause(3, None), _pause(1, "7")
    (1.0, 4.0, 7.0)
    """
    try:
        wanted = float(asked) if asked is not None else 2.0 ** (attempt - 1)
    except ValueError:  # a date: wait as if it said nothing
        wanted = 2.0 ** (attempt - 1)
    return min(max(wanted, 0.0), _LONGEST_WAIT_SECONDS) if wanted == wanted else 1.0
