"""One GET request: http and https only, also after a redirect, and every failure said in plain words."""

from __future__ import annotations

import ssl
import urllib.error
import urllib.request
from http.client import HTTPException, HTTPMessage, HTTPResponse
from typing import IO, cast
from urllib.parse import urljoin, urlsplit

from metaeval.errors import InputError

_PAGES = ("text/html", "application/xhtml+xml")


class RangeRefused(Exception):
    """The server has not got the part of the file that was asked for (416)."""


def get(address: str, headers: dict[str, str], *, timeout: float, otherwise: str) -> HTTPResponse:
    """The response to a request, its body not yet read; close it.

    Args:
        timeout: seconds without an answer.
        otherwise: what the user can do if this address gives nothing.
    """
    request = urllib.request.Request(address, headers={"User-Agent": "metaeval", **headers})
    try:
        response = cast(HTTPResponse, _opener().open(request, timeout=timeout))
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == 416 and "Range" in headers:
            raise RangeRefused from None
        raise InputError(
            f"the server answers {error.code} {error.reason}", path=address, remedy=otherwise
        ) from None
    except (OSError, HTTPException) as error:
        raise InputError(
            f"{urlsplit(address).hostname} {_reason(error, timeout)}", path=address, remedy=otherwise
        ) from error
    if response.headers.get_content_type() in _PAGES:
        response.close()
        raise InputError("the server sends a web page, not an archive", path=address, remedy=otherwise)
    return response


def _reason(error: BaseException, timeout: float) -> str:
    """Why there is no answer, to follow the name of the host."""
    cause = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(cause, TimeoutError):
        return f"does not answer within {timeout:g} seconds"
    if isinstance(cause, ssl.SSLError):
        return f"cannot be trusted ({cause})"
    if isinstance(cause, ConnectionRefusedError):
        return "refuses the connection"
    if isinstance(cause, ConnectionError | HTTPException):
        return f"does not answer as a web server does ({str(cause) or type(cause).__name__})"
    return f"cannot be reached ({getattr(cause, 'strerror', None) or cause})"


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows a redirect to http or https, but never from https back to http."""

    def http_error_302(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage
    ) -> IO[bytes] | None:
        target = urljoin(req.full_url, headers.get("location", ""))
        allowed = ("https",) if req.type == "https" else ("http", "https")
        if urlsplit(target).scheme not in allowed:
            fp.close()
            raise InputError(
                f"redirects to an address that is not {' or '.join(allowed)}",
                path=req.full_url,
                shows=target,
                remedy="If you trust it, download the archive by hand and pass its path with --from.",
            )
        return super().http_error_302(req, fp, code, msg, headers)

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


def _opener() -> urllib.request.OpenerDirector:
    """urllib without its handlers for ftp, file and data addresses."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.UnknownHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
        _Redirects(),
    ):
        opener.add_handler(handler)
    return opener
