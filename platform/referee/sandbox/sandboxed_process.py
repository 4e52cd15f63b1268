"""The process of one bot in the sandbox: freezes, measures and ends it. Has no concept of lines or turns."""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import subprocess
from collections.abc import Collection, Iterator
from pathlib import Path

from referee.driver import ExitReason
from referee.sandbox.cgroups import Cgroup
from referee.sandbox.child import (
    BotProcess,
    ProcessClock,
    ProcessControls,
    ProcessEnd,
    peak_bytes,
    pin_threads,
    reap,
    signal_name,
)
from referee.sandbox.levels import Level
from referee.sandbox.stat_supervisor import StatSupervisor
from referee.sandbox.stdio import StdioPipes
from referee.sandbox.uids import UidLease

END_WALL_S = 2.0
_CHAIN_DEPTH = {Level.FULL1: 3, Level.FULL: 3, Level.COMPAT: 2}
"""Steps from the process that we start down to the bot: jailer > bwrap > bwrap's init > bot."""
_BAD_SYSCALL_DETAIL = (
    "the process made a system call in a foreign calling convention, or ended with exit code 137, which"
    " stands for a process that was killed"
)
_BAD_SYSCALL, _CPU_SPENT, _KILLED = 128 + signal.SIGSYS, 128 + signal.SIGXCPU, 128 + signal.SIGKILL


