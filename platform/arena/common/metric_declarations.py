"""The metrics of ``/metrics``: names, types, labels and buckets, declared once."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import NamedTuple

from arena.common.causes import Cause

PREFIX = "rensho_"


class Kind(enum.StrEnum):
    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


class Source(enum.StrEnum):
    """Where the values come from."""

    SHARED = "shared"
    """The queue server: sums over all processes."""
    SITE = "site"
    """Database, queue server and disks, read at each scrape."""
    PROCESS = "process"
    """The web processes that share the port."""


class Declared(NamedTuple):
    name: str
    """Without ``rensho_``, and without the ``_total`` of counters."""
    kind: Kind
    source: Source
    help: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()
    """Upper bounds in seconds, ascending."""
    known: tuple[tuple[str, ...], ...] = ()
    """Label values that are exposed from the beginning, with 0."""
    has_recent: bool = False
    """Whether the queue server also keeps the sums of the last hour, for staff's page."""

    @property
    def exposed(self) -> str:
        """The name on ``/metrics``."""
        return f"{PREFIX}{self.name}{'_total' if self.kind is Kind.COUNTER else ''}"


SHORT_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
PLAY_S = (1.0, 2.5, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0)
HTTP_S = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
WAIT_S = (0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0, 300.0, 900.0, 3600.0, 4 * 3600.0, 24 * 3600.0)

OUTCOMES = ("finished", "failed", "lost", "stale")
LOSS_CAUSES = (Cause.WORKER_LOST, Cause.HEARTBEAT_LOST, Cause.NO_PROGRESS)
ATTEMPTS = (
    ("finished", ""),
    ("stale", ""),
    *(
        ("lost" if cause in LOSS_CAUSES else "failed", cause.value)
        for cause in Cause
        if cause is not Cause.NOT_TAKEN
    ),
)
VERDICTS = (
    "ILLEGAL_ACTION",
    "OUT_OF_TIME",
    "CRASHED",
    "PROTOCOL",
    "OVER_MEMORY",
    "OVER_OUTPUT",
    "SANDBOX_VIOLATION",
)
KILLS = ("time", "memory", "output", "violation", "outside")
PLACES = ("data", "staging", "blobs")
MAIL_OUTCOMES = ("sent", "failed", "unknown", "dropped", "held")
SERVER_CONNECTIONS = ("used", "limit")


def _one(*values: str) -> tuple[tuple[str, ...], ...]:
    return tuple((value,) for value in values)


_C, _G, _H = Kind.COUNTER, Kind.GAUGE, Kind.HISTOGRAM
_SHARED, _SITE, _PROCESS = Source.SHARED, Source.SITE, Source.PROCESS

