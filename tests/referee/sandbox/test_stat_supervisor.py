"""What a bot that may make pipes is told of its descriptors: the truth, but for the kernel's numbers."""

import ast
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from referee.contract import Limits
from referee.driver import DriverFault, ExitReason
from referee.runtimes import runtime_named
from referee.sandbox import Level, SandboxedDriver, probe, stage_root
from referee.sandbox.probe_inodes import is_near, next_kernel_inode
from referee.sandbox.stdio import StdioPipes
from tests.referee.sandbox.cases import PATIENCE_S, START
from tests.refusals import refusal

pytestmark = pytest.mark.full
RACE_S = 0.5
Maker = Callable[..., SandboxedDriver]


@pytest.fixture
def make(hostile: Path) -> Iterator[Maker]:
    """Started bots that may make pipes, past their first line; closed; no thread of ours stays."""
    before = set(threading.enumerate())
    made: list[SandboxedDriver] = []

    def maker(*, several: bool = False) -> SandboxedDriver:
        runtime = runtime_named("python/1")._replace(makes_pipes=True)
        if several:
            runtime = runtime._replace(single_process=False, needs_cgroup=True)
        driver = SandboxedDriver(hostile, runtime, "asks.py", Limits(), cpu_limit_s=60, label="asks")
        made.append(driver)
        driver.start()
        assert driver.collect(**START).line == b"ready"
        return driver

    yield maker
    for driver in made:
        driver.close()
    assert set(threading.enumerate()) == before


def ask(driver: SandboxedDriver, code: str) -> object:
    driver.post(code.encode())
    return ast.literal_eval(
        driver.collect(cpu_limit_ms=20_000.0, wall_limit_ms=PATIENCE_S * 1e3).line.decode()
    )


def test_files_folders_and_devices_are_told_as_by_their_names(make: Maker) -> None:
    """To the byte, in all three calls, and not a byte more is written than the kernel writes."""
    bot = make()
    assert ask(bot, "os.mkfifo('/tmp/pipe')") is None
    assert ask(bot, "open('/tmp/file', 'w').write('x' * 5000)") == 5000
    for path in ("/bot/asks.py", "/bot", "/tmp", "/", "/usr", "/dev/null", "/tmp/file", "/tmp/pipe"):
        assert ask(bot, f"by_name_and_by_descriptor({path!r})") == [], path
    assert ask(bot, "folder_by_itself()") is True


def test_what_is_asked_wrongly_is_refused_as_the_kernel_would(make: Maker) -> None:
    bad, unwritable = ["EBADF"] * 4, ["EFAULT"] * 4
    assert ask(make(), "refusals()") == [
        *(*bad, *unwritable, "EFAULT", "EFAULT"),
        # A name with this flag is the kernel's to look up, and would be looked up after our answer.
        *("EINVAL", "EINVAL", "ENOENT", "EPERM", "EINVAL", "EFAULT", True),
    ]


def test_numbers_are_of_the_bot_alone_and_equal_for_what_is_equal(make: Maker) -> None:
    bots = [make(), make()]
    told = [ask(bot, "numbers()") for bot in bots]
    seen: set[int] = set()
    for first, same, second, also, *streams in told:  # type: ignore[misc]
        assert first == same != second == also
        assert len({first, second, *streams}) == 5
        seen |= {first, second, *streams}
    assert len(seen) == 10
    assert not [number for number in seen if is_near(number, next_kernel_inode())]


def test_a_runtime_without_pipes_has_streams_of_the_staging_area(hostile: Path) -> None:
    """Nobody answers there: the numbers count what the worker has put into the area."""
    streams = StdioPipes(stage_root())
    try:
        here = [os.fstat(fd).st_ino for fd in (streams.stdin, streams.stdout, streams.stderr)]
    finally:
        streams.close()
    driver = SandboxedDriver(
        hostile, runtime_named("python/1"), "asks.py", Limits(), cpu_limit_s=20, label="asks"
    )
    with driver:
        assert driver.collect(**START).line == b"ready"
        told = ask(driver, "[os.fstat(fd).st_ino for fd in range(3)]")
    assert all(abs(number - near) < 10_000 for number, near in zip(told, here, strict=True))  # type: ignore[call-overload]
    assert len(set(told)) == 3  # type: ignore[call-overload]


def test_a_descriptor_exchanged_meanwhile_is_told_as_the_one_or_the_other(make: Maker) -> None:
    assert ask(make(), f"swap({RACE_S})") == ([], True)


def test_a_name_written_meanwhile_is_refused_or_not_seen(make: Maker) -> None:
    assert ask(make(), f"rename({RACE_S})") == []


def test_memory_taken_away_meanwhile_is_a_bad_address(make: Maker) -> None:
    bot = make()
    assert ask(bot, f"unmap({RACE_S})") == []
    assert ask(bot, "len(numbers())") == 7


def test_a_bot_that_nobody_may_look_at_learns_nothing(make: Maker) -> None:
    bot = make()
    bot.post(b"hide()")
    answer = bot.collect(**START).line.decode()
    if "Error" not in answer:  # A worker that is root may look all the same.
        assert not is_near(ast.literal_eval(answer)[1], next_kernel_inode())


def test_many_threads_are_answered_and_no_other_bot_waits(make: Maker) -> None:
    flooding, other = make(), make()
    assert ask(flooding, f"flood(8, {RACE_S})") == 0
    flooding.post(b"flood_on() or time.sleep(600)")
    caught = refusal(DriverFault, flooding.collect, cpu_limit_ms=60_000.0, wall_limit_ms=300.0)
    # It is charged as one that sleeps, and nothing is taken off for the time in which we answered.
    assert caught.reason is ExitReason.TURN_WALL
    assert ask(other, "len(numbers())") == 7
    began = time.monotonic()
    flooding.close()
    assert time.monotonic() - began < PATIENCE_S


def test_a_bot_that_is_replaced_by_a_new_program_is_answered_on(make: Maker) -> None:
    if sys.version_info[:2] != (3, 11) or not Path("/usr/bin/python3.11").exists():
        pytest.fail("the program names python3.11")
    bot = make()
    bot.post(b"replace_itself()")
    assert bot.collect(**START).line == b"ready"
    assert len(ask(bot, "numbers()")) == 7  # type: ignore[arg-type]


def test_a_bot_that_dies_in_the_middle_leaves_nothing(make: Maker) -> None:
    bot = make()
    bot.post(b"flood_on() or time.sleep(0.1) or os.kill(os.getpid(), 6)")
    assert refusal(DriverFault, bot.collect, **START).reason is ExitReason.SIGNALED


def test_children_are_told_the_same(make: Maker) -> None:
    if probe().level < Level.FULL:
        return  # No bot has children there.
    assert ask(make(several=True), "forks(6)") == 0


def test_between_turns_nothing_is_asked(make: Maker) -> None:
    """A frozen bot's threads stand still, in whatever call."""
    bot = make()
    bot.post(b"flood_on()")
    bot.collect(**START)
    child = bot._child
    assert child is not None
    time.sleep(0.1)
    (thread,) = child.helpers()
    before = Path(f"/proc/self/task/{thread}/schedstat").read_text()
    time.sleep(0.1)
    assert Path(f"/proc/self/task/{thread}/schedstat").read_text() == before


def test_the_thread_that_answers_is_pinned_with_its_bot(make: Maker) -> None:
    bot = make()
    child = bot._child
    assert child is not None
    core = max(os.sched_getaffinity(0))
    bot.pin(core)
    assert [os.sched_getaffinity(thread) for thread in child.helpers()] == [{core}]
