"""SMTP servers on loopback: a real one, and a socket that follows a script."""

from __future__ import annotations

import contextlib
import email
import email.policy
import socket
import ssl
import threading
from collections.abc import Mapping
from email.message import EmailMessage
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP as Server
from aiosmtpd.smtp import AuthResult, Envelope, LoginPassword, Session

from tests.arena.features.webhooks.receiver import TLS

USER, PASSWORD = "rensho", "correct horse"
HANG, CLOSE = "hang", "close"


class Inbox:
    """A server that accepts mails, or answers RCPT by address, MAIL or the text with other replies."""

    def __init__(self, *, needs_auth: bool = False, tls: bool = False) -> None:
        self.mails: list[tuple[str, EmailMessage]] = []
        self.raw: list[bytes] = []
        self.refused: dict[str, str] = {}
        self.sender_reply = ""
        self.text_reply = ""
        options: dict[str, Any] = {}
        if needs_auth:
            options = {"authenticator": _authenticate, "auth_required": True, "auth_require_tls": False}
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(TLS / "receiver.pem", TLS / "receiver.key")
            options |= {"tls_context": context}
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])
        self._controller = Controller(self, hostname="127.0.0.1", port=self.port, **options)
        self._controller.start()

    async def handle_MAIL(
        self, _: Server, __: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        envelope.mail_from = address
        return self.sender_reply or "250 OK"

    async def handle_RCPT(
        self, _: Server, __: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if address in self.refused:
            return self.refused[address]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, _: Server, __: Session, envelope: Envelope) -> str:
        if self.text_reply:
            return self.text_reply
        content = bytes(envelope.content or b"")
        self.raw.append(content)
        message = email.message_from_bytes(content, policy=email.policy.default)
        self.mails += [(address, message) for address in envelope.rcpt_tos]
        return "250 OK"

    @property
    def recipients(self) -> list[str]:
        return [address for address, _ in self.mails]

    def close(self) -> None:
        self._controller.stop()


def _authenticate(_: Server, __: Session, ___: Envelope, mechanism: str, data: object) -> AuthResult:
    is_right = data == LoginPassword(USER.encode(), PASSWORD.encode())
    return AuthResult(success=is_right, handled=False)


class Scripted:
    """Answers each command by its first word: a reply, ``HANG`` or ``CLOSE``; ``.`` is the end of a text."""

    def __init__(self, script: Mapping[str, str]) -> None:
        self.script = {
            "": "220 x ESMTP",
            "ehlo": "250 x",
            "rset": "250 OK",
            "mail": "250 OK",
            "rcpt": "250 OK",
            "data": "354 go on",
            ".": "250 OK",
            "quit": "221 bye",
            **script,
        }
        self.texts: list[bytes] = []
        self.over = threading.Event()
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._socket.settimeout(0.05)
        self.port = int(self._socket.getsockname()[1])
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while not self.over.is_set():
            with contextlib.suppress(OSError):
                connection, _ = self._socket.accept()
                connection.settimeout(10)
                with connection, connection.makefile("rb") as lines:
                    self._talk(connection, lines)

    def _talk(self, connection: socket.socket, lines: Any) -> None:
        word = ""
        while True:
            answer = self.script.get(word, "500 what")
            if answer == HANG:
                self.over.wait(10)
                return
            if answer == CLOSE:
                return
            connection.sendall(f"{answer}\r\n".encode())
            if word == "data" and answer.startswith("354"):
                text = b""
                while not text.endswith(b"\r\n.\r\n"):
                    line = lines.readline()
                    if not line:
                        return
                    text += line
                self.texts.append(text)
                word = "."
                continue
            line = lines.readline()
            if not line:
                return
            word = line.split()[0].decode("ascii", "replace").lower() if line.strip() else "?"

    def close(self) -> None:
        self.over.set()
        self._thread.join(10)
        self._socket.close()
