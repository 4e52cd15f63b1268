"""Lines, limits, clocks and the freeze, the same for both process drivers."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from referee.contract import Limits
from referee.driver import DriverFault, ExitReason
from referee.runtimes import host_runtime, runtime_named
from referee.sandbox import PlainProcessDriver, SandboxedDriver
from referee.sandbox.launch import SandboxedProcess
from referee.sandbox.pump import PumpedDriver
from tests.referee.sandbox.cases import IDLE_TURN, IDLERS, START, TICK_MS, TURN, has_stopped
from tests.refusals import refusal

Maker = Callable[..., PumpedDriver]


@pytest.fixture(params=["plain", pytest.param("sandboxed", marks=pytest.mark.full)])
def make(request: pytest.FixtureRequest, hostile: Path) -> Iterator[Maker]:
    """Makes started drivers of hostile bots, past their first line, and closes them all."""
    made: list[PumpedDriver] = []

    def maker(bot: str, *, cpu_limit_s: int = 20, ready: bool = True, **limits: int) -> PumpedDriver:
        kind, runtime = (
            (PlainProcessDriver, host_runtime("python/1"))
            if request.param == "plain"
            else (SandboxedDriver, runtime_named("python/1"))
        )
        driver = kind(hostile, runtime, f"{bot}.py", Limits(**limits), cpu_limit_s=cpu_limit_s, label=bot)
        made.append(driver)
        driver.start()
        if ready:
            assert driver.collect(**START).line == b"ready"
        return driver

    yield maker
    for driver in made:
        driver.close()


def fault_of(driver: PumpedDriver, **limits: float) -> DriverFault:
    """The fault of the next turn."""
    driver.post(b"go")
    turn = IDLE_TURN if driver.label in IDLERS else TURN
    return refusal(DriverFault, driver.collect, **{**turn, **limits})


def ask(driver: PumpedDriver, code: str) -> str:
    driver.post(code.encode())
    return driver.collect(**START).line.decode()


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("bot", "reason"),
    [
        ("crashes", ExitReason.CRASHED),
        ("endless_line", ExitReason.LINE_TOO_LONG),
        ("exits", ExitReason.EXITED),
        ("exits_125", ExitReason.CRASHED),
        ("floods_stderr", ExitReason.STDERR_LIMIT),
        ("long_line", ExitReason.LINE_TOO_LONG),
        ("not_utf8", ExitReason.NOT_UTF8),
        ("segfaults", ExitReason.SIGNALED),
    ],
)
def test_after_these_faults_the_bot_is_gone(make: Maker, bot: str, reason: ExitReason) -> None:
    driver = make(bot)
    assert fault_of(driver).reason is reason
    assert not driver.is_alive
    assert refusal(DriverFault, driver.post, b"go").reason is reason
    assert driver.close().reason is reason


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("bot", "reason"),
    [
        ("sleeps", ExitReason.TURN_WALL),
        ("spins", ExitReason.TURN_CPU),
        ("spins_in_threads", ExitReason.TURN_CPU),
    ],
)
def test_a_late_bot_is_frozen_and_lives(make: Maker, bot: str, reason: ExitReason) -> None:
    driver = make(bot)
    fault = fault_of(driver)
    assert fault.reason is reason
    assert driver.is_alive
    if reason is ExitReason.TURN_CPU:
        assert fault.cpu_ms >= TURN["cpu_limit_ms"]
    else:
        assert fault.wall_ms >= IDLE_TURN["wall_limit_ms"]
    assert driver.close().reason is ExitReason.OK


def test_an_answer_over_its_cpu_limit_is_late_though_it_came(make: Maker) -> None:
    driver = make("obliging")
    driver.post(b"sum(range(3_000_000))")
    caught = refusal(DriverFault, driver.collect, cpu_limit_ms=1.0, wall_limit_ms=10_000.0)
    assert caught.reason is ExitReason.TURN_CPU


def test_a_late_answer_comes_early_to_the_next_request(make: Maker) -> None:
    driver = make("obliging")
    driver.post(b"time.sleep(0.3) or 'late'")
    caught = refusal(DriverFault, driver.collect, cpu_limit_ms=3000.0, wall_limit_ms=20.0)
    assert caught.reason is ExitReason.TURN_WALL
    driver.post(b"'next'")
    late, following = driver.collect(**START), driver.collect(**START)
    assert (late.line, following.line) == (b"'late'", b"'next'")
    assert not following.early


def test_answers_ahead_are_told_apart_line_by_line(make: Maker) -> None:
    driver = make("answers_ahead")
    driver.post(b"go")
    first = driver.collect(**TURN)
    time.sleep(0.05)
    driver.post(b"go")
    second, third = driver.collect(**TURN), driver.collect(**TURN)
    assert [first.line, second.line, third.line] == [b"one", b"two", b"three"]
    assert not first.early
    assert second.early


@pytest.mark.sampled(3)
def test_the_end_of_the_cpu_budget_of_the_table(make: Maker) -> None:
    driver = make("spins", cpu_limit_s=1)
    fault = fault_of(driver, cpu_limit_ms=60_000.0, wall_limit_ms=60_000.0)
    assert fault.reason is ExitReason.MATCH_CPU
    assert not driver.is_alive


def test_last_words_count_and_then_it_is_gone(make: Maker) -> None:
    driver = make("answers_and_exits")
    driver.post(b"go")
    assert driver.collect(**TURN).line == b"last words"
    assert refusal(DriverFault, ask, driver, "go").reason is ExitReason.EXITED


def test_the_time_of_a_bot_that_ends_is_counted_to_its_end(make: Maker) -> None:
    driver = make("obliging")
    driver.post(b"sum(range(3_000_000)) and os.write(2, repr(time.process_time()).encode()) and os._exit(3)")
    caught = refusal(DriverFault, driver.collect, cpu_limit_ms=60_000.0, wall_limit_ms=60_000.0)
    report = driver.close()
    assert caught.reason is ExitReason.CRASHED
    assert report.exit_code == 3
    assert report.cpu_ms > float(report.log) * 1e3 - TICK_MS
    assert 0 < caught.cpu_ms <= report.cpu_ms


def test_a_crash_leaves_its_traceback_without_our_frames(make: Maker) -> None:
    driver = make("crashes")
    fault_of(driver)
    log = driver.close().log.decode()
    assert log.startswith("thinking aloud\nTraceback")
    assert log.endswith("ValueError: wrong turn\n")
    assert "launcher" not in log
    assert driver.log_tail().decode() == log


def test_a_long_log_keeps_beginning_and_end(make: Maker) -> None:
    driver = make("obliging", stderr_keep_bytes=4096)
    ask(driver, "sys.stderr.write('first' + '.' * 100_000 + 'last') and sys.stderr.flush()")
    assert driver.log_tail().endswith(b"last")
    assert len(driver.log_tail()) <= 2048
    log = driver.close().log
    assert log.startswith(b"first")
    assert log.endswith(b"[log cut: 100009 bytes were written]\n")
    assert len(log) < 4096 + 200


def post_many(driver: PumpedDriver) -> None:
    for _ in range(100):
        driver.post(b"x" * 60_000)


def test_a_bot_that_never_reads_blocks_in_the_end(make: Maker) -> None:
    driver = make("never_reads")
    assert refusal(DriverFault, post_many, driver).reason is ExitReason.STDIN_BLOCKED
    assert not driver.is_alive


def test_a_request_larger_than_the_pipe_arrives_whole(make: Maker) -> None:
    driver = make("obliging")
    assert ask(driver, f"len({'x' * 300_000!r})") == "300000"
    assert ask(driver, "6 * 7") == "42"


def test_between_turns_the_bot_stands_still(make: Maker) -> None:
    driver = make("thinks_on")
    driver.post(b"go")
    driver.collect(**START)
    child = driver._child
    assert child is not None
    assert has_stopped(child.cpu_ms)


def test_a_partial_line_is_kept_for_the_report(make: Maker) -> None:
    driver = make("obliging")
    driver.post(b"os.write(1, b'half an ans') and time.sleep(10)")
    assert refusal(DriverFault, driver.collect, **IDLE_TURN).line == b"half an ans"


def test_closing_twice_gives_the_same_report(make: Maker) -> None:
    driver = make("sleeps")
    report = driver.close()
    assert driver.close() is report
    assert not driver.is_alive
    assert report.cpu_ms > 0
    assert report.peak_bytes > 1 << 20


def test_a_missing_entry_point_names_it(make: Maker) -> None:
    driver = make("no_such_bot", ready=False)
    assert refusal(DriverFault, driver.collect, **START).reason is ExitReason.CRASHED
    assert b"no_such_bot.py" in driver.close().log


def test_the_bot_sees_the_file_it_is(make: Maker) -> None:
    driver = make("obliging")
    assert (
        ask(driver, "__name__, os.path.basename(__file__), __doc__[:4]")
        == "('__main__', 'obliging.py', 'Does')"
    )


@pytest.mark.parametrize("entry_point", ["/main.py", "../main.py", "a//b.py", "", ".", "./main.py"])
def test_an_entry_point_outside_the_bundle_is_refused(hostile: Path, entry_point: str) -> None:
    with pytest.raises(ValueError, match="entry point"):
        PlainProcessDriver(hostile, host_runtime("python/1"), entry_point, Limits(), cpu_limit_s=1, label="x")


def test_a_driver_serves_once(hostile: Path) -> None:
    with (
        PlainProcessDriver(
            hostile, host_runtime("python/1"), "sleeps.py", Limits(), cpu_limit_s=1, label="seat 3"
        ) as driver,
        pytest.raises(RuntimeError, match="seat 3"),
    ):
        driver.start()


def test_closing_before_the_start_is_allowed(hostile: Path) -> None:
    driver = PlainProcessDriver(
        hostile, host_runtime("python/1"), "sleeps.py", Limits(), cpu_limit_s=1, label="x"
    )
    assert driver.close().exit_code is None
    refusal(DriverFault, driver.post, b"go")


def test_closing_a_bot_that_was_never_let_in_ends_it(make: Maker) -> None:
    driver = make("obliging", ready=False)
    assert driver.is_alive
    report = driver.close()
    assert (report.cpu_ms, report.log) == (0.0, b"")
    assert not driver.is_alive
    refusal(DriverFault, driver.post, b"6 * 7")


@pytest.mark.full
def test_no_bot_runs_before_it_is_let_in(hostile: Path) -> None:
    driver = SandboxedDriver(
        hostile, runtime_named("python/1"), "obliging.py", Limits(), cpu_limit_s=5, label="seat 1"
    )
    with driver:
        time.sleep(0.2)
        assert driver._child is None
        driver.post(b"6 * 7")
        assert driver._child is not None
        assert driver.collect(**START).line == b"ready"
        assert driver.collect(**START).line == b"42"


def test_a_pinned_bot_runs_on_its_core_with_every_thread(make: Maker) -> None:
    driver = make("obliging")
    ask(driver, "threading.Thread(target=threading.Event().wait, daemon=True).start()")
    core = max(os.sched_getaffinity(0))
    driver.pin(core)
    threads = ask(driver, "[os.sched_getaffinity(thread.native_id) for thread in threading.enumerate()]")
    assert threads == f"[{{{core}}}, {{{core}}}]"


@pytest.mark.full
@pytest.mark.skipif(not Path("/proc/self/autogroup").exists(), reason="sessions have no niceness here")
@pytest.mark.parametrize("niceness", [0, 7])
def test_the_session_of_a_bot_has_the_niceness_of_the_thread_that_started_it(
    hostile: Path, niceness: int
) -> None:
    def start() -> str:
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), before + niceness)
        driver = SandboxedDriver(
            hostile, runtime_named("python/1"), "obliging.py", Limits(), cpu_limit_s=5, label="seat 1"
        )
        with driver:
            driver.collect(**START)
            assert isinstance(driver._child, SandboxedProcess)
            return Path(f"/proc/{driver._child.pid}/autogroup").read_text("ascii").rpartition(" nice ")[2]

    before = os.getpriority(os.PRIO_PROCESS, 0)
    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(start).result() == f"{before + niceness}\n"


@pytest.fixture
def core() -> Iterator[int]:
    """This thread on one core, as a table's is while it plays."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    yield max(before)
    os.sched_setaffinity(0, before)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_beside_us_answers_ahead_are_seen_without_looking(make: Maker, core: int, count: int) -> None:
    driver = make("obliging")
    driver.pin(core)
    assert ask(driver, "6 * 7") == "42"
    driver.post(f"os.write(1, b'ahead{chr(92)}n' * {count}) and 'more'".encode())
    assert driver.collect(**START)[:2] == (b"ahead", False)
    driver.post(b"'next'")
    replies = [driver.collect(**START)[:2] for _ in range(count + 1)]
    assert replies[: count - 1] == [(b"ahead", True)] * (count - 1)
    assert [line for line, _ in replies[count - 1 :]] == [b"'more'", b"'next'"]


