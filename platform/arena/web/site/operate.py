"""State of the site for staff: results of the health checks with their remedies, and figures."""

from __future__ import annotations

import datetime
import logging
from collections.abc import Mapping
from typing import NamedTuple

import redis
from django.db import Error as DatabaseError
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from arena.common.causes import Cause
from arena.common.database import statements_within
from arena.common.features import HealthResult
from arena.common.metrics import flush, queue_client, recent_values
from arena.common.process_cache import CacheKey, process_cache
from arena.matches.fixture_selectors import Quarantine, quarantines
from arena.matches.models import Worker
from arena.matches.row_counts import row_counts, tick_ended_at
from arena.matches.workers import HEARTBEAT_TIMEOUT_S, workers_known
from arena.operations.backup import last_backup_at
from arena.operations.disks import Disk, disks
from arena.operations.health import SITE_PARTS, STALENESS, health_results, staleness_results
from arena.operations.health_play import recent_by
from arena.operations.queue_lengths import WITHOUT_DATABASE, Queues, queue_lengths, queues_known
from arena.operations.runbook import PAGE, runbook_section
from arena.operations.staleness import OldestRow, oldest_rows
from arena.web.base.documents.collection import document, document_url
from arena.web.base.documents.files import page_keys
from arena.web.base.figures import format_duration

log = logging.getLogger(__name__)

MAX_AGE_S = 5.0
"""Seconds for which all staff get the same results."""
FIGURES_S = 3.0
"""Maximum seconds of a statement for the figures."""
MAX_WORKERS = 50
MAX_EVENTS = 20

TITLES = {
    "data folder": _("Data folder"),
    "disk space": _("Disk space"),
    "database": _("Database"),
    "connections": _("Database connections"),
    "migrations": _("Migrations"),
    "broker": _("Queue server"),
    "queue persistence": _("Persistence of the queue"),
    "queue eviction": _("Eviction policy of the queue server"),
    "clock": _("Clock"),
    "proxies": _("Trusted proxies"),
    "maintenance": _("Maintenance mode"),
    "worker": _("Worker"),
    "workers": _("Workers"),
    "revision": _("Revision"),
    "ladders": _("Ladders"),
    "play": _("Play service"),
    "remote bots": _("Remote bots"),
    "analysis": _("Analysis"),
    "daily": _("Daily deal"),
    "tick": _("Tick"),
    "tick parts": _("Failed parts of the tick"),
    "waiting": _("Runtime unavailable"),
    "staleness": _("Deadlines"),
    "replays": _("Replays"),
    "storage": _("Blob storage"),
    "blobs": _("Blobs"),
    "quarantine": _("Quarantined tables"),
    "platform faults": _("Platform faults"),
    "backup": _("Backup"),
    "mail": _("E-mail"),
    "identity provider": _("Identity provider"),
}
"""Titles of the parts that health checks name."""
WORKERS = ("admin:matches_worker_changelist", "", _("Workers in the admin"))
WAITING_TABLES = ("admin:matches_table_changelist", "?state=waiting", _("Waiting tables in the admin"))
ANALYSES = ("admin:analysis_tableanalysis_changelist", "?state=failed", _("Failed analyses in the admin"))
LOST = ("admin:common_lostblob_changelist", "", _("Lost files in the admin"))
REPAIRS = {
    "maintenance": ("", "#maintenance", _("Maintenance mode")),
    "worker": WORKERS,
    "workers": WORKERS,
    "revision": WORKERS,
    "waiting": WAITING_TABLES,
    "analysis": ANALYSES,
    "blobs": LOST,
    "quarantine": ("", "#quarantine", _("Tournaments with quarantined tables")),
    "platform faults": ("", "#recent", _("Platform faults by cause")),
    "staleness": ("", "#oldest", _("Oldest rows")),
    "disk space": ("", "#disks", _("Disks")),
    "mail": ("admin:mail_outgoingmail_changelist", "?state=waiting", _("Waiting e-mails in the admin")),
}
"""Where a part is repaired or shown in detail: page (empty: this one), rest of the address, label."""
OUTCOMES = {
    "finished": _("finished"),
    "failed": _("returned after a platform fault"),
    "lost": _("lost with their worker"),
    "stale": _("reported too late"),
}
PLACES = {"data": _("Data folder"), "staging": _("Staging area"), "blobs": _("Blobs")}


class Link(NamedTuple):
    address: str
    label: str


class Finding(NamedTuple):
    """The result of a health check."""

    title: str
    result: HealthResult
    runbook: Link | None
    """Its section of the runbook."""
    repair: Link | None
    """The page that repairs it or shows more."""


class QueueFigures(NamedTuple):
    lengths: Mapping[str, int]
    """Messages by queue."""
    outcomes: Mapping[str, int]
    """Attempts of the last hour by outcome."""
    faults: Mapping[str, int]
    """Platform faults of the last hour by cause."""


