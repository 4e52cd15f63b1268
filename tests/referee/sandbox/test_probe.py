"""The probe says what holds here, and fails closed with a remedy when a part is missing or lies."""

import errno
import functools
import json
import os
import platform
import struct
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from referee.capability import offers
from referee.contract import Limits
from referee.driver import DriverFault, ExitReason
from referee.errors import SandboxUnavailable
from referee.runtimes import runtime_named
from referee.sandbox import (
    Level,
    SandboxedDriver,
    canary,
    chain,
    control_files,
    launch,
    minimum_level,
    probe,
    probe_group,
    require_level,
)
from referee.sandbox.cgroups import Cgroup
from referee.sandbox.launch import SandboxedProcess
from referee.sandbox.seccomp import filter_program
from referee.sandbox.syscalls import ALLOWED
from tests.refusals import refusal

pytestmark = pytest.mark.full

Wrap = Callable[[str], Path]


@pytest.fixture
def bwrap_as(staged: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Wrap]:
    """Puts a shell script in bubblewrap's place."""

    def put(script: str) -> Path:
        path = staged / f"bwrap-{uuid.uuid4().hex}"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        monkeypatch.setenv("SANDBOX_BWRAP", str(path))
        return path

    yield put
    monkeypatch.undo()
    probe(force=True)


def without(option: str, values: int = 0) -> str:
    """A bubblewrap that leaves out one option and its values."""
    return f"""
    [ "$1" = --version ] && exec /usr/bin/bwrap --version
    for word in "$@"; do
        shift
        if [ "$word" = {option} ]; then skip={values}
        elif [ "${{skip:-0}}" -gt 0 ]; then skip=$((skip - 1))
        else set -- "$@" "$word"; fi
    done
    exec /usr/bin/bwrap "$@"
    """


def test_this_machine_can_run_bots() -> None:
    found = probe()
    assert found.level >= Level.FULL1, found.failures
    # What keeps it from FULL, if anything, is held against the machine in test_groups.
    assert bool(found.failures) == (found.level < Level.FULL)
    assert bool(found.cgroup) == (found.level is Level.FULL)
    assert found.bwrap_path is not None
    assert found.bwrap_version is not None
    assert require_level() is found


def test_the_probe_is_asked_once_a_process() -> None:
    assert probe() is probe()


def test_a_level_not_reached_is_refused_with_a_remedy(without_groups: None) -> None:
    with pytest.raises(SandboxUnavailable, match="SANDBOX_CGROUP=off") as caught:
        require_level(Level.FULL)
    assert caught.value.remedy
    assert require_level(Level.FULL1).level is Level.FULL1


