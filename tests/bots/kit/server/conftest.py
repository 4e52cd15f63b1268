"""The platform itself, answering over HTTP in this process, and a settings folder of the test's own."""

from __future__ import annotations

import logging
import threading
import time
from contextlib import ExitStack, contextmanager

import pytest
import uvicorn
from django.core.cache import cache
from django.db import connection

from arena.common.serving import BoundedHandler
from arena.roster.models import CheckRun
from arena.roster.services import check_claim, check_finish
from arena.web.base.unavailable import busy_response
from tests import factories
from tests.arena.streams.fresh import fresh_hub
from tests.bots.kit.commands import Commands
from tests.bots.kit.server.peer import peer, plain

STEPS = [{"name": "trial", "ok": True, "detail": "27 decisions on 2 boards"}]
PATIENCE_S = 60.0
"""A guard against hanging, not a measure."""


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """A folder for settings; nobody is logged in."""
    for variable in ("RENSHO_URL", "RENSHO_TOKEN"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    return tmp_path / "settings" / "rensho" / "login.json"


@pytest.fixture
def run(capsys):
    """The commands of the kit."""
    return Commands(capsys)


@pytest.fixture
def _silent():
    """What the platform logs belongs to no command."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@pytest.fixture
def site(transactional_db, monkeypatch, _silent):
    """The address of the real API, in a thread of this process."""
    cache.clear()
    fresh_hub(monkeypatch)
    config = uvicorn.Config(
        BoundedHandler(busy_response, connections=12),
        port=0,
        lifespan="off",
        log_config=None,
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        deadline = time.monotonic() + PATIENCE_S
        while not server.started:
            assert thread.is_alive()
            assert time.monotonic() < deadline
            time.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(PATIENCE_S)


@pytest.fixture
def public(site, monkeypatch):
    """Nobody in particular, who knows the server; its address."""
    monkeypatch.setenv("RENSHO_URL", site)
    return site


@pytest.fixture
def aya(site, monkeypatch):
    """Aya, logged in by the environment."""
    user = factories.aya()
    monkeypatch.setenv("RENSHO_URL", site)
    monkeypatch.setenv("RENSHO_TOKEN", factories.a_token(user))
    return user


@pytest.fixture
def logged_in(site, monkeypatch):
    """Logs in whoever is given, by the environment."""

    def logging_in(user):
        monkeypatch.setenv("RENSHO_URL", site)
        monkeypatch.setenv("RENSHO_TOKEN", factories.a_token(user))
        return user

    return logging_in


@pytest.fixture
def odo(logged_in):
    """Odo, who organises, logged in by the environment."""
    return logged_in(factories.odo())


@contextmanager
def worker(outcome):
    """Somebody who carries out checks meanwhile: ``outcome(check)`` ends each."""
    is_over = threading.Event()

    def work():
        try:
            while not is_over.wait(0.01):
                for check in CheckRun.objects.filter(state=CheckRun.State.WAITING):
                    claimed = check_claim(check.pk)
                    if claimed is not None:
                        outcome(claimed)
        finally:
            connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join(PATIENCE_S)


def accept(check):
    """The bot may play."""
    check_finish(check, accepted=True, steps=STEPS, reasons=[], report=None, runtime_digest="d" * 64)


def reject(check):
    """The bot may not play."""
    steps = [{"name": "trial", "ok": False, "detail": "illegal action"}]
    reasons = [{"code": "illegal_action", "message": "not an action of kakeya: 'QQ'"}]
    check_finish(check, accepted=False, steps=steps, reasons=reasons, report=None, runtime_digest="d" * 64)


@pytest.fixture
def scripted(monkeypatch):
    """Starts a peer that gives these answers, and logs in to it by the environment."""
    with ExitStack() as stack:

        def start(*answers, token="rensho_t"):
            server = stack.enter_context(peer(*answers))
            monkeypatch.setenv("RENSHO_URL", server.url)
            monkeypatch.setenv("RENSHO_TOKEN", token)
            monkeypatch.setattr("bots.kit.client.transport.RETRY_DELAY_S", 0)
            return server

        yield start


@pytest.fixture
def unasked(scripted):
    """A peer that must not be asked anything."""
    server = scripted(plain({}))
    yield server
    assert server.asked == []
