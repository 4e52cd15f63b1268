"""The byte pump that both process drivers share: lines, limits, clocks, and freezing between turns.

An ordinary decision costs six system calls: write, thaw, wait, freeze, read, read the clock. The bot is
frozen before its line is read, so the read returns everything it wrote. If it shares this process's core, it
can write nothing later, so no check for early output is needed before the next request.
"""

from __future__ import annotations

import contextlib
import math
import os
import select
from abc import ABC, abstractmethod
from pathlib import Path, PurePosixPath
from time import monotonic
from typing import NoReturn, Self

from referee.contract import Limits
from referee.driver import DriverFault, DriverReport, ExitReason, Reply
from referee.runtimes import Runtime
from referee.sandbox.child import BotProcess, Launch, ProcessControls, readable_bytes, usable_cores
from referee.sandbox.machine_delay_timer import LOOK_MS, NOTICED_MS, SHORT_WALL_MS, MachineDelayTimer
from referee.sandbox.pipes import READ_BYTES, InputPipe, KeptLog

ANSWER_BYTES = 448
"""Buffer size for an ordinary answer; small, so cheap to allocate."""
MIN_SLICE_MS = 2.0
"""Maximum delay until an exceeded CPU limit is noticed, for a bot with one thread."""
SOON_MS = 20.0
"""Time for which only the answer is polled, unless the wall limit is short; then also log and end."""
_LIVES_ON = (ExitReason.TURN_CPU, ExitReason.TURN_WALL)


