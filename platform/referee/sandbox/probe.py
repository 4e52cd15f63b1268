"""Tests which level the sandbox reaches on this machine. Only verified restrictions count.

A canary bot in the real sandbox attempts forbidden actions. For level FULL, a second canary tries to exceed
its control group; a third one reads inode numbers of pipes. If the sandbox cannot be set up at all, its parts
are tested one by one.
"""

from __future__ import annotations

import functools
import json
import os
from pathlib import Path

from referee.contract import Limits
from referee.driver import DriverFault
from referee.errors import SandboxUnavailable
from referee.runtimes import DEFAULT_RUNTIME, Runtime, runtime_named, safe_folder, stage_root
from referee.runtimes.stage import BOTS_GROUP, staged_files
from referee.runtimes.stage_area import default_root, require_area
from referee.sandbox import canary, canary_group, canary_inodes
from referee.sandbox.cgroups import cgroup_site
from referee.sandbox.launch import SandboxedProcess, launch_sandbox
from referee.sandbox.levels import Failure, Level, ProbeResult, minimum_level
from referee.sandbox.probe_group import ENTRY_POINT, try_group
from referee.sandbox.probe_inodes import ENTRY_POINT as NUMBERS
from referee.sandbox.probe_inodes import report_of, try_inodes
from referee.sandbox.run_delay import sample
from referee.sandbox.seccomp import filter_program
from referee.sandbox.tools import bwrap, command_error, tool
from referee.sandbox.uids import lease_uid

CANARY_CPU_S = 10
ROOT_CAPABILITIES = {"KILL": 5, "SETGID": 6, "SETUID": 7, "SETPCAP": 8, "SYS_NICE": 23}
"""Numbers of the capabilities with which root starts, pins and ends bots, which are users of their own."""

_USER_NAMESPACES = (
    "Allow unprivileged user namespaces: sysctl user.max_user_namespaces above 0, "
    "kernel.unprivileged_userns_clone=1 or kernel.apparmor_restrict_unprivileged_userns=0 where they exist; "
    "in a container also a seccomp profile that allows clone, unshare, mount, umount2 and pivot_root."
)
_OUTER_PIDS = (
    "Let the container have an unmasked /proc (Kubernetes: hostUsers false and procMount Unmasked; "
    "Docker: systempaths=unconfined), or accept SANDBOX_MIN_LEVEL=COMPAT."
)
_SETPRIV = "Give the worker the capabilities SETUID, SETGID and SETPCAP, or run it as an ordinary user."
_PIN = "Allow sched_setaffinity: check the container's seccomp profile and the cores of its cpuset."
_MOUNTS = "Allow mount inside user namespaces: check AppArmor, SELinux and the container's seccomp profile."
_REPORT = "Do not run bots here; report this with the output of the probe."


def probe(force: bool = False) -> ProbeResult:
    """Return the sandbox level of this machine; cached per process unless ``force``.

    Costs about a third of a second, plus seconds if ``python/1`` must be built.
    """
    if force:
        for cached in (_probe_once, bwrap, tool, default_root, runtime_named, cgroup_site):
            cached.cache_clear()
    return _probe_once()


def require_level(minimum: Level | None = None) -> ProbeResult:
    """Return the probe's result if it reaches ``minimum`` (default: ``minimum_level()``).

    ``SandboxUnavailable`` has the first failed step and the remedy.
    """
    required = minimum_level() if minimum is None else minimum
    probed = probe()
    if probed.level >= required:
        return probed
    if probed.failures:
        raise SandboxUnavailable(*probed.failures[0])
    raise SandboxUnavailable(
        f"level is {probed.level.name}, {required.name} is required",
        f"Set SANDBOX_MIN_LEVEL={probed.level.name} if that is enough.",
    )


@functools.cache
def _probe_once() -> ProbeResult:
    try:
        bubblewrap = bwrap()
    except SandboxUnavailable as error:
        return ProbeResult(Level.NONE, (Failure(error.step, error.remedy),), None, None)
    if lacking := _missing_capabilities():
        step = f"root lacks the capabilities {', '.join(lacking)}, to start, pin and end bots as other users"
        remedy = (
            "Give them to the worker (Docker: --cap-add), or run it as an ordinary user, which needs none."
        )
        return ProbeResult(Level.NONE, (Failure(step, remedy),), *bubblewrap)
    try:
        filter_program(single_process=True)
        require_area(stage_root())
        runtime = runtime_named(DEFAULT_RUNTIME)
        bundle = _stage_canary()
    except SandboxUnavailable as error:
        return ProbeResult(Level.NONE, (Failure(error.step, error.remedy),), *bubblewrap)
    except OSError as error:
        remedy = "Make RENSHO_STAGE writable, or set another."
        return ProbeResult(Level.NONE, (Failure(f"cannot stage the canary: {error}", remedy),), *bubblewrap)
    failures: list[Failure] = []
    try:
        site = cgroup_site()
    except SandboxUnavailable as error:
        failures.append(Failure(error.step, error.remedy))
    else:
        failure = _try(Level.FULL, runtime, bundle) or try_group(runtime, bundle)
        if failure is None:
            inode_failure = try_inodes(runtime, bundle, Level.FULL)
            return ProbeResult(
                Level.FULL, (), *bubblewrap, site.description(), _Observed.measures_run_delay, inode_failure
            )
        failures.append(failure)
    for level in (Level.FULL1, Level.COMPAT):
        failure = _try(level, runtime, bundle)
        if failure is None:
            inode_failure = try_inodes(runtime, bundle, level)
            return ProbeResult(
                level,
                _by_weight(failures),
                *bubblewrap,
                measures_run_delay=_Observed.measures_run_delay,
                inode_failure=inode_failure,
            )
        failures.append(failure)
    return ProbeResult(Level.NONE, _by_weight(failures), *bubblewrap)


