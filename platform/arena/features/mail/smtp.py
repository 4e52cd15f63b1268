"""SMTP client: one connection for several mails, every error as a code.

It says when the text of a mail is about to be sent, after which a broken connection leaves its fate unknown.
"""

from __future__ import annotations

import contextlib
import io
import re
import smtplib
import socket
import ssl
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from django.conf import settings

from engine.printable import printable

CAUSES = {
    "unreachable": "it does not accept connections",
    "timeout": "it did not answer in time",
    "dropped": "it closed the connection",
    "tls": "the encrypted connection failed",
    "tls_missing": "it offers no STARTTLS",
    "auth": "it refused the user name or the password",
    "auth_missing": "it offers no sign-in that this client knows",
    "busy": "it refuses connections or mails for now",
    "sender": "it refused the sender",
    "relay": "it refused to send mails to other servers",
    "protocol": "its answer was not SMTP",
}
"""Problems of the server, after which mails wait, by code."""
REMEDIES = {
    "unreachable": "Check the host and the port in RENSHO_EMAIL_URL, and the firewall.",
    "tls": "Use the host name of the server's certificate, and smtps:// for TLS from the start (port 465).",
    "tls_missing": "Use smtps:// for TLS from the start, or smtp+plain:// for a server on this machine.",
    "auth": "Correct the user name and the password in RENSHO_EMAIL_URL (special characters as %XX).",
    "auth_missing": "Use smtp:// or smtps://: most servers accept a password only with TLS.",
    "sender": "Set RENSHO_EMAIL_FROM to an address that this user may send from.",
    "relay": "The server needs a user name and a password in RENSHO_EMAIL_URL, or must allow this machine.",
    "protocol": "Check the port in RENSHO_EMAIL_URL: 587 for smtp://, 465 for smtps://.",
}
OTHER_REMEDY = "Read the log of the mail server."
MAX_DETAIL = 200
MAX_REPLY_BYTES = 64 << 10
TOO_LONG = "the reply is too long"
_ENHANCED = re.compile(r"\b([245]\.\d{1,3}\.\d{1,3})\b")
TEMPORARY, PERMANENT = 400, 500
AUTH_REQUIRED = (530, 535, 538)
MAILBOX_REFUSED = (550, 551, 552, 553)
SHUTTING_DOWN = 421

HandOver = Callable[[], bool]


class MailServerError(Exception):
    """A problem of the server, not of a mail. ``cause`` is a key of ``CAUSES``."""

    def __init__(self, cause: str, detail: str = "") -> None:
        self.cause = cause
        self.detail = printable(detail)[:MAX_DETAIL]
        super().__init__(f"{CAUSES[cause]}{f' ({self.detail})' if self.detail else ''}")

    @property
    def remedy(self) -> str:
        return REMEDIES.get(self.cause, OTHER_REMEDY)


class Outcome(NamedTuple):
    """The fate of one mail."""

    state: str
    """``sent``; ``later``: refused for now; ``refused``: this mail is refused for good; ``address``: the
    recipient is refused for good; ``unknown``: no reply after the text was sent; ``yielded``: ``hand_over``
    returned False.
    """
    reply: str = ""
    """Reply code, such as ``250`` or ``550 5.1.1``."""
    error: MailServerError | None = None
    """Set if the connection cannot be used any more."""


class Connection:
    """A session with the server, signed in. Use ``connect``."""

    def __init__(self, server: smtplib.SMTP) -> None:
        self._server = server

    def test(self, sender: str) -> None:
        """Check that the server accepts the sender. Sends nothing. Raises MailServerError."""
        with _server_errors():
            self._server.rset()
            _check_sender(*self._server.mail(sender))
            self._server.rset()

    def send(self, sender: str, recipient: str, content: bytes, hand_over: HandOver) -> Outcome:
        """Send one mail. ``hand_over`` is called before the text is sent; if it returns False, it is not.

        Raises MailServerError if the server refuses the sender or fails before the text was sent; the mail
        can be sent again then.
        """
        with _server_errors():
            self._server.rset()
            _check_sender(*self._server.mail(sender))
            code, message = self._server.rcpt(recipient)
        if code not in (250, 251):
            return _refused_recipient(code, message)
        if not hand_over():
            return Outcome("yielded")
        try:
            code, message = self._server.data(content)
        except smtplib.SMTPDataError as error:  # not 354: no text was sent
            return _refused_text(error.smtp_code, error.smtp_error)
        except (smtplib.SMTPException, OSError) as error:
            return Outcome("unknown", "", _as_server_error(error))
        return Outcome("sent", str(code)) if code == 250 else _refused_text(code, message)


@contextlib.contextmanager
def connect() -> Iterator[Connection]:
    """Open a session with the configured server. Raises MailServerError, within ``EMAIL_TIMEOUT`` a step."""
    with _server_errors():
        server = _open()
    try:
        with _server_errors():
            if settings.EMAIL_USE_TLS:
                server.starttls(context=ssl.create_default_context())
                server.ehlo()
            if settings.EMAIL_HOST_USER:
                server.login(settings.EMAIL_HOST_USER, settings.EMAIL_HOST_PASSWORD)
        yield Connection(server)
    finally:
        with contextlib.suppress(smtplib.SMTPException, OSError):
            server.quit()
        server.close()


