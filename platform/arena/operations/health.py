"""Health checks of an installation, each with a remedy if it fails."""

from __future__ import annotations

import datetime
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator

import redis
from django.conf import settings
from django.core.files.storage import storages
from django.db import Error as DatabaseError
from django.db import connection
from django.db.models import Count, OuterRef, Subquery
from django.utils import timezone

from arena.accounts.models import AuditEvent
from arena.accounts.openid.health import check_provider
from arena.common import database_errors
from arena.common.blob_storages import BlobStorage
from arena.common.blobs import blobs_verified_at
from arena.common.database import server_stats
from arena.common.database_errors import MIGRATE, database_detail
from arena.common.features import HealthResult
from arena.common.maintenance import maintenance_read
from arena.common.migration_steps import contract_blockers, unapplied_steps
from arena.common.models import Blob, LostBlob
from arena.common.revisions import database_refusal, is_ahead, release
from arena.common.web_presence import web_processes
from arena.matches.models import Table, TickState
from arena.matches.workers import tables_in_play
from arena.mounts import FEATURES
from arena.operations.broker import BrokerError, broker_binary_find, broker_state
from arena.operations.disks import FULL_SHARE, disks, storage_problem
from arena.operations.health_bots import (
    CLOCK_DRIFT_S,
    check_limits,
    check_runtimes,
    check_sandbox,
    check_stage,
    check_waits,
    check_workers,
)
from arena.operations.health_play import check_backup, check_quarantine, check_recent
from arena.operations.installation import web_answers
from arena.operations.staleness import TICK_S, OldestRow, oldest_rows
from arena.operations.supervisor import status_read
from arena.settings.broker import broker_place
from arena.settings.names import unknown_name_warnings

__all__ = ["HealthResult", "health_results"]

FREE_BYTES = 1 << 30
"""Minimum free bytes in the data folder: broker and database stop if they cannot write."""
PYTHON = (3, 11)
DATABASE, MIGRATIONS, STALENESS = "database", "migrations", "staleness"
MAX_VIEWS_COUNTED = 10_000
CONNECTIONS_SPARE = 10
"""Minimum free connections of PostgreSQL: a starting worker needs about six."""


def health_results(parts: Iterable[str] | None = None) -> Iterator[HealthResult]:
    """Run all checks, or these, in turn; an error in one is a failure and does not stop the others."""
    for part in PARTS if parts is None else parts:
        try:
            yield from PARTS[part](part)
        except DatabaseError as error:
            yield HealthResult(part, False, database_detail(error), database_remedy(part))
        except OSError as error:
            yield HealthResult(part, False, str(error), "Check the file system and its permissions.")


def database_remedy(part: str) -> str:
    """Return the remedy for a database error, by the check that met it."""
    if part != DATABASE:
        return (
            f"Repair {DATABASE} and {MIGRATIONS} first."
            if part != MIGRATIONS
            else f"Repair {DATABASE} first."
        )
    return database_errors.database_remedy()


def _python(part: str) -> Iterator[HealthResult]:
    version = sys.version_info[:3]
    need = ".".join(map(str, PYTHON))
    is_ok = version >= PYTHON
    yield HealthResult(
        part, is_ok, ".".join(map(str, version)), "" if is_ok else f"Install Python {need} or newer."
    )


def _data(part: str) -> Iterator[HealthResult]:
    with tempfile.NamedTemporaryFile(dir=settings.DATA, prefix=".doctor-"):
        pass
    yield HealthResult(part, True, f"{settings.DATA} is writable")


def _disk(part: str) -> Iterator[HealthResult]:
    devices = set()
    for disk in disks():
        # The staging area has its own check, with its own minimum.
        if disk.place == "staging" or disk.device in devices:
            continue
        devices.add(disk.device)
        name = "data folder" if disk.place == "data" else disk.place
        remedy = (
            f"Free at least {FREE_BYTES >> 30} GiB, or move the {name} to a larger disk: with systemd units "
            "by mounting the disk there (deploy/README.md, The data folder), with manage.py up by "
            "RENSHO_DATA."
        )
        detail = f"{name}: {disk.free_bytes / (1 << 30):.1f} GiB free"
        is_ok = disk.free_bytes >= FREE_BYTES
        share = f", over {FULL_SHARE:.0%} in use" if disk.is_full else ""
        yield HealthResult(part, is_ok, detail + share, "" if is_ok and not disk.is_full else remedy)


