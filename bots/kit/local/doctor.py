"""``rensho doctor``: supported features of this machine, missing parts and their remedies."""

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
from bots.kit.local.workers import core_count
from bots.kit.subcommands import Commands, add_command
from referee.capability import RuntimeOffer, offers
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
SANDBOX_WORKS = "The sandbox works here: bots need no option to run in it."
SANDBOX_FAILS = "The sandbox does not work here: commands that run bots exit with status 3."
NO_SANDBOX_HINT = (
    "With --no-sandbox, bots run as ordinary programs with all your permissions and without limits on memory "
    "and files: only for bots you trust."
)


class MachineCheck(NamedTuple):
    part: str
    state: str
    """``ok``, ``lacks`` (missing, not required) or ``bars`` (prevents the sandbox)."""
    detail: str
    remedy: str = ""
    """Remedy; empty if nothing is required."""


def register(commands: Commands) -> None:
    add_command(
        commands,
        "doctor",
        "check what this machine supports for bots, and what is missing",
        _doctor,
        description="Check everything that bots need on this machine, and print how to install what is "
        "missing. Status 0 if the sandbox works, 3 if not.",
    )


def _doctor(arguments: argparse.Namespace) -> int:
    checks = []
    for finding in machine_checks():
        checks.append(finding)
        if not arguments.json:
            for line in _lines(finding):
                print_lines(line)
            sys.stdout.flush()
    can = not any(finding.state == BLOCKING for finding in checks)
    report = {"can_sandbox": can, "findings": [finding._asdict() for finding in checks]}
    print_result(
        arguments,
        report,
        lambda: print_lines("", SANDBOX_WORKS if can else f"{SANDBOX_FAILS} {NO_SANDBOX_HINT}"),
    )
    return DONE if can else ENVIRONMENT_FAILURE


def machine_checks() -> Iterator[MachineCheck]:
    """Yield the check of each part. The slow ones are last and take seconds the first time on a machine."""
    yield MachineCheck("rensho", OK, engine_version())
    yield MachineCheck("Python", OK, f"{platform.python_version()} ({sys.executable})")
    is_root = os.geteuid() == 0
    users = "each bot runs as its own user" if is_root else "all bots run as the same user"
    who = "root" if is_root else f"uid {os.geteuid()}"
    system = f"{platform.system()} {platform.release()} on {platform.machine()}, as {who}; {users}"
    yield MachineCheck("system", OK, system)
    yield _kernel()
    yield MachineCheck("cores", OK, f"{core_count()} for tables in parallel (--jobs)")
    yield _stage()
    if sys.platform == "linux":
        yield from _sandbox()
        yield from _runtimes()
    else:
        remedy = "Use Linux, or WSL 2 on Windows."
        yield MachineCheck("sandbox", BLOCKING, f"it requires Linux, this is {sys.platform}", remedy)
    yield _host()


def _kernel() -> MachineCheck:
    if engine.kernel.is_compiled:
        return MachineCheck("kernel", OK, "engine.kernel is compiled")
    compiler = "Install a C compiler and Python's headers (apt-get install gcc python3-dev)"
    remedy = f"{compiler}, then install rensho again."
    return MachineCheck(
        "kernel", MISSING, "engine.kernel is not compiled: bots that search are far weaker here", remedy
    )


def _stage() -> MachineCheck:
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
        return MachineCheck("staging", OK, f"{root} is writable")
    try:
        return MachineCheck("staging", OK, f"{require_area(root).description()}; it is writable")
    except SandboxUnavailable as error:
        return MachineCheck("staging", BLOCKING, error.step, error.remedy)


def _sandbox() -> Iterator[MachineCheck]:
    """Check Bubblewrap, the sandbox level, the steps that prevent a higher level, and control groups."""
    capability = probe()
    if capability.bwrap_path is not None:
        yield MachineCheck("bubblewrap", OK, f"{capability.bwrap_path}, version {capability.bwrap_version}")
    else:
        yield MachineCheck("bubblewrap", BLOCKING, "not usable: see the step below")
    try:
        required = minimum_level()
    except SandboxUnavailable as error:
        yield MachineCheck("sandbox", BLOCKING, error.step, error.remedy)
        return
    is_enough = capability.level >= required
    remedy = ""
    if not is_enough:
        remedy = "Repair the steps below"
        remedy += f", or accept SANDBOX_MIN_LEVEL={capability.level.name}." if capability.level else "."
    detail = f"level {capability.level.name}, required {required.name}"
    yield MachineCheck("sandbox", OK if is_enough else BLOCKING, detail, remedy)
    for failure in capability.failures:
        yield MachineCheck("step", MISSING if is_enough else BLOCKING, failure.step, failure.remedy)
    if capability.level >= Level.FULL:
        yield MachineCheck("cgroup", OK, capability.cgroup)
    elif capability.level > Level.NONE:
        detail = "none: memory is limited as address space, and runtimes of several processes cannot run"
        yield MachineCheck("cgroup", MISSING, detail)
    if capability.level > Level.NONE:
        if capability.measures_run_delay:
            yield MachineCheck("waits", OK, MEASURED)
        else:
            yield MachineCheck("waits", MISSING, NOT_MEASURED, REMEDY)


def _runtimes() -> Iterator[MachineCheck]:
    for offer in offers():
        if not offer.refusal:
            yield MachineCheck(offer.name, OK, _runtime_text(offer))
        else:
            state = BLOCKING if offer.name == DEFAULT_RUNTIME else MISSING
            yield MachineCheck(offer.name, state, offer.refusal, offer.remedy)


def _runtime_text(offer: RuntimeOffer) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in offer.versions.items())
    return f"in the sandbox, digest {offer.digest[:12]}" + (f", {versions}" if versions else "")


def _host() -> MachineCheck:
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
