"""Every part an installation needs, looked at one by one: what is red, and what to do about it."""

from __future__ import annotations

import datetime
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator

from django.conf import settings
from django.db import Error as DatabaseError
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from arena.accounts.models import AuditEvent
from arena.common.database import server_figures
from arena.jobs.ages import ages
from arena.jobs.broker import BrokerError, broker_binary_find, broker_place, broker_state
from arena.jobs.finding import Finding
from arena.jobs.health_bots import (
    look_at_limits,
    look_at_runtimes,
    look_at_sandbox,
    look_at_stage,
    look_at_waits,
    look_at_workers,
)
from arena.jobs.health_web import look_at_metrics, look_at_proxies
from arena.jobs.supervisor import status_read

__all__ = ["Finding", "findings"]

FREE_BYTES = 1 << 30
"""Less free space in the data folder is red: a broker or database that cannot write loses its footing."""
CLOCK_DRIFT_S = 2.0
"""Leases are compared across machines; 30 s of lease bear this much."""
PYTHON = (3, 11)
DATABASE, MIGRATIONS = "database", "migrations"
DETAIL_CHARS = 300
CONNECTIONS_SPARE = 10
"""Fewer free connections of PostgreSQL are red: a worker that starts takes about six."""


def findings() -> Iterator[Finding]:
    """Look at every part in turn; one that breaks is red and does not hide the others."""
    for part, look in PARTS.items():
        try:
            yield from look(part)
        except DatabaseError as error:
            detail = " ".join(f"{type(error).__name__}: {error}".split())
            yield Finding(part, False, detail[:DETAIL_CHARS], database_remedy(part))
        except OSError as error:
            yield Finding(part, False, str(error), "Check the file system and its rights.")


def database_remedy(part: str) -> str:
    """What to do about an error of the database, by the part that met it."""
    if part != DATABASE:
        return f"Mend {DATABASE} and {MIGRATIONS} first." if part != MIGRATIONS else f"Mend {DATABASE} first."
    if connection.vendor == "sqlite":
        return f"Give {settings.DATA} to the user who runs this; if the file is damaged, restore a backup."
    return (
        "Start PostgreSQL and look at DATABASE_URL: host, port, role, password, and that the database exists "
        "(deploy/README.md makes role and database). 'too many clients': max_connections is used up."
    )


def _python(part: str) -> Iterator[Finding]:
    version = sys.version_info[:3]
    need = ".".join(map(str, PYTHON))
    is_ok = version >= PYTHON
    yield Finding(
        part, is_ok, ".".join(map(str, version)), "" if is_ok else f"Install Python {need} or newer."
    )


def _data(part: str) -> Iterator[Finding]:
    with tempfile.NamedTemporaryFile(dir=settings.DATA, prefix=".doctor-"):
        pass
    yield Finding(part, True, f"{settings.DATA} can be written")


def _disk(part: str) -> Iterator[Finding]:
    free = shutil.disk_usage(settings.DATA).free
    is_ok = free >= FREE_BYTES
    remedy = f"Free at least {FREE_BYTES >> 30} GiB, or set RENSHO_DATA to a larger disk."
    yield Finding(part, is_ok, f"{free / (1 << 30):.1f} GiB free", "" if is_ok else remedy)


def _database(part: str) -> Iterator[Finding]:
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("PRAGMA journal_mode")
            mode = cursor.fetchone()[0]
            is_ok = mode == "wal"
            remedy = "Move the data folder to a local disk: WAL does not work on network file systems."
            yield Finding(part, is_ok, f"SQLite, journal mode {mode}", "" if is_ok else remedy)
            return
        cursor.execute("SELECT version()")
        yield Finding(part, True, str(cursor.fetchone()[0]).split(" on ")[0])
    if (server := server_figures()) is None:
        return
    is_ok = server.left >= CONNECTIONS_SPARE
    remedy = (
        "Raise max_connections of PostgreSQL and restart it, or lower what Rensho may take: "
        "DATABASE_POOL of the web, RENSHO_TABLES of the workers (deploy/README.md has the sum)."
    )
    detail = f"{server.used} of {server.limit} connections in use, {server.left} left"
    yield Finding("connections", is_ok, detail, "" if is_ok else remedy)


def _migrations(part: str) -> Iterator[Finding]:
    executor = MigrationExecutor(connection)
    missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    remedy = "Run manage.py migrate (manage.py up does it by itself)."
    if missing:
        yield Finding(part, False, f"{len(missing)} not applied, first {missing[0][0]}", remedy)
    else:
        yield Finding(part, True, "all applied")


