"""What the doctor looks at for the bots' sake: sandbox, runtimes, limits, staging area, workers, waits."""

from __future__ import annotations

import dataclasses
import os
import shutil
from collections import defaultdict
from collections.abc import Iterator

from django.conf import settings
from django.db.models import Count

from arena.jobs.finding import Finding
from arena.jobs.supervisor import status_read
from arena.matches.limits import bot_limits
from arena.matches.waits import tables_waiting
from arena.matches.workers import UNAVAILABLE, workers_alive
from arena.roster.models import CheckRun
from arena.settings.limits import PREFIX, variable_of
from referee.capability import offers
from referee.contract import Limits
from referee.errors import SandboxUnavailable
from referee.sandbox import minimum_level, probe, stage_root

STAGE_FREE_BYTES = 1 << 30
"""Less free space below the staging area is red: runtimes and bundles are unpacked there."""
GO_UP = "Only if more is wanted: "


def look_at_sandbox(part: str) -> Iterator[Finding]:
    """Bubblewrap, the level, what keeps it from being higher, and the control groups."""
    found = probe()
    where = f"{found.bwrap_path}, version {found.bwrap_version}" if found.bwrap_path else "not found"
    remedy = "" if found.bwrap_path else "apt-get install bubblewrap"
    yield Finding("bubblewrap", found.bwrap_path is not None, where, remedy)
    try:
        wanted = minimum_level()
    except SandboxUnavailable as error:
        yield Finding(part, False, error.step, error.remedy)
        return
    is_ok = found.level >= wanted
    for failure in found.failures:
        # What a higher level would take is worth knowing, but nothing to repair.
        yield Finding("sandbox step", is_ok, failure.step, f"{GO_UP if is_ok else ''}{failure.remedy}")
    groups = found.cgroup or "none: memory is bounded by address space, processes by seccomp"
    yield Finding("cgroup", True, groups)
    remedy = "Repair the steps above" + (
        f", or accept SANDBOX_MIN_LEVEL={found.level.name}." if found.level else "."
    )
    detail = f"level {found.level.name}, required {wanted.name}"
    yield Finding(part, is_ok, detail, "" if is_ok else remedy)


def look_at_runtimes(part: str) -> Iterator[Finding]:
    """Every runtime there is: its digest, or why it cannot be run here. Red if bots can run on none."""
    found = offers()
    can_run_any = any(not offer.refusal for offer in found)
    for offer in found:
        if offer.refusal:
            remedy = f"{GO_UP if can_run_any else ''}{offer.remedy}"
            yield Finding(part, can_run_any, f"{offer.name} is not offered: {offer.refusal}", remedy)
        else:
            yield Finding(part, True, f"{offer.name} {offer.digest[:12]}")
    if settings.WORKER_RUNTIMES:
        strange = [name for name in settings.WORKER_RUNTIMES if name not in {offer.name for offer in found}]
        remedy = f"Correct WORKER_RUNTIMES: there is no {', '.join(strange)}." if strange else ""
        yield Finding(
            part,
            not strange,
            f"workers offer {', '.join(settings.WORKER_RUNTIMES)} (WORKER_RUNTIMES)",
            remedy,
        )


def look_at_limits(part: str) -> Iterator[Finding]:
    """What a bot's process may use, and settings that look like a limit and are none."""
    limits = dataclasses.asdict(bot_limits())
    usual = dataclasses.asdict(Limits())
    shown = ", ".join(
        f"{name} {value}{'' if value == usual[name] else ' (set)'}" for name, value in limits.items()
    )
    yield Finding(part, True, shown)
    known = {variable_of(name) for name in limits}
    strange = sorted(name for name in os.environ if name.startswith(PREFIX) and name not in known)
    if strange:
        remedy = f"If one was meant as a limit, it has no effect; the names are {', '.join(sorted(known))}."
        yield Finding(part, True, f"{', '.join(strange)} in the environment", remedy)


def look_at_stage(part: str) -> Iterator[Finding]:
    """Where bundles and runtimes are unpacked, and how much space is left."""
    try:
        root = stage_root()
    except SandboxUnavailable as error:
        yield Finding(part, False, error.step, error.remedy)
        return
    free = shutil.disk_usage(root).free
    is_ok = free >= STAGE_FREE_BYTES
    remedy = f"Free at least {STAGE_FREE_BYTES >> 30} GiB, or set RENSHO_STAGE to a larger disk."
    yield Finding(part, is_ok, f"{root}, {free / (1 << 30):.1f} GiB free", "" if is_ok else remedy)


def look_at_workers(part: str) -> Iterator[Finding]:
    """Who is alive and what each can run; whether they mean the same by the same name."""
    alive = list(workers_alive())
    digests = defaultdict(set)
    for worker in alive:
        what = ", ".join(sorted(worker.runtimes)) or "no bots"
        detail = f"{worker.name}: level {worker.sandbox_level}, {worker.capacity} at once, runs {what}"
        if worker.cause:
            detail = f"{detail}, but takes no tables for now ({worker.cause})"
        yield Finding(part, bool(worker.runtimes) and not worker.cause, detail, worker.detail)
        for name, digest in worker.runtimes.items():
            digests[name].add(digest)
    for name in sorted(name for name, found in digests.items() if len(found) > 1):
        remedy = "Bots may find other libraries from table to table: bring the workers to the same release."
        yield Finding(part, True, f"{name} is not the same on all workers", remedy)
    if not alive and status_read(settings.DATA) is not None:
        yield Finding(part, False, "none seen lately", "Read logs/tables.log in the data folder.")


def look_at_waits(part: str) -> Iterator[Finding]:
    """Tables and checks that no living worker can run. Red: only an operator can help."""
    tables = tables_waiting().filter(reason__startswith=UNAVAILABLE)
    checks = CheckRun.objects.filter(state=CheckRun.State.WAITING, reason__startswith=UNAVAILABLE)
    counts = [
        ("tables", tables.order_by().values_list("reason").annotate(count=Count("pk"))),
        ("checks", checks.order_by().values_list("reason").annotate(count=Count("pk"))),
    ]
    waits = [
        f"{count} {what}: {reason.removeprefix(UNAVAILABLE)}"
        for what, rows in counts
        for reason, count in rows
    ]
    remedy = (
        "Start a worker that offers it (see the runtimes above), or have its authors change theirs; "
        f"tables are given up after {settings.TABLE_WAITING_HOURS} hours."
    )
    for wait in waits:
        yield Finding(part, False, wait, remedy)
    if not waits:
        yield Finding(part, True, "nothing waits for a runtime")
