"""Families from the database, within a bounded time, and at a cost that does not grow with ended tables."""

from __future__ import annotations

import datetime
import logging
import time
from collections.abc import Callable, Iterator

from django.db import Error as DatabaseError
from django.utils import timezone
from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from arena.common.blobs import blobs_verified_at, lost_blob_counts
from arena.common.database import server_stats, statements_within
from arena.common.maintenance import maintenance_read
from arena.common.outage import Outage
from arena.matches.fixture_selectors import unserved_counts
from arena.matches.row_counts import row_counts, tick_ended_at
from arena.matches.workers import HEARTBEAT_TIMEOUT_S, revisions_alive, workers_known
from arena.operations.backup import last_backup_at
from arena.operations.queue_lengths import WITHOUT_DATABASE, Queues, queues_known
from arena.operations.staleness import oldest_rows
from arena.web.site.metric_families.families import gauge, gauges, labelled

log = logging.getLogger(__name__)

MAX_S = 3.0
"""Maximum seconds of a statement, and of all families before the last."""
_outage = Outage(log, "reading metrics from the database")


class DatabaseCollector(Collector):
    """``rensho_database_up``, and all families that were read in time."""

    def __init__(self) -> None:
        self.queues: Queues = WITHOUT_DATABASE

    def collect(self) -> Iterator[Metric]:
        families: list[Metric] = []
        try:
            with statements_within(MAX_S):
                self._read(families)
        except (DatabaseError, TimeoutError) as error:
            _outage.record_failure(error)
            yield gauge("database_up", 0)
        else:
            _outage.record_success()
            yield gauge("database_up", 1)
        yield from families

    def _read(self, families: list[Metric]) -> None:
        until, now = time.monotonic() + MAX_S, timezone.now()
        self.queues = queues_known()
        for read in READERS:
            if time.monotonic() > until:
                raise TimeoutError(f"the figures take more than {MAX_S:.0f} s")
            families.extend(read(now))


def _tick(now: datetime.datetime) -> Iterator[Metric]:
    if (ended_at := tick_ended_at()) is not None:
        yield gauge("tick_age_seconds", _seconds(now, ended_at))


def _ages(now: datetime.datetime) -> Iterator[Metric]:
    ages = oldest_rows(now)
    yield labelled("oldest_age_seconds", (([age.what, age.state], age.seconds) for age in ages))
    limits = (([age.what, age.state], age.at_most) for age in ages if age.at_most is not None)
    yield labelled("oldest_age_limit_seconds", limits)


def _workers(now: datetime.datetime) -> Iterator[Metric]:
    yield gauges("workers", revisions_alive())
    workers = [([worker.name, worker.sandbox_level], worker) for worker in workers_known()]
    ages = ((labels, _seconds(now, worker.heartbeat_at)) for labels, worker in workers)
    yield labelled("worker_heartbeat_age_seconds", ages)
    yield labelled("worker_capacity", ((labels, worker.capacity) for labels, worker in workers))
    # A worker that was killed keeps its row, which says nothing about tables any more.
    alive_from = now - datetime.timedelta(seconds=HEARTBEAT_TIMEOUT_S)
    causes = [
        (labels, worker.cause or ("" if worker.runtimes else "no_runtimes"))
        for labels, worker in workers
        if worker.heartbeat_at >= alive_from
    ]
    yield labelled("worker_ready", (([*labels, cause], 0 if cause else 1) for labels, cause in causes))


def _connections(_: datetime.datetime) -> Iterator[Metric]:
    if (server := server_stats()) is not None:
        yield gauges("database_connections", {"used": server.used, "limit": server.limit})


def _blobs(now: datetime.datetime) -> Iterator[Metric]:
    yield gauges("blobs_lost", lost_blob_counts())
    if (completed_at := blobs_verified_at()) is not None:
        yield gauge("blobs_read_age_seconds", _seconds(now, completed_at))


def _backup(now: datetime.datetime) -> Iterator[Metric]:
    if (completed_at := last_backup_at()) is not None:
        yield gauge("last_backup_age_seconds", _seconds(now, completed_at))


def _maintenance(_: datetime.datetime) -> Iterator[Metric]:
    yield gauge("maintenance", int(maintenance_read() is not None))


def _unserved(_: datetime.datetime) -> Iterator[Metric]:
    yield gauges("runtime_unavailable", unserved_counts())


def _rows(_: datetime.datetime) -> Iterator[Metric]:
    counts = row_counts()
    for kind, by_state in counts.by_kind.items():
        yield gauges(kind, by_state)
    if counts.age_s is not None:
        yield gauge("ended_counts_age_seconds", counts.age_s)


READERS: tuple[Callable[[datetime.datetime], Iterator[Metric]], ...] = (
    _tick,
    _ages,
    _workers,
    _connections,
    _blobs,
    _backup,
    _maintenance,
    _unserved,
    _rows,
)
"""The most important first, since the time may end."""


def _seconds(now: datetime.datetime, moment: datetime.datetime) -> float:
    return (now - moment).total_seconds()
