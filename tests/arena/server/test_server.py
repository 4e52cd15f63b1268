"""The real web server against clients that are slow, greedy or never finish a sentence."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from django.core.asgi import get_asgi_application

from arena.operations.installation import child_environment
from arena.server.connections import SWEEP_S
from arena.server.requests import UPLOAD_PATH
from arena.server.run import server_config
from arena.settings.server import ServerLimits, server_limits_of
from tests import factories
from tests.arena.server.raw_client import PAGE, PATIENCE_S, Client, status

pytestmark = pytest.mark.full

DEADLINE_S = 1
SLACK_S = 2 * SWEEP_S + 4.0
"""Beyond a promised deadline: the sweep, and a busy machine."""
LIMITS = ServerLimits(
    head_s=DEADLINE_S, body_s=DEADLINE_S, body_bytes_per_s=20_000, write_s=DEADLINE_S, idle_s=DEADLINE_S
)
UPLOAD = b"POST /api/v1/bots/abc/versions HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
FORM = b"POST /sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"


@contextlib.contextmanager
def serving(application: Any = None, limits: ServerLimits = LIMITS) -> Iterator[int]:
    server = uvicorn.Server(server_config(application or get_asgi_application(), limits, port=0, grace_s=1))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    until = time.monotonic() + PATIENCE_S
    while not server.started:
        assert thread.is_alive()
        assert time.monotonic() < until
        time.sleep(0.01)
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(PATIENCE_S)


@pytest.fixture
def port() -> Iterator[int]:
    with serving() as port:
        yield port


def test_half_a_header_is_ended_at_its_deadline(port: int) -> None:
    begun = time.monotonic()
    answer = Client(port).send(b"GET / HTTP/1.1\r\nHost: local").rest()
    assert status(answer) == 408
    assert DEADLINE_S <= time.monotonic() - begun < DEADLINE_S + SLACK_S


def test_every_answer_has_one_request_id_even_if_the_application_is_not_asked(port: int) -> None:
    refused = Client(port).send(FORM, b"Content-Length: 99999999\r\n\r\n").answer()
    answers = [Client(port).send(PAGE).answer() for _ in range(2)]
    assert [status(answer) for answer in (refused, *answers)] == [413, 200, 200]
    ids = [re.findall(rb"(?im)^x-request-id: ([a-z0-9]+)\r$", answer) for answer in (refused, *answers)]
    assert [len(each) for each in ids] == [1, 1, 1]
    assert len({each[0] for each in ids}) == 3


def test_silence_after_connecting_and_a_trickled_header_end_alike(port: int) -> None:
    silent, begun = Client(port), time.monotonic()
    trickling = Client(port)
    with contextlib.suppress(ConnectionError):
        for letter in b"GET /healthz HTTP/1.1\r\nX-Letters: " + b"a" * 500:
            trickling.send(bytes([letter]))
            time.sleep(0.1)
            if time.monotonic() - begun > DEADLINE_S + SLACK_S:
                pytest.fail("still open")
    assert silent.rest() == b""


def test_the_second_request_of_a_connection_has_the_same_deadline(port: int) -> None:
    client = Client(port).send(PAGE)
    assert status(client.answer()) == 200
    begun = time.monotonic()
    client.send(PAGE[:20])
    assert b"HTTP/1.1 408 " in client.rest()
    assert time.monotonic() - begun < DEADLINE_S + SLACK_S


def test_half_a_request_sent_along_with_a_whole_one_ends_too(port: int) -> None:
    begun = time.monotonic()
    assert status(Client(port).send(PAGE + PAGE[:20]).rest()) == 200
    assert time.monotonic() - begun < 2 * DEADLINE_S + SLACK_S


def test_a_trickled_body_is_ended_and_an_upload_over_a_slow_line_is_not(port: int) -> None:
    size = 90_000
    head = b"Content-Length: %d\r\n\r\n" % size
    trickled = Client(port).send(UPLOAD, head, b"x")
    slow = Client(port).send(UPLOAD, head)
    begun = time.monotonic()
    for _ in range(9):
        slow.send(b"x" * (size // 9))
        time.sleep(0.3)  # some 33,000 bytes a second: slow, but faster than the least rate
    assert time.monotonic() - begun > 2 * DEADLINE_S
    assert status(slow.answer()) == 401
    answer = trickled.rest()
    assert status(answer) == 408
    assert b'"code": "body_too_slow"' in answer


def test_200_half_open_connections_keep_nobody_out(port: int) -> None:
    half_open = [Client(port).send(PAGE[:20]) for _ in range(200)]
    assert status(Client(port).send(PAGE).answer()) == 200
    assert {status(client.rest()) for client in half_open} == {408}


def test_one_more_connection_than_there_may_be_takes_the_place_of_a_waiting_one() -> None:
    limits = dataclasses.replace(LIMITS, connections_per_address=3, connections=6, head_s=60, idle_s=60)
    with serving(limits=limits) as port:
        mine = [Client(port).send(PAGE[:20]) for _ in range(4)]
        assert mine[0].rest() == b"", "the oldest of this address had to go"
        mine += [Client(port, f"127.0.0.{2 + n}").send(PAGE[:20]) for n in range(4)]
        assert mine[1].rest() == b"", "the oldest of all had to go"
        assert status(Client(port, "127.0.0.9").send(PAGE).answer()) == 200


def test_connections_in_use_are_not_ended_for_others(settings: Any) -> None:
    limits = dataclasses.replace(LIMITS, connections_per_address=2, body_s=60, uploads_per_address=9)
    with serving(limits=limits) as port:
        busy = [Client(port).send(UPLOAD, b"Content-Length: 10\r\n\r\n") for _ in range(2)]
        time.sleep(0.2)
        refused = Client(port).send(PAGE).rest()
        assert status(refused) in (0, 503)
        assert status(Client(port, "127.0.0.2").send(PAGE).answer()) == 200
        assert {status(client.send(b"x" * 10).answer()) for client in busy} == {401}
        settings.TRUSTED_PROXIES = ("127.0.0.1/32",)
        proxied = [Client(port).send(UPLOAD, b"Content-Length: 10\r\n\r\n") for _ in range(4)]
        time.sleep(0.2)
        assert {status(client.send(b"x" * 10).answer()) for client in proxied} == {401}


@pytest.mark.parametrize(
    ("head", "most"), [(UPLOAD, (32 << 20) + (1 << 20)), (FORM, ServerLimits().other_body_bytes)]
)
def test_a_body_that_is_announced_too_large_is_refused_unread(port: int, head: bytes, most: int) -> None:
    client = Client(port).send(head, b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n" % (most + 1))
    answer = client.rest()
    assert status(answer) == 413
    assert str(most).encode() in answer


def test_a_client_that_sends_all_the_same_sees_the_refusal(port: int) -> None:
    size = 8 << 20
    client = Client(port).send(FORM, b"Content-Length: %d\r\n\r\n" % size, b"x" * size)
    assert status(client.answer()) == 413


def test_a_chunked_body_is_counted_as_it_comes(port: int) -> None:
    client = Client(port).send(FORM, b"Transfer-Encoding: chunked\r\n\r\n")
    chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    sent = 0
    with contextlib.suppress(ConnectionError):
        for _ in range(10_000):  # 655 MB, were they taken
            client.send(chunk)
            sent += 0x10000
    assert sent < 200 << 20
    with contextlib.suppress(ConnectionError):
        assert status(client.answer()) in (0, 413)


def test_no_more_than_so_many_uploads_come_in_at_once_from_one_address() -> None:
    with serving(limits=dataclasses.replace(LIMITS, uploads_per_address=2, body_s=60)) as port:
        coming = [Client(port).send(UPLOAD, b"Content-Length: 10\r\n\r\n") for _ in range(2)]
        time.sleep(0.2)
        answer = Client(port).send(UPLOAD, b"Expect: 100-continue\r\nContent-Length: 10\r\n\r\n").rest()
        assert status(answer) == 429
        assert b"retry-after" in answer.lower()
        assert status(Client(port, "127.0.0.2").send(UPLOAD, b"Content-Length: 1\r\n\r\nx").answer()) == 401
        assert {status(client.send(b"x" * 10).answer()) for client in coming} == {401}
        assert status(Client(port).send(UPLOAD, b"Content-Length: 1\r\n\r\nx").answer()) == 401


@pytest.mark.parametrize("size", [20_000, 200_000])
def test_a_header_beyond_its_limit_is_refused(port: int, size: int) -> None:
    client = Client(port)
    with contextlib.suppress(ConnectionError):
        client.send(PAGE[:-2] + b"X-Long: " + b"a" * size + b"\r\n\r\n")
    assert status(client.rest()) in (400, 431)


def test_a_client_that_does_not_read_its_answer_is_left() -> None:
    async def endless(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for _ in range(10_000):
            await send({"type": "http.response.body", "body": b"x" * 65536, "more_body": True})
            if ended.is_set():
                return
        await send({"type": "http.response.body", "body": b""})

    ended = threading.Event()
    with serving(endless) as port:
        client = Client(port, receive_buffer=4096).send(PAGE)
        time.sleep(DEADLINE_S + 8 + SLACK_S)  # 131,072 bytes at the least rate are 7 s
        ended.set()
        assert len(client.rest()) < 64 << 20, "the rest of 655 MB was dropped"


@pytest.mark.django_db(transaction=True)
def test_an_event_stream_outlives_every_deadline(port: int) -> None:
    tournament = factories.an_open_tournament()
    path = f"/tournaments/{tournament.public_id}/events".encode()
    client = Client(port).send(
        b"GET " + path + b" HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n"
    )
    assert status(client.answer()) == 200
    client.socket.settimeout(4 * DEADLINE_S + SLACK_S)
    with contextlib.suppress(TimeoutError):
        until = time.monotonic() + 4 * DEADLINE_S + SLACK_S
        while time.monotonic() < until:
            assert client.socket.recv(65536) != b"", "the server closed it"


@pytest.mark.parametrize(
    "rubbish",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 20 + b"\r\n\r\n",
        b"GET /\xff\xfe HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"POST /sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"POST /sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5, 6\r\n\r\n",
        b"POST /sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n",
        b"POST /sign-in HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\n\r\n",
        b"GET /healthz?%ff=\x80 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ],
)
def test_rubbish_is_refused_without_a_fault_of_ours(port: int, rubbish: bytes) -> None:
    answer = Client(port).send(rubbish).rest()
    assert status(answer) in (400, 413, 431)
    assert status(Client(port).send(PAGE).answer()) == 200


@pytest.mark.sampled(8)
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("method", ["HEAD", "OPTIONS", "TRACE", "CONNECT", "BREW", "PROPFIND"])
@pytest.mark.parametrize(
    "path", ["/", "/healthz", "/api/v1/games", "/api/v1/nowhere", "/admin/", "/metrics", "*"]
)
def test_no_method_gives_a_fault(port: int, method: str, path: str) -> None:
    answer = (
        Client(port)
        .send(f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        .rest()
    )
    assert 200 <= status(answer) < 500


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    "host",
    [b"evil.example", b"a b", b"[::1", b"localhost:99999x", b"\xe2\x82\xac", b"x" * 4000, b"", b"../.."],
)
@pytest.mark.parametrize("path", [b"/api/v1/games", b"/sign-in"])
def test_a_foreign_host_is_refused_without_a_traceback_in_the_log(
    port: int, host: bytes, path: bytes, capfd: pytest.CaptureFixture[str]
) -> None:
    answer = (
        Client(port).send(b"GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n" % (path, host)).rest()
    )
    assert status(answer) in (400, 429)
    assert "Traceback" not in capfd.readouterr().err


def test_the_command_serves_and_stops(tmp_path: Path) -> None:
    env = {
        **child_environment(),
        "DJANGO_SETTINGS_MODULE": "arena.settings.base",
        "RENSHO_DATA": str(tmp_path),
        "RENSHO_SERVER_HEAD_S": "1",
        "REDIS_URL": "redis://127.0.0.1:1/0",
        "DATABASE_URL": "",
    }
    argv = [sys.executable, "-m", "django", "serve", "--port", "0"]
    with subprocess.Popen(argv, env=env, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            found = None
            while found is None and (line := process.stderr.readline()):
                found = re.search(r"running on http://127\.0\.0\.1:(\d+)", line)
            assert found
            port = int(found[1])
            assert status(Client(port).send(PAGE).answer()) == 200
            assert status(Client(port).send(PAGE[:20]).rest()) == 408
            open_one = Client(port).send(PAGE[:20])
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE_S) in (0, -signal.SIGTERM)
            open_one.rest()
        finally:
            if process.poll() is None:
                os.kill(process.pid, signal.SIGKILL)


def test_the_upload_is_where_the_server_thinks_it_is() -> None:
    from django.urls import reverse

    assert UPLOAD_PATH.fullmatch(reverse("v1:versions", args=["0123456789abcdef"]))
    assert UPLOAD_PATH.fullmatch(reverse("web:submit", args=["0123456789abcdef"]))


def test_limits_come_from_the_environment_and_nonsense_is_refused_at_the_start() -> None:
    assert server_limits_of({"RENSHO_SERVER_HEAD_S": "7", "RENSHO_SERVER_IDLE_S": ""}) == ServerLimits(
        head_s=7
    )
    for name, text in {
        "HEAD_S": "soon",
        "CONNECTIONS": "0",
        "BODY_S": "-1",
        "HEADS": "1",
        "IDLE_S": "9" * 9999,
    }.items():
        with pytest.raises(SystemExit, match=f"RENSHO_SERVER_{name}") as refusal:
            server_limits_of({f"RENSHO_SERVER_{name}": text})
        assert len(str(refusal.value)) <= 500
