"""The SMTP client: what each misbehaviour of a server is called, and when a mail may be sent again."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from arena.features.mail.smtp import CAUSES, REMEDIES, MailServerError, Outcome, connect
from arena.features.mail.texts import MailText, ascii_address, mail_of
from tests.arena.features.mail.conftest import use_server
from tests.arena.features.mail.servers import CLOSE, HANG, PASSWORD, USER, Inbox, Scripted
from tests.refusals import refusal

Start = Callable[[Mapping[str, str]], Scripted]
CONTENT = b"Subject: x\r\n\r\ntext\r\n"


def send(recipient: str = "aya@players.example", content: bytes = CONTENT) -> Outcome:
    with connect() as connection:
        return connection.send("notices@rensho.example", recipient, content, lambda: True)


def cause(call: Callable[[], object] = send) -> str:
    error = refusal(MailServerError, call)
    assert error.cause in CAUSES
    return error.cause


def test_a_mail_arrives_as_sent(inbox: Inbox) -> None:
    assert send(content=CONTENT + b".hidden\r\n") == Outcome("sent", "250")
    assert inbox.recipients == ["aya@players.example"]
    assert inbox.raw == [CONTENT + b".hidden\r\n"]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ({"": HANG}, "timeout"),
        ({"": CLOSE}, "dropped"),
        ({"": "554 no service"}, "busy"),
        ({"": "HTTP/1.1 400 Bad Request"}, "protocol"),
        ({"ehlo": HANG}, "timeout"),
        ({"ehlo": "250-x\r\n" * 20_000 + "250 x"}, "protocol"),
        ({"mail": CLOSE}, "dropped"),
        ({"mail": "550 5.7.1 not yours"}, "sender"),
        ({"mail": "530 5.7.0 Authentication required"}, "relay"),
        ({"mail": "451 later"}, "busy"),
        ({"rcpt": "554 5.7.1 Relay access denied"}, "relay"),
        ({"rcpt": "421 shutting down"}, "busy"),
        ({"rcpt": HANG}, "timeout"),
    ],
)
def test_problems_of_the_server(scripted: Start, script: Mapping[str, str], expected: str) -> None:
    server = scripted(script)
    assert cause() == expected
    assert not server.texts


@pytest.mark.parametrize(
    ("script", "state", "reply"),
    [
        ({"rcpt": "550 5.1.1 no such user"}, "address", "550 5.1.1"),
        ({"rcpt": "550 no such user"}, "address", "550"),
        ({"rcpt": "552 5.2.2 mailbox full"}, "address", "552 5.2.2"),
        ({"rcpt": "501 5.5.4 syntax"}, "refused", "501 5.5.4"),
        ({"rcpt": "451 4.7.1 greylisted"}, "later", "451 4.7.1"),
        ({"data": "451 later"}, "later", "451"),
        ({".": "554 5.7.1 spam"}, "refused", "554 5.7.1"),
        ({".": "452 disk full"}, "later", "452"),
        ({".": CLOSE}, "unknown", ""),
        ({".": HANG}, "unknown", ""),
    ],
)
def test_outcomes_of_one_mail(scripted: Start, script: Mapping[str, str], state: str, reply: str) -> None:
    scripted(script)
    outcome = send()
    assert (outcome.state, outcome.reply) == (state, reply)
    assert (outcome.error is not None) == (state == "unknown")


def test_a_slow_reply_is_bounded_as_a_whole(settings: Any) -> None:
    """Each byte comes in time, the reply does not."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        use_server(settings, server.getsockname()[1])
        settings.EMAIL_TIMEOUT = 0.3
        import threading

        def drip() -> None:
            connection, _ = server.accept()
            with connection:
                try:
                    for _ in range(60):
                        connection.sendall(b"2")
                        time.sleep(0.05)
                except OSError:
                    pass

        thread = threading.Thread(target=drip, daemon=True)
        thread.start()
        began = time.monotonic()
        assert cause() == "timeout"
        assert time.monotonic() - began < 2
        thread.join(5)