class PumpedDriver(ABC):
    """A driver for a bot in a separate process; a subclass starts the process."""

    def __init__(
        self,
        bundle_dir: Path,
        runtime: Runtime,
        entry_point: str,
        limits: Limits,
        *,
        cpu_limit_s: int,
        label: str,
        machine_delay_limit_s: float = math.inf,
    ) -> None:
        """Prepare to run ``entry_point``, a path of a file inside ``bundle_dir`` (otherwise ``ValueError``).

        ``cpu_limit_s`` limits the bot's whole life; ``label`` names it in platform messages.
        ``machine_delay_limit_s`` is the maximum of its wall time that can count as held up.
        """
        self.bundle_dir = bundle_dir
        self.runtime = runtime
        self.entry_point = _checked_entry_point(entry_point)
        self.limits = limits
        self.cpu_limit_s = cpu_limit_s
        self._cpu_end_ms = cpu_limit_s * 1e3
        self.label = label
        self._machine_delay_limit_ms = machine_delay_limit_s * 1e3
        self._launch: Launch | None = None
        self._child: BotProcess | None = None
        self._report: DriverReport | None = None
        self._poller = select.poll()
        self._output = select.poll()
        """Polls only for output, which is cheaper."""
        self._answered: list[tuple[int, int]] = []
        self._controls: ProcessControls
        self._watch: MachineDelayTimer
        self._log = KeptLog(limits.stderr_keep_bytes)
        self._input: InputPipe
        self._buffer = b""
        self._early_bytes = 0
        self._cores = 1
        self._is_beside_us = False
        """Whether it has one process and shares this process's core: while we run, it does not."""
        self._may_hold_output = True
        """Whether its pipe may hold output that was not read when it was last frozen."""
        self._is_frozen = False
        self._has_ended = False
        self._cpu_ms = 0.0

    @abstractmethod
    def _begin(self) -> Launch:
        """Begin to start the process; never waits. DriverFault: INFRA."""

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def is_alive(self) -> bool:
        return self._child is not None or self._launch is not None

    def start(self) -> None:
        """Begin to start the bot, once, and return at once; see ``Driver.start``."""
        if self.is_alive or self._report is not None:
            raise RuntimeError(f"{self.label} was started before; a driver serves one table")
        self._cores = usable_cores()
        try:
            self._launch = self._begin()
        except DriverFault as fault:
            self._report = DriverReport(fault.reason, fault.detail)
            raise

    def pin(self, core: int) -> None:
        """Pin the bot to the core to which the calling thread is pinned; ``OSError`` if it is not allowed."""
        if self._child is not None:
            self._child.pin({core})
            self._cores = 1
            self._is_beside_us = self.runtime.single_process
            self._watch.pinned()

    def post(self, line: bytes) -> None:
        """Write one line; waits only for the gate of a bot that has not passed it. See ``Driver.post``."""
        child = self._child or self._admitted()
        self._early_bytes = len(self._buffer)
        if self._may_hold_output:
            self._look(child)
        try:
            is_taken = self._input.write(line + b"\n")
        except BrokenPipeError:
            self._fail(None, self._cpu_ms)
        if not is_taken:
            self._fail(ExitReason.STDIN_BLOCKED, self._cpu_ms)

    def collect(self, *, cpu_limit_ms: float, wall_limit_ms: float) -> Reply:
        """Let the bot run until its next line, a limit or its end; then freeze it. See ``Driver.collect``."""
        child = self._child or self._admitted()
        watch = self._watch
        began = monotonic()
        before_ms = self._cpu_ms
        machine_delay_ms = 0.0
        reason: ExitReason | None = None
        if watch.is_wanted or wall_limit_ms < SHORT_WALL_MS:
            watch.begin()
        # With a short wall limit, its end must be polled as well, because its output stays open.
        if self._is_frozen and not self._buffer and wall_limit_ms >= SHORT_WALL_MS:
            answer = self._soon_answered(child, cpu_limit_ms)
            used_ms = self._cpu_ms - before_ms
            # An ordinary answer: one short line, in time.
            if (
                0 < answer.find(b"\n") + 1 == len(answer) <= self.limits.line_bytes
                and used_ms <= cpu_limit_ms
                and not self._early_bytes
                and answer.isascii()
            ):
                wall_ms = (monotonic() - began) * 1e3
                if wall_ms - used_ms >= NOTICED_MS or watch.is_wanted:
                    machine_delay_ms = watch.end(wall_ms - used_ms)
                # Same as ``Reply(...)``, in half the time.
                return tuple.__new__(Reply, (answer[:-1], False, used_ms, wall_ms, machine_delay_ms))
            self._buffer = answer
        if b"\n" not in self._buffer:
            if self._is_frozen:
                child.thaw()
            reason = self._run(child, began + wall_limit_ms / 1e3, before_ms + cpu_limit_ms)
            child.freeze()
            self._is_frozen = self._may_hold_output = True
            self._read_clock(child)
            machine_delay_ms = watch.end((monotonic() - began) * 1e3 - self._cpu_ms + before_ms)
        used_ms = self._cpu_ms - before_ms
        wall_ms = (monotonic() - began) * 1e3
        if reason in _LIVES_ON:
            partial = self._buffer[: self.limits.line_bytes] or None
            raise _overdue(reason, partial, used_ms, wall_ms, machine_delay_ms)
        if reason is not None:
            self._fail(None if reason is ExitReason.EXITED else reason, before_ms, wall_ms)
        line, _, self._buffer = self._buffer.partition(b"\n")
        is_early = self._early_bytes > 0
        self._early_bytes = max(self._early_bytes - len(line) - 1, 0)
        if not line.isascii():
            try:
                line.decode()
            except UnicodeDecodeError as error:
                detail = f"the line is not UTF-8: {error.reason}"
                self._fail(ExitReason.NOT_UTF8, before_ms, wall_ms, line, detail)
        if len(line) >= self.limits.line_bytes:
            self._fail(ExitReason.LINE_TOO_LONG, before_ms, wall_ms, line)
        if self._log.total_bytes > self.limits.stderr_kill_bytes:
            self._fail(ExitReason.STDERR_LIMIT, before_ms, wall_ms, line)
        if used_ms > cpu_limit_ms:
            raise _overdue(ExitReason.TURN_CPU, line, used_ms, wall_ms, machine_delay_ms)
        return Reply(line, is_early, used_ms, wall_ms, machine_delay_ms)

    def log_tail(self) -> bytes:
        if self._child is not None:
            self._drain_stderr(self._child)
        return self._log.tail()

    def close(self) -> DriverReport:
        if self._report is None:
            self._end(ExitReason.OK, "")
        assert self._report is not None
        return self._report

    def _admitted(self) -> BotProcess:
        """Admit the bot at its gate and return it; raises if that fails or the bot has ended."""
        launch, self._launch = self._launch, None
        if launch is None:
            if self._report is None:
                raise RuntimeError(f"{self.label} was not started")
            raise DriverFault(self._report.reason, self._report.detail)
        try:
            child = self._child = launch.admit()
        except DriverFault as fault:
            self._report = DriverReport(fault.reason, fault.detail)
            raise
        cores = self._cores if self.runtime.single_process else min(self._cores, self.limits.cores)
        self._watch = MachineDelayTimer(child, cores, self._machine_delay_limit_ms)
        self._input = InputPipe(child.stdin, self._poller, self.limits.unread_bytes)
        for fd in (child.stdout, child.stderr, child.exit_fd):
            if fd is not None:
                self._poller.register(fd, select.POLLIN)
        self._output.register(child.stdout, select.POLLIN)
        self._answered = [(child.stdout, select.POLLIN)]
        self._controls = child.controls() or ProcessControls(
            child.thaw, child.freeze, lambda: child.cpu_ms() / 1e3
        )
        return child

    def _look(self, child: BotProcess) -> None:
        """Count output that the bot wrote before it was asked."""
        for fd, event in self._poller.poll(0):
            if fd == child.stdout and event & select.POLLIN:
                self._early_bytes += readable_bytes(fd)
                if self._early_bytes > self.limits.lines_ahead * self.limits.line_bytes:
                    self._fail(ExitReason.OUTPUT_LIMIT, self._cpu_ms)

    def _soon_answered(self, child: BotProcess, cpu_limit_ms: float) -> bytes:
        """Fast path of ``_run``: thaw a frozen bot that answers soon and return its output, else nothing."""
        left_ms = self._cpu_end_ms - self._cpu_ms
        wait_ms = (cpu_limit_ms if cpu_limit_ms < left_ms else left_ms) / self._cores
        if wait_ms > SOON_MS:
            wait_ms = SOON_MS
        elif wait_ms <= 0:  # poll would wait forever.
            return b""
        thaw, freeze, cpu_s = self._controls
        answer = b""
        try:
            thaw()
            if self._output.poll(wait_ms) == self._answered:
                freeze()
                answer = os.read(child.stdout, ANSWER_BYTES)
                cpu_ms = cpu_s() * 1e3
                if cpu_ms > self._cpu_ms:
                    self._cpu_ms = cpu_ms
                self._may_hold_output = not self._is_beside_us or len(answer) == ANSWER_BYTES
                return answer
        except OSError:  # It has ended.
            pass
        self._is_frozen = False
        return answer

    def _run(self, child: BotProcess, wall_end: float, cpu_end_ms: float) -> ExitReason | None:
        """Pump until a line is in the buffer (None) or another event ends the wait.

        EXITED stands for any end of the process, whatever its cause.
        """
        if len(self._buffer) > self.limits.line_bytes:
            return ExitReason.LINE_TOO_LONG
        table_end_ms = self._cpu_end_ms
        cpu_ms = child.cpu_ms()
        machine_delay_ms = self._watch.look()
        look_at = monotonic() + LOOK_MS / 1e3
        while True:
            wall_left_ms = (wall_end - monotonic()) * 1e3
            if machine_delay_ms:
                wall_left_ms = max(wall_left_ms + machine_delay_ms, NOTICED_MS)
            slice_ms = max((min(cpu_end_ms, table_end_ms) - cpu_ms) / self._cores, MIN_SLICE_MS)
            for fd, event in self._poller.poll(max(min(slice_ms, wall_left_ms, LOOK_MS), 0)):
                if fd == child.stdout:
                    chunk = os.read(fd, READ_BYTES) if event & select.POLLIN else b""
                    self._buffer += chunk
                    if b"\n" in chunk:
                        return None
                    if not chunk:
                        self._has_ended = True
                elif fd == child.stderr:
                    self._drain_stderr(child)
                elif fd != child.stdin or not self._input.flush():
                    self._has_ended = True
            if self._has_ended:
                return None if self._read_last_line(child) else ExitReason.EXITED
            if len(self._buffer) > self.limits.line_bytes:
                return ExitReason.LINE_TOO_LONG
            if self._log.total_bytes > self.limits.stderr_kill_bytes:
                return ExitReason.STDERR_LIMIT
            cpu_ms = child.cpu_ms()
            if cpu_ms >= table_end_ms:
                return ExitReason.MATCH_CPU
            if cpu_ms >= cpu_end_ms:
                return ExitReason.TURN_CPU
            now = monotonic()
            if now >= look_at or now >= wall_end + machine_delay_ms / 1e3:
                machine_delay_ms = self._watch.look()
                look_at = now + LOOK_MS / 1e3
                if now >= wall_end + machine_delay_ms / 1e3:
                    return ExitReason.TURN_WALL

    def _read_last_line(self, child: BotProcess) -> bool:
        """After the end of the bot, read its remaining output, which still counts."""
        with contextlib.suppress(BlockingIOError):
            while b"\n" not in self._buffer and (chunk := os.read(child.stdout, READ_BYTES)):
                self._buffer += chunk
        return b"\n" in self._buffer

    def _drain_stderr(self, child: BotProcess) -> None:
        if not self._log.drain(child.stderr, self.limits.stderr_kill_bytes):
            with contextlib.suppress(KeyError):
                self._poller.unregister(child.stderr)

    def _read_clock(self, child: BotProcess) -> None:
        """Update the CPU time. A sandbox that has ended returns its last reading, which may be older."""
        self._cpu_ms = max(self._cpu_ms, child.cpu_ms())

    def _fail(
        self,
        reason: ExitReason | None,
        before_ms: float,
        wall_ms: float = 0.0,
        line: bytes | None = None,
        detail: str = "",
    ) -> NoReturn:
        """Kill the bot and raise its cause of death, or ``reason``; ``before_ms``: clock at the start."""
        partial = line if line is not None else self._buffer
        self._end(reason, detail or (_limit_passed(reason, self.limits, self.cpu_limit_s) if reason else ""))
        assert self._report is not None
        raise DriverFault(
            self._report.reason,
            self._report.detail,
            line=partial[: self.limits.line_bytes] or None,
            cpu_ms=self._report.cpu_ms - before_ms,
            wall_ms=wall_ms,
        )

    def _end(self, reason: ExitReason | None, detail: str) -> None:
        """End the process and write the report; with ``reason`` None, the process determines the reason."""
        child, self._child = self._child, None
        launch, self._launch = self._launch, None
        if launch is not None:
            launch.abandon()
        if child is None:
            self._report = DriverReport(reason or ExitReason.INFRA, detail or "never started")
            return
        self._drain_stderr(child)
        peak = child.peak_bytes()
        self._read_clock(child)
        ended = child.finish(died=reason is None)
        if reason is None:
            reason, detail = ended.reason, ended.detail
        self._report = DriverReport(reason, detail, ended.exit_code, self._cpu_ms, peak, self._log.kept())