def _missing_capabilities() -> list[str]:
    """Return the capabilities that this process needs as root and does not have."""
    if os.geteuid() != 0:
        return []
    lines = Path("/proc/self/status").read_text().splitlines()
    effective = next((int(line.split()[1], 16) for line in lines if line.startswith("CapEff:")), 0)
    return [name for name, number in ROOT_CAPABILITIES.items() if not effective >> number & 1]


class _Observed:
    measures_run_delay = True


def _by_weight(failures: list[Failure]) -> tuple[Failure, ...]:
    """Sort failures: those of the lowest unreached level first, since higher levels need the same."""
    return tuple(dict.fromkeys(reversed(failures)))


def _stage_canary() -> Path:
    sources = {
        "main.py": Path(canary.__file__),
        ENTRY_POINT: Path(canary_group.__file__),
        NUMBERS: Path(canary_inodes.__file__),
    }
    return staged_files("canary", {name: file.read_bytes() for name, file in sources.items()})


def _try(level: Level, runtime: Runtime, bundle: Path) -> Failure | None:
    """Run the canary; return None if every attempt was refused."""
    limits = Limits(
        address_space_bytes=canary.ADDRESS_SPACE_BYTES,
        threads=canary.THREADS,
        open_files=canary.OPEN_FILES,
        scratch_bytes=canary.SCRATCH_BYTES,
        scratch_inodes=canary.SCRATCH_INODES,
    )
    try:
        box = launch_sandbox(
            bundle, runtime, "main.py", limits, cpu_limit_s=CANARY_CPU_S, level=level, label="canary"
        ).admit()
    except DriverFault as fault:
        return _diagnose(level) or Failure(fault.detail, _REPORT)
    pin_failure = _try_pin(box)
    _Observed.measures_run_delay = sample(box.pids(), box.cpu_ms()) is not None
    answer, log_text = report_of(box)
    if pin_failure is not None:
        return pin_failure
    try:
        report = json.loads(answer)
    except ValueError:
        return Failure(
            f"canary at level {level.name}: {log_text}",
            "Check the runtime tree below RENSHO_STAGE; delete it to rebuild.",
        )
    missing = [act for act in canary.ACTS if act not in report]
    broken = {act: got for act, got in report.items() if got is not None}
    if missing or broken:
        act = next(iter(broken), None) or missing[0]
        return Failure(
            f"canary at level {level.name} could {act}: {broken.get(act, 'not reported')}", _REPORT
        )
    return None


def _try_pin(box: SandboxedProcess) -> Failure | None:
    """Pin the canary to the cores that it has, as a table pins its bots to one of them."""
    try:
        box.pin(os.sched_getaffinity(0))
    except OSError as error:
        return Failure(f"cannot pin a bot to a core (sched_setaffinity): {error.strerror}", _PIN)
    return None


def _diagnose(level: Level) -> Failure | None:
    """Return the first part of the chain that fails on its own; None if all work."""
    lease = lease_uid() if os.geteuid() == 0 else None
    try:
        drop: tuple[str, ...] = ()
        if lease is not None:
            drop = (
                "--reuid",
                f"{lease.uid}",
                "--regid",
                f"{lease.uid}",
                "--groups",
                f"{BOTS_GROUP}",
                "--bounding-set=-all",
            )
        privileges = [
            tool("setpriv"),
            *drop,
            "--inh-caps=-all",
            "--ambient-caps=-all",
            "--no-new-privs",
            "--",
        ]
        users = [*privileges, tool("unshare"), "--user", "--map-root-user", "--mount"]
        mount = [*users, "--propagation", "private", "--", tool("mount"), "-n", "-i", "-t", "tmpfs", "tmpfs"]
        inner = [*privileges, str(bwrap().path), "--unshare-all", "--ro-bind", "/", "/", "--", tool("true")]
        steps: list[tuple[str, list[str], str]] = [
            (
                "mark processes for the OOM killer",
                [tool("sh"), "-c", "echo 1000 >/proc/self/oom_score_adj"],
                "Mount /proc writable.",
            ),
            ("change to a service user (setpriv)", [*privileges, tool("true")], _SETPRIV),
            ("make a user namespace (unshare)", [*users, "--", tool("true")], _USER_NAMESPACES),
            ("mount a scratch disk in it", [*mount, str(safe_folder(stage_root() / "empty"))], _MOUNTS),
            ("make the inner namespaces (bwrap)", inner, _USER_NAMESPACES),
        ]
        if level >= Level.FULL1:
            pids = [*users, "--pid", "--mount-proc", "--fork", "--kill-child", "--", tool("true")]
            steps.append(("make a process namespace with its own /proc", pids, _OUTER_PIDS))
        for step, command, remedy in steps:
            error_text = command_error(command)
            if error_text is not None:
                return Failure(f"cannot {step}: {error_text}", remedy)
    except SandboxUnavailable as error:
        return Failure(error.step, error.remedy)
    finally:
        if lease is not None:
            lease.release()
    return None
