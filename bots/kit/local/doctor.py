"""``rensho doctor``: what this machine can do for bots, what it lacks, and what to do about it."""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
from collections.abc import Iterator
from typing import NamedTuple

import engine.kernel
from bots.kit.display.console import print_lines, print_result
from bots.kit.errors import DONE, ENVIRONMENT_FAILURE
from bots.kit.local.pool import core_count
from bots.kit.subcommands import Commands, add_command
from referee.capability import offers
from referee.errors import RefereeError, SandboxUnavailable
from referee.runtimes import DEFAULT_RUNTIME, all_recipes, host_runtime
from referee.runtimes.stage_area import require_area
from referee.sandbox import Level, minimum_level, probe, stage_root
from referee.sandbox.run_delay import MEASURED, NOT_MEASURED, REMEDY
from referee.table import engine_version

OK, MISSING, BLOCKING = "ok", "lacks", "bars"
"""Whether a part is there, is missing where one can do without, or keeps bots out of the sandbox."""
MARKS = {OK: "ok", MISSING: "--", BLOCKING: "NO"}
PART_WIDTH = 11
SANDBOX_WORKS = "Bots can be run in the sandbox here: check, play, compare and reproduce need no option."
SANDBOX_FAILS = (
    "Bots cannot be run in the sandbox here: check, play, compare and reproduce end with status 3."
)
NO_SANDBOX_HINT = (
    "With --no-sandbox they run as ordinary programs with all your rights, on this Python, and no limit on "
    "memory or files holds them: only for bots you trust."
)


class MachineCheck(NamedTuple):
    """What was found of one part."""

    part: str
    state: str
    """``ok``, ``lacks`` or ``bars``."""
    detail: str
    remedy: str = ""
    """What to do; empty if nothing need be done."""


def register(commands: Commands) -> None:
    """Add ``rensho doctor``."""
    add_command(
        commands,
        "doctor",
        "check what this machine supports for bots, and what it lacks",
        _doctor,
        description="Check everything bots need on this machine, and say how to get what is missing. "
        "Status 0 if they can be run in the sandbox, 3 if not.",
    )


def _doctor(arguments: argparse.Namespace) -> int:
    found = []
    for finding in machine_checks():
        found.append(finding)
        if not arguments.json:
            for line in _lines(finding):
                print_lines(line)
            sys.stdout.flush()
    can = not any(finding.state == BLOCKING for finding in found)
    report = {"can_sandbox": can, "findings": [finding._asdict() for finding in found]}
    print_result(
        arguments,
        report,
        lambda: print_lines("", SANDBOX_WORKS if can else f"{SANDBOX_FAILS} {NO_SANDBOX_HINT}"),
    )
    return DONE if can else ENVIRONMENT_FAILURE


def machine_checks() -> Iterator[MachineCheck]:
    """Every part, as it is looked at: the slow ones last, seconds on a machine's first time."""
    yield MachineCheck("rensho", OK, engine_version())
    yield MachineCheck("Python", OK, f"{platform.python_version()} ({sys.executable})")
    is_root = os.geteuid() == 0
    who = (
        "root, each bot as a user of its own" if is_root else f"uid {os.geteuid()}, all bots as the same user"
    )
    system = f"{platform.system()} {platform.release()} on {platform.machine()}, as {who}"
    yield MachineCheck("system", OK, system)
    yield _kernel()
    yield MachineCheck("cores", OK, f"{core_count()} for tables side by side (--jobs)")
    yield _stage()
    if sys.platform == "linux":
        yield from _sandbox()
        yield from _runtimes()
    else:
        remedy = "Use Linux, or WSL 2 on Windows."
        yield MachineCheck("sandbox", BLOCKING, f"it needs Linux, this is {sys.platform}", remedy)
    yield _host()


