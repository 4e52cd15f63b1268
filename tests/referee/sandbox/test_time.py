"""Whose time is counted and when it passes: one process by signals, several by their control group."""

from __future__ import annotations

import functools
import os
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from referee.contract import Limits
from referee.driver import DriverFault, ExitReason
from referee.runtimes import Runtime, host_runtime, runtime_named
from referee.sandbox import Level, PlainProcessDriver, SandboxedDriver, probe
from referee.sandbox.pump import PumpedDriver
from tests.referee.sandbox.cases import START, TICK_MS, has_stopped
from tests.refusals import refusal

Open = Callable[..., PumpedDriver]

SEVERAL = Limits(threads=16)
SLEPT_MS = 200
SPIN = "[0 for _ in iter(lambda: time.process_time() < {seconds}, False)]"
"""Python that spins until its process has used so much CPU."""


def several() -> Runtime:
    """A Python whose bots may start processes: what a runtime that needs a control group is treated as."""
    return runtime_named("python/1")._replace(single_process=False, needs_cgroup=True)


@pytest.fixture
def opened(hostile: Path) -> Iterator[Open]:
    """Opens drivers of the obliging bot, past its first line, and closes them all."""
    made: list[PumpedDriver] = []

    def open_driver(kind: str, *, cpu_limit_s: int = 20) -> PumpedDriver:
        make = PlainProcessDriver if kind == "plain" else SandboxedDriver
        runtime = {
            "plain": lambda: host_runtime("python/1"),
            "one process": lambda: runtime_named("python/1"),
            "several processes": several,
        }[kind]()
        driver = make(hostile, runtime, "obliging.py", SEVERAL, cpu_limit_s=cpu_limit_s, label=kind)
        made.append(driver)
        driver.start()
        assert driver.collect(**START).line == b"ready"
        return driver

    yield open_driver
    for driver in made:
        driver.close()


def is_given(kind: str) -> bool:
    """Whether this machine can hold bots of the kind; if not, the run's summary says so, and CI fails."""
    found = probe()
    if kind != "several processes" or found.level >= Level.FULL:
        return True
    notice = f"bots of several processes are not tried here, at level {found.level.name}: {found.failures}"
    if "CI" in os.environ:
        pytest.fail(notice)
    warnings.warn(notice, stacklevel=2)
    return False


@pytest.fixture(
    params=[
        "plain",
        *(pytest.param(kind, marks=pytest.mark.full) for kind in ("one process", "several processes")),
    ]
)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def ask(driver: PumpedDriver, code: str) -> str:
    driver.post(code.encode())
    return driver.collect(**START).line.decode()


COUNTS = (
    "globals().update(count=[0]) or threading.Thread(target=exec, daemon=True, "
    "args=('while True: count[0] += 1', globals())).start()"
)
COUNTS_ON = (
    "(a := count[0]) is None or "
    "next(b for b in iter(lambda: time.sleep(0.001) or count[0], None) if b > a) > a"
)
"""Answers once the thread has counted on."""


def test_a_thread_that_counts_counts_in_its_own_turns_only(opened: Open, kind: str) -> None:
    if not is_given(kind):
        return
    driver = opened(kind)
    ask(driver, COUNTS)
    child = driver._child
    assert child is not None
    for _ in range(3):
        assert has_stopped(child.cpu_ms)
        assert ask(driver, COUNTS_ON) == "True"


def test_waiting_costs_no_cpu_and_thinking_costs_all_of_it(opened: Open, kind: str) -> None:
    if not is_given(kind):
        return
    driver = opened(kind)
    driver.post(f"time.sleep({SLEPT_MS / 1e3})".encode())
    slept = driver.collect(**START)
    driver.post(b"(a := time.process_time()) and sum(range(3_000_000)) and (time.process_time() - a) * 1e3")
    thought = driver.collect(**START)
    assert slept.cpu_ms < SLEPT_MS
    assert thought.cpu_ms > float(thought.line) - TICK_MS


@pytest.mark.full
class TestSeveralProcesses:
    @pytest.fixture
    def open_several(self, opened: Open) -> Open | None:
        """Opens such bots; None where the machine cannot hold them."""
        return functools.partial(opened, "several processes") if is_given("several processes") else None

    def test_what_children_use_is_counted(self, open_several: Open | None) -> None:
        if open_several is None:
            return
        driver = open_several()
        used_s = float(
            ask(
                driver,
                "[os.fork() or (" + SPIN.format(seconds=0.15) + " and os._exit(0)) for _ in range(2)] and "
                "[os.waitpid(-1, 0) for _ in range(2)] and "
                "sum(os.times()[2:4])",
            )
        )
        assert used_s >= 0.2
        assert driver._cpu_ms > used_s * 1e3 - TICK_MS

    def test_hiding_it_in_children_nobody_waits_for_does_not_help(self, open_several: Open | None) -> None:
        if open_several is None:
            return
        driver = open_several()
        ask(driver, "signal.signal(signal.SIGCHLD, signal.SIG_IGN) and None")
        before_ms = driver._cpu_ms
        spin = SPIN.format(seconds=0.15)
        ask(driver, f"[os.fork() or ({spin} and os._exit(0)) for _ in range(3)] and time.sleep(0.1)")
        total_ms = 0.0
        # They run in its turns only; each turn may find no core free for them.
        for _ in range(1000):
            ask(driver, "time.sleep(0.05)")
            total_ms = driver._cpu_ms - before_ms
            if total_ms > 450 - TICK_MS:
                break
        assert total_ms > 450 - TICK_MS

    def test_children_have_no_time_of_their_own(self, open_several: Open | None) -> None:
        if open_several is None:
            return
        driver = open_several()
        spin = SPIN.format(seconds=30)
        driver.post(f"os.fork() and time.sleep(30) or {spin}".encode())
        caught = refusal(DriverFault, driver.collect, cpu_limit_ms=200.0, wall_limit_ms=30_000.0)
        assert caught.reason is ExitReason.TURN_CPU
        assert driver.is_alive
        child = driver._child
        assert child is not None
        assert has_stopped(child.cpu_ms)

    def test_the_budget_of_the_table_is_that_of_all_together(self, open_several: Open | None) -> None:
        if open_several is None:
            return
        short = open_several(cpu_limit_s=1)
        spin = SPIN.format(seconds=0.8)
        short.post(f"[os.fork() for _ in range(2)] and {spin} and time.sleep(30)".encode())
        caught = refusal(DriverFault, short.collect, cpu_limit_ms=60_000.0, wall_limit_ms=60_000.0)
        assert caught.reason is ExitReason.MATCH_CPU
        assert not short.is_alive

    def test_they_are_pinned_together(self, open_several: Open | None) -> None:
        if open_several is None:
            return
        driver = open_several()
        core = max(os.sched_getaffinity(0))
        ask(driver, "globals().update(child=os.fork()) or child or time.sleep(60)")
        driver.pin(core)
        assert (
            ask(driver, "os.sched_getaffinity(child), os.sched_getaffinity(0)") == f"({{{core}}}, {{{core}}})"
        )
        assert not driver._is_beside_us


@pytest.mark.full
def test_the_kernel_ends_what_the_referee_cannot(hostile: Path) -> None:
    driver = SandboxedDriver(
        hostile, runtime_named("python/1"), "obliging.py", Limits(), cpu_limit_s=7, label="limits"
    )
    with driver:
        driver.collect(**START)
        assert ask(driver, "resource.getrlimit(resource.RLIMIT_CPU)") == "(7, 8)"
