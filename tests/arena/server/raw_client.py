"""A client that sends bytes, for tests of the web server."""

from __future__ import annotations

import contextlib
import socket

PATIENCE_S = 30.0
"""A guard against hanging, not a measure."""
PAGE = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"


class Client:
    """A raw connection."""

    def __init__(self, port: int, address: str = "127.0.0.1", receive_buffer: int = 0) -> None:
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(PATIENCE_S)
        self.socket.bind((address, 0))
        self.socket.connect(("127.0.0.1", port))

    def send(self, *pieces: bytes) -> Client:
        for piece in pieces:
            self.socket.sendall(piece)
        return self

    def rest(self) -> bytes:
        """All that comes until the server closes; a reset ends it, too."""
        got = b""
        with contextlib.suppress(ConnectionError):
            while piece := self.socket.recv(65536):
                got += piece
        return got

    def answer(self) -> bytes:
        """What has come once the header of an answer is complete."""
        got = b""
        while b"\r\n\r\n" not in got:
            piece = self.socket.recv(65536)
            if not piece:
                break
            got += piece
        return got


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1]) if answer else 0
