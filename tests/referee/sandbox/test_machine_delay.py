"""What a busy machine takes of a bot's time: a lower bound of the truth, whatever its threads do."""

from __future__ import annotations

import contextlib
import os
import random
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.contract import MACHINE_DELAY_EXTRA_MS, MACHINE_DELAY_PER_CPU, MACHINE_DELAY_TURN_MS, Limits
from referee.driver import DriverFault, ExitReason
from referee.runtimes import host_runtime
from referee.sandbox import PlainProcessDriver
from referee.sandbox.machine_delay import Allowance, MachineDelayRule
from referee.sandbox.run_delay import Thread, ThreadSample, sample
from tests.referee.sandbox.cases import START
from tests.referee.sandbox.timeline import Machine, live
from tests.refusals import refusal

DRAWN = st.integers(0, 2**32)


def beside(cores: float = 1.0) -> MachineDelayRule:
    """The rule for a bot on our own core."""
    rule = MachineDelayRule(cores)
    rule.is_beside_us = True
    return rule


class TestWhateverTheThreadsDo:
    @given(DRAWN, st.sampled_from([1, 2, 3]))
    def test_never_more_is_found_than_the_machine_took(self, seed: int, cores: int) -> None:
        rng = random.Random(seed)
        machine = Machine(cores)
        machine.add(1)
        machine.add(2, is_modest=rng.random() < 0.3)
        rule = beside() if cores == 1 else MachineDelayRule(cores)
        rule.begin(machine.sample(), is_birth=True)
        for _ in range(rng.randrange(1, 5)):
            before_ms = machine.true_ms
            rule.begin(machine.sample())
            machine.wake(1)
            for _ in range(rng.randrange(1, 8)):
                live(machine, rng, rng.randrange(60), is_turn=True)
                found_ms = rule.look(machine.sample())
                assert found_ms <= machine.true_ms - before_ms
            live(machine, rng, rng.randrange(60), is_turn=False)

    @given(DRAWN)
    def test_of_a_single_thread_on_our_core_all_is_found(self, seed: int) -> None:
        rng = random.Random(seed)
        machine = Machine()
        machine.add(1)
        rule = beside()
        rule.begin(machine.sample(), is_birth=True)
        machine.wake(1)
        for _ in range(rng.randrange(1, 60)):
            machine.step({1: 0} if rng.random() < 0.2 else {})
        machine.step({1: 0})
        assert rule.look(machine.sample()) == machine.true_ms

    def test_a_wait_under_way_counts_from_when_it_was_seen(self) -> None:
        machine, rule = Machine(), beside()
        machine.add(1)
        rule.begin(machine.sample())
        machine.wake(1)
        machine.step({})
        assert rule.look(machine.sample()) == 0
        for _ in range(30):
            machine.step({})
        assert rule.look(machine.sample()) == 30
        machine.step({1: 0})
        assert rule.look(machine.sample()) == 31, "as it ends, all of it is known"

    def test_elsewhere_a_thread_counts_as_waiting_once_it_is_known_not_to_run(self) -> None:
        machine, rule = Machine(cores=2), MachineDelayRule(2)
        machine.add(1)
        machine.wake(1)
        rule.begin(machine.sample())
        for found_ms in (0, 20, 40):
            for _ in range(20):
                machine.step({})
            assert rule.look(machine.sample()) == found_ms

    def test_one_that_runs_elsewhere_does_not_wait(self) -> None:
        machine, rule = Machine(cores=2), MachineDelayRule(2)
        machine.add(1)
        machine.wake(1)
        machine.step({1: 0})
        rule.begin(machine.sample())
        for _ in range(5):
            for _ in range(7):
                machine.step({1: 0})
            assert rule.look(machine.sample()) == 0

    def test_a_wait_between_turns_is_not_claimed_in_the_next(self) -> None:
        machine, rule = Machine(), beside()
        machine.add(1)
        rule.begin(machine.sample())
        machine.wake(1)
        machine.step({1: 0})
        rule.look(machine.sample())
        for _ in range(500):  # told to stop, it waits for a core to do so
            machine.step({}, is_turn=False)
        rule.begin(machine.sample())
        machine.step({1: 0})
        machine.sleep(1)
        for _ in range(500):
            machine.step({})
        assert rule.look(machine.sample()) == 0

    def test_one_whose_time_is_booked_late_does_not_wait(self) -> None:
        rule = MachineDelayRule(2)
        runs = {1: Thread(5.0, 0.0, 3, True, False)}
        rule.begin(ThreadSample(0.0, 5.0, 0.0, runs))
        for at_ms in (4.0, 8.0):
            assert rule.look(ThreadSample(at_ms, 5.0, 0.0, runs)) == 0


