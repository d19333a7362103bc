"""A web server on this machine that offers one file, and misbehaves on demand."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Site:
    """What the server does; tests change it between requests, and read which requests came."""

    body: bytes
    address: str = ""
    headers: dict[str, str] = field(default_factory=lambda: {"ETag": '"v1"'})
    status: int = 200
    knows_ranges: bool = True
    heeds_if_range: bool = True
    shifts_ranges: int = 0
    says_length: bool = True
    cuts: list[int] = field(default_factory=list)
    """After how many bytes of the body each of the next connections ends."""
    stalls: bool = False
    """Whether a connection that is cut stays open and silent instead."""
    asked: list[tuple[str | None, str | None]] = field(default_factory=list)
    """The Range and If-Range of each request."""
    done: threading.Event = field(default_factory=threading.Event)

    def start_of(self, wanted: str | None, condition: str | None) -> int | None:
        """Where the answer to a request for a range begins; None for the whole file."""
        current = condition in (self.headers.get("ETag"), self.headers.get("Last-Modified"))
        if not wanted or not self.knows_ranges or (self.heeds_if_range and not current):
            return None
        return int(wanted.removeprefix("bytes=").removesuffix("-")) + self.shifts_ranges


class _Handler(BaseHTTPRequestHandler):
    site: Site

    def do_GET(self) -> None:
        site = self.site
        wanted = self.headers["Range"], self.headers["If-Range"]
        site.asked.append(wanted)
        start = site.start_of(*wanted)
        body = site.body[start or 0 :]
        if start is not None and not body:
            self.send_error(416)
            return
        self.send_response(site.status if start is None else 206)
        for name, value in site.headers.items():
            self.send_header(name, value)
        if start is not None:
            self.send_header("Content-Range", f"bytes {start}-{len(site.body) - 1}/{len(site.body)}")
        if site.says_length:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: site.cuts.pop(0)] if site.cuts else body)
        if site.stalls:
            self.wfile.flush()
            site.done.wait(10)

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def serving(body: bytes) -> Iterator[Site]:
    site = Site(body)
    handler = type("Handler", (_Handler,), {"site": site})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        site.address = f"http://127.0.0.1:{server.server_port}/mt-metrics-eval-v2.tgz"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield site
        finally:
            site.done.set()
            server.shutdown()
            thread.join()