class Figures(NamedTuple):
    """Figures from the database."""

    counts: Mapping[str, Mapping[str, int]]
    """Rows by kind and state."""
    oldest: list[OldestRow]
    workers: list[Worker]
    quarantines: list[Quarantine]
    tick_ended_at: datetime.datetime | None
    backup_completed_at: datetime.datetime | None


class SiteState(NamedTuple):
    results: list[HealthResult]
    figures: Figures | None
    """None if the database did not answer in time."""
    queue: QueueFigures | None
    """None if the queue server did not answer."""
    disks: list[Disk]
    read_at: datetime.datetime


def site_state() -> SiteState:
    """Return the state of the site, at most five seconds old. About 60 queries, whatever the site holds."""
    return process_cache.get_or_build(
        CacheKey("operate", None), _site_state, max_age_s=MAX_AGE_S, size_of=lambda _: 1 << 16
    )


def _site_state() -> SiteState:
    results = list(health_results(part for part in SITE_PARTS if part != STALENESS))
    figures, queues = None, WITHOUT_DATABASE
    try:
        with statements_within(FIGURES_S):
            figures, queues = _figures(), queues_known()
    except DatabaseError as error:
        log.warning("operate: the figures cannot be read: %s", error)
    else:
        results += staleness_results(STALENESS, figures.oldest)
    return SiteState(results, figures, _queue_figures(queues), list(disks()), timezone.now())


def _figures() -> Figures:
    return Figures(
        row_counts().by_kind,
        oldest_rows(),
        workers_known(),
        quarantines(),
        tick_ended_at(),
        last_backup_at(),
    )


def _queue_figures(queues: Queues) -> QueueFigures | None:
    flush()
    try:
        with queue_client() as client:
            values = recent_values(client)
            lengths = queue_lengths(client, queues)
    except redis.RedisError:
        return None
    return QueueFigures(lengths, recent_by(values, "table_attempts", 0), recent_by(values, "platform_faults"))


def operate_context() -> dict[str, object]:
    state = site_state()
    findings = [finding_of(result) for result in state.results]
    return {
        "state": state,
        "wrong": [finding for finding in findings if not finding.result.is_ok],
        "hints": [finding for finding in findings if finding.result.is_ok and finding.result.remedy],
        "fine": [finding for finding in findings if finding.result.is_ok and not finding.result.remedy],
        "runbook": document_url(PAGE) if PAGE in page_keys() else "",
        **_queue_context(state.queue),
        **_figures_context(state),
        "disks": [(PLACES[disk.place], disk) for disk in state.disks],
    }


def finding_of(result: HealthResult) -> Finding:
    title = str(TITLES.get(result.part, result.part))
    return Finding(title, result, _runbook_link(result), _repair_link(result.part))


def _runbook_link(result: HealthResult) -> Link | None:
    section = runbook_section(result)
    if not section or PAGE not in page_keys():
        return None
    titles = {heading.anchor: heading.text for heading in document(page_keys()[PAGE]).headings}
    return Link(f"{document_url(PAGE)}#{section}", titles[section]) if section in titles else None


def _repair_link(part: str) -> Link | None:
    if part not in REPAIRS:
        return None
    page, suffix, label = REPAIRS[part]
    return Link(f"{reverse(page) if page else ''}{suffix}", str(label))


def _queue_context(queue: QueueFigures | None) -> dict[str, object]:
    if queue is None:
        return {}
    return {
        "outcomes": [(label, queue.outcomes.get(outcome, 0)) for outcome, label in OUTCOMES.items()],
        "faults": [
            (cause, Cause(cause).label if cause in Cause.values else "", number)
            for cause, number in queue.faults.items()
        ],
        "queues": sorted(queue.lengths.items()),
    }


class WorkerLine(NamedTuple):
    worker: Worker
    is_alive: bool
    runtimes: str


def _figures_context(state: SiteState) -> dict[str, object]:
    figures = state.figures
    if figures is None:
        return {}
    alive_from = state.read_at - datetime.timedelta(seconds=HEARTBEAT_TIMEOUT_S)
    lines = [
        WorkerLine(worker, worker.heartbeat_at >= alive_from, ", ".join(sorted(worker.runtimes)))
        for worker in sorted(figures.workers, key=lambda worker: worker.heartbeat_at, reverse=True)
    ]
    return {
        "workers": sorted(lines[:MAX_WORKERS], key=lambda line: (not line.is_alive, line.worker.name)),
        "workers_left": max(0, len(lines) - MAX_WORKERS),
        "quarantines": figures.quarantines[:MAX_EVENTS],
        "quarantines_left": max(0, len(figures.quarantines) - MAX_EVENTS),
        "oldest": [
            (
                row,
                state.read_at - datetime.timedelta(seconds=row.seconds),
                format_duration(row.at_most) if row.at_most else "",
            )
            for row in figures.oldest
            if row.seconds
        ],
        "tick_age": format_duration((state.read_at - ended_at).total_seconds())
        if (ended_at := figures.tick_ended_at)
        else "",
    }
