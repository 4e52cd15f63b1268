"""An installation without broker or web, whose workers are killed; in a process with settings of its own.

``prepare`` makes a tournament with its first round open, ``play`` plays it to the end with workers killed at
random moments and says what came of it. Data lie in ``RENSHO_DATA``.

Workers are forked and do what a Celery pool process does: ``table_play`` for what waits. What Celery's
main process does for a dead one, this process does here: its work returns to the queue. Attempts have no cap
(``TABLE_ATTEMPTS_MAX`` is a setting); otherwise a hundred kills would quarantine tables by chance.
"""

from __future__ import annotations

import ctypes
import json
import os
import random
import signal
import time
import traceback
from typing import Any

from django.db import connections
from django.db.models import Max

from arena.competition.models import Tournament
from arena.jobs.flow import tournament_advance
from arena.jobs.orphaned_work import orphaned_work_release
from arena.jobs.tasks import table_play
from arena.jobs.worker import PR_SET_PDEATHSIG, machine_clean
from arena.matches.leases import tables_sweep
from arena.matches.models import Table
from arena.standings.models import StandingRow
from arena.tables.readiness import readiness_find
from referee.sandbox.owner import owner_mark
from tests import factories
from tests.chaos import events
from tests.chaos.audit import audit
from tests.chaos.left import left as remnants
from tests.referee.sandbox.mortal import groups_of, locks_of, until_gone

PATIENCE_S = 400.0
WORKERS = 2


def prepare(token: str, entries: int, boards: int) -> None:
    """A round robin with its first round open, of bots of so many accounts, really uploaded and checked."""
    versions = events.bots_upload(token, "kakeya", factories.players(entries))
    events.bots_check(versions)
    events.bots_await(versions)
    events.event_start(versions, boards_per_round=boards)


def waiting() -> list[int]:
    return list(Table.objects.filter(state=Table.State.WAITING).order_by("pk").values_list("pk", flat=True))


def is_over() -> bool:
    return not Tournament.objects.filter(
        state__in=(Tournament.State.RUNNING, Tournament.State.PROVISIONAL)
    ).exists()


def work() -> None:
    """A worker's life: plays what waits until the tournament is over."""
    while not is_over():
        for table in waiting():
            table_play(table)
        for tournament in Tournament.objects.filter(state=Tournament.State.RUNNING):
            tournament_advance(tournament)
        time.sleep(0.01)


class Pool:
    """Workers, by pid: the mark of their boxes and when they are to be killed, if ever."""

    def __init__(self, draw: random.Random, span_s: float, kills: int) -> None:
        self.draw = draw
        self.span_s = span_s
        self.kills_left = kills
        self.alive: dict[int, tuple[str, float]] = {}

    def fill(self) -> None:
        connections.close_all()
        while len(self.alive) < WORKERS and not is_over():
            life_s = self.draw.uniform(0, self.span_s) if self.kills_left > 0 else PATIENCE_S
            self.kills_left -= 1
            connections.close_all()
            pid, mark = forked()
            self.alive[pid] = mark, time.monotonic() + life_s

    def reap(self) -> list[tuple[int, str, bool]]:
        """Kill whose time has come; who has ended: pid, mark, whether it was killed."""
        ended = []
        for pid, (mark, until) in list(self.alive.items()):
            if time.monotonic() >= until:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
                ended.append((pid, mark, True))
            else:
                found, status = os.waitpid(pid, os.WNOHANG)
                if not found:
                    continue
                assert status == 0, f"a worker ended by itself, status {status}"
                ended.append((pid, mark, False))
            del self.alive[pid]
        return ended


def forked() -> tuple[int, str]:
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        status = 70
        try:
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            os.write(writer, owner_mark().encode())
            os.close(writer)
            work()
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    os.close(writer)
    mark = os.read(reader, 100).decode()
    os.close(reader)
    return pid, mark


def play(token: str, kills: int = 0, seed: int = 0, span_s: float = 0.0) -> dict[str, Any]:
    """Play on with workers so many of which are killed within ``span_s``; then what there is to know."""
    found = readiness_find()
    assert found.is_ready, found.detail
    pool = Pool(random.Random(seed), span_s, kills)
    deadline = time.monotonic() + PATIENCE_S
    killed, left, cut_short = 0, [], 0
    while not (is_over() and not pool.alive):
        assert time.monotonic() < deadline, f"not over after {killed} kills"
        pool.fill()
        for pid, mark, was_killed in pool.reap():
            killed += was_killed
            cut_short += orphaned_work_release()
            left += [f"kill {killed}: {remnant}" for remnant in (*until_gone_of(mark), *locks_of(pid))]
        tables_sweep()
        time.sleep(0.003)
    left += map(str, remnants(token))
    return {"killed": killed, "cut_short": cut_short, "left": left, **outcome()}


def until_gone_of(mark: str) -> list[str]:
    """What is left of one worker while others play on: its own boxes, and, once cleaned, its groups."""
    found = until_gone("\0 no command line holds this", mark)
    if groups_of(mark):
        machine_clean()
    return [*found, *groups_of(mark)]


def outcome() -> dict[str, Any]:
    """Problems, and everything that counts, by names that do not differ from run to run."""
    place = ("fixture__board_set__round__number", "fixture__number", "rotation", "first_board")
    tables = Table.objects.order_by(*place)
    spans = [
        table.finished_at - table.started_at for table in tables if table.finished_at and table.started_at
    ]
    return {
        "problems": [str(problem) for problem in audit()],
        "tables": {
            "-".join(map(str, key)): sha256 for *key, sha256 in tables.values_list(*place, "record_sha256")
        },
        "most_attempts": tables.aggregate(most=Max("attempt"))["most"],
        "mean_table_s": sum(span.total_seconds() for span in spans) / len(spans),
        "standings": [
            [row.rank, row.entry.version.bot.owner.handle, row.values]
            for row in StandingRow.objects.select_related("entry__version__bot__owner").order_by("rank")
        ],
    }


def main() -> None:
    """What ``MORTAL``, a JSON object in the environment, asks for; what came of it, as JSON.

    Not by arguments: command lines are searched for what is left of bots.
    """
    wish = json.loads(os.environ["MORTAL"])
    if "entries" in wish:
        prepare(**wish)
    else:
        print(json.dumps(play(**wish)))
