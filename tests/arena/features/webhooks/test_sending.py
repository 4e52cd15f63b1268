"""One attempt: bounded, to the checked address only, told without anything of the answer."""

from __future__ import annotations

import email.utils
import socket
import ssl
import time

import pytest

from arena.features.webhooks.sending import MAX_RESPONSE_BYTES, Attempt, WebhookRequest, post, post_all
from tests.arena.features.webhooks.receiver import TLS, answers, receiving


@pytest.fixture(autouse=True)
def _private(settings: object) -> None:
    settings.WEBHOOK_ALLOW_PRIVATE = True  # type: ignore[attr-defined]


def send(url: str, timeout_s: float = 10, **options: object) -> Attempt:
    request = WebhookRequest(url, {"webhook-id": "msg_1"}, b'{"x":1}')
    return post(request, timeout_s, **options)  # type: ignore[arg-type]


def test_a_request_arrives_whole() -> None:
    with receiving(answers(204)) as receiver:
        attempt = send(receiver.url)
    assert (attempt.ok, attempt.status, attempt.error) == (True, 204, "")
    assert receiver.requests[0].startswith(b"POST /hook?x=1 HTTP/1.1\r\n")
    headers = receiver.headers()
    assert headers["host"] == f"127.0.0.1:{receiver.port}"
    assert (headers["content-type"], headers["webhook-id"]) == ("application/json", "msg_1")
    assert receiver.body() == b'{"x":1}'


@pytest.mark.parametrize("status", [400, 404, 410, 500, 503])
def test_another_status_is_a_failure(status: int) -> None:
    with receiving(answers(status, body="a secret of the receiver")) as receiver:
        attempt = send(receiver.url)
    assert (attempt.ok, attempt.status) == (False, status)
    assert "secret" not in attempt.error


def test_redirects_are_not_followed() -> None:
    with receiving() as inner, receiving(answers(302, f"Location: {inner.url}\r\n")) as receiver:
        attempt = send(receiver.url)
        assert inner.connections == 0
    assert (attempt.status, attempt.error.split(":")[0]) == (302, "redirect")


@pytest.mark.parametrize(("asked", "seconds"), [("120", 120), ("soon", None), ("9" * 30, None)])
def test_what_the_receiver_asks_for_is_heard(asked: str, seconds: int | None) -> None:
    with receiving(answers(503, f"Retry-After: {asked}\r\n")) as receiver:
        assert send(receiver.url).retry_after_s == seconds


def test_a_receiver_may_ask_for_a_date() -> None:
    asked = email.utils.formatdate(time.time() + 600, usegmt=True)
    with receiving(answers(503, f"Retry-After: {asked}\r\n")) as receiver:
        seconds = send(receiver.url).retry_after_s
    assert seconds is not None
    assert 0 < seconds <= 600
    with receiving(answers(503, "Retry-After: Fri, 31 Dec 1999 23:59:59 GMT\r\n")) as receiver:
        assert send(receiver.url).retry_after_s == 0


def test_a_slow_drip_ends_with_the_deadline() -> None:
    text = "HTTP/1.1 200 OK\r\nX-Long: " + "x" * 2000
    sent = []

    def drip(connection: socket.socket, request: bytes) -> None:
        for letter in text:
            connection.sendall(letter.encode())
            sent.append(letter)
            time.sleep(0.05)

    with receiving(drip) as receiver:
        attempt = send(receiver.url, 0.4)
        assert len(sent) < len(text), "each byte came in time, and the rest was not waited for"
    assert attempt.error.startswith("timeout:")


def test_one_that_never_answers_ends_with_the_deadline() -> None:
    with receiving(lambda connection, request: time.sleep(2)) as receiver:
        assert send(receiver.url, 0.2).error.startswith("timeout:")