def _database(part: str) -> Iterator[HealthResult]:
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("PRAGMA journal_mode")
            mode = cursor.fetchone()[0]
            is_ok = mode == "wal"
            remedy = "Move the data folder to a local disk: WAL does not work on network file systems."
            yield HealthResult.with_remedy(part, is_ok, f"SQLite, journal mode {mode}", remedy)
            return
        cursor.execute("SELECT version()")
        yield HealthResult(part, True, str(cursor.fetchone()[0]).split(" on ")[0])
    if (server := server_stats()) is None:
        return
    is_ok = server.available >= CONNECTIONS_SPARE
    remedy = (
        "Raise max_connections of PostgreSQL and restart it, or lower what Rensho may use: "
        "DATABASE_POOL of the web, RENSHO_TABLES of the workers (deploy/README.md has the sum)."
    )
    detail = f"{server.used} of {server.limit} connections in use, {server.available} left"
    yield HealthResult.with_remedy("connections", is_ok, detail, remedy)


def _migrations(part: str) -> Iterator[HealthResult]:
    if refusal := database_refusal():
        yield HealthResult(
            part, False, refusal, "Update the code, or restore the backup made before the update."
        )
        return
    if is_ahead():
        yield HealthResult(part, True, f"of a newer release, beside which this one, {release()}, can run")
        return
    steps = unapplied_steps()
    if steps.expand:
        detail = f"{len(steps.expand)} not applied, first {steps.expand[0]}"
        yield HealthResult(part, False, detail, MIGRATE)
    elif steps.contract:
        blockers = contract_blockers(steps.contract)
        detail = f"{len(steps.contract)} of the second step not applied, first {steps.contract[0]}"
        remedy = f"First end: {', '.join(blockers)}." if blockers else MIGRATE
        yield HealthResult(part, True, detail, remedy)
    else:
        yield HealthResult(part, True, "all applied")


def _broker(part: str) -> Iterator[HealthResult]:
    socket = broker_place(settings.REDIS_URL)
    is_running = not settings.BROKER_IS_MANAGED or status_read(settings.DATA) is not None
    try:
        if not is_running:
            binary = broker_binary_find()
            yield HealthResult(
                part, True, f"not running; manage.py up starts {binary.path} ({binary.origin})"
            )
            return
        state = broker_state(settings.REDIS_URL)
    except BrokerError as error:
        remedy = (
            f"Read {settings.DATA}/logs/broker.log, then restart manage.py up."
            if settings.BROKER_IS_MANAGED
            else "Start that server, or correct REDIS_URL: host, port, password (requirepass of the server)."
        )
        yield HealthResult(part, False, str(error), remedy)
        return
    yield HealthResult(part, True, f"{socket} answers, version {state.version}")
    how = "in its configuration file, or with CONFIG SET and CONFIG REWRITE."
    remedy = "" if state.appends else f"Set 'appendonly yes' {how} Without it a restart loses the queue."
    persistence = "stored in an append-only file" if state.appends else "lost at a restart: appendonly is off"
    yield HealthResult("queue persistence", state.appends, f"queued work is {persistence}", remedy)
    is_ok = state.eviction == "noeviction"
    remedy = (
        "" if is_ok else f"Set 'maxmemory-policy noeviction' {how} Other policies silently drop queued work."
    )
    yield HealthResult("queue eviction", is_ok, f"maxmemory-policy {state.eviction}", remedy)


def _clock(part: str) -> Iterator[HealthResult]:
    now = timezone.now()
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT clock_timestamp()")
            drift = abs((cursor.fetchone()[0] - now).total_seconds())
        is_ok = drift <= CLOCK_DRIFT_S
        remedy = "Synchronise both clocks with NTP: leases are compared across machines."
        yield HealthResult.with_remedy(part, is_ok, f"{drift:.1f} s apart from the database's clock", remedy)
        return
    last = AuditEvent.objects.order_by("-created_at").values_list("created_at", flat=True).first()
    is_ok = last is None or last <= now + datetime.timedelta(seconds=CLOCK_DRIFT_S)
    detail = f"{now:%Y-%m-%d %H:%M:%S} UTC"
    remedy = "" if is_ok else "Set the clock: deadlines and leases depend on it."
    yield HealthResult(
        part, is_ok, detail if is_ok else f"{detail}, but the latest audit event is of {last}", remedy
    )


def _maintenance(part: str) -> Iterator[HealthResult]:
    state = maintenance_read()
    if state is None:
        yield HealthResult(part, True, "off")
        return
    detail = f"on since {state.since:%Y-%m-%d %H:%M} UTC, tables in play: {tables_in_play()}"
    yield HealthResult(part, True, detail, "At the end of the maintenance: manage.py maintenance off.")


def _supervisor(part: str) -> Iterator[HealthResult]:
    status = status_read(settings.DATA)
    if status is None:
        yield HealthResult(part, True, "not running; manage.py up starts it")
        return
    yield HealthResult(part, True, f"pid {status['pid']}, {status['url']}")


