"""Health checks for running bots: sandbox, runtimes, limits, staging area, workers, waiting work."""

from __future__ import annotations

import dataclasses
import os
from collections import defaultdict
from collections.abc import Iterator

from django.conf import settings
from django.db.models import Count
from django.utils import timezone

from arena.common.causes import WaitingFor
from arena.common.features import HealthResult
from arena.common.notes import note_text
from arena.common.revisions import revision
from arena.matches.orders import bot_limits
from arena.matches.waits import tables_waiting
from arena.matches.workers import workers_alive
from arena.operations.supervisor import status_read
from arena.roster.models import CheckRun
from arena.tables.offers import offers
from referee.contract import Limits
from referee.errors import SandboxUnavailable
from referee.runtimes.stage_area import RECOMMENDED_SIZE, require_area
from referee.sandbox import minimum_level, probe, stage_root
from referee.sandbox.run_delay import MEASURED, NOT_MEASURED, REMEDY

STAGE_FREE_BYTES = 64 << 20
"""Minimum free bytes of the staging area, where bundles and new runtimes are unpacked."""
CLOCK_DRIFT_S = 2.0
"""Maximum clock difference in seconds between machines, which a lease of 30 s tolerates."""
NONE = "workers"
"""Part of the result if there is no live worker."""
GO_UP = "Optional, for a higher level: "


AHEAD = (
    "Synchronise both clocks with NTP: if the worker ends, its tables wait longer by this difference. If the "
    "clock of this machine was set back, restart the workers."
)


def check_sandbox(part: str) -> Iterator[HealthResult]:
    """Check bubblewrap, the capability level, what limits it, and control groups."""
    level = probe()
    where = f"{level.bwrap_path}, version {level.bwrap_version}" if level.bwrap_path else "not found"
    remedy = "" if level.bwrap_path else "apt-get install bubblewrap"
    yield HealthResult("bubblewrap", level.bwrap_path is not None, where, remedy)
    try:
        required = minimum_level()
    except SandboxUnavailable as error:
        yield HealthResult(part, False, error.step, error.remedy)
        return
    is_ok = level.level >= required
    for failure in level.failures:
        # The requirements of a higher level are information, not something to repair.
        yield HealthResult("sandbox step", is_ok, failure.step, f"{GO_UP if is_ok else ''}{failure.remedy}")
    groups = level.cgroup or "none: memory is bounded by address space, processes by seccomp"
    yield HealthResult("cgroup", True, groups)
    # Without it nothing stands still: bots pay for a busy machine.
    waits = MEASURED if level.measures_run_delay else NOT_MEASURED
    yield HealthResult(
        "waits for a core", True, waits, "" if level.measures_run_delay else f"Optional: {REMEDY}"
    )
    remedy = "Fix the steps above" + (
        f", or accept SANDBOX_MIN_LEVEL={level.level.name}." if level.level else "."
    )
    users = "each bot as a user of its own" if os.geteuid() == 0 else "all bots as this command's user"
    detail = f"level {level.level.name}, required {required.name}, {users}"
    yield HealthResult.with_remedy(part, is_ok, detail, remedy)


def check_runtimes(part: str) -> Iterator[HealthResult]:
    """Report each runtime's digest, or why it cannot run here. Fails if no runtime works."""
    offered = offers()
    can_run_any = any(not offer.refusal for offer in offered)
    for offer in offered:
        if offer.refusal:
            remedy = f"{GO_UP if can_run_any else ''}{offer.remedy}"
            yield HealthResult(part, can_run_any, f"{offer.name} is not offered: {offer.refusal}", remedy)
        else:
            yield HealthResult(part, True, f"{offer.name} {offer.digest[:12]}")
    if settings.WORKER_RUNTIMES:
        unknown = [name for name in settings.WORKER_RUNTIMES if name not in {offer.name for offer in offered}]
        remedy = f"Correct WORKER_RUNTIMES: there is no {', '.join(unknown)}." if unknown else ""
        yield HealthResult(
            part,
            not unknown,
            f"workers offer {', '.join(settings.WORKER_RUNTIMES)} (WORKER_RUNTIMES)",
            remedy,
        )


