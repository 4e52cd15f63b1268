"""The end and the start of web processes: no request fails, streams end, the service manager is told."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from arena.common.serving import BoundedHandler, EventStream
from arena.server import service_manager
from arena.server.connections import Connections
from arena.server.draining import DrainingServer
from arena.server.processes import ProcessesError, WebProcesses
from arena.server.run import server_config
from arena.server.service_manager import PassedSocketError, notify, passed_socket, socket_of
from arena.settings.server import ServerLimits
from arena.settings.streams import StreamLimits
from arena.web.base.unavailable import busy_response
from tests.arena.server.raw_client import PAGE, PATIENCE_S, Client, status
from tests.refusals import refusal

pytestmark = pytest.mark.full
LIMITS = ServerLimits()
CHILD = """
import signal, socket, sys
from arena.server.service_manager import READY, notify
listening = socket.socket(fileno=int(sys.argv[sys.argv.index("--fd") + 1]))
stops = []
signal.signal(signal.SIGTERM, lambda *_: stops.append(True))
listening.settimeout(0.05)
notify(READY)
while not stops:
    try:
        client, _ = listening.accept()
    except TimeoutError:
        continue
    client.recv(1000)
    client.sendall(str(__import__("os").getpid()).encode())
    client.close()
"""


class Handler(BoundedHandler):
    """One path answers when the test permits, one is a stream."""

    def __init__(self) -> None:
        super().__init__(busy_response, connections=20, unbounded=("/healthz",))
        self.permitted = threading.Event()
        self.begun = threading.Event()

    async def run_get_response(self, request: HttpRequest) -> HttpResponseBase:
        if request.path == "/slow":
            self.begun.set()
            await asyncio.to_thread(self.permitted.wait, PATIENCE_S)
        if request.path != "/stream":
            return await super().run_get_response(request)
        stream = EventStream(self._messages(), lambda: None, PATIENCE_S)
        stream._handler_class = self.__class__  # type: ignore[attr-defined]
        request.scope["rensho.stream"] = stream  # type: ignore[attr-defined]
        return stream

    async def _messages(self) -> AsyncIterator[bytes]:
        yield b"data: 1\n\n"
        await asyncio.sleep(PATIENCE_S)


@contextlib.contextmanager
def serving(handler: Handler, listening: socket.socket) -> Iterator[DrainingServer]:
    connections = Connections(LIMITS)
    config = server_config(handler, LIMITS, connections=connections, grace_s=20)
    server = DrainingServer(config, connections, handler.drain)
    thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.should_exit = True
        thread.join(PATIENCE_S)
        assert not thread.is_alive()


@pytest.fixture
def reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """The socket of a service manager."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(PATIENCE_S)
        monkeypatch.setenv(service_manager.NOTIFY_VARIABLE, str(tmp_path / "notify"))
        yield manager


@pytest.fixture
def listening() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as made:
        yield made


def test_a_stopping_server_ends_what_it_has_begun(reports: socket.socket, listening: socket.socket) -> None:
    handler, port = Handler(), listening.getsockname()[1]
    with serving(handler, listening.dup()) as server:
        assert reports.recv(100) == b"READY=1"
        idle, slow, stream = Client(port), Client(port), Client(port)
        assert status(idle.send(PAGE).answer()) == 200
        slow.send(PAGE.replace(b"/healthz", b"/slow"))
        stream.send(PAGE.replace(b"/healthz", b"/stream"))
        assert status(stream.answer()) == 200
        assert handler.begun.wait(PATIENCE_S)
        server.should_exit = True
        assert reports.recv(100) == b"STOPPING=1"
        # The connection was idle: its next request is answered, and told to be the last.
        assert b"connection: close" in idle.send(PAGE).rest()
        assert stream.rest().endswith(b"0\r\n\r\n"), "the end of a chunked body"
        late = Client(port).send(PAGE)
        handler.permitted.set()
        answer = slow.rest()
        assert status(answer) == 404
        assert b"connection: close" in answer
    with serving(Handler(), listening.dup()):
        assert status(late.answer()) == 200, "it waited for the next process"


def test_a_stopping_server_starts_no_stream(listening: socket.socket) -> None:
    handler, port = Handler(), listening.getsockname()[1]
    with serving(handler, listening.dup()):
        handler.drain()
        assert status(Client(port).send(PAGE.replace(b"/healthz", b"/stream")).answer()) == 503


