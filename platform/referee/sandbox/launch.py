"""Launches a bot in the sandbox: starts the chain, then admits the bot at its gate or abandons it."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import time
from pathlib import Path

from referee.contract import Limits
from referee.driver import DriverFault, ExitReason
from referee.errors import SandboxUnavailable
from referee.runtimes import Runtime, gate, safe_folder, stage_root
from referee.sandbox import chain
from referee.sandbox.cgroups import Cgroup, cgroup_site
from referee.sandbox.child import reap
from referee.sandbox.jailer import staged_jailer
from referee.sandbox.levels import Level
from referee.sandbox.niceness import pass_niceness
from referee.sandbox.owner import VARIABLE, owner_mark
from referee.sandbox.sandboxed_process import END_WALL_S, SandboxedProcess, children
from referee.sandbox.seccomp import filter_program
from referee.sandbox.stat_supervisor import take_descriptor, unavailable
from referee.sandbox.stdio import StdioPipes
from referee.sandbox.tools import PATH
from referee.sandbox.uids import UidLease, lease_uid

__all__ = ["END_WALL_S", "SETUP_WALL_S", "SandboxLaunch", "SandboxedProcess", "launch_sandbox"]

SETUP_WALL_S = 10.0
"""Maximum time to set up the sandbox, the platform's fault beyond. The bot's own clock starts later."""


class SandboxLaunch:
    def __init__(
        self,
        process: subprocess.Popen[bytes],
        streams: StdioPipes,
        lease: UidLease | None,
        group: Cgroup | None,
        level: Level,
        cpu_limit_s: int,
        label: str,
        *,
        is_watched: bool,
    ) -> None:
        """``is_watched``: the filter has a listener, which this process must answer."""
        self._process = process
        self._streams = streams
        self._is_watched = is_watched
        self._lease = lease
        self._group = group
        self._level = level
        self._cpu_limit_s = cpu_limit_s
        self._label = label
        self._is_over = False
        self._deadline = time.monotonic() + SETUP_WALL_S
        self.gate_fd = streams.stdout
        """Becomes readable when the gate is up or the chain has ended; then ``admit`` does not wait."""

    def admit(self) -> SandboxedProcess:
        """Wait until every layer is in place and let the bot start.

        DriverFault with INFRA has the message of the failed step; no process of the chain is left.
        """
        try:
            listener = self._await_gate()
            self._streams.order_read()
            box = SandboxedProcess(
                self._process, self._streams, self._lease, self._group, self._level, self._cpu_limit_s
            )
            try:
                if self._is_watched:
                    self._watch(box, listener)
                # Not before: a busy machine would prolong the setup, whose time is limited.
                pass_niceness(box.pid)
                # GO proves that this process was alive after every layer was tied to its life, before the bot
                # existed.
                os.write(box.stdin, gate.GO)
            except BaseException:
                box.release()
                raise
            return box
        except (OSError, SandboxUnavailable) as error:
            error_text = self.abandon()
            raise DriverFault(
                ExitReason.INFRA, f"{self._label}: sandbox not set up: {error_text or error}"
            ) from error
        except BaseException:
            self.abandon()
            raise

    def abandon(self) -> str:
        """End the chain before its bot exists, free its resources, return its last output. Idempotent."""
        if self._is_over:
            return ""
        self._is_over = True
        error_text = _abandon(self._process, self._streams)
        if self._group is not None:
            self._group.remove()
        if self._lease is not None:
            self._lease.release()
        return error_text

    def _await_gate(self) -> int:
        """Wait for the gate; return the number that the filter's listener has in its process."""
        poller = select.poll()
        poller.register(self.gate_fd, select.POLLIN)
        if not poller.poll(max(self._deadline - time.monotonic(), 0) * 1e3):
            raise TimeoutError(f"no word from the gate in {SETUP_WALL_S:.0f} s")
        reply = os.read(self.gate_fd, gate.REPLY_BYTES)
        if refused := gate.gate_error(reply):
            raise OSError(refused)
        return int.from_bytes(reply[4:], "little")

    def _watch(self, box: SandboxedProcess, listener: int) -> None:
        try:
            box.supervise_stat(take_descriptor(box.exit_fd, listener), int(chain.INSIDE_ID))
        except OSError as error:
            raise unavailable(error) from error


def launch_sandbox(
    bundle: Path,
    runtime: Runtime,
    entry_point: str,
    limits: Limits,
    *,
    cpu_limit_s: int,
    level: Level,
    label: str,
) -> SandboxLaunch:
    """Begin to set up a sandbox without waiting; it must be complete within ``SETUP_WALL_S``.

    DriverFault with INFRA has the message of the failed step.
    """
    with contextlib.ExitStack() as undo:
        try:
            program = filter_program(single_process=runtime.single_process, makes_pipes=runtime.makes_pipes)
            stage = stage_root()
            mount_point = safe_folder(stage / "empty")
            lease = lease_uid() if os.geteuid() == 0 else None
            if lease is not None:
                undo.callback(lease.release)
            group = Cgroup(cgroup_site(), limits, runtime) if level >= Level.FULL else None
            if group is not None:
                undo.callback(group.remove)
            streams = StdioPipes(stage)
            undo.callback(streams.close)
            os.write(streams.stdin, chain.gate_config(runtime, limits, program))
            spec = chain.LaunchSpec(
                level,
                lease.uid if lease is not None else None,
                mount_point,
                bundle,
                runtime,
                entry_point,
                limits,
                cpu_limit_s,
                group.join_files if group is not None else (),
            )
            order = streams.order_file(stage, chain.jailer_config(spec))
            process = subprocess.Popen(
                chain.command_line(spec, staged_jailer(stage), order),
                stdin=streams.bots_stdin,
                stdout=streams.bots_stdout,
                stderr=streams.bots_stderr,
                cwd="/",
                env={"PATH": PATH, VARIABLE: owner_mark()},
                start_new_session=True,
            )
            streams.handed_over()
        except (SandboxUnavailable, OSError, ValueError) as error:
            raise DriverFault(ExitReason.INFRA, f"{label}: {error}") from error
        undo.pop_all()
    return SandboxLaunch(
        process, streams, lease, group, level, cpu_limit_s, label, is_watched=runtime.makes_pipes
    )


def _abandon(process: subprocess.Popen[bytes], streams: StdioPipes) -> str:
    """End a chain that has not passed its gate; return its standard error."""
    deadline = time.monotonic() + END_WALL_S
    while not reap(process, 0.05):
        if time.monotonic() > deadline:
            process.kill()
            reap(process, END_WALL_S)
            break
        for pid in children(process.pid) or [process.pid]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    error_text = b""
    with contextlib.suppress(BlockingIOError):
        error_text = os.read(streams.stderr, 4096)
    streams.close()
    return " / ".join(error_text.decode(errors="replace").strip().splitlines())