def _web(part: str) -> Iterator[HealthResult]:
    """Check that the site served by manage.py up answers; elsewhere, that some machine serves the site."""
    status = status_read(settings.DATA)
    if status is None and not settings.BROKER_IS_MANAGED:
        yield _web_processes(part)
    if status is None or not status.get("url"):
        return
    children = status.get("children")
    web = children.get("web") if isinstance(children, dict) else None
    starts = web.get("starts") if isinstance(web, dict) else None
    again = f", started {starts} times" if isinstance(starts, int) and starts > 1 else ""
    is_ok = web_answers(str(status["url"]))
    remedy = f"Read {settings.DATA}/logs/web.log; it takes a few seconds to start."
    state_text = "answers" if is_ok else "does not answer"
    yield HealthResult.with_remedy(part, is_ok, f"{status['url']} {state_text}{again}", remedy)


def _web_processes(part: str) -> HealthResult:
    try:
        processes = web_processes()
    except redis.RedisError as error:
        return HealthResult(part, False, f"not known: {error}", "Repair the broker first.")
    remedy = (
        "On the machine that serves the site: systemctl start rensho-web, then journalctl -u rensho-web. "
        "It takes a few seconds to start."
    )
    detail = ", ".join(processes) or "no machine serves the site"
    return HealthResult.with_remedy(part, bool(processes), detail, remedy)


def _proxies(part: str) -> Iterator[HealthResult]:
    proxies = settings.TRUSTED_PROXIES
    if proxies:
        yield HealthResult(part, True, f"trusted: {', '.join(proxies)}")
    elif settings.SECURE_PROXY_SSL_HEADER:
        remedy = (
            "Set RENSHO_TRUSTED_PROXIES to the addresses of the proxy as the site sees them: 127.0.0.1,::1"
        )
        yield HealthResult(
            part,
            False,
            "RENSHO_HTTPS=1, but no proxy is trusted, so all visitors count as one address",
            remedy,
        )
    else:
        yield HealthResult(part, True, "none trusted: X-Forwarded-For is ignored")


def _metrics(part: str) -> Iterator[HealthResult]:
    access = settings.METRICS_ACCESS
    if access.is_public:
        yield HealthResult(part, True, "/metrics is public (RENSHO_METRICS=public)")
        return
    readers = ["staff", *access.networks, *(["holders of a token"] if access.tokens else [])]
    remedy = (
        ""
        if len(readers) > 1
        else "To allow a scraper, set RENSHO_METRICS to public, networks or token:SECRET."
    )
    yield HealthResult(part, True, f"/metrics is for {', '.join(readers)}", remedy)


def _settings(part: str) -> Iterator[HealthResult]:
    """Report environment variables that look like settings but are not; they may belong to other programs."""
    unknown = unknown_name_warnings(os.environ)
    for message in unknown:
        yield HealthResult(part, True, message, "Correct the name, or remove it from the environment.")
    if not unknown:
        yield HealthResult(part, True, "no unknown variables")


def _features(_: str) -> Iterator[HealthResult]:
    is_supervised = status_read(settings.DATA) is not None
    for feature in FEATURES:
        yield from feature.health(is_supervised)


def _connections_of_features(_: str) -> Iterator[HealthResult]:
    for feature in FEATURES:
        yield from feature.connection_health()


def _staleness(part: str) -> Iterator[HealthResult]:
    yield from staleness_results(part, oldest_rows())


def staleness_results(part: str, rows: Iterable[OldestRow]) -> Iterator[HealthResult]:
    """Check the oldest row in each temporary state; fails if the tick should have ended it."""
    stale = [oldest for oldest in rows if oldest.seconds]
    late = [oldest for oldest in stale if oldest.is_overdue]
    remedy = _tick_remedy()
    for oldest in stale:
        detail = f"{oldest.what} {oldest.state} for {_duration(oldest.seconds)}"
        if oldest in late:
            yield HealthResult(part, False, f"{detail}, at most {_duration(oldest.at_most or 0)}", remedy)
        else:
            bound = f" of {_duration(oldest.at_most)} at most" if oldest.at_most else ""
            yield HealthResult(part, True, f"{detail}{bound}")
    if not stale:
        yield HealthResult(part, True, "nothing is waiting")