def check_limits(part: str) -> Iterator[HealthResult]:
    limits = dataclasses.asdict(bot_limits())
    usual = dataclasses.asdict(Limits())
    values = ", ".join(
        f"{name} {value}{'' if value == usual[name] else ' (set)'}" for name, value in limits.items()
    )
    yield HealthResult(part, True, values)


def check_stage(part: str) -> Iterator[HealthResult]:
    try:
        area = require_area(stage_root())
    except SandboxUnavailable as error:
        yield HealthResult(part, False, error.step, error.remedy)
        return
    is_ok = not area.size_bytes or area.free_bytes >= STAGE_FREE_BYTES
    remedy = (
        f"The area is too full: mount -o remount,size={RECOMMENDED_SIZE} {area.mount}, or remove other files."
    )
    yield HealthResult.with_remedy(part, is_ok, area.description(), remedy)


def check_workers(part: str) -> Iterator[HealthResult]:
    """Report live workers with their runtimes, and runtimes whose digests differ between workers."""
    alive = list(workers_alive())
    digests = defaultdict(set)
    for worker in alive:
        runtimes = ", ".join(sorted(worker.runtimes)) or "no bots"
        detail = f"{worker.name}: level {worker.sandbox_level}, {worker.capacity} at once, runs {runtimes}"
        if worker.cause:
            detail = f"{detail}, but takes no tables at present ({worker.cause})"
        yield HealthResult(part, bool(worker.runtimes) and not worker.cause, detail, worker.detail)
        ahead_s = (worker.heartbeat_at - timezone.now()).total_seconds()
        if ahead_s > CLOCK_DRIFT_S:
            detail = f"{worker.name}: its clock is {ahead_s:.0f} s ahead of this one"
            yield HealthResult(part, False, detail, AHEAD)
        for name, digest in worker.runtimes.items():
            digests[name].add(digest)
    for name in sorted(name for name, versions in digests.items() if len(versions) > 1):
        remedy = "Bots may get different libraries at each table. Install the same release on all workers."
        yield HealthResult(part, True, f"{name} differs between workers", remedy)
    yield from _revisions({worker.revision for worker in alive if worker.revision})
    if not alive and status_read(settings.DATA) is not None:
        yield HealthResult(NONE, False, "no worker seen lately", "Read logs/tables.log in the data folder.")
    elif not alive and not settings.BROKER_IS_MANAGED:
        remedy = (
            "Nothing is played or checked without one; it takes up to half a minute to start. On each "
            "machine with workers: systemctl start rensho-worker.target, then read journalctl -u "
            "'rensho-worker@*'. One that runs has a clock that is behind: see that NTP runs there."
        )
        yield HealthResult(NONE, False, "no worker seen lately", remedy)


def _revisions(revisions: set[str]) -> Iterator[HealthResult]:
    """Check that all workers run the same code as this command."""
    names = ", ".join(sorted(revisions))
    if len(revisions) > 1:
        remedy = "Update every machine to the same revision and restart its workers."
        yield HealthResult("revision", False, f"workers run {names}; this code is {revision()}", remedy)
    elif revisions and revisions != {revision()}:
        remedy = "If this machine was updated, restart the workers; otherwise update it."
        yield HealthResult("revision", True, f"workers run {names}; this code is {revision()}", remedy)
    else:
        yield HealthResult("revision", True, revision())


def check_waits(part: str) -> Iterator[HealthResult]:
    """Report tables and checks that no live worker can run. Fails, since only an operator can help."""
    tables = tables_waiting().filter(waiting_for=WaitingFor.RUNTIME)
    checks = CheckRun.objects.filter(state=CheckRun.State.WAITING, waiting_for=WaitingFor.RUNTIME)
    counts = [
        ("tables", tables.order_by().values_list("note").annotate(count=Count("pk"))),
        ("checks", checks.order_by().values_list("note").annotate(count=Count("pk"))),
    ]
    waits = [f"{count} {kind}: {note_text(note)}" for kind, rows in counts for note, count in rows]
    remedy = (
        "Start a worker that offers it (see the runtimes above), or ask the authors to change their bots; "
        f"tables are given up after {settings.TABLE_WAITING_HOURS_MAX} hours."
    )
    for wait in waits:
        yield HealthResult(part, False, wait, remedy)
    if not waits:
        yield HealthResult(part, True, "nothing is waiting for a runtime")
