"""A receiver of webhooks on loopback: a socket in a thread, with any behaviour."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

TLS = Path(__file__).parent / "tls"
PATIENCE_S = 60
"""A guard against hanging, not a measure."""

Behaviour = Callable[[socket.socket, bytes], None]


def answers(status: int = 200, headers: str = "", body: str = "ok") -> Behaviour:
    """Reads the request and answers with this status."""

    def behave(connection: socket.socket, request: bytes) -> None:
        text = f"HTTP/1.1 {status} X\r\nContent-Length: {len(body)}\r\n{headers}\r\n{body}"
        connection.sendall(text.encode())

    return behave


class Receiver:
    """What came, one request a connection, and where to send it."""

    def __init__(self, behave: Behaviour, tls: ssl.SSLContext | None) -> None:
        self.behave = behave
        self.requests: list[bytes] = []
        self.connections = 0
        self.over = threading.Event()
        self._tls = tls
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._socket.settimeout(0.05)
        self.port = self._socket.getsockname()[1]
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """Its address."""
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}/hook?x=1"

    def headers(self, number: int = 0) -> dict[str, str]:
        """The headers of a request, names in lower case."""
        lines = self.requests[number].partition(b"\r\n\r\n")[0].decode().split("\r\n")[1:]
        return {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}

    def body(self, number: int = 0) -> bytes:
        """The body of a request."""
        return self.requests[number].partition(b"\r\n\r\n")[2]

    def close(self) -> None:
        """Hear nothing more."""
        self.over.set()
        self._thread.join(PATIENCE_S)
        self._socket.close()

    def _serve(self) -> None:
        while not self.over.is_set():
            try:
                connection, _ = self._socket.accept()
            except TimeoutError:
                continue
            self.connections += 1
            threading.Thread(target=self._hear, args=(connection,), daemon=True).start()

    def _hear(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError), connection:
            connection.settimeout(PATIENCE_S)
            if self._tls is not None:
                connection = self._tls.wrap_socket(connection, server_side=True)
            request = b""
            while b"\r\n\r\n" not in request:
                request += connection.recv(65536) or b"\r\n\r\n"
            head, _, body = request.partition(b"\r\n\r\n")
            length = next(
                (
                    int(line[15:])
                    for line in head.lower().split(b"\r\n")
                    if line.startswith(b"content-length:")
                ),
                0,
            )
            while len(body) < length:
                body += connection.recv(65536)
            self.requests.append(head + b"\r\n\r\n" + body)
            self.behave(connection, request)


@contextlib.contextmanager
def receiving(behave: Behaviour | None = None, *, with_tls: bool = False) -> Iterator[Receiver]:
    """A receiver for the length of the block."""
    tls = None
    if with_tls:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(TLS / "receiver.pem", TLS / "receiver.key")
    receiver = Receiver(behave or answers(), tls)
    try:
        yield receiver
    finally:
        receiver.close()
