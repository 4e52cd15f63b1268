"""One case played at a whole table: the bot in the sandbox, honest ones beside it, and the host looked at."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from engine.game import Action
from referee.bundle import Bundle
from referee.contract import SeatOrder, TableOrder, TableReport
from referee.driver import Driver, Reply
from referee.execute import execute
from referee.inprocess import InProcessDriver
from referee.runtimes import Runtime, runtime_named
from referee.sandbox import SandboxedDriver
from referee.table import play_table
from tests.referee.hostile import host
from tests.referee.hostile.case import Case
from tests.referee.hostile.corpus import bundle_of
from tests.referee.orders import Store, make_order, silent_progress
from tests.referee.speakers import Honest

KEY = hashlib.sha256(b"the table's key").hexdigest()
SEED = hashlib.sha256(b"the board's seed").hexdigest()
TABLE = "hostile-table-71"
PAUSE_S = 0.015
"""How long the others think where they are slow."""


class Played(NamedTuple):
    """What came of a case."""

    report: TableReport
    log: list[tuple[str, Any]]
    """What the hostile bots told their logs of their attempts, seat after seat."""
    raw_logs: list[bytes]
    record_differs: str
    """Where it is not what it is beside a bot that plays just these actions; empty if nowhere."""
    heard_differs: str
    """The same of all that the others were told."""
    told_secrets: list[str]
    """What the hostile bots were sent of the key, the seed, the table's name and other seats' bundles."""
    timings: list[dict[str, Any]]
    between_ms: tuple[float, float]
    """Wall time between the bots' turns, and the CPU time they used in it."""
    left: list[str]
    took_s: float


class Scripted(Honest):
    """Plays these actions, one after the other."""

    def __init__(self, actions: list[Action]) -> None:
        super().__init__()
        self.actions: Iterator[Action] = iter(actions)

    def choose(self, request: dict[str, Any]) -> Action:
        return next(self.actions)


class Leisurely(Honest):
    """Honest, and takes some time."""

    def on_request(self, request: dict[str, Any]) -> bytes:
        time.sleep(PAUSE_S)
        answer: bytes = super().on_request(request)
        return answer


class Watched(SandboxedDriver):
    """Remembers what the bot was sent, and reads its clock as each turn ends and as the next begins."""

    sent: bytes = b""
    stopped: tuple[float, float] | None = None
    """Wall time and the bot's CPU time as the last turn ended, in ms."""
    between_wall_ms: float = 0.0
    between_cpu_ms: float = 0.0

    def post(self, line: bytes) -> None:
        if self.stopped is not None and self._child is not None:
            self.between_wall_ms += time.monotonic() * 1e3 - self.stopped[0]
            self.between_cpu_ms += self._child.cpu_ms() - self.stopped[1]
        self.stopped = None
        self.sent += line + b"\n"
        super().post(line)

    def collect(self, *, cpu_limit_ms: float, wall_limit_ms: float) -> Reply:
        reply = super().collect(cpu_limit_ms=cpu_limit_ms, wall_limit_ms=wall_limit_ms)
        if self._child is not None:
            self.stopped = time.monotonic() * 1e3, self._child.cpu_ms()
        return reply


def runtime_of(case: Case, *, several: bool) -> Runtime:
    """``python/1``, or the same with pipes or several processes allowed; the latter takes a cgroup."""
    runtime = runtime_named("python/1")._replace(makes_pipes=case.makes_pipes)
    return runtime._replace(single_process=False, needs_cgroup=True) if several else runtime


def order_of(case: Case, bundle: Bundle, honest: Bundle) -> TableOrder:
    """A table of one deal board with the bot on its seats; what is secret about it can be searched for."""
    order = make_order(
        boards=1,
        clock=case.clock,
        limits=case.limits,
        fault_policy=case.policy,
        key=KEY,
        table=TABLE,
    )
    return dataclasses.replace(
        order,
        boards=(dataclasses.replace(order.boards[0], seed=SEED),),
        seats=tuple(
            SeatOrder(seat.seat, each.sha256, "python/1", each.manifest.entry_point)
            for seat in order.seats
            for each in [bundle if seat.seat in case.seats else honest]
        ),
    )