class TestWhatTheBotCauses:
    """Samples written by hand: one core, a second of wall time."""

    def found_ms(self, *threads: Thread, cpu_ms: float, own_ms: float = 0.0, cores: float = 1.0) -> float:
        rule = beside(cores)
        asleep = {
            number: Thread(0.0, 0.0, 1, False, thread.is_modest) for number, thread in enumerate(threads)
        }
        rule.begin(ThreadSample(0.0, 0.0, 0.0, asleep))
        return rule.look(ThreadSample(1000.0, cpu_ms, own_ms, dict(enumerate(threads))))

    def test_threads_that_wait_for_each_other_gain_nothing(self) -> None:
        assert self.found_ms(*[Thread(100.0, 900.0, 50, False, False)] * 10, cpu_ms=1000) == 0

    def test_many_that_wait_at_the_same_time_are_worth_one(self) -> None:
        sleeper = Thread(0.0, 0.0, 1, False, False)
        assert self.found_ms(*[Thread(1.0, 400.0, 9, False, False)] * 12, sleeper, cpu_ms=12) == 400 - 11

    def test_those_that_asked_for_less_of_the_core_are_not_counted(self) -> None:
        assert self.found_ms(*[Thread(1.0, 900.0, 9, False, True)] * 12, cpu_ms=12) == 0

    def test_threads_that_ended_leave_only_their_cpu_time(self) -> None:
        assert self.found_ms(Thread(10.0, 300.0, 9, False, False), cpu_ms=210) == 100

    def test_what_it_makes_the_referee_do_is_its_own(self) -> None:
        assert self.found_ms(Thread(10.0, 300.0, 9, False, False), cpu_ms=10, own_ms=250) == 50

    def test_never_more_than_wall_time_less_cpu_time_over_its_cores(self) -> None:
        waits = Thread(600.0, 2000.0, 9, False, False)
        assert self.found_ms(waits, cpu_ms=600) == 400
        assert self.found_ms(waits, cpu_ms=600, cores=2.0) == 700
        assert self.found_ms(waits, cpu_ms=600, cores=0.5) == 0, "its quota held it up"

    def test_a_number_that_was_used_again_is_another_thread(self) -> None:
        rule = beside()
        rule.begin(ThreadSample(0.0, 50.0, 0.0, {7: Thread(50.0, 800.0, 90, False, False)}))
        later = ThreadSample(1000.0, 60.0, 0.0, {7: Thread(10.0, 300.0, 3, False, False)})
        assert rule.look(later) == 300


class TestTheAllowance:
    def test_a_turn_has_its_own_and_the_table_has_one(self) -> None:
        allowance = Allowance(1e9)
        allowance.begin()
        assert allowance.of(1e9, 5.0, 5.0) == MACHINE_DELAY_EXTRA_MS + MACHINE_DELAY_PER_CPU * 5
        allowance.give(MACHINE_DELAY_EXTRA_MS)
        allowance.begin()
        assert allowance.of(1e9, 0.0, 5.0) == 2 * MACHINE_DELAY_TURN_MS + MACHINE_DELAY_PER_CPU * 5
        assert allowance.of(3.0, 0.0, 5.0) == 3

    def test_the_limit_of_the_table_holds_whatever_is_used(self) -> None:
        allowance = Allowance(50.0)
        allowance.begin()
        assert allowance.of(1e9, 1e6, 1e6) == 50
        allowance.give(50.0)
        assert allowance.of(1e9, 1e6, 1e6) == 0