@pytest.fixture
def without_groups(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("SANDBOX_CGROUP", "off")
    probe(force=True)
    yield
    monkeypatch.undo()
    probe(force=True)


def nothing(_: object) -> None:
    """Nothing."""


FREEZERS = (control_files.FreezerV1, control_files.FreezerV2)


def no_memory_cap(*_: object, **__: object) -> None:
    """Nothing."""


def no_process_cap(file: Path, text: str) -> None:
    """All orders but one."""
    if file.name != "pids.max":
        ORDER(file, text)


ORDER = control_files.write_control


def test_it_says_whether_the_kernel_tells_of_waits_and_grants_the_level_in_any_case(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = probe()
    assert found.measures_run_delay
    with monkeypatch.context() as patch:
        patch.setattr(sys.modules[probe.__module__], "sample", lambda *_: None)
        again = probe(force=True)
    assert (again.level, again.measures_run_delay) == (found.level, False)
    assert probe(force=True).measures_run_delay


def without_joining(
    made: chain.LaunchSpec, whole: Callable[[chain.LaunchSpec], bytes] = chain.jailer_config
) -> bytes:
    return whole(made._replace(join_files=()))


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    ("places", "name", "instead", "step"),
    [
        ((control_files,), "limit_memory", no_memory_cap, "memory"),
        ((control_files,), "write_control", no_process_cap, "processes"),
        ((chain,), "jailer_config", without_joining, "processes"),
        ((control_files,), "memory_peak_bytes", lambda *_: 0, "memory"),
        (FREEZERS, "freeze", nothing, "freezing"),
        ((SandboxedProcess,), "thaw", nothing, "thawed"),
        (FREEZERS, "cpu_ms", lambda _: 1.0, "CPU time"),
        ((SandboxedProcess,), "is_group_removed", property(lambda _: False), "it is not removed"),
        ((Cgroup,), "is_removed", property(lambda _: False), "remove"),
    ],
    ids=["memory", "processes", "joining", "peak", "freezing", "thawing", "cpu", "removal", "trial"],
)
def test_the_second_canary_sees_what_its_group_does_not_do(
    monkeypatch: pytest.MonkeyPatch, places: tuple[object, ...], name: str, instead: object, step: str
) -> None:
    """Each single thing taken away costs level FULL, and no more than that."""
    found = probe()
    if found.level is Level.FULL:
        with monkeypatch.context() as patch:
            patch.setattr(probe_group, "ADVANCE_WALL_S", 1.0)
            for place in places:
                patch.setattr(place, name, instead)
            found = probe(force=True)
        assert step in found.failures[0].step
        assert "SANDBOX_CGROUP=off" in found.failures[0].remedy
        assert probe(force=True).level is Level.FULL
    assert found.level is Level.FULL1
    assert found.failures


@pytest.mark.parametrize("named", ["NONE", "full", "9", ""])
def test_a_minimum_that_is_no_level_is_refused(monkeypatch: pytest.MonkeyPatch, named: str) -> None:
    monkeypatch.setenv("SANDBOX_MIN_LEVEL", named)
    assert "SANDBOX_MIN_LEVEL" in str(refusal(SandboxUnavailable, minimum_level))


def test_the_minimum_is_full1_unless_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SANDBOX_MIN_LEVEL", raising=False)
    assert minimum_level() is Level.FULL1
    monkeypatch.setenv("SANDBOX_MIN_LEVEL", "COMPAT")
    assert minimum_level() is Level.COMPAT


@pytest.mark.parametrize(
    ("script", "named"),
    [
        ("echo bubblewrap 0.7.9", "0.7.9"),
        ("echo nonsense", "nonsense"),
        ('[ "$1" = --version ] && echo bubblewrap 0.9.0 || { echo no luck >&2; exit 1; }', "no luck"),
    ],
)
def test_a_bubblewrap_that_will_not_do(bwrap_as: Wrap, script: str, named: str) -> None:
    bwrap_as(script)
    found = probe(force=True)
    assert found.level is Level.NONE
    assert named in found.failures[0].step
    assert found.failures[0].remedy


def test_a_setuid_bubblewrap_is_refused(bwrap_as: Wrap) -> None:
    path = bwrap_as("exec /usr/bin/bwrap")
    path.chmod(0o4755)
    found = probe(force=True)
    assert found.level is Level.NONE
    assert "setuid" in found.failures[0].step


def test_a_missing_bubblewrap_is_named(monkeypatch: pytest.MonkeyPatch, bwrap_as: Wrap) -> None:
    monkeypatch.setenv("SANDBOX_BWRAP", "/no/such/bwrap")
    found = probe(force=True)
    assert found.level is Level.NONE
    assert "/no/such/bwrap" in found.failures[0].step


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("option", "values", "act"),
    [
        ("--clearenv", 0, "see the environment"),
        ("--remount-ro", 1, "write outside /tmp"),
        ("--unshare-pid", 0, "sandbox not set up"),
    ],
)
def test_the_canary_sees_a_wall_that_is_missing(bwrap_as: Wrap, option: str, values: int, act: str) -> None:
    bwrap_as(without(option, values))
    found = probe(force=True)
    assert found.level is Level.NONE
    assert any(act in failure.step for failure in found.failures), found.failures


def lenient(*_: object, **__: object) -> bytes:
    """A filter that allows everything."""
    return struct.pack("HBBI", 0x06, 0, 0, 0x7FFF0000)


def test_the_canary_sees_that_no_filter_holds_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(launch, "filter_program", lenient)
        found = probe(force=True)
    assert found.level is Level.NONE
    assert any("open a socket" in failure.step for failure in found.failures), found.failures
    assert probe(force=True).level > Level.NONE


def refused_descriptor(pidfd: int, number: int) -> int:
    """What a container without the capability meets."""
    raise PermissionError(errno.EPERM, "Operation not permitted")


@pytest.mark.parametrize("wall", ["listener", "capability"])
def test_where_numbers_are_seen_only_runtimes_that_make_none_are_offered(
    monkeypatch: pytest.MonkeyPatch, wall: str, hostile: Path
) -> None:
    """The level is what it was: Python needs none of this."""
    whole = probe(force=True)
    assert whole.inode_failure is None
    with monkeypatch.context() as patch:
        if wall == "listener":
            calls = (ALLOWED[platform.machine()][call] for call in ("fstat", "newfstatat", "statx"))
            program = functools.partial(filter_program, also_allowed=frozenset(calls))
            patch.setattr(launch, "filter_program", program)
        else:
            patch.setattr(launch, "take_descriptor", refused_descriptor)
        made = offers(again=True)
        found = probe()
    try:
        assert found.level is whole.level
        assert found.inode_failure is not None
        if wall == "listener":
            assert "numbers" in found.inode_failure.step
        else:
            assert "SYS_PTRACE" in found.inode_failure.remedy
        runtime = runtime_named("binary/1")
        driver = SandboxedDriver(hostile, runtime, "obliging.py", Limits(), cpu_limit_s=5, label="seat 1")
        caught = refusal(DriverFault, driver.start)
        assert caught.reason is ExitReason.INFRA
        assert found.inode_failure.step in caught.detail
        assert [offer.name for offer in made if not offer.refusal] == ["python/1", "python/2"]
        assert found.inode_failure.remedy in {offer.remedy for offer in made}
    finally:
        assert probe(force=True).inode_failure is None
        offers(again=True)