def test_nothing_listens(settings: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    use_server(settings, port)
    assert cause() == "unreachable"
    settings.EMAIL_HOST = "no-such-host.invalid"
    assert cause() == "unreachable"


def test_hand_over_decides(scripted: Start) -> None:
    server = scripted({})
    with connect() as connection:
        assert connection.send("a@b.example", "c@d.example", CONTENT, lambda: False).state == "yielded"
        assert connection.send("a@b.example", "c@d.example", CONTENT, lambda: True).state == "sent"
    assert len(server.texts) == 1


def test_sign_in(settings: Any) -> None:
    inbox = Inbox(needs_auth=True)
    try:
        use_server(settings, inbox.port)
        assert cause() == "relay"
        settings.EMAIL_HOST_USER, settings.EMAIL_HOST_PASSWORD = USER, "wrong"
        error = refusal(MailServerError, send)
        assert error.cause == "auth"
        assert "wrong" not in str(error)
        settings.EMAIL_HOST_PASSWORD = PASSWORD
        assert send().state == "sent"
    finally:
        inbox.close()


def test_tls(settings: Any, scripted: Start) -> None:
    scripted({})
    settings.EMAIL_USE_TLS = True
    assert cause() == "tls_missing"
    settings.EMAIL_USE_TLS, settings.EMAIL_USE_SSL = False, True
    assert cause() == "tls"
    inbox = Inbox(tls=True)
    try:
        use_server(settings, inbox.port)
        settings.EMAIL_USE_TLS = True
        assert cause() == "tls", "the certificate is not trusted"
    finally:
        inbox.close()


def test_user_name_without_sign_in(settings: Any, scripted: Start) -> None:
    scripted({})
    settings.EMAIL_HOST_USER = "rensho"
    assert cause() == "auth_missing"
    assert set(REMEDIES) <= set(CAUSES)


@pytest.mark.parametrize(
    "hostile", ["Kita\r\nBcc: victim@x.example", "Kita\nX: y", "\u202ekita\x00", "北\r\n\r\nbody"]
)
def test_headers_cannot_be_injected(inbox: Inbox, hostile: str) -> None:
    text = MailText(hostile, f"{hostile}\n.\nQUIT\n", "https://rensho.example/mail/unsubscribe/x.y")
    assert send(content=mail_of(text, "aya@players.example", "id1")).state == "sent"
    [(_, mail)] = inbox.mails
    assert mail.keys() == [
        "Content-Type",
        "MIME-Version",
        "Content-Transfer-Encoding",
        "Subject",
        "From",
        "To",
        "Message-ID",
        "Date",
        "Auto-Submitted",
        "List-Unsubscribe",
        "List-Unsubscribe-Post",
    ]
    assert mail["List-Unsubscribe"] == "<https://rensho.example/mail/unsubscribe/x.y>"
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert all(len(line) <= 998 for line in inbox.raw[0].split(b"\r\n"))
    assert inbox.raw[0].isascii()


def test_japanese_arrives(inbox: Inbox) -> None:
    subject, body = "通知:" + "長い題名" * 12, "北さんの版が検査に合格しました。" * 40
    send(content=mail_of(MailText(subject, body), "aya@players.example", "id1"))
    [(_, mail)] = inbox.mails
    assert mail["Subject"].strip() == subject
    assert mail.get_content().replace("\r\n", "\n") == f"{body}\n"
    assert all(len(line) <= 78 for line in inbox.raw[0].split(b"\r\n"))


@pytest.mark.parametrize(
    "address",
    [
        "",
        "aya",
        "@x.example",
        "a b@x.example",
        "a@x\r\nRCPT TO:<b@x.example>",
        "ä@x.example",
        "a@" + "x" * 80,
    ],
)
def test_unusable_addresses(address: str) -> None:
    refusal(ValueError, ascii_address, address)


def test_domains_in_other_scripts() -> None:
    assert ascii_address("aya@例え.jp") == "aya@xn--r8jz45g.jp"