@pytest.fixture
def processes(
    reports: socket.socket, listening: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> Iterator[WebProcesses]:
    """Two processes on one socket, each of which responds with its pid."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    monkeypatch.setattr(signal, "signal", lambda *_: None)  # not in the main thread
    made = WebProcesses((sys.executable, "-c", CHILD), 2, listening, grace_s=5)
    thread = threading.Thread(target=made.run, daemon=True)
    thread.start()
    assert reports.recv(100) == b"READY=1"
    yield made
    made._is_stopping = True
    thread.join(PATIENCE_S)
    assert not thread.is_alive()
    assert reports.recv(100) == b"STOPPING=1"


def answering(port: int, number: int) -> set[int]:
    """The processes that answer, until as many as expected have."""
    found: set[int] = set()
    until = time.monotonic() + PATIENCE_S
    while len(found) < number and time.monotonic() < until:
        found.add(int(Client(port).send(PAGE).rest() or b"0"))
        found.discard(0)
    return found


def test_processes_share_a_socket_and_are_restarted(
    processes: WebProcesses, listening: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.server.processes.AGAIN_S", 0.0)
    port = listening.getsockname()[1]
    first = answering(port, 2)
    assert len(first) == 2
    os.kill(killed := min(first), signal.SIGKILL)
    until = time.monotonic() + PATIENCE_S
    while len(now := answering(port, 2)) < 2 or killed in now:
        assert time.monotonic() < until
    assert len(now) == 2


def test_a_reload_replaces_all_processes_and_no_request_fails(
    processes: WebProcesses, listening: socket.socket
) -> None:
    port = listening.getsockname()[1]
    earlier = answering(port, 2)
    processes._on_signal(signal.SIGHUP, None)
    answered: list[int] = []
    until = time.monotonic() + PATIENCE_S
    while len(set(answered) - earlier) < 2 or not earlier.isdisjoint(answered[-20:]):
        answered.append(int(Client(port).send(PAGE).rest()))
        assert time.monotonic() < until
    assert set(answered) & earlier, "earlier processes serve until new ones do"
    while processes._draining:
        time.sleep(0.05)
        assert time.monotonic() < until
    for pid in earlier:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_a_reload_with_a_process_that_cannot_start_keeps_the_earlier_ones(
    processes: WebProcesses, listening: socket.socket, caplog: pytest.LogCaptureFixture
) -> None:
    port = listening.getsockname()[1]
    earlier = answering(port, 2)
    processes._argv = (sys.executable, "-c", "exit(3)")
    processes._on_signal(signal.SIGHUP, None)
    until = time.monotonic() + PATIENCE_S
    while not caplog.records:
        time.sleep(0.01)
        assert time.monotonic() < until
    assert answering(port, 2) == earlier


def test_a_process_that_cannot_start_ends_all(
    listening: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    refusal(ProcessesError, WebProcesses((sys.executable, "-c", "exit(3)"), 2, listening, 1).run)


def test_the_socket_of_systemd(listening: socket.socket, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service_manager, "FIRST_FD", listening.fileno())
    other = {"LISTEN_FDS": "1", "LISTEN_PID": "1"}
    assert passed_socket(other) is None, "for another process"
    assert other == {}
    assert passed_socket({}) is None
    environment = {"LISTEN_FDS": "1", "LISTEN_PID": str(os.getpid()), "LISTEN_FDNAMES": "x"}
    found = passed_socket(environment)
    assert found is not None
    assert found.getsockname() == listening.getsockname()
    found.detach()
    assert environment == {}, "no child takes it for its own"
    two = {"LISTEN_FDS": "2", "LISTEN_PID": str(os.getpid())}
    assert "rensho-web.socket" in str(refusal(PassedSocketError, passed_socket, two))


def test_another_descriptor_is_one_sentence(tmp_path: Path) -> None:
    with (tmp_path / "file").open("w") as file:
        refusal(PassedSocketError, socket_of, file.fileno())
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as datagrams:
        descriptor = datagrams.fileno()
        refusal(PassedSocketError, socket_of, os.dup(descriptor))


def test_a_service_manager_that_is_away_does_no_harm(tmp_path: Path) -> None:
    notify("READY=1", {service_manager.NOTIFY_VARIABLE: str(tmp_path / "nothing")})
    notify("READY=1", {})


def test_several_processes_divide_the_limits() -> None:
    assert LIMITS.share(1) == LIMITS
    part = LIMITS.share(3)
    assert (part.connections, part.uploads_per_address) == (667, 2)
    assert part.head_s == LIMITS.head_s
    assert StreamLimits().share(4) == StreamLimits(200, 20, 100)
