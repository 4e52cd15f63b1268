"""One chaos test of remote bots. Import it with the environment of the installation and Django set up."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import sys
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import psycopg
from django.core.management import call_command
from django.db import connections

from arena.accounts.models import ApiToken
from arena.accounts.services import token_create
from arena.roster.models import BotVersion
from tests import factories
from tests.chaos.events import bots_await, bots_check
from tests.chaos.remote.audit import Asked, Outage, problems_of
from tests.chaos.remote.proxy import Proxy
from tests.chaos.stage import RELEASE, WORK, Services
from tests.chaos.units import ROOT, Unit

LOOPBACK, PORT = "127.0.0.1", 8000
PRESET = "kakeya4"
FAULT_S = (2.0, 10.0)
"""Seconds between two faults."""
DOWN_S = (0.2, 4.0)
"""Seconds for which the database is down."""
READY_S = 120.0
PATIENCE_S = 300.0
"""Maximum seconds until all tables are over, once no bot asks for more."""
WATCH_S = 0.05
BOT = """
import json, sys, time, zlib
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready"}', flush=True)
    if message["type"] == "request":
        legal = message["legal"]
        time.sleep(zlib.crc32(message["id"].encode()) % 100 / 100)
        print(json.dumps({"id": message["id"], "action": legal[len(legal) // 2]}), flush=True)
"""
"""Takes up to a second for a decision."""


class _Watch(threading.Thread):
    """Notes the time at which each request was asked, which the site overwrites with the next one."""

    def __init__(self, url: str) -> None:
        super().__init__(name="watch", daemon=True)
        self.asked: dict[str, Asked] = {}
        self._url = url
        self._over = threading.Event()

    def run(self) -> None:
        query = (
            "SELECT s.request_id, t.public_id, extract(epoch FROM s.asked_at), s.disconnects "
            "FROM remote_remoteseat s JOIN remote_remotetable t ON t.id = s.table_id WHERE s.request_id != ''"
        )
        while not self._over.wait(WATCH_S):
            with (
                contextlib.suppress(psycopg.Error),
                psycopg.connect(self._url, autocommit=True, connect_timeout=1) as connection,
            ):
                while not self._over.wait(WATCH_S):
                    for request, table, asked_at, _ in connection.execute(query).fetchall():
                        self.asked.setdefault(request, Asked(table, float(asked_at)))

    def stop(self) -> None:
        self._over.set()
        self.join()


class Run:
    """One chaos test, from an empty installation to the audit."""

    def __init__(self, services: Services, seed: int, tables: int, bots: int) -> None:
        self.services, self.seed, self.tables, self.bots = services, seed, tables, bots
        self.draw = random.Random(f"rensho-remote-chaos/2|{seed}")
        self.outages: list[Outage] = []
        self.kills: Counter[str] = Counter()
        self.problems: list[str] = []
        environment = services.environment(services.folder)
        manage = [sys.executable, str(ROOT / "manage.py")]
        serve = [*manage, "serve", "--port", str(PORT), "--grace-s", "2"]
        self.web = Unit(WORK / "web", serve, environment, RELEASE, program="serve")
        play = [*manage, "play_serve", "--tables", str(2 * bots)]
        self.play = Unit(WORK / "play", play, environment, RELEASE, program="play_serve")
        self.clients: list[Unit] = []

    def summary(self) -> dict[str, Any]:
        self._prepare()
        proxy = Proxy(self.seed, (LOOPBACK, PORT))
        watch = _Watch(self.services.postgres.url)
        watch.start()
        self._clients_start(proxy.port)
        began = time.monotonic()
        while self._finished() < self.tables:
            time.sleep(self.draw.uniform(*FAULT_S))
            self._fault()
        acted = time.monotonic()
        proxy.is_calm = True
        self._finish()
        watch.stop()
        connections.close_all()  # PostgreSQL has restarted since
        self.problems += problems_of(watch.asked, proxy.forwarded, self.outages)
        return {
            "seed": self.seed,
            "tables": self._finished(),
            "kills": dict(sorted(self.kills.items())),
            "network": dict(sorted(proxy.counts.items())),
            **self._figures(),
            "seconds": {"faults": round(acted - began), "until_over": round(time.monotonic() - acted)},
            "problems": self.problems,
        }

    def _prepare(self) -> None:
        call_command("migrate", interactive=False, verbosity=0)
        call_command("house_upload", verbosity=0)
        versions = [*BotVersion.objects.filter(bot__game="kakeya", runtime="python/1")]
        bots_check(versions)
        bots_await(versions)
        self.web.start()
        self.play.start()
        self._await_web()

    def _clients_start(self, port: int) -> None:
        folder = WORK / "bot"
        folder.mkdir()
        (folder / "bot.py").write_text(BOT)
        (folder / "rensho.toml").write_text('name = "bot"\nruntime = "python/1"\nentry_point = "bot.py"\n')
        scopes = [str(ApiToken.Scope.READ), str(ApiToken.Scope.CONNECT)]
        for number, user in enumerate(factories.players(self.bots)):
            token = token_create(user, name="chaos", scopes=scopes, actor=user)[1]
            home = WORK / f"client{number}"
            environment = {
                **os.environ,
                "RENSHO_URL": f"http://{LOOPBACK}:{port}",
                "RENSHO_TOKEN": token,
                "HOME": str(home),
                "XDG_CONFIG_HOME": str(home),
                "XDG_STATE_HOME": str(home),
            }
            argv = [
                str(Path(sys.executable).with_name("rensho")),
                "connect",
                str(folder),
                "--name",
                f"bot{number}",
            ]
            argv += ["--ladder", PRESET, "--tables", "2"]
            self.clients.append(Unit(home, argv, environment, RELEASE, program="connect"))
            self.clients[-1].start()

    def _fault(self) -> None:
        kinds: dict[str, Callable[[], contextlib.AbstractContextManager[object]]] = {
            "client": self._client_killed,
            "web": lambda: self._killed(self.web, self._await_web),
            "play": lambda: self._killed(self.play, self._await_play),
            "database": self._database_down,
        }
        kind = self.draw.choice(sorted(kinds))
        began = time.time()
        with kinds[kind]():
            pass
        self.kills[kind] += 1
        if kind != "client":
            self.outages.append(Outage(kind, began, time.time()))
        print(json.dumps({"kill": kind, "seconds": round(time.time() - began, 1)}), flush=True)

    @contextlib.contextmanager
    def _client_killed(self) -> Iterator[None]:
        _kill(self.draw.choice(self.clients))
        yield

    @contextlib.contextmanager
    def _killed(self, unit: Unit, await_ready: Callable[[], None]) -> Iterator[None]:
        _kill(unit)
        yield
        await_ready()

    @contextlib.contextmanager
    def _database_down(self) -> Iterator[None]:
        self.services.postgres.stop_immediately()
        time.sleep(self.draw.uniform(*DOWN_S))
        self.services.postgres.start()
        yield
        self._await_web()

    def _await_web(self) -> None:
        deadline = time.monotonic() + READY_S
        while True:
            with (
                contextlib.suppress(OSError),
                urllib.request.urlopen(f"http://{LOOPBACK}:{PORT}/readyz", timeout=2),
            ):
                return
            assert time.monotonic() < deadline, "the site does not come back"
            time.sleep(0.1)

    def _await_play(self) -> None:
        deadline, since = time.monotonic() + READY_S, time.time()
        query = "SELECT 1 FROM play_playservice WHERE seen_at > to_timestamp(%s) AND detail = ''"
        while not self._rows(query, since + 1.0):
            assert time.monotonic() < deadline, "the play service does not come back"
            time.sleep(0.1)

    def _finish(self) -> None:
        """Let clients finish their tables, as after Ctrl-C."""
        for client in self.clients:
            (client.folder / "stopped").touch()
            for process in _mains(client):
                process.send_signal(signal.SIGINT)
        deadline = time.monotonic() + PATIENCE_S
        query = "SELECT public_id, state FROM remote_remotetable WHERE state NOT IN ('finished', 'failed')"
        while left := self._rows(query):
            if time.monotonic() > deadline:
                self.problems.append(f"{len(left)} tables do not end: {left[:5]}")
                return
            time.sleep(1.0)

    def _finished(self) -> int:
        return int(
            self._rows("SELECT count(*) FROM remote_remotetable WHERE state IN ('finished', 'failed')")[0][0]
        )

    def _figures(self) -> dict[str, Any]:
        states = self._rows("SELECT state, count(*) FROM remote_remotetable GROUP BY state")
        verdicts = self._rows("SELECT verdict, count(*) FROM remote_remoteseat GROUP BY verdict")
        disconnects = self._rows("SELECT sum(disconnects) FROM remote_remoteseat")[0][0]
        return {"states": dict(states), "verdicts": dict(verdicts), "disconnects": disconnects}

    def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.services.postgres.url) as connection:
            return connection.execute(query, values or None).fetchall()


def _mains(unit: Unit) -> list[psutil.Process]:
    main = unit.main()
    return [] if main is None else [main]


def _kill(unit: Unit) -> None:
    for process in _mains(unit):
        with contextlib.suppress(psutil.Error):
            process.kill()