def test_beside_us_a_flood_is_seen_when_the_next_request_is_written(make: Maker, core: int) -> None:
    driver = make("floods")
    driver.pin(core)
    driver.post(b"go")
    driver.collect(**TURN)
    assert refusal(DriverFault, driver.post, b"go").reason is ExitReason.OUTPUT_LIMIT


@pytest.mark.full
def test_a_bundle_that_cannot_be_read_is_our_fault(tmp_path: Path) -> None:
    driver = SandboxedDriver(
        tmp_path / "missing", runtime_named("python/1"), "main.py", Limits(), cpu_limit_s=1, label="seat 2"
    )
    driver.start()
    assert driver.is_alive
    for _ in range(2):
        caught = refusal(DriverFault, driver.post, b"hello")
        assert caught.reason is ExitReason.INFRA
        assert "seat 2" in caught.detail
        assert str(tmp_path) in caught.detail
    assert not driver.is_alive
    assert driver.close().reason is ExitReason.INFRA


@pytest.mark.full
def test_bots_of_one_table_share_neither_scratch_nor_user(hostile: Path) -> None:
    runtime = runtime_named("python/1")
    first, second = (
        SandboxedDriver(hostile, runtime, "obliging.py", Limits(), cpu_limit_s=5, label=label)
        for label in ("seat 1", "seat 2")
    )
    with first, second:
        for driver in (first, second):
            driver.collect(**START)
        ask(first, "write('/tmp/note', 5)")
        assert ask(second, "os.listdir('/tmp')") == "[]"
        users = {_user(driver) for driver in (first, second)}
        assert len(users) == (2 if os.geteuid() == 0 else 1)
        assert 0 not in users


def _user(driver: SandboxedDriver) -> int:
    assert isinstance(driver._child, SandboxedProcess)
    return Path(f"/proc/{driver._child.pid}").stat().st_uid
