"""One delivery attempt over the network, with limits on time and bytes, and errors safe to publish.

httpcore speaks HTTP over a stream that connects only to a checked address, with one deadline.
"""

from __future__ import annotations

import dataclasses
import datetime
import email.utils
import math
import ssl
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpcore

from arena.common.bounded_http import BoundedBackend, BoundedStream, Deadline, default_tls
from arena.features.webhooks.addresses import (
    AddressRefused,
    Resolver,
    Target,
    parse_target,
    resolve_target,
    system_resolve,
)

MAX_RESPONSE_BYTES = 64 << 10
"""Maximum bytes read from the receiver, without the TLS handshake; enough for a status line and headers."""
MAX_ADDRESSES = 3
USER_AGENT = "Rensho-Webhooks/1"
MAX_CONCURRENT = 16
"""Attempts of a batch that run in parallel."""


@dataclasses.dataclass(frozen=True)
class WebhookRequest:
    url: str
    headers: dict[str, str]
    body: bytes


@dataclasses.dataclass(frozen=True)
class Attempt:
    """Outcome of an attempt. ``error`` is empty for a status from 200 to 299, else ``code: text``."""

    status: int | None
    error: str
    duration_ms: int
    retry_after_s: int | None = None
    """Seconds from the receiver's Retry-After header."""

    @property
    def ok(self) -> bool:
        return not self.error


class CheckedBackend(BoundedBackend):
    """Connects only to addresses that passed the checks."""

    def __init__(self, target: Target, deadline: Deadline, look_up: Resolver) -> None:
        super().__init__(deadline, MAX_RESPONSE_BYTES)
        self._target = target
        self._look_up = look_up

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to the first of the target's addresses that answers.

        Raises AddressRefused, httpcore.ConnectError, or httpcore.ConnectTimeout if no address answers.
        """
        addresses = resolve_target(self._target, self._deadline.left_s(), self._look_up)[:MAX_ADDRESSES]
        for number, address in enumerate(addresses, 1):
            share = self._deadline.left_s() / (len(addresses) - number + 1)
            try:
                # A literal address is not resolved again.
                stream = self._plain.connect_tcp(str(address), self._target.port, timeout=share)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if number == len(addresses):
                    raise
            else:
                return BoundedStream(stream, self._deadline, self._max_bytes)
        raise httpcore.ConnectError("no address")


def post(
    request: WebhookRequest,
    timeout_s: float,
    *,
    look_up: Resolver = system_resolve,
    tls: ssl.SSLContext | None = None,
) -> Attempt:
    """Send one request and read the status, within ``timeout_s``; never raises for receiver faults."""
    begun = time.monotonic()

    def ended(status: int | None, error: str, retry_after_s: int | None = None) -> Attempt:
        return Attempt(status, error, round((time.monotonic() - begun) * 1000), retry_after_s)

    deadline = Deadline(timeout_s)
    try:
        target = parse_target(request.url)
        backend = CheckedBackend(target, deadline, look_up)
        status, retry_after_s = _send(request, target, backend, tls or default_tls())
    except AddressRefused as refused:
        return ended(None, str(refused))
    except httpcore.TimeoutException:
        return ended(None, f"timeout: no answer within {timeout_s:g} s")
    except httpcore.ConnectError as error:
        return ended(None, _connect_error(error))
    except (httpcore.ProtocolError, httpcore.UnsupportedProtocol):
        return ended(
            None, f"answer_invalid: no HTTP answer of at most {MAX_RESPONSE_BYTES >> 10} KiB of headers"
        )
    except (httpcore.NetworkError, OSError):
        return ended(None, "connection_lost: the connection ended before an answer")
    if 200 <= status <= 299:
        return ended(status, "")
    return ended(status, _status_error(status), retry_after_s)


def _send(
    request: WebhookRequest, target: Target, backend: CheckedBackend, tls: ssl.SSLContext
) -> tuple[int, int | None]:
    headers: dict[bytes | str, bytes | str] = {
        "Host": target.url.netloc.decode("ascii"),
        "User-Agent": USER_AGENT,
        "Content-Type": "application/json",
        "Accept": "*/*",
        "Connection": "close",
        "Content-Length": str(len(request.body)),
    }
    headers.update(request.headers.items())
    url = httpcore.URL(
        scheme=target.url.raw_scheme, host=target.host, port=target.port, target=target.url.raw_path
    )
    with (
        httpcore.ConnectionPool(ssl_context=tls, retries=0, network_backend=backend) as pool,
        pool.stream("POST", url, headers=headers, content=request.body) as response,
    ):
        received = {name.lower(): value for name, value in response.headers}
        return response.status, _retry_after_s(received.get(b"retry-after", b"").decode("latin-1").strip())


def _retry_after_s(text: str) -> int | None:
    if text.isascii() and text.isdigit():
        return int(text) if len(text) < 7 else None
    try:
        until = email.utils.parsedate_to_datetime(text)
    except ValueError:
        return None
    until = until if until.tzinfo else until.replace(tzinfo=datetime.UTC)
    return max(0, math.ceil((until - datetime.datetime.now(datetime.UTC)).total_seconds()))


def _connect_error(error: httpcore.ConnectError) -> str:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"certificate_invalid: {cause.verify_message}"
        if isinstance(cause, ssl.SSLError):
            return "tls_failed: the TLS handshake failed"
        cause = cause.__cause__ or cause.__context__
    return "connect_failed: no server answers at this address and port"


def _status_error(status: int) -> str:
    if 300 <= status <= 399:
        return f"redirect: status {status}; redirects are not followed, change the URL"
    return f"status: the receiver answered {status}"


def post_all(requests: Sequence[WebhookRequest], timeout_s: float) -> list[Attempt]:
    """Send requests in parallel; return outcomes in their order. Takes ``timeout_s`` per wave of 16."""
    if not requests:
        return []
    with ThreadPoolExecutor(min(MAX_CONCURRENT, len(requests)), thread_name_prefix="webhook") as pool:
        return list(pool.map(lambda request: post(request, timeout_s), requests))
