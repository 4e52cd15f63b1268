"""The faults of a chaos test: one context manager for each kind, which returns what it did."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path

import psutil
import psycopg
import redis

from tests.chaos.clock import clock_step
from tests.chaos.hosts import Host, Skipped
from tests.chaos.messages import duplicate, lose
from tests.chaos.plan import Kind
from tests.chaos.stage import Services
from tests.chaos.units import Unit

Fault = Callable[["Stage", str, random.Random], AbstractContextManager[str]]
PLAY_WAIT_S = 20.0
MESSAGE_WAIT_S = 10.0
CLOCK_OFFSETS_S = (-120.0, -20.0, -3.0, 3.0, 20.0, 120.0)


class Stage:
    """What faults act on."""

    def __init__(self, services: Services, hosts: Mapping[str, Host]) -> None:
        self.services, self.hosts = services, hosts

    def await_play(self, host: str) -> None:
        """Wait until the host plays a table, at most ``PLAY_WAIT_S``: faults between tables show little."""
        deadline = time.monotonic() + PLAY_WAIT_S
        query = "SELECT 1 FROM matches_table WHERE state = 'leased' AND worker LIKE %s"
        with (
            contextlib.suppress(psycopg.OperationalError),
            psycopg.connect(self.services.postgres.url, autocommit=True, connect_timeout=2) as connection,
        ):
            while time.monotonic() < deadline:
                if connection.execute(query, [f"{host}-%"]).fetchone() is not None:
                    return
                time.sleep(0.02)


def _kill(process: psutil.Process | None) -> str:
    if process is None:
        raise Skipped("the process is being started")
    try:
        process.kill()
    except psutil.NoSuchProcess:
        raise Skipped("the process has ended by itself") from None
    return f"process {process.pid}"


def _kill_child(unit: Unit, draw: random.Random) -> str:
    """Kill a process of the pool; while there is none, the main process, which is starting."""
    pool = unit.pool()
    return _kill(draw.choice(pool) if pool else unit.main())


@contextlib.contextmanager
def kill_worker(stage: Stage, host: str, draw: random.Random) -> Iterator[str]:
    stage.await_play(host)
    yield _kill(stage.hosts[host].unit.main())


@contextlib.contextmanager
def kill_child(stage: Stage, host: str, draw: random.Random) -> Iterator[str]:
    stage.await_play(host)
    yield _kill_child(stage.hosts[host].unit, draw)


@contextlib.contextmanager
def kill_housekeeping(stage: Stage, host: str, draw: random.Random) -> Iterator[str]:
    """Kill the main process, or a process of its pool."""
    unit = stage.services.housekeeping
    yield _kill(unit.main()) if draw.random() < 0.5 else _kill_child(unit, draw)


@contextlib.contextmanager
def kill_beat(stage: Stage, host: str, draw: random.Random) -> Iterator[str]:
    yield _kill(stage.services.beat.main())


@contextlib.contextmanager
def stop(stage: Stage, host: str, draw: random.Random) -> Iterator[str]:
    """Stop the worker, its pool alone, or all processes of the host."""
    stage.await_play(host)
    unit = stage.hosts[host].unit
    part = draw.choice(("worker", "pool", "host"))
    stopped = _stop_all(unit, part)
    if not stopped:
        raise Skipped("the worker is being started")
    try:
        yield f"{part}, {len(stopped)} processes"
    finally:
        for process in stopped:
            with contextlib.suppress(psutil.Error):
                process.send_signal(signal.SIGCONT)


def _stop_all(unit: Unit, part: str) -> list[psutil.Process]:
    main, pool = unit.main(), unit.pool()
    if part == "host":
        processes = unit.processes()
    else:
        processes = pool if part == "pool" or main is None else [main, *pool]
    stopped = []
    for process in processes:
        with contextlib.suppress(psutil.Error):
            process.send_signal(signal.SIGSTOP)
            stopped.append(process)
    return stopped


@contextlib.contextmanager
def cut(stage: Stage, host: str, draw: random.Random) -> Iterator[str]:
    stage.await_play(host)
    stage.hosts[host].link_set("down")
    try:
        yield ""
    finally:
        stage.hosts[host].link_set("up")


@contextlib.contextmanager
def slow(stage: Stage, host: str, draw: random.Random) -> Iterator[str]:
    queue = stage.hosts[host].slow()
    try:
        yield queue
    finally:
        stage.hosts[host].fast()


@contextlib.contextmanager
def disk_full(stage: Stage, host: str, draw: random.Random) -> Iterator[str]:
    path = stage.hosts[host].disk / "full"
    status = os.statvfs(path.parent)
    free = status.f_bavail * status.f_frsize
    try:
        with path.open("wb") as file:
            _fill(file.fileno(), free)
        yield f"{free >> 20} MiB"
    finally:
        path.unlink(missing_ok=True)


def _fill(fd: int, free: int) -> None:
    """Allocate as much as there is, even while other processes write."""
    done, step = 0, max(free, 4096)
    while step >= 4096:
        try:
            os.posix_fallocate(fd, done, step)
            done += step
        except OSError:
            step //= 2


@contextlib.contextmanager
def clock_stepped(stage: Stage, host: str, draw: random.Random) -> Iterator[str]:
    offset_s = draw.choice(CLOCK_OFFSETS_S)
    clock: Path = stage.hosts[host].clock
    clock_step(clock, offset_s)
    try:
        yield f"{offset_s:+.0f} s"
    finally:
        clock_step(clock, 0.0)


@contextlib.contextmanager
def broker_restart(stage: Stage, host: str, draw: random.Random) -> Iterator[str]:
    stage.services.broker.kill()
    try:
        yield ""
    finally:
        stage.services.broker.start()


@contextlib.contextmanager
def broker_forget(stage: Stage, host: str, draw: random.Random) -> Iterator[str]:
    stage.services.broker.kill()
    stage.services.broker.forget()
    try:
        yield ""
    finally:
        stage.services.broker.start()


@contextlib.contextmanager
def postgres_restart(stage: Stage, host: str, draw: random.Random) -> Iterator[str]:
    stage.services.postgres.stop_immediately()
    try:
        yield ""
    finally:
        stage.services.postgres.start()


@contextlib.contextmanager
def storage_away(stage: Stage, host: str, draw: random.Random) -> Iterator[str]:
    stage.services.storage.stop()
    try:
        yield ""
    finally:
        stage.services.storage.launch()


def _with_messages(
    stage: Stage, act: Callable[[redis.Redis, random.Random], str], draw: random.Random
) -> str:
    client = stage.services.broker.client()
    deadline = time.monotonic() + MESSAGE_WAIT_S
    try:
        while not (label := act(client, draw)) and time.monotonic() < deadline:
            time.sleep(0.05)
    except redis.RedisError as error:
        raise Skipped(f"the broker does not answer: {error}") from error
    finally:
        client.close()
    if not label:
        raise Skipped("the queues have no message")
    return label


@contextlib.contextmanager
def duplicate_message(stage: Stage, host: str, draw: random.Random) -> Iterator[str]:
    yield _with_messages(stage, duplicate, draw)


@contextlib.contextmanager
def lost_message(stage: Stage, host: str, draw: random.Random) -> Iterator[str]:
    yield _with_messages(stage, lose, draw)


FAULTS: dict[Kind, Fault] = {
    Kind.KILL_WORKER: kill_worker,
    Kind.KILL_CHILD: kill_child,
    Kind.STOP: stop,
    Kind.CUT: cut,
    Kind.SLOW: slow,
    Kind.DISK_FULL: disk_full,
    Kind.CLOCK_STEP: clock_stepped,
    Kind.KILL_HOUSEKEEPING: kill_housekeeping,
    Kind.KILL_BEAT: kill_beat,
    Kind.BROKER_RESTART: broker_restart,
    Kind.BROKER_FORGET: broker_forget,
    Kind.POSTGRES_RESTART: postgres_restart,
    Kind.STORAGE_AWAY: storage_away,
    Kind.DUPLICATE_MESSAGE: duplicate_message,
    Kind.LOST_MESSAGE: lost_message,
}