class _Replies(io.RawIOBase):
    """Bytes from the server, bounded for each reply: ``EMAIL_TIMEOUT`` seconds and ``MAX_REPLY_BYTES``.

    The timeout of a socket starts again with every byte.
    """

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self.begin_reply()

    def begin_reply(self) -> None:
        self._until = time.monotonic() + float(settings.EMAIL_TIMEOUT or 0)
        self._left = MAX_REPLY_BYTES

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        left_s = self._until - time.monotonic()
        if self._left <= 0:
            raise OSError(TOO_LONG)
        if left_s <= 0:
            raise TimeoutError("timed out")
        self._sock.settimeout(left_s)
        size = self._sock.recv_into(buffer)
        self._sock.settimeout(settings.EMAIL_TIMEOUT)
        self._left -= size
        return size


class _BoundedReplies:
    """For subclasses of ``smtplib.SMTP``, whose ``file`` is opened again after STARTTLS."""

    sock: Any
    file: Any

    def getreply(self) -> tuple[int, bytes]:
        if self.file is None:
            self.file = io.BufferedReader(_Replies(self.sock))
        self.file.raw.begin_reply()
        reply: tuple[int, bytes] = super().getreply()  # type: ignore[misc]
        return reply


class _Plain(_BoundedReplies, smtplib.SMTP):
    pass


class _Encrypted(_BoundedReplies, smtplib.SMTP_SSL):
    pass


def _open() -> smtplib.SMTP:
    arguments: dict[str, Any] = {"local_hostname": _own_name(), "timeout": settings.EMAIL_TIMEOUT}
    host, port = settings.EMAIL_HOST, settings.EMAIL_PORT
    server: smtplib.SMTP
    if settings.EMAIL_USE_SSL:
        server = _Encrypted(host, port, context=ssl.create_default_context(), **arguments)
    else:
        server = _Plain(host, port, **arguments)
    try:
        server.ehlo_or_helo_if_needed()
    except Exception:
        server.close()
        raise
    return server


def _own_name() -> str:
    """Return the name for EHLO: the site's host, or an address literal, which is always valid."""
    host = urlsplit(settings.SITE_ADDRESS).hostname or ""
    return host if "." in host and host.isascii() else "[127.0.0.1]"


@contextlib.contextmanager
def _server_errors() -> Iterator[None]:
    try:
        yield
    except (smtplib.SMTPException, OSError, UnicodeError) as error:
        raise _as_server_error(error) from None


def _as_server_error(error: Exception) -> MailServerError:
    if isinstance(error, smtplib.SMTPAuthenticationError):
        return MailServerError(_auth_cause(error.smtp_code), _text(error.smtp_code, error.smtp_error))
    if isinstance(error, smtplib.SMTPNotSupportedError):
        return MailServerError("tls_missing" if "STARTTLS" in str(error) else "auth_missing", str(error))
    if isinstance(error, smtplib.SMTPServerDisconnected):
        if TOO_LONG in str(error):
            return MailServerError("protocol", TOO_LONG)
        is_late = isinstance(error.__context__, TimeoutError) or "timed out" in str(error)
        return MailServerError("timeout" if is_late else "dropped", str(error))
    if isinstance(error, smtplib.SMTPResponseException):
        is_reply = error.smtp_code >= TEMPORARY
        return MailServerError("busy" if is_reply else "protocol", _text(error.smtp_code, error.smtp_error))
    if isinstance(error, ssl.SSLError):
        return MailServerError("tls", getattr(error, "verify_message", "") or error.reason or str(error))
    if isinstance(error, TimeoutError):
        return MailServerError("timeout")
    if isinstance(error, (ConnectionResetError, BrokenPipeError)):
        return MailServerError("dropped", error.strerror or "")
    if isinstance(error, socket.gaierror):
        return MailServerError("unreachable", f"{settings.EMAIL_HOST}: {error.strerror}")
    if isinstance(error, OSError):
        return MailServerError("unreachable", error.strerror or str(error))
    if isinstance(error, smtplib.SMTPException) and "auth" in str(error).lower():
        return MailServerError("auth_missing", str(error))
    return MailServerError("protocol", str(error))


def _auth_cause(code: int) -> str:
    return "auth" if code >= PERMANENT else "busy"


def _check_sender(code: int, message: bytes) -> None:
    if code == 250:
        return
    if code in AUTH_REQUIRED:
        raise MailServerError("relay", _text(code, message))
    raise MailServerError("sender" if code >= PERMANENT else "busy", _text(code, message))


def _refused_recipient(code: int, message: bytes) -> Outcome:
    """Return the outcome of a refused recipient. Raises MailServerError if all recipients would be."""
    reply = _reply(code, message)
    if code == SHUTTING_DOWN:
        raise MailServerError("busy", _text(code, message))
    if code < PERMANENT:
        return Outcome("later", reply)
    _, _, enhanced = reply.partition(" ")
    # 5.7: a policy of the server, such as "relay access denied"; 5.5 and 5.3: its state.
    if code in AUTH_REQUIRED or enhanced.startswith("5.7."):
        raise MailServerError("relay", _text(code, message))
    is_address = enhanced.startswith(("5.1.", "5.2.")) if enhanced else code in MAILBOX_REFUSED
    return Outcome("address" if is_address else "refused", reply)


def _refused_text(code: int, message: bytes | str) -> Outcome:
    reply = _reply(code, message)
    if code == SHUTTING_DOWN:
        return Outcome("later", reply, MailServerError("busy", _text(code, message)))
    return Outcome("later" if code < PERMANENT else "refused", reply)


def _reply(code: int, message: bytes | str) -> str:
    enhanced = _ENHANCED.search(_decoded(message))
    return f"{code} {enhanced[1]}"[:12] if enhanced else str(code)


def _text(code: int, message: bytes | str) -> str:
    return f"{code} {' '.join(_decoded(message).split())}"


def _decoded(message: bytes | str) -> str:
    return message.decode("utf-8", "replace") if isinstance(message, bytes) else message
