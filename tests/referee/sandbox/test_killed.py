"""Bots that are killed from outside: what the driver reports, at every level, and what their clock shows."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from referee.contract import Limits
from referee.driver import DriverFault, ExitReason
from referee.runtimes import runtime_named
from referee.sandbox import Level, control_files, probe
from referee.sandbox.child import wait_readable
from referee.sandbox.launch import SandboxedProcess
from referee.sandbox.sandboxed_process import children
from tests.referee.sandbox.at_level import AtLevel
from tests.referee.sandbox.cases import PATIENCE_S, START
from tests.refusals import refusal

PAUSE_S = 0.1
LEVELS = (Level.COMPAT, Level.FULL1, Level.FULL)

Make = Callable[..., AtLevel]


@pytest.fixture
def make(hostile: Path) -> Iterator[Make]:
    """Makes started drivers, past their first line, and closes them all."""
    made: list[AtLevel] = []

    def maker(bot: str, level: Level, *, several: bool = False, cpu_limit_s: int = 20) -> AtLevel:
        if level > probe().level:
            pytest.skip(f"this machine has {probe().level.name}")
        runtime = runtime_named("python/1")._replace(single_process=not several)
        driver = AtLevel(hostile, runtime, f"{bot}.py", Limits(), cpu_limit_s=cpu_limit_s, label=bot)
        driver.level = level
        made.append(driver)
        driver.start()
        assert driver.collect(**START).line == b"ready"
        return driver

    yield maker
    for driver in made:
        driver.close()


def box_of(driver: AtLevel) -> SandboxedProcess:
    assert isinstance(driver._child, SandboxedProcess)
    return driver._child


def fault_of(driver: AtLevel, kill: Callable[[], None]) -> DriverFault:
    """That of a turn in which ``kill`` is called after a moment."""
    driver.post(b"go")
    timer = threading.Timer(PAUSE_S, kill)
    timer.start()
    caught = refusal(DriverFault, driver.collect, **START)
    timer.join()
    return caught


@pytest.mark.full
@pytest.mark.parametrize(("level", "several"), [*((level, False) for level in LEVELS), (Level.FULL, True)])
@pytest.mark.parametrize("victim", ["bot", "init"])
def test_a_kill_from_outside_is_named(make: Make, level: Level, several: bool, victim: str) -> None:
    driver = make("sleeps", level, several=several)
    box = box_of(driver)
    outer = box._process.pid
    pids = {"bot": box.pid, "init": next(pid for pid in box._chain if box.pid in children(pid))}
    assert outer not in pids.values()
    fault = fault_of(driver, lambda: os.kill(pids[victim], signal.SIGKILL))
    assert fault.reason is ExitReason.KILLED
    assert driver.close().reason is ExitReason.KILLED


@pytest.mark.full
@pytest.mark.parametrize("level", LEVELS)
def test_the_end_of_its_cpu_time_is_the_bots_own(make: Make, level: Level) -> None:
    """The kernel ends it with the same signal if it ignores the first."""
    driver = make("spins", level, cpu_limit_s=1)
    driver.post(b"go")
    caught = refusal(DriverFault, driver.collect, cpu_limit_ms=60_000.0, wall_limit_ms=60_000.0)
    assert caught.reason is ExitReason.MATCH_CPU


@pytest.mark.full
@pytest.mark.parametrize("level", LEVELS)
def test_the_clock_of_a_bot_that_is_gone_does_not_run_backwards(make: Make, level: Level) -> None:
    """With its whole sandbox gone, nothing can be read of the bot any more."""
    driver = make("obliging", level)
    used_ms = 0.0
    for _ in range(3):
        driver.post(b"sum(range(300_000))")
        used_ms += driver.collect(**START).cpu_ms
    assert used_ms > 0
    box = box_of(driver)
    os.kill(box._process.pid, signal.SIGKILL)
    assert wait_readable([box.exit_fd], PATIENCE_S)

    def ask() -> None:
        driver.post(b"1")
        driver.collect(**START)

    caught = refusal(DriverFault, ask)
    assert caught.reason is ExitReason.INFRA
    assert caught.cpu_ms >= 0
    assert driver.close().cpu_ms >= used_ms


KILLED_ONCE = {"memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n"}
LIMITS = {"memory.limit_in_bytes": "50331648\n", "memory.memsw.limit_in_bytes": "50331648\n"}
FULL, HALF = "50331648\n", "25165824\n"
MEMORY_KILLS = [
    (2, {"memory.events": "low 0\nhigh 0\nmax 9\noom 2\noom_kill 1\n"}, 1),
    # For want of the machine's memory, or that of a group above.
    (2, {"memory.events": "low 0\nhigh 0\nmax 9\noom 0\noom_kill 1\n"}, 0),
    (2, {"memory.events": "low 0\nhigh 0\nmax 9\noom 2\noom_kill 0\n"}, 0),
    (2, {}, 0),
    (1, {**KILLED_ONCE, **LIMITS, "memory.max_usage_in_bytes": FULL}, 1),
    (1, {**KILLED_ONCE, **LIMITS, "memory.max_usage_in_bytes": "50200000\n"}, 1),
    (1, {**KILLED_ONCE, **LIMITS, "memory.max_usage_in_bytes": HALF}, 0),
    # Swapped out: only together do they reach it.
    (
        1,
        {
            **KILLED_ONCE,
            **LIMITS,
            "memory.max_usage_in_bytes": HALF,
            "memory.memsw.max_usage_in_bytes": FULL,
        },
        1,
    ),
    (1, {**LIMITS, "memory.max_usage_in_bytes": FULL}, 0),
]


@pytest.mark.parametrize(("version", "files", "kills"), MEMORY_KILLS)
def test_only_kills_for_the_groups_own_limit_count(
    tmp_path: Path, version: int, files: dict[str, str], kills: int
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert control_files.memory_kills(tmp_path, version) == kills
