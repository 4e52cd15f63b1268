"""Outgoing HTTP connections that are limited by one deadline and by the number of bytes received."""

from __future__ import annotations

import functools
import ssl
import time
from collections.abc import Iterable
from typing import Any

import httpcore
import httpx

WRITE_CHUNK_BYTES = 16 << 10


class Deadline:
    def __init__(self, within_s: float) -> None:
        self.at = time.monotonic() + within_s

    def left_s(self) -> float:
        left = self.at - time.monotonic()
        if left <= 0:
            raise httpcore.ReadTimeout("the deadline of the attempt")
        return left


class BoundedStream(httpcore.NetworkStream):
    """A connection limited by a deadline and by the number of bytes read, without the TLS handshake."""

    def __init__(self, inner: httpcore.NetworkStream, deadline: Deadline, max_bytes: int) -> None:
        self._inner = inner
        self._deadline = deadline
        self._max_bytes = max_bytes
        self._bytes = 0

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Read bytes; raise ReadTimeout past the deadline, RemoteProtocolError past the byte limit."""
        got = self._inner.read(max_bytes, self._deadline.left_s())
        self._bytes += len(got)
        if self._bytes > self._max_bytes:
            raise httpcore.RemoteProtocolError("the answer is too long")
        return got

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Write the buffer in chunks, with a check of the deadline before each."""
        for start in range(0, len(buffer), WRITE_CHUNK_BYTES):
            self._inner.write(buffer[start : start + WRITE_CHUNK_BYTES], self._deadline.left_s())

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        """Start TLS. The certificate must match the host name, not the address."""
        left = self._deadline.left_s()
        inner = self._inner.start_tls(ssl_context, server_hostname, left)
        return BoundedStream(inner, self._deadline, self._max_bytes)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class BoundedBackend(httpcore.NetworkBackend):
    """Connects to any address within the deadline."""

    def __init__(self, deadline: Deadline, max_bytes: int) -> None:
        self._deadline = deadline
        self._max_bytes = max_bytes
        self._plain = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Raises httpcore.ConnectError, httpcore.ConnectTimeout."""
        stream = self._plain.connect_tcp(host, port, timeout=self._deadline.left_s())
        return BoundedStream(stream, self._deadline, self._max_bytes)

    def connect_unix_socket(self, path: str, timeout: float | None = None, socket_options: Any = None) -> Any:
        """Always raises ConnectError."""
        raise httpcore.ConnectError("no sockets of this machine")

    def sleep(self, seconds: float) -> None: ...


@functools.cache
def default_tls() -> ssl.SSLContext:
    return httpx.create_ssl_context()