DECLARED: tuple[Declared, ...] = (
    Declared(
        "table_attempts",
        _C,
        _SHARED,
        "Ended attempts to play a table; stale: reported after the lease was lost.",
        ("outcome", "cause"),
        known=ATTEMPTS,
        has_recent=True,
    ),
    Declared(
        "platform_faults",
        _C,
        _SHARED,
        "Platform faults of tables and checks by cause; no bot is charged.",
        ("cause",),
        known=_one(*Cause.values),
        has_recent=True,
    ),
    Declared(
        "verdicts",
        _C,
        _SHARED,
        "Verdicts of seats at finished tables, other than OK.",
        ("verdict",),
        known=_one(*VERDICTS),
    ),
    Declared("claim_seconds", _H, _SHARED, "Time to claim a table.", buckets=SHORT_S),
    Declared("report_seconds", _H, _SHARED, "Time to submit the report of a table.", buckets=SHORT_S),
    Declared("play_seconds", _H, _SHARED, "Time from claim to report of finished tables.", buckets=PLAY_S),
    Declared("table_wait_seconds", _H, _SHARED, "Time from due to claimed.", buckets=WAIT_S),
    Declared("board_waits", _C, _SHARED, "Waits of tables for another table with common boards."),
    Declared("board_wait_seconds", _H, _SHARED, "Length of these waits.", buckets=WAIT_S),
    Declared("leases_expired", _C, _SHARED, "Leases that expired without a heartbeat."),
    Declared("sandbox_starts", _C, _SHARED, "Bots started in sandboxes, by runtime.", ("runtime",)),
    Declared(
        "sandbox_kills",
        _C,
        _SHARED,
        "Bots killed: by a limit, or from outside the sandbox.",
        ("reason",),
        known=_one(*KILLS),
    ),
    Declared("tick_seconds", _H, _SHARED, "Duration of ticks.", buckets=SHORT_S),
    Declared("tick_failures", _C, _SHARED, "Failures of a tick's chores.", ("chore",), has_recent=True),
    Declared("mails", _C, _SHARED, "Ended e-mails by outcome.", ("outcome",), known=_one(*MAIL_OUTCOMES)),
    Declared("tick_age_seconds", _G, _SITE, "Seconds since a tick ended."),
    Declared("queue_messages", _G, _SITE, "Messages that no worker has taken yet, by queue.", ("queue",)),
    Declared(
        "http_requests",
        _C,
        _PROCESS,
        "Responses of the web processes; unknown: no route matched.",
        ("method", "route", "status"),
    ),
    Declared(
        "http_request_seconds",
        _H,
        _PROCESS,
        "Time to the first byte of responses of the web processes.",
        ("route",),
        HTTP_S,
    ),
    Declared("live_streams", _G, _PROCESS, "Open event streams of the web processes.", ("kind",)),
    Declared(
        "database_pool",
        _G,
        _PROCESS,
        "Database connections of the web processes: maximum, open, idle; requests waiting for one.",
        ("what",),
    ),
    Declared("database_up", _G, _SITE, "1 if the database answered this scrape in time."),
    Declared("queue_up", _G, _SITE, "1 if the queue server answered this scrape."),
    Declared("storage_up", _G, _SITE, "1 if the blob storage can be used."),
    Declared(
        "database_connections",
        _G,
        _SITE,
        "Connections of the PostgreSQL server, and their limit.",
        ("what",),
        known=_one(*SERVER_CONNECTIONS),
    ),
    Declared("disk_free_bytes", _G, _SITE, "Free bytes of the web machine's disks.", ("place",)),
    Declared("disk_size_bytes", _G, _SITE, "Size of the web machine's disks.", ("place",)),
    Declared(
        "build_info", _G, _SITE, "1, with versions as labels.", ("revision", "release", "python", "django")
    ),
    Declared("maintenance", _G, _SITE, "1 in maintenance mode, else 0."),
    Declared("last_backup_age_seconds", _G, _SITE, "Seconds since the last complete backup."),
    Declared("tournaments", _G, _SITE, "Tournaments by state.", ("state",)),
    Declared("fixtures", _G, _SITE, "Fixtures by state; done = ended, sealed.", ("state",)),
    Declared("tables", _G, _SITE, "Tables by state.", ("state",)),
    Declared("versions", _G, _SITE, "Bot versions by state.", ("state",)),
    Declared("checks", _G, _SITE, "Check runs by state.", ("state",)),
    Declared("ended_counts_age_seconds", _G, _SITE, "Seconds since rows in final states were counted."),
    Declared("blobs_lost", _G, _SITE, "Blobs found missing or damaged.", ("problem",)),
    Declared("blobs_read_age_seconds", _G, _SITE, "Seconds since the last complete read of all blobs."),
    Declared("runtime_unavailable", _G, _SITE, "Tables and checks that no live worker can run.", ("what",)),
    Declared(
        "oldest_age_seconds",
        _G,
        _SITE,
        "Age of the oldest row in a state that the system must end; 0 without rows.",
        ("what", "state"),
    ),
    Declared(
        "oldest_age_limit_seconds",
        _G,
        _SITE,
        "Age at which the system ends the state. If rows are older, the tick is not running.",
        ("what", "state"),
    ),
    Declared(
        "workers",
        _G,
        _SITE,
        "Live workers by code revision. Several revisions mean that some workers need an update.",
        ("revision",),
    ),
    Declared(
        "worker_heartbeat_age_seconds",
        _G,
        _SITE,
        "Seconds since the last heartbeat of a worker.",
        ("worker", "level"),
    ),
    Declared("worker_capacity", _G, _SITE, "Tables that a worker plays at once.", ("worker", "level")),
    Declared(
        "worker_ready",
        _G,
        _SITE,
        "1 if the worker takes tables, else 0 with the cause.",
        ("worker", "level", "cause"),
    ),
)
METRICS: Mapping[str, Declared] = {metric.name: metric for metric in DECLARED}
