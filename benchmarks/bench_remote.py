"""Remote bots on loopback: time from an answer to the next request, and their cost for an event.

    python benchmarks/bench_remote.py [--bots 10] [--think 1.0] [--seconds 60] [--rounds 5] [--tables 8]
        [--json]

A data folder with SQLite and Valkey, the web server, ``play_serve`` with bots in the real sandbox, and a
process of clients that speak the documented protocol. Each bot has one rated table at a time, with house
bots in the other seats, and thinks for ``--think`` seconds.

- ``next request``: from the start of the POST of an answer to the arrival of the next request of that table,
  without workers on the machine.
- tables per hour: on every core a process plays sandboxed tables as a worker does, next to the remote bots,
  and while all processes of the remote bots are suspended. Both take turns in every round. ``remote
  tables/h`` counts the tables that the remote bots ended meanwhile. The clients, one process, are part of the
  remote bots; ``cores`` includes only processes that still run, so not house bots that have ended.

Status 0 if every bar is kept.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.bench_analysis_service import broker, family_cpu_s, manage, send_signal
from benchmarks.bench_play import house_bots_make, site_start
from benchmarks.bench_tables import WorkerProcess, per_second
from benchmarks.harness import (
    Row,
    arguments,
    at_least,
    at_most,
    installation,
    interleave,
    positive,
    ratio,
    report,
)

NEXT_BAR_MS, THROUGHPUT_BAR = 100.0, 0.95
ALIVE_S = 10.0
WARM_UP_S = 8.0
"""Seconds for processes to start."""
PRESET = "kakeya4"
UNLIMITED = {
    "RENSHO_PLAY_CPU_S": "100000",
    "RENSHO_RATE_REMOTE_ANSWERS": "100000/s",
    "RENSHO_RATE_REMOTE_STREAMS": "100000/s",
}


class Client:
    """A bot that answers the first legal action after some time."""

    def __init__(self, port: int, token: str, version: str, think_s: float) -> None:
        self.times_ms: list[float] = []
        self.tables = 0
        self.verdicts: list[str] = []
        self._port = port
        self._version = version
        self._generation = 0
        self._think_s = think_s
        self._headers = {"Authorization": f"Bearer {token}"}
        self._answered_at: dict[str, float] = {}
        self._requests = http.client.HTTPConnection("127.0.0.1", port, timeout=120)

    def follow(self) -> None:
        while True:
            with contextlib.suppress(OSError, http.client.HTTPException):
                self._follow_once()
            time.sleep(1.0)

    def _follow_once(self) -> None:
        stream = http.client.HTTPConnection("127.0.0.1", self._port, timeout=120)
        path = f"/api/v1/remote/stream?version={self._version}&tables=1&ladder={PRESET}"
        stream.request("GET", path, headers=self._headers)
        response = stream.getresponse()
        if response.status != 200:
            raise RuntimeError(f"{path} answers {response.status} {response.read()[:300]!r}")
        for line in response:
            arrived = time.monotonic()
            self._on_line(json.loads(line), arrived)

    def _on_line(self, line: dict[str, Any], arrived: float) -> None:
        if line["type"] == "state":
            self._alive_regularly(line["generation"])
            for table in line["tables"]:
                self._on_request(table, arrived)
        elif line["type"] in ("request", "table"):
            self._on_request(line, arrived)
        elif line["type"] == "over":
            self._answered_at.pop(line["table"], None)
            if line["state"] == "finished":
                self.tables += 1
                self.verdicts.append(line["verdict"])

    def _on_request(self, line: dict[str, Any], arrived: float) -> None:
        message = line["message"]
        if message is None:
            return
        answered_at = self._answered_at.pop(line["table"], None)
        if answered_at is not None:
            self.times_ms.append(1000 * (arrived - answered_at))
        time.sleep(self._think_s)
        self._answered_at[line["table"]] = time.monotonic()
        answer = {"id": message["id"], "action": message["legal"][0]}
        self._post(f"tables/{line['table']}/answers", answer, self._requests)

    def _post(self, path: str, body: dict[str, Any], connection: http.client.HTTPConnection) -> None:
        headers = {**self._headers, "Content-Type": "application/json"}
        try:
            connection.request("POST", f"/api/v1/remote/{path}", json.dumps(body), headers)
            response = connection.getresponse()
        except (OSError, http.client.HTTPException):  # the server closes idle connections
            connection.close()
            connection.request("POST", f"/api/v1/remote/{path}", json.dumps(body), headers)
            response = connection.getresponse()
        text = response.read()
        if response.status != 200:
            sys.stderr.write(f"{path} answers {response.status} {text[:300]!r}\n")

    def _alive_regularly(self, generation: int) -> None:
        def alive() -> None:
            connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=120)
            while self._generation == generation:
                with contextlib.suppress(OSError, http.client.HTTPException):
                    self._post("alive", {"version": self._version, "generation": generation}, connection)
                time.sleep(ALIVE_S)

        self._generation = generation
        threading.Thread(target=alive, daemon=True).start()


def clients_run(port: int, token: str, versions: list[str], think_s: float, seconds: float) -> None:
    """Follow all versions; write the times of some seconds after the start to standard output, then go on."""
    clients = [Client(port, token, version, think_s) for version in versions]
    for client in clients:
        threading.Thread(target=client.follow, daemon=True).start()
    time.sleep(WARM_UP_S)
    for client in clients:
        client.times_ms.clear()
    time.sleep(seconds)
    results = {
        "times_ms": [each for client in clients for each in client.times_ms],
        "tables": sum(client.tables for client in clients),
        "verdicts": [each for client in clients for each in client.verdicts],
    }
    sys.stdout.write(json.dumps(results) + "\n")
    sys.stdout.flush()
    while True:
        time.sleep(60)


def versions_make(count: int) -> tuple[str, list[str]]:
    """Return a token and the public ids of versions, one per bot."""
    from arena.accounts.models import User
    from arena.accounts.services import token_create
    from arena.features.remote.services import bot_create, version_create

    user = User.objects.create_user("remote", "remote@example.org", "remote-benchmark-1")
    token = token_create(user, name="remote", scopes=["bots:connect"], actor=user)[1]
    bots = [bot_create(user, name=f"remote {number}", game="kakeya") for number in range(count)]
    return token, [version_create(bot, user).public_id for bot in bots]


@contextlib.contextmanager
def clients(port: int, bots: int, think_s: float, seconds: float) -> Iterator[subprocess.Popen[str]]:
    token, versions = versions_make(bots)
    settings = json.dumps([port, token, versions, think_s, seconds])
    process = subprocess.Popen(
        [sys.executable, __file__, "--clients", settings], stdout=subprocess.PIPE, text=True
    )
    try:
        yield process
    finally:
        send_signal(process.pid, signal.SIGCONT)
        process.terminate()
        process.wait(30)


def rows(options: Any) -> Iterator[Row]:
    process, port = site_start()
    try:
        with (
            manage("play_serve", "--tables", str(2 * options.bots + 2)) as play,
            clients(port, options.bots, options.think, options.seconds) as remote,
        ):
            assert remote.stdout is not None
            processes = {"web": process.pid, "play": play, "clients": remote.pid}
            time.sleep(WARM_UP_S)
            before = {name: family_cpu_s(pid) for name, pid in processes.items()}
            results = json.loads(remote.stdout.readline())
            times = results["times_ms"]
            if len(times) < options.bots:
                raise SystemExit("the remote bots got no tables")
            p95 = statistics.quantiles(times, n=20, method="inclusive")[18]
            cells: dict[str, float | str] = {
                "p50": statistics.median(times),
                "p95": p95,
                "most": max(times),
                "requests": len(times),
                "tables": results["tables"],
                **{
                    f"{name}, CPU ms a request": 1000 * (family_cpu_s(pid) - before[name]) / len(times)
                    for name, pid in processes.items()
                },
                "faults": sum(verdict != "OK" for verdict in results["verdicts"]),
            }
            yield Row(f"next request, {options.bots} bots, ms", cells, *at_most(p95, NEXT_BAR_MS))
            yield throughput_row(options.rounds, options.tables, list(processes.values()))
    finally:
        send_signal(process.pid, signal.SIGCONT)
        process.terminate()
        process.wait(30)


def throughput_row(rounds: int, tables: int, processes: list[int]) -> Row:
    from arena.features.remote.models import RemoteTable

    used: list[float] = []
    ended: list[float] = []
    with contextlib.ExitStack() as stack:
        workers = len(os.sched_getaffinity(0))
        options = ["--worker", "quick", "--bot", "kakeya_rules"]
        playing = [WorkerProcess(stack, options) for _ in range(workers)]

        def cpu_s() -> float:
            return sum(map(family_cpu_s, processes))

        def tables_ended() -> int:
            return RemoteTable.objects.filter(ended_at__isnull=False).count()

        def turn(number: int) -> float:
            for process in processes:
                send_signal(process, number)
            before, ended_before, began = cpu_s(), tables_ended(), time.perf_counter()
            rate = per_second(playing, tables)
            if number == signal.SIGCONT:
                seconds = time.perf_counter() - began
                used.append((cpu_s() - before) / seconds)
                ended.append((tables_ended() - ended_before) / seconds)
            return rate

        per_second(playing, 1)  # Bundles are staged, caches are warm.
        turns = {"beside": partial(turn, signal.SIGCONT), "alone": partial(turn, signal.SIGSTOP)}
        results = interleave(turns, rounds)
    share = ratio(results["beside"], results["alone"])
    cells: dict[str, float | str] = {
        "ratio": share,
        "remote bots, cores": statistics.median(used),
        "remote tables/h": 3600 * statistics.fmean(ended),
        "decisions/s beside": statistics.median(results["beside"]),
        "alone": statistics.median(results["alone"]),
    }
    return Row(f"tables of an event, {workers} workers", cells, *at_least(share, THROUGHPUT_BAR))


def main() -> int:
    if sys.argv[1:2] == ["--clients"]:
        clients_run(*json.loads(sys.argv[2]))
    parser = arguments(__doc__, rounds=5)
    parser.add_argument("--bots", type=positive, default=10)
    parser.add_argument("--think", type=float, default=1.0, help="seconds of thought per decision")
    parser.add_argument("--seconds", type=float, default=60.0, help="seconds for which requests are measured")
    parser.add_argument("--tables", type=positive, default=8, help="tables a worker plays in a turn")
    options = parser.parse_args()
    with installation(RENSHO_LOG_LEVEL="WARNING", **UNLIMITED) as folder:
        house_bots_make()
        with broker(Path(folder)):
            return report("remote bots, real processes", list(rows(options)), as_json=options.json)


if __name__ == "__main__":
    sys.exit(main())