def play(case: Case, *, several: bool = False) -> Played:
    """Play it here, now, at the level this machine and the settings give."""
    began = time.monotonic()
    bundle = bundle_of(case.bot)
    honest = bundle_of("honest")
    order = order_of(case, bundle, honest)
    runtime = runtime_of(case, several=several)
    speakers = {
        seat.seat: Leisurely() if case.slow_others else Honest()
        for seat in order.seats
        if seat.seat not in case.seats
    }
    watched: dict[int, Watched] = {}

    def make_driver(order: TableOrder, seat: SeatOrder, folder: Path, cpu_limit_s: int) -> Driver:
        if seat.seat in speakers:
            return InProcessDriver(speakers[seat.seat], order.limits)
        watched[seat.seat] = Watched(
            folder,
            runtime,
            seat.entry_point,
            order.limits,
            cpu_limit_s=cpu_limit_s,
            label=f"seat {seat.seat}",
        )
        return watched[seat.seat]

    store = Store()
    before = host.look()
    report = execute(
        order,
        lambda sha256: bundle.data if sha256 == bundle.sha256 else honest.data,
        store.keep,
        silent_progress,
        make_driver,
    )
    after = host.look()
    if report.platform_fault is not None:
        return Played(
            report, [], [], "", "", [], [], (0.0, 0.0), host.left(before, after), time.monotonic() - began
        )
    record = store.lines(report.record_sha256)
    heard = {seat: speaker.heard for seat, speaker in speakers.items()}
    reference, reference_heard = _beside_an_obedient_bot(case, order, record)
    raw_logs = [
        store.blobs[report.seats[seat - 1].log_sha256] if report.seats[seat - 1].log_sha256 else b""
        for seat in case.seats
    ]
    return Played(
        report,
        [entry for log in raw_logs for entry in _entries(log)],
        raw_logs,
        _first_difference(_unmarked(record), _unmarked(reference)),
        _first_difference(_untimed(heard), _untimed(reference_heard)),
        [word for word in _secrets(order) for driver in watched.values() if word.encode() in driver.sent],
        store.lines(report.timings_sha256)[1:],
        (
            sum(driver.between_wall_ms for driver in watched.values()),
            sum(driver.between_cpu_ms for driver in watched.values()),
        ),
        host.left(before, after),
        time.monotonic() - began,
    )


def _beside_an_obedient_bot(
    case: Case, order: TableOrder, record: list[dict[str, Any]]
) -> tuple[list[dict[str, Any]], dict[int, list[Any]]]:
    """Record, and what the others heard, of a run where these seats play just what they ended up with."""
    speakers: dict[int, Honest] = {}
    for seat in order.seats:
        acts = [line["action"] for line in record if line["e"] == "act" and line["seat"] == seat.seat]
        speakers[seat.seat] = Scripted(acts) if seat.seat in case.seats else Honest()
    drivers: dict[int, Driver] = {
        seat: InProcessDriver(speaker, order.limits) for seat, speaker in speakers.items()
    }
    store = Store()
    report = play_table(order, drivers, silent_progress, store.keep)
    others = {seat: speaker.heard for seat, speaker in speakers.items() if seat not in case.seats}
    return store.lines(report.record_sha256), others


def _unmarked(record: list[dict[str, Any]]) -> list[Any]:
    """A record without the marks of verdicts."""
    marks = ("by", "verdict", "forfeited", "verdicts")
    return [{name: value for name, value in line.items() if name not in marks} for line in record]


def _untimed(heard: dict[int, list[Any]]) -> list[Any]:
    """What was told, without the clock, which runs by itself."""
    return [
        (seat, {name: value for name, value in message.items() if name != "clock"})
        for seat, messages in sorted(heard.items())
        for message in messages
    ]


def _first_difference(found: list[Any], wanted: list[Any]) -> str:
    if len(found) != len(wanted):
        return f"{len(found)} lines, {len(wanted)} expected"
    for number, (line, other) in enumerate(zip(found, wanted, strict=True), 1):
        if line != other:
            return f"line {number}: {line} instead of {other}"
    return ""


def _secrets(order: TableOrder) -> list[str]:
    return [order.key, order.boards[0].seed, order.table, *(seat.bundle_sha256 for seat in order.seats)]


def _entries(log: bytes) -> Iterator[tuple[str, Any]]:
    """The lines of a log in which a bot told of an attempt."""
    for line in log.decode(errors="replace").splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, list) and len(entry) == 2:
            yield entry[0], entry[1]
