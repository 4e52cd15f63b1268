"""One chaos test: the hosts start, faults begin and end as planned, and the audit follows the last one.

Import it with the environment of the installation (``Services.environment``) and Django set up.
"""

from __future__ import annotations

import contextlib
import json
import random
import subprocess
import sys
import time
import uuid
from collections import Counter
from typing import Any

import psycopg
from django.core.management import call_command
from django.db import connections

from tests.chaos.agenda import follow
from tests.chaos.audit import audit
from tests.chaos.events import bots_prepare, events_plan
from tests.chaos.faults import FAULTS, Stage
from tests.chaos.hosts import Host, Skipped
from tests.chaos.plan import HOSTS, Planned
from tests.chaos.stage import PREVIOUS, RELEASE, UNSUPPORTED, WORK, Services, run
from tests.chaos.units import ROOT

PATIENCE_S = 600.0
"""Maximum seconds from the last fault until all tournaments are final."""
POLL_S = 0.5
READY_S = 600.0


class Run:
    """One chaos test, from an empty installation to the audit."""

    def __init__(
        self, services: Services, seed: int, planned: list[Planned], tables: int, concurrency: int
    ) -> None:
        self.services, self.seed, self.planned, self.tables = services, seed, planned, tables
        self.token = f"chaos{uuid.uuid4().hex[:12]}"
        self.hosts = {
            name: Host(
                self.services, name, number, PREVIOUS if number == len(HOSTS) else RELEASE, concurrency
            )
            for number, name in enumerate(HOSTS, 1)
        }
        self.stage = Stage(self.services, self.hosts)
        self.done: Counter[str] = Counter()
        self.skipped: Counter[str] = Counter()
        self.problems: list[str] = []

    def summary(self) -> dict[str, Any]:
        began = time.monotonic()
        self._prepare()
        prepared = time.monotonic()
        self._act(prepared)
        acted = time.monotonic()
        self._wait_for_the_end(acted)
        ended = time.monotonic()
        self._stop()
        self._audit()
        return {
            "seed": self.seed,
            "faults": sum(self.done.values()),
            "faults_by_kind": dict(sorted(self.done.items())),
            "skipped": dict(sorted(self.skipped.items())),
            **self._figures(),
            "seconds": {
                "prepare": round(prepared - began, 1),
                "faults": round(acted - prepared, 1),
                "until_final": round(ended - acted, 1),
                "audit": round(time.monotonic() - ended, 1),
            },
            "problems": self.problems,
        }

    def _prepare(self) -> None:
        call_command("migrate", interactive=False, verbosity=0)
        bots = bots_prepare(self.token, checks_here=True)
        self._refuse_unsupported()
        self.services.housekeeping.start()
        self.services.beat.start()
        for host in self.hosts.values():
            # The runtime that the checks have built, so that no host builds it again.
            run("cp", "-a", str(WORK / "services" / "stage"), str(host.disk))
            host.start()
        deadline = time.monotonic() + READY_S
        ready = "SELECT count(*) FROM matches_worker WHERE runtimes != '{}' AND cause = ''"
        while self._rows(ready)[0][0] < len(self.hosts):
            assert time.monotonic() < deadline, "the workers are not ready"
            time.sleep(POLL_S)
        self.tables = events_plan(bots, self.tables, self.planned[-1].at_s)

    def _refuse_unsupported(self) -> None:
        """A worker of a release that the database does not support must end and say why."""
        argv = [sys.executable, "-m", "celery", "-A", "arena", "--quiet", "worker", "-n", "old@%h"]
        environment = {**self.services.environment(WORK / "services"), "CHAOS_RELEASE": UNSUPPORTED}
        done = subprocess.run(
            [*argv, "-Q", "tables,checks", "--without-gossip", "--without-mingle"],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=READY_S,
            stdin=subprocess.DEVNULL,
        )
        causes = self._rows("SELECT cause, runtimes::text FROM matches_worker WHERE name LIKE 'old@%'")
        if done.returncode == 0 or causes != [("release", "{}")]:
            self.problems.append(
                f"a worker of release {UNSUPPORTED}: status {done.returncode}, heartbeats {causes}"
            )

    def _act(self, began: float) -> None:
        """Follow the plan, and update the worker of the previous release in the middle of it."""
        middle = len(self.planned) // 2

        def begin(number: int, fault: Planned) -> contextlib.ExitStack:
            if number == middle:
                self._update_previous()
            return self._begin(number, fault, began)

        follow(self.planned, begin)

    def _begin(self, number: int, fault: Planned, began: float) -> contextlib.ExitStack:
        """Begin a fault, print it, and return what ends it."""
        stack = contextlib.ExitStack()
        draw = random.Random(f"rensho-chaos/1|{self.seed}|{number}")
        said = {**fault._asdict(), "began_s": round(time.monotonic() - began, 1)}
        try:
            said["detail"] = stack.enter_context(FAULTS[fault.kind](self.stage, fault.host, draw))
            self.done[fault.kind] += 1
        except Skipped as reason:
            said["skipped"] = str(reason)
            self.skipped[f"{fault.kind}: {reason}"] += 1
        print(json.dumps(said), flush=True)
        return stack

    def _update_previous(self) -> None:
        """Update the worker of the previous release, which finishes its tables first."""
        unit = self.hosts[HOSTS[-1]].unit
        unit.update(RELEASE)
        unit.terminate()

    def _wait_for_the_end(self, began: float) -> None:
        open_ones = (
            "SELECT (SELECT count(*) FROM competition_tournament WHERE state != 'final'), "
            "(SELECT count(*) FROM matches_lostlease), (SELECT count(*) FROM matches_pendingreport)"
        )
        while (counts := self._rows(open_ones)[0]) != (0, 0, 0):
            if time.monotonic() > began + PATIENCE_S:
                self.problems.append(
                    f"not over {PATIENCE_S:.0f} s after the last fault: {counts[0]} tournaments, "
                    f"{counts[1]} lost leases, {counts[2]} reports"
                )
                return
            time.sleep(POLL_S)

    def _stop(self) -> None:
        units = {name: host.unit for name, host in self.hosts.items()}
        units |= {"housekeeping": self.services.housekeeping, "beat": self.services.beat}
        for unit in units.values():
            unit.terminate()
        for name, unit in units.items():
            if not unit.stop():
                self.problems.append(f"{name} does not end after SIGTERM")

    def _audit(self) -> None:
        for name, host in self.hosts.items():
            self.problems += [f"{name}: {problem}" for problem in host.left(self.token)]
        connections.close_all()  # PostgreSQL has restarted since
        self.problems += map(str, audit(self.tables))

    def _figures(self) -> dict[str, Any]:
        (row,) = self._rows(
            "SELECT count(*), count(*) FILTER (WHERE state = 'finished'), max(attempt), "
            "count(*) FILTER (WHERE failures > 0) FROM matches_table"
        )
        return dict(zip(("tables", "finished", "most_attempts", "played_again"), row, strict=True))

    def _rows(self, query: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.services.postgres.url) as connection:
            return connection.execute(query).fetchall()