def test_headers_without_end_are_cut_off() -> None:
    def flood(connection: socket.socket, request: bytes) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\n")
        for _ in range(20 * MAX_RESPONSE_BYTES // 1000):
            connection.sendall(b"X: " + b"x" * 1000 + b"\r\n")

    with receiving(flood) as receiver:
        assert send(receiver.url).error.startswith("answer_invalid:")


def test_provisional_answers_without_end_are_cut_off() -> None:
    def hints(connection: socket.socket, request: bytes) -> None:
        hint = b"HTTP/1.1 103 Early Hints\r\n\r\n"
        connection.sendall(hint * (2 * MAX_RESPONSE_BYTES // len(hint)))
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

    with receiving(hints) as receiver:
        assert send(receiver.url).error.startswith("answer_invalid:")


def test_a_long_body_is_not_read() -> None:
    sent = []

    def long(connection: socket.socket, request: bytes) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n")
        try:
            for _ in range(1000):
                connection.sendall(b"x" * 100_000)
                sent.append(1)
        except OSError:
            pass

    with receiving(long) as receiver:
        assert send(receiver.url).ok
    assert len(sent) < 1000


@pytest.mark.parametrize("said", [b"", b"nonsense\r\n\r\n", b"SSH-2.0-x\r\n"])
def test_no_http_is_a_failure(said: bytes) -> None:
    with receiving(lambda connection, request: connection.sendall(said)) as receiver:
        attempt = send(receiver.url)
    assert attempt.error.split(":")[0] in ("answer_invalid", "connection_lost")


def test_nobody_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    assert send(f"http://127.0.0.1:{port}/").error.startswith("connect_failed:")


def tls_of_receiver() -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(TLS / "receiver.pem"))


def test_the_certificate_is_that_of_the_name_though_the_address_is_connected_to() -> None:
    with receiving(with_tls=True) as receiver:
        url = f"https://receiver.example:{receiver.port}/hook"
        attempt = send(url, look_up=lambda host, port: ["127.0.0.1"], tls=tls_of_receiver())
        assert attempt.ok, attempt
        assert receiver.headers()["host"] == f"receiver.example:{receiver.port}"
        other = f"https://other.example:{receiver.port}/hook"
        attempt = send(other, look_up=lambda host, port: ["127.0.0.1"], tls=tls_of_receiver())
        assert attempt.error.startswith("certificate_invalid:"), attempt
        attempt = send(url, look_up=lambda host, port: ["127.0.0.1"])
        assert attempt.error.startswith("certificate_invalid:"), attempt
    assert len(receiver.requests) == 1


def test_a_name_is_looked_up_once_and_that_answer_is_checked(settings: object) -> None:
    settings.WEBHOOK_ALLOW_PRIVATE = False  # type: ignore[attr-defined]
    settings.WEBHOOK_ALLOW_HTTP = True  # type: ignore[attr-defined]
    addresses = iter([["127.0.0.1"], ["93.184.216.34"]])
    with receiving() as receiver:
        settings.WEBHOOK_PORTS = str(receiver.port)  # type: ignore[attr-defined]
        attempt = send(
            f"http://receiver.example:{receiver.port}/", look_up=lambda host, port: next(addresses)
        )
        assert attempt.error.startswith("address_refused:")
        assert receiver.connections == 0
    assert next(addresses) == ["93.184.216.34"], "asked once only"


def test_the_next_address_is_tried_where_one_does_not_answer() -> None:
    with receiving() as receiver:
        url = f"http://receiver.example:{receiver.port}/"
        assert send(url, look_up=lambda host, port: ["127.0.0.2", "127.0.0.1"]).ok


def test_several_go_side_by_side_and_come_back_in_order() -> None:
    with receiving(answers(200)) as good, receiving(answers(500)) as bad:
        requests = [WebhookRequest(url, {}, b"{}") for url in (good.url, bad.url, good.url)]
        assert [attempt.status for attempt in post_all(requests, 10)] == [200, 500, 200]
    assert post_all([], 10) == []
