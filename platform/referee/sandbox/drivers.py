"""The two process drivers: in the sandbox, and without one for play on the author's machine."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Collection

from referee.driver import DriverFault, ExitReason
from referee.errors import SandboxUnavailable
from referee.sandbox.child import (
    BotProcess,
    Launch,
    ProcessClock,
    ProcessControls,
    ProcessEnd,
    close_pipes,
    peak_bytes,
    pin_threads,
    pipe_fds,
    reap,
    signal_name,
    wait_readable,
)
from referee.sandbox.launch import END_WALL_S, launch_sandbox
from referee.sandbox.levels import Level
from referee.sandbox.probe import require_level
from referee.sandbox.pump import PumpedDriver


class SandboxedDriver(PumpedDriver):
    """A driver for an untrusted bot. ``bundle_dir`` must be readable for the service users.

    The kernel ends the bot with the thread that started it.
    """

    def _begin(self) -> Launch:
        try:
            probed = require_level()
            level = probed.level
            if self.runtime.makes_pipes and probed.inode_failure is not None:
                raise SandboxUnavailable(*probed.inode_failure)
        except SandboxUnavailable as error:
            raise DriverFault(ExitReason.INFRA, f"{self.label}: {error}") from error
        if (self.runtime.needs_cgroup or not self.runtime.single_process) and level < Level.FULL:
            detail = f"{self.label}: runtime {self.runtime.name} needs a cgroup, which takes level FULL"
            raise DriverFault(ExitReason.INFRA, f"{detail}; this is {level.name}")
        return launch_sandbox(
            self.bundle_dir,
            self.runtime,
            self.entry_point,
            self.limits,
            cpu_limit_s=self.cpu_limit_s,
            level=level,
            label=self.label,
        )


PR_SET_PDEATHSIG = 1
"""From <linux/prctl.h>: the signal sent to a process when the thread that started it ends."""


class PlainProcessDriver(PumpedDriver):
    """A driver for a trusted bot: same lines, clocks and freezing, no isolation. Takes a ``host_runtime``.

    On Linux the kernel ends the bot with the thread that started it, as in the sandbox.
    """

    def _begin(self) -> Launch:
        if self.runtime.digest:
            raise ValueError(f"{self.label}: a tree of runtime {self.runtime.name} runs in the sandbox only")
        bundle = str(self.bundle_dir.resolve())
        argv = self.runtime.command(bundle, self.entry_point, self.limits.memory_bytes)
        try:
            process = subprocess.Popen(
                argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                cwd=tempfile.gettempdir(),
                env={"PATH": os.defpath, "LANG": "C.UTF-8", **self.runtime.env},
                start_new_session=True,
                preexec_fn=_ending_with(os.getpid()),
            )
        except OSError as error:
            raise DriverFault(
                ExitReason.INFRA, f"{self.label}: cannot start {argv[0]!r}: {error.strerror}"
            ) from error
        return PlainLaunch(PlainProcess(process))


def _ending_with(parent: int) -> Callable[[], None] | None:
    """Return a function for a child to run first, which ends it with ``parent``; None if unsupported.

    A frozen bot would not notice closed pipes.
    """
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None).prctl  # Loaded here: no lock may be taken between fork and exec.

    def set_signal() -> None:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)

    return set_signal


class PlainLaunch:
    """A launch that is complete at once, because there is no sandbox to wait for."""

    def __init__(self, child: PlainProcess) -> None:
        self._child = child

    def admit(self) -> BotProcess:
        return self._child

    def abandon(self) -> None:
        self._child.finish(died=False)


class PlainProcess(BotProcess):
    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self.stdin, self.stdout, self.stderr = pipe_fds(process)
        for fd in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(fd, False)
        self.exit_fd = os.pidfd_open(process.pid) if sys.platform == "linux" else None
        self._clock = ProcessClock(process.pid)

    def freeze(self) -> None:
        self._signal(signal.SIGSTOP)
        self._clock.awake(False)

    def thaw(self) -> None:
        self._clock.awake(True)
        self._signal(signal.SIGCONT)

    def cpu_ms(self) -> float:
        return self._clock.read_ms()

    def controls(self) -> ProcessControls | None:
        cpu_s = self._clock.straight()
        if cpu_s is None:
            return None
        stop, go = (
            functools.partial(os.kill, self._process.pid, int(n)) for n in (signal.SIGSTOP, signal.SIGCONT)
        )
        return ProcessControls(thaw=go, freeze=stop, cpu_s=cpu_s)

    def pids(self) -> Collection[int]:
        return (self._process.pid,)

    def pin(self, cores: set[int]) -> None:
        pin_threads(self._process.pid, cores)

    def peak_bytes(self) -> int:
        return peak_bytes(self._process.pid)

    def finish(self, *, died: bool) -> ProcessEnd:
        has_died = died and (self.exit_fd is None or bool(wait_readable([self.exit_fd], END_WALL_S)))
        # Before it is reaped, so its pid cannot be reused.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        close_pipes(self._process)
        reap(self._process, END_WALL_S)
        if self.exit_fd is not None:
            os.close(self.exit_fd)
        code = self._process.returncode
        if code is None:
            return ProcessEnd(ExitReason.INFRA, f"process {self._process.pid} cannot be ended", None)
        if not has_died:
            return ProcessEnd(ExitReason.CLOSED, "the bot closed its pipes but did not end", None)
        if code < 0:
            return ProcessEnd(ExitReason.SIGNALED, f"the process was ended by {signal_name(-code)}", code)
        reason = ExitReason.CRASHED if code else ExitReason.EXITED
        return ProcessEnd(reason, f"the process ended with exit code {code}", code)

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._process.pid, number)