def _kernel() -> MachineCheck:
    """Whether what bots that search import is compiled."""
    if engine.kernel.is_compiled:
        return MachineCheck("kernel", OK, "engine.kernel is compiled")
    compiler = "Install a C compiler and Python's headers (apt-get install gcc python3-dev)"
    remedy = f"{compiler}, then install rensho again."
    return MachineCheck(
        "kernel", MISSING, "engine.kernel is not compiled: bots that search are far weaker here", remedy
    )


def _stage() -> MachineCheck:
    """The folder bots are run from: what it lies on, tried by writing into it."""
    try:
        root = stage_root()
        with tempfile.NamedTemporaryFile(dir=root, prefix=".doctor-"):
            pass
    except SandboxUnavailable as error:
        return MachineCheck("staging", BLOCKING, error.step, error.remedy)
    except OSError as error:
        remedy = "Make it writable, or set RENSHO_STAGE to another folder."
        return MachineCheck("staging", BLOCKING, f"{error.filename}: {error.strerror}", remedy)
    if sys.platform != "linux":
        return MachineCheck("staging", OK, f"{root} can be written")
    try:
        return MachineCheck("staging", OK, f"{require_area(root).description()}; it can be written")
    except SandboxUnavailable as error:
        return MachineCheck("staging", BLOCKING, error.step, error.remedy)


def _sandbox() -> Iterator[MachineCheck]:
    """Bubblewrap, the level it gives, each step that keeps it from a higher one, and control groups."""
    found = probe()
    if found.bwrap_path is not None:
        yield MachineCheck("bubblewrap", OK, f"{found.bwrap_path}, version {found.bwrap_version}")
    else:
        yield MachineCheck("bubblewrap", BLOCKING, "none that can be used; see the step below")
    try:
        wanted = minimum_level()
    except SandboxUnavailable as error:
        yield MachineCheck("sandbox", BLOCKING, error.step, error.remedy)
        return
    is_enough = found.level >= wanted
    remedy = ""
    if not is_enough:
        remedy = "Repair the steps below"
        remedy += f", or accept SANDBOX_MIN_LEVEL={found.level.name}." if found.level else "."
    detail = f"level {found.level.name}, required {wanted.name}"
    yield MachineCheck("sandbox", OK if is_enough else BLOCKING, detail, remedy)
    for failure in found.failures:
        yield MachineCheck("step", MISSING if is_enough else BLOCKING, failure.step, failure.remedy)
    if found.level >= Level.FULL:
        yield MachineCheck("cgroup", OK, found.cgroup)
    elif found.level > Level.NONE:
        detail = "none: memory is limited as address space, and runtimes of several processes cannot run"
        yield MachineCheck("cgroup", MISSING, detail)
    if found.level > Level.NONE:
        if found.measures_run_delay:
            yield MachineCheck("waits", OK, MEASURED)
        else:
            yield MachineCheck("waits", MISSING, NOT_MEASURED, REMEDY)


def _runtimes() -> Iterator[MachineCheck]:
    for offer in offers():
        if not offer.refusal:
            yield MachineCheck(offer.name, OK, f"in the sandbox, digest {offer.digest[:12]}")
        else:
            state = BLOCKING if offer.name == DEFAULT_RUNTIME else MISSING
            yield MachineCheck(offer.name, state, offer.refusal, offer.remedy)


def _host() -> MachineCheck:
    """What runs with ``--no-sandbox``."""
    able, unable = [], []
    for name in all_recipes():
        try:
            host_runtime(name)
            able.append(name)
        except RefereeError as error:
            unable.append(f"{name}: {error}")
    return MachineCheck("no sandbox", OK, "; ".join([f"--no-sandbox runs {', '.join(able)}", *unable]))


def _lines(finding: MachineCheck) -> Iterator[str]:
    yield f"{MARKS[finding.state]}  {finding.part:<{PART_WIDTH}} {finding.detail}"
    if finding.remedy:
        yield f"    {'':<{PART_WIDTH}} -> {finding.remedy}"