def test_without_a_sandbox_no_bot_is_started(bwrap_as: Wrap, hostile: Path) -> None:
    runtime = runtime_named("python/1")
    bwrap_as(without("--clearenv"))
    probe(force=True)
    driver = SandboxedDriver(hostile, runtime, "obliging.py", Limits(), cpu_limit_s=5, label="seat 1")
    caught = refusal(DriverFault, driver.start)
    assert caught.reason is ExitReason.INFRA
    assert "seat 1" in caught.detail


def test_the_canary_gets_through_where_nothing_holds_it() -> None:
    """Otherwise its silence would prove nothing. Only acts that harm nobody outside a sandbox."""
    assert canary.refused(canary.connect) is not None
    assert canary.look_around() is not None
    assert canary.read_files() is not None
    assert canary.environment() is not None
    assert canary.threads() is not None
    assert canary.refused(lambda: os.close(os.memfd_create("x"))) is not None


MASKED = """
import json, os, sys
from pathlib import Path
from referee.capability import offers
from referee.contract import Limits
from referee.driver import DriverFault
from referee.runtimes import runtime_named
from referee.sandbox import SandboxedDriver, probe
found = probe()
driver = SandboxedDriver(
    Path(sys.argv[1]), runtime_named("python/1"), "obliging.py", Limits(), cpu_limit_s=5, label="bot"
)
lines = []
try:
    driver.start()
    lines.append(driver.collect(cpu_limit_ms=3000, wall_limit_ms=10_000).line.decode())
    driver.post(b"os.getpid()")
    lines.append(driver.collect(cpu_limit_ms=3000, wall_limit_ms=10_000).line.decode())
except DriverFault as fault:
    lines.append(fault.reason)
driver.close()
lines.append(Path(f"/proc/self/task/{os.getpid()}/children").read_text())
print(json.dumps([found.level.name, [list(failure) for failure in found.failures], lines]))
"""


@pytest.mark.parametrize(
    ("minimum", "lines"),
    [("COMPAT", ["ready", "2", ""]), ("FULL1", ["INFRA", ""])],
    ids=["accepted", "not accepted"],
)
def test_under_a_masked_proc_the_level_is_compat(hostile: Path, minimum: str, lines: list[str]) -> None:
    """As in a container with its defaults: part of /proc is covered, so no fresh one may be mounted."""
    own = ["--user", "--map-current-user", "--keep-caps"] if os.geteuid() != 0 else []
    mask = 'mount --bind /dev/null /proc/version && exec setpriv --inh-caps=-all --ambient-caps=-all "$@"'
    done = subprocess.run(
        ["unshare", *own, "--mount", "sh", "-c", mask, "sh", sys.executable, "-c", MASKED, str(hostile)],
        env={**os.environ, "PYTHONPATH": ":".join(sys.path), "SANDBOX_MIN_LEVEL": minimum},
        capture_output=True,
        text=True,
        timeout=60,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stderr
    level, failures, said = json.loads(done.stdout)
    assert level == "COMPAT"
    assert "process namespace" in failures[0][0]
    assert "COMPAT" in failures[0][1]
    assert said == lines


@pytest.mark.skipif(os.geteuid() != 0, reason="only root's bots are other users")
def test_root_without_a_capability_for_its_bots_is_told_so() -> None:
    """Otherwise the probe would be green, or end with an error, and each table fail."""
    text = (
        "import json; from referee.sandbox import probe; found = probe(); "
        "print(json.dumps([found.level.name, *found.failures[0]]))"
    )
    lost = "-sys_nice,-kill"
    command = ["setpriv", f"--bounding-set={lost}", f"--inh-caps={lost}", "--", sys.executable, "-c", text]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True, env=environment)
    level, step, remedy = json.loads(done.stdout)
    assert level == "NONE"
    assert "KILL, SYS_NICE" in step
    assert "--cap-add" in remedy


def test_a_bot_that_cannot_be_pinned_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(SandboxedProcess, "pin", refuse)
    try:
        found = probe(force=True)
        assert found.level is Level.NONE
        assert "sched_setaffinity" in found.failures[0].step
    finally:
        monkeypatch.undo()
        probe(force=True)