class SandboxedProcess(BotProcess):
    """A running chain of processes with a bot at its end, at the gate or past it."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        streams: StdioPipes,
        lease: UidLease | None,
        group: Cgroup | None,
        level: Level,
        cpu_limit_s: int,
    ) -> None:
        """Open a chain whose gate is up and unanswered, or raise ``OSError`` if it has ended."""
        self._process = process
        self._lease = lease
        self._group = group
        self._freezer = group.freezer if group is not None else None
        self._cpu_limit_s = cpu_limit_s
        self._streams = streams
        self.stdin, self.stdout, self.stderr = streams.stdin, streams.stdout, streams.stderr
        self._descriptors: StatSupervisor | None = None
        pids = [process.pid]
        for _ in range(_CHAIN_DEPTH[level]):
            below = children(pids[-1])
            if not below:
                raise ChildProcessError(f"process {pids[-1]} of the chain has no child; has it broken?")
            pids.append(below[0])
        self.pid, self._chain = pids[-1], frozenset(pids[:-1])
        """The bot's process, as seen from here."""
        self._fds = contextlib.ExitStack()
        try:
            self._outer_fd, self._init_fd, self._bot_fd = (
                self._hold(os.pidfd_open(pid)) for pid in (pids[1], pids[-2], self.pid)
            )
        except OSError:
            self.release()
            raise
        self.exit_fd: int = self._bot_fd
        self._clock = ProcessClock(self.pid)
        self._chain_cpu_ms = 0.0
        if self._freezer is not None:
            self._chain_cpu_ms = self._freezer.cpu_ms()
        else:
            # Otherwise every freeze and thaw would wake the sandbox's init, which only waits for the bot's
            # end. The bot's clock also stays readable after its end, until the init continues.
            _signal(self._init_fd, signal.SIGSTOP)

    def supervise_stat(self, listener: int, ids: int) -> None:
        """Start to answer the bot's stat calls (``StatSupervisor``), or raise ``OSError``."""
        self._descriptors = StatSupervisor(listener, self.pid, ids)

    def helpers(self) -> Collection[int]:
        return () if self._descriptors is None else (self._descriptors.thread,)

    def freeze(self) -> None:
        if self._freezer is None:
            _signal(self._bot_fd, signal.SIGSTOP)
        else:
            self._freezer.freeze()

    def thaw(self) -> None:
        if self._freezer is None:
            _signal(self._bot_fd, signal.SIGCONT)
        else:
            self._freezer.thaw()

    def can_run(self) -> bool:
        """Return whether any of the bot's processes is on a core or waits for one; false for frozen ones."""
        return any(state == "R" for pid in self.pids() for state in thread_states(pid))

    def pids(self) -> Collection[int]:
        if self._freezer is None:
            return (self.pid,)
        return [pid for pid in self._freezer.pids() if pid not in self._chain]

    def cpu_ms(self) -> float:
        """Return the CPU time of the bot: of its process, or of its whole group since the gate."""
        if self._freezer is None:
            return self._clock.read_ms()
        return self._freezer.cpu_ms() - self._chain_cpu_ms

    def controls(self) -> ProcessControls | None:
        """Return the fast controls; None for a bot with a freezer."""
        cpu_s = self._clock.straight()
        if self._freezer is not None or cpu_s is None:
            return None
        # Plain numbers: enum members would double the cost of the signal.
        stop, go = (
            functools.partial(signal.pidfd_send_signal, self._bot_fd, int(number))
            for number in (signal.SIGSTOP, signal.SIGCONT)
        )
        return ProcessControls(thaw=go, freeze=stop, cpu_s=cpu_s)

    def pin(self, cores: set[int]) -> None:
        """Pin the bot with all its processes, and later ones, to these cores; no error if it has ended.

        The bot's filter refuses to change it. Raise ``OSError`` if none of the cores is allowed.
        """
        for pid in (self.pid,) if self._freezer is None else self._freezer.pids():
            pin_threads(pid, cores)
        for thread in self.helpers():
            with contextlib.suppress(ProcessLookupError):
                os.sched_setaffinity(thread, cores)

    def peak_bytes(self) -> int:
        """Return the peak memory: of its whole group, else the resident memory of its process."""
        return self._group.peak_bytes() if self._group is not None else peak_bytes(self.pid)

    def refused_starts(self) -> int:
        return self._group.refused_starts() if self._group is not None else 0

    @property
    def is_group_removed(self) -> bool:
        """Whether its control group is removed; for use after ``finish``."""
        return self._group is None or self._group.is_removed

    def finish(self, *, died: bool) -> ProcessEnd:
        """Wait for the end of the chain or kill it; free uid, group and descriptors."""
        used_ms = self.cpu_ms()
        has_ended = False
        if died:
            self._wake_chain()
            has_ended = reap(self._process, END_WALL_S)
        if not has_ended:
            # The init of the outermost process namespace: the kernel ends all other processes in it first.
            _signal(self._outer_fd, signal.SIGKILL)
            if self._freezer is not None:
                # Not killed as a group: if its parent died too, that init would stay a zombie of the host.
                self._freezer.thaw()
        self._streams.close()
        if not has_ended and not reap(self._process, END_WALL_S):
            if self._freezer is not None:
                self._freezer.kill()
            self._process.kill()
            reap(self._process, END_WALL_S)
        memory_kills = self._group.memory_kills() if self._group is not None else 0
        self.release()
        if self._group is not None:
            self._group.remove()
        if self._lease is not None:
            self._lease.release()
        code = self._process.returncode
        if code is None:
            return ProcessEnd(
                ExitReason.INFRA, f"process {self._process.pid} of the sandbox cannot be ended", None
            )
        if not has_ended:
            return ProcessEnd(ExitReason.CLOSED, "the bot closed its pipes but did not end", None)
        if memory_kills and code != 0:
            assert self._group is not None
            limit = f"{self._group.limit_bytes >> 20} MiB"
            return ProcessEnd(ExitReason.MEMORY, f"its memory went over the limit of {limit}", code)
        return ProcessEnd(*self._meaning(code, used_ms), code)

    def release(self) -> None:
        """Close the descriptors and leave the chain as it is."""
        if self._descriptors is not None:
            self._descriptors.close()
            self._descriptors = None
        self._fds.close()

    def _wake_chain(self) -> None:
        if self._freezer is None:
            _signal(self._init_fd, signal.SIGCONT)
        else:
            self._freezer.thaw()

    def _hold(self, fd: int) -> int:
        self._fds.callback(os.close, fd)
        return fd

    def _meaning(self, code: int, used_ms: float) -> tuple[ExitReason, str]:
        """Return reason and detail for the chain's exit code; bwrap reports signals as 128 + n."""
        if code < 0:
            return ExitReason.INFRA, f"the sandbox was ended from outside by {signal_name(-code)}"
        if code == 0:
            return ExitReason.EXITED, "the process ended with exit code 0"
        if code == _BAD_SYSCALL:
            return ExitReason.BAD_SYSCALL, _BAD_SYSCALL_DETAIL
        if code == _CPU_SPENT or (code == _KILLED and used_ms >= self._cpu_limit_s * 1e3):
            return ExitReason.MATCH_CPU, f"over {self._cpu_limit_s} s of CPU time were used at this table"
        if code == _KILLED:
            return ExitReason.KILLED, "the process was killed from outside the sandbox"
        if code > 128:
            return ExitReason.SIGNALED, f"the process was ended by {signal_name(code - 128)}"
        return ExitReason.CRASHED, f"the process ended with exit code {code}"


def children(pid: int) -> list[int]:
    """Return the children of a process that were not waited for, oldest first; empty if it has ended."""
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def thread_states(pid: int) -> Iterator[str]:
    """Yield the kernel's state letter of each thread of a process; nothing if it has ended."""
    with contextlib.suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with contextlib.suppress(OSError):
                yield (thread / "stat").read_text().rpartition(")")[2].split()[0]


def _signal(fd: int, number: signal.Signals) -> None:
    try:
        signal.pidfd_send_signal(fd, number)
    except ProcessLookupError:
        return
