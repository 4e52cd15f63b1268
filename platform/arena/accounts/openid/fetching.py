"""Bounded requests to the provider: JSON objects only, no redirects, one deadline, few at once."""

from __future__ import annotations

import json
import ssl
import threading
from typing import Any, NamedTuple

import httpcore

from arena.common.bounded_http import BoundedBackend, Deadline, default_tls

TIMEOUT_S = 5.0
"""Maximum seconds of a request, from connecting to the last byte."""
MAX_ANSWER_BYTES = 256 << 10
"""Maximum bytes of an answer with its headers; those of large providers have 30 kB."""
MAX_CONCURRENT = 4
"""Requests of this process at once, as each keeps a thread waiting; further ones fail."""
_slots = threading.BoundedSemaphore(MAX_CONCURRENT)


class ProviderFailure(Exception):
    """The provider did not answer as the standard says. The text is for the log and has no secrets."""


class Answer(NamedTuple):
    """A JSON answer, with the members that Authlib reads of a response."""

    status_code: int
    content: dict[str, Any]

    def json(self) -> dict[str, Any]:
        return self.content

    def raise_for_status(self) -> None:
        if self.status_code >= 400:
            raise ProviderFailure(f"status {self.status_code}")


def fetch_json(url: str, headers: dict[str, str] | None = None, form: str | None = None) -> Answer:
    """Return the JSON object at a URL: GET, or POST with a form. Raises ProviderFailure.

    Other statuses than 200 are failures, except client errors of a POST, which have a JSON object too.
    """
    if not _slots.acquire(blocking=False):
        raise ProviderFailure(f"more than {MAX_CONCURRENT} requests at once")
    try:
        response = _request(url, headers or {}, form)
    except httpcore.TimeoutException:
        raise ProviderFailure(f"no answer within {TIMEOUT_S:g} s") from None
    except httpcore.ConnectError as error:
        raise ProviderFailure(_connect_failure(error)) from None
    except (httpcore.ProtocolError, httpcore.UnsupportedProtocol):
        raise ProviderFailure(f"no HTTP answer of at most {MAX_ANSWER_BYTES >> 10} KiB") from None
    except (httpcore.NetworkError, OSError):
        raise ProviderFailure("the connection ended before an answer") from None
    finally:
        _slots.release()
    if response.status != 200 and not (form is not None and 400 <= response.status <= 499):
        kind = "a redirect" if 300 <= response.status <= 399 else "an error"
        raise ProviderFailure(f"{kind}, status {response.status}")
    try:
        content = json.loads(response.content)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise ProviderFailure(f"the answer with status {response.status} is not a JSON object")
    return Answer(response.status, content)


def _request(url: str, headers: dict[str, str], form: str | None) -> httpcore.Response:
    sent: dict[bytes | str, bytes | str] = {
        "Accept": "application/json",
        "Accept-Encoding": "identity",
        "User-Agent": "Rensho-OpenID/1",
        "Connection": "close",
    }
    sent.update(headers.items())
    if form is not None:
        sent["Content-Type"] = "application/x-www-form-urlencoded"
    backend = BoundedBackend(Deadline(TIMEOUT_S), MAX_ANSWER_BYTES)
    with httpcore.ConnectionPool(ssl_context=default_tls(), retries=0, network_backend=backend) as pool:
        return pool.request(
            "GET" if form is None else "POST",
            url,
            headers=sent,
            content=None if form is None else form.encode(),
        )


def _connect_failure(error: httpcore.ConnectError) -> str:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"invalid certificate: {cause.verify_message}"
        if isinstance(cause, ssl.SSLError):
            return "the TLS handshake failed"
        cause = cause.__cause__ or cause.__context__
    return "no server answers at this address and port"