def _tick(part: str) -> Iterator[HealthResult]:
    """Check that the tick runs; before the first ``manage.py up`` this is not required."""
    if settings.BROKER_IS_MANAGED and status_read(settings.DATA) is None:
        yield HealthResult(part, True, "not running; manage.py up starts it")
        return
    last = TickState.objects.values_list("ticked_at", flat=True).first()
    if last is None:
        status = "none yet; the first comes within 30 s of a start"
        yield HealthResult(part, False, status, _tick_remedy())
        return
    seconds = (timezone.now() - last).total_seconds()
    if seconds < -CLOCK_DRIFT_S:
        status = f"the last one in {_duration(-seconds)} by the clock of this machine"
        remedy = "Synchronise the clocks with NTP: the clock of the housekeeping machine keeps the deadlines."
        yield HealthResult(part, False, status, remedy)
        return
    seconds = max(0.0, seconds)
    is_ok = seconds <= TICK_S
    status = f"the last one {_duration(seconds)} ago{'' if is_ok else '; deadlines and rounds have stopped'}"
    yield HealthResult.with_remedy(part, is_ok, status, _tick_remedy())


def _tick_remedy() -> str:
    if status_read(settings.DATA) is not None:
        return f"The tick is not running: read {settings.DATA}/logs/housekeeping.log."
    if settings.BROKER_IS_MANAGED:
        return "Start manage.py up."
    return "Read journalctl -u rensho-housekeeping -u rensho-beat: both must be running."


def _replays(part: str) -> Iterator[HealthResult]:
    """Report finished tables without a view; not a failure, since results are unaffected."""
    without = Table.objects.order_by().filter(state=Table.State.FINISHED, view_sha256="")
    count = without[: MAX_VIEWS_COUNTED + 1].count()
    if count:
        number = f"more than {MAX_VIEWS_COUNTED}" if count > MAX_VIEWS_COUNTED else str(count)
        yield HealthResult(part, True, f"{number} finished tables have none", "Run manage.py views_make.")
    else:
        yield HealthResult(part, True, "every finished table has one")


def _blobs(part: str) -> Iterator[HealthResult]:
    """Report blobs that the scrub, an export or blobs_check found missing or damaged."""
    # A subquery, since SQLite would read all blobs for a join.
    kind_of = Blob.objects.filter(pk=OuterRef("pk")).values("kind")
    counts = LostBlob.objects.annotate(kind=Subquery(kind_of)).values_list("kind", "problem")
    losses = [
        f"{count} {kind} {problem}"
        for kind, problem, count in counts.annotate(count=Count("pk")).order_by("kind", "problem")
    ]
    if losses:
        remedy = "Run manage.py blobs_check, which lists each with its remedy, then blobs_check --repair."
        yield HealthResult(part, False, ", ".join(losses), remedy)
        return
    completed_at = blobs_verified_at()
    when = "" if completed_at is None else f"; all were read {_duration(_seconds_since(completed_at))} ago"
    yield HealthResult(part, True, f"none missing or damaged, as far as known{when}")


def _storage(part: str) -> Iterator[HealthResult]:
    """Check that the blob storage can be written to and read."""
    store = storages["blobs"]
    address = store.place if isinstance(store, BlobStorage) else type(store).__name__
    problem = storage_problem()
    if problem is not None:
        yield HealthResult(part, False, f"{address}: {problem.message}", problem.remedy)
    else:
        yield HealthResult(part, True, address)


def _seconds_since(moment: datetime.datetime) -> float:
    return max(0.0, (timezone.now() - moment).total_seconds())


def _duration(seconds: float) -> str:
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"


PARTS: dict[str, Callable[[str], Iterator[HealthResult]]] = {
    "python": _python,
    "data folder": _data,
    "disk space": _disk,
    DATABASE: _database,
    MIGRATIONS: _migrations,
    "broker": _broker,
    "sandbox": check_sandbox,
    "runtime": check_runtimes,
    "limits": check_limits,
    "staging area": check_stage,
    "clock": _clock,
    "settings": _settings,
    "proxies": _proxies,
    "metrics": _metrics,
    "supervisor": _supervisor,
    "web": _web,
    "maintenance": _maintenance,
    "worker": check_workers,
    "features": _features,
    "connections of features": _connections_of_features,
    "identity provider": check_provider,
    "tick": _tick,
    "waiting": check_waits,
    STALENESS: _staleness,
    "replays": _replays,
    "storage": _storage,
    "blobs": _blobs,
    "quarantine": check_quarantine,
    "platform faults": check_recent,
    "backup": check_backup,
}
SITE_PARTS = (
    "data folder",
    "disk space",
    DATABASE,
    MIGRATIONS,
    "broker",
    "clock",
    "proxies",
    "maintenance",
    "worker",
    "features",
    "identity provider",
    "tick",
    "waiting",
    STALENESS,
    "replays",
    "storage",
    "blobs",
    "quarantine",
    "platform faults",
    "backup",
)
"""Checks for a web process: they start no sandbox and send no request to the site."""