def _checked_entry_point(entry_point: str) -> str:
    """Return the entry point if it is a path of a file inside the bundle, else raise ``ValueError``."""
    path = PurePosixPath(entry_point)
    if path.is_absolute() or ".." in path.parts or not path.parts or str(path) != entry_point:
        raise ValueError(f"entry point {entry_point!r} is not the path of a file inside the bundle")
    return entry_point


def _limit_passed(reason: ExitReason, limits: Limits, cpu_limit_s: int) -> str:
    """Return the exceeded limit with its unit; empty if the reason has none."""
    match reason:
        case ExitReason.LINE_TOO_LONG:
            return f"the line is longer than {limits.line_bytes} bytes"
        case ExitReason.OUTPUT_LIMIT:
            return f"over {limits.lines_ahead * limits.line_bytes} bytes were written before a request"
        case ExitReason.STDIN_BLOCKED:
            return f"over {limits.unread_bytes} bytes wait unread on standard input; read every line"
        case ExitReason.STDERR_LIMIT:
            return f"over {limits.stderr_kill_bytes} bytes were written to standard error"
        case ExitReason.MATCH_CPU:
            return f"over {cpu_limit_s} s of CPU time were used at this table"
        case _:
            return ""


def _overdue(
    reason: ExitReason, line: bytes | None, used_ms: float, wall_ms: float, machine_delay_ms: float
) -> DriverFault:
    """Return the fault of a decision that exceeded its time; for TURN_CPU and TURN_WALL."""
    limit_name = "CPU time" if reason is ExitReason.TURN_CPU else "wall time"
    detail = f"no answer within the {limit_name} allowed; used {used_ms:.1f} ms CPU, {wall_ms:.1f} ms wall"
    if machine_delay_ms:
        detail += f", of which a busy machine took {machine_delay_ms:.1f} ms, which do not count"
    return DriverFault(
        reason, detail, line=line, cpu_ms=used_ms, wall_ms=wall_ms, machine_delay_ms=machine_delay_ms
    )