def _broker(part: str) -> Iterator[Finding]:
    place = broker_place(settings.REDIS_URL)
    is_running = not settings.BROKER_IS_OURS or status_read(settings.DATA) is not None
    try:
        if not is_running:
            binary = broker_binary_find()
            yield Finding(part, True, f"not running; manage.py up starts {binary.path} ({binary.origin})")
            return
        state = broker_state(settings.REDIS_URL)
    except BrokerError as error:
        remedy = (
            f"Read {settings.DATA}/logs/broker.log, then restart manage.py up."
            if settings.BROKER_IS_OURS
            else "Start that server, or correct REDIS_URL: host, port, password (requirepass of the server)."
        )
        yield Finding(part, False, str(error), remedy)
        return
    yield Finding(part, True, f"{place} answers, version {state.version}")
    how = "in its configuration file, or with CONFIG SET and CONFIG REWRITE."
    remedy = "" if state.appends else f"Set 'appendonly yes' {how} Without it a restart forgets the queue."
    kept = "kept in an append-only file" if state.appends else "lost at a restart: appendonly is off"
    yield Finding("queue persistence", state.appends, f"queued work is {kept}", remedy)
    is_ok = state.eviction == "noeviction"
    remedy = "" if is_ok else f"Set 'maxmemory-policy noeviction' {how} Others drop queued work silently."
    yield Finding("queue eviction", is_ok, f"maxmemory-policy {state.eviction}", remedy)


def _clock(part: str) -> Iterator[Finding]:
    now = timezone.now()
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT clock_timestamp()")
            drift = abs((cursor.fetchone()[0] - now).total_seconds())
        is_ok = drift <= CLOCK_DRIFT_S
        remedy = "Set both clocks by NTP: leases are compared across machines."
        yield Finding(part, is_ok, f"{drift:.1f} s from the database's", "" if is_ok else remedy)
        return
    last = AuditEvent.objects.order_by("-at").values_list("at", flat=True).first()
    is_ok = last is None or last <= now + datetime.timedelta(seconds=CLOCK_DRIFT_S)
    detail = f"{now:%Y-%m-%d %H:%M:%S} UTC"
    remedy = "" if is_ok else "Set the clock: deadlines and leases are counted by it."
    yield Finding(
        part, is_ok, detail if is_ok else f"{detail}, but the last deed on record is of {last}", remedy
    )


def _supervisor(part: str) -> Iterator[Finding]:
    status = status_read(settings.DATA)
    if status is None:
        yield Finding(part, True, "not running; manage.py up starts it")
        return
    yield Finding(part, True, f"pid {status['pid']}, {status['url']}")


def _ages(part: str) -> Iterator[Finding]:
    """The oldest of everything the system must end; red if a deadline has passed that the tick keeps."""
    found = [age for age in ages() if age.seconds]
    late = [age for age in found if age.is_overdue]
    is_running = status_read(settings.DATA) is not None
    if is_running:
        remedy = f"The tick does not do its work: look at {settings.DATA}/logs/housekeeping.log."
    elif settings.BROKER_IS_OURS:
        remedy = "Start manage.py up."
    else:
        remedy = "Look at journalctl -u rensho-housekeeping -u rensho-beat: both have to run."
    for age in late:
        limit = _told(age.at_most or 0)
        yield Finding(
            part, False, f"{age.what} {age.state} for {_told(age.seconds)}, at most {limit}", remedy
        )
    for age in found:
        if age not in late:
            bound = f" of {_told(age.at_most)} at most" if age.at_most else ""
            yield Finding(part, True, f"{age.what} {age.state} for {_told(age.seconds)}{bound}")
    if not found:
        yield Finding(part, True, "nothing waits")


def _told(seconds: float) -> str:
    """A length of time in the largest unit that leaves a number of two digits or so."""
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"


PARTS: dict[str, Callable[[str], Iterator[Finding]]] = {
    "python": _python,
    "data folder": _data,
    "disk space": _disk,
    DATABASE: _database,
    MIGRATIONS: _migrations,
    "broker": _broker,
    "sandbox": look_at_sandbox,
    "runtime": look_at_runtimes,
    "limits": look_at_limits,
    "staging area": look_at_stage,
    "clock": _clock,
    "proxies": look_at_proxies,
    "metrics": look_at_metrics,
    "supervisor": _supervisor,
    "worker": look_at_workers,
    "waiting": look_at_waits,
    "ages": _ages,
}