@contextlib.contextmanager
def spinning(core: int) -> Iterator[None]:
    """Others on this core for as long as the block lasts, and no longer than a minute."""
    code = "import time; end = time.monotonic() + 60\nwhile time.monotonic() < end: pass"
    others = [subprocess.Popen([sys.executable, "-I", "-S", "-c", code]) for _ in range(3)]
    try:
        for other in others:
            os.sched_setaffinity(other.pid, {core})
        yield
    finally:
        for other in others:
            other.kill()
            other.wait(timeout=30)


@pytest.fixture
def driver(hostile: Path) -> Iterator[Callable[[], PlainProcessDriver]]:
    """Opens a driver of the obliging bot on our core, beside others that spin there."""
    cores = os.sched_getaffinity(0)
    core = min(cores)
    made: list[PlainProcessDriver] = []

    def open_driver() -> PlainProcessDriver:
        bot = PlainProcessDriver(
            hostile, host_runtime("python/1"), "obliging.py", Limits(), cpu_limit_s=60, label="held up"
        )
        made.append(bot)
        bot.start()
        bot.collect(**START)
        os.sched_setaffinity(0, {core})
        bot.pin(core)
        return bot

    try:
        with spinning(core):
            yield open_driver
    finally:
        for bot in made:
            bot.close()
        os.sched_setaffinity(0, cores)


def test_the_kernel_tells_of_our_own_threads() -> None:
    found = sample([os.getpid()], 0.0)
    assert found is not None
    own = found.threads[os.getpid()]
    assert own.is_ready
    assert not own.is_modest
    assert own.arrivals > 0
    assert sample([2**22 + 1], 0.0) is None


def test_a_bot_that_computes_beside_others_outlasts_its_wall_limit(
    driver: Callable[[], PlainProcessDriver],
) -> None:
    bot = driver()
    bot.post(b"time.sleep(0.03)")  # a slow turn, so that the next is watched from its beginning
    bot.collect(**START)
    bot.post(b"next(b for b in iter(time.process_time, None) if b > 0.3) > 0.3")
    reply = bot.collect(cpu_limit_ms=5000.0, wall_limit_ms=500.0)
    assert 0 < reply.machine_delay_ms <= reply.wall_ms - reply.cpu_ms
    assert reply.wall_ms - reply.machine_delay_ms < 500


@pytest.mark.parametrize(
    "code",
    [
        "time.sleep(30)",
        "[threading.Thread(target=exec, daemon=True, args=('import os, time; os.nice(19)\\nwhile 1: pass',))"
        ".start() for _ in range(8)] and time.sleep(30)",
    ],
    ids=["alone", "with threads that spin below it"],
)
def test_one_that_sleeps_beside_others_does_not(driver: Callable[[], PlainProcessDriver], code: str) -> None:
    bot = driver()
    bot.post(code.encode())
    caught = refusal(DriverFault, bot.collect, cpu_limit_ms=20_000.0, wall_limit_ms=400.0)
    fault = caught
    assert fault.reason is ExitReason.TURN_WALL
    assert fault.wall_ms - fault.machine_delay_ms >= 400
    assert bot.is_alive


def test_where_the_kernel_does_not_tell_nothing_is_held_up(
    driver: Callable[[], PlainProcessDriver], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee.sandbox.machine_delay_timer.sample", lambda *_: None)
    bot = driver()
    bot.post(b"time.sleep(0.05)")
    assert bot.collect(**START).machine_delay_ms == 0
    bot.post(b"time.sleep(30)")
    caught = refusal(DriverFault, bot.collect, cpu_limit_ms=20_000.0, wall_limit_ms=100.0)
    assert (caught.reason, caught.machine_delay_ms) == (ExitReason.TURN_WALL, 0)


def test_a_thread_that_works_for_the_bot_counts_as_its_own() -> None:
    """Its waits hold the bot up; the core it uses is the bot's doing."""
    alone = sample([os.getpid()], 5.0)
    helped = sample([os.getpid()], 5.0, [threading.get_native_id()])
    gone = sample([os.getpid()], 5.0, [2**22 + 1])
    assert alone is not None
    assert helped is not None
    assert gone is not None
    assert (alone.cpu_ms, alone.helpers_ms) == (gone.cpu_ms, gone.helpers_ms) == (5.0, 0.0)
    assert helped.helpers_ms > 0
    assert helped.cpu_ms == 5.0 + helped.helpers_ms
