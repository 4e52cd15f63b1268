"""/metrics: figures from the database in Prometheus' text format.

All figures are read at every scrape, so that each web process returns the same. An age belongs to the oldest
row in a state that the system has to end; 0 if there is none.
"""

from __future__ import annotations

import datetime
import ipaddress
import logging
from collections.abc import Iterator, Mapping

from django.conf import settings
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from arena.common.blobs import blobs_verified_at, lost_blob_counts
from arena.common.client_address import client_address, is_trusted_proxy
from arena.common.database import pool_stats
from arena.common.states import counts_by_state
from arena.competition.models import Tournament
from arena.matches.fixture_selectors import ENDED_STATE, ended_while_sealed, unserved_counts
from arena.matches.models import Fixture, Table
from arena.matches.workers import revisions_alive, workers_known
from arena.operations.staleness import oldest_rows
from arena.roster.models import BotVersion, CheckRun
from arena.settings.metrics import MetricsAccess
from arena.streams import live

log = logging.getLogger(__name__)

REFUSAL = (
    "Metrics are for staff and for clients that RENSHO_METRICS allows: public, networks such as 10.0.0.0/24, "
    "or token:SECRET, sent as Authorization: Bearer SECRET.\n"
)


class ArenaCollector(Collector):
    def collect(self) -> Iterator[Metric]:
        now = timezone.now()
        yield _counts("rensho_tournaments", "Tournaments by state.", Tournament, Tournament.State.values)
        yield _fixtures()
        yield _counts("rensho_tables", "Tables by state.", Table, Table.State.values)
        yield _counts("rensho_versions", "Bot versions by state.", BotVersion, BotVersion.State.values)
        yield _counts("rensho_checks", "Check runs by state.", CheckRun, CheckRun.State.values)
        yield _unserved()
        yield from _blobs(now)
        yield from _ages(now)
        yield from _workers(now)
        yield from _process()


def _gauge(name: str, text: str, label: str, figures: Mapping[str, float]) -> Metric:
    family = GaugeMetricFamily(name, text, labels=[label])
    for value, figure in figures.items():
        family.add_metric([value], figure)
    return family


def _process() -> Iterator[Metric]:
    counts = live.hub.counts()
    yield _gauge("rensho_live_streams", "Open event streams of this web process.", "kind", counts)
    if (pool := pool_stats()) is not None:
        text = "Database connections of this web process: maximum, open, idle; requests waiting for one."
        yield _gauge("rensho_database_pool", text, "what", pool._asdict())


def _counts(name: str, text: str, model: type[Model], states: list[str]) -> Metric:
    """Count rows by state, including zeros: a missing series looks like a broken scrape."""
    counts = counts_by_state(model)
    return _gauge(name, text, "state", {state: counts.get(state, 0) for state in states})


def _fixtures() -> Metric:
    """Count fixtures by state; the outcomes of open board sets are hidden."""
    counts, sealed = counts_by_state(Fixture), ended_while_sealed()
    figures = {state: counts.get(state, 0) - sealed.get(state, 0) for state in Fixture.State.values}
    figures[ENDED_STATE] = sum(sealed.values())
    return _gauge("rensho_fixtures", "Fixtures by state; done = ended, sealed.", "state", figures)


def _blobs(now: datetime.datetime) -> Iterator[Metric]:
    """Yield the number of lost blobs, and the age of the last complete check once there was one."""
    text = "Blobs found missing or damaged."
    yield _gauge("rensho_blobs_lost", text, "problem", lost_blob_counts())
    completed_at = blobs_verified_at()
    if completed_at is not None:
        age = (now - completed_at).total_seconds()
        yield GaugeMetricFamily(
            "rensho_blobs_read_age_seconds", "Seconds since the last complete read of all blobs.", value=age
        )


def _unserved() -> Metric:
    text = "Tables and checks that no live worker can run."
    return _gauge("rensho_runtime_unavailable", text, "what", unserved_counts())


def _ages(now: datetime.datetime) -> Iterator[Metric]:
    """Yield the ages of the oldest rows in states that have to end, and their limits."""
    family = GaugeMetricFamily(
        "rensho_oldest_age_seconds",
        "Age of the oldest row in a state that the system must end; 0 without rows.",
        labels=["what", "state"],
    )
    limits = GaugeMetricFamily(
        "rensho_oldest_age_limit_seconds",
        "Age at which the system ends the state. If rows are older, the tick is not running.",
        labels=["what", "state"],
    )
    for age in oldest_rows(now):
        family.add_metric([age.what, age.state], age.seconds)
        if age.at_most is not None:
            limits.add_metric([age.what, age.state], age.at_most)
    yield family
    yield limits


def _workers(now: datetime.datetime) -> Iterator[Metric]:
    ages = GaugeMetricFamily(
        "rensho_worker_heartbeat_age_seconds",
        "Seconds since the last heartbeat of a worker.",
        labels=["worker", "level"],
    )
    capacity = GaugeMetricFamily(
        "rensho_worker_capacity", "Tables that a worker plays at once.", labels=["worker", "level"]
    )
    ready = GaugeMetricFamily(
        "rensho_worker_ready",
        "1 if the worker takes tables, else 0 with the cause.",
        labels=["worker", "level", "cause"],
    )
    for worker in workers_known():
        labels = [worker.name, worker.sandbox_level]
        ages.add_metric(labels, (now - worker.heartbeat_at).total_seconds())
        capacity.add_metric(labels, worker.capacity)
        cause = worker.cause or ("" if worker.runtimes else "no_runtimes")
        ready.add_metric([*labels, cause], 0 if cause else 1)
    text = "Live workers by code revision. Several revisions mean that some workers need an update."
    yield _gauge("rensho_workers", text, "revision", revisions_alive())
    yield ages
    yield capacity
    yield ready


def may_read(request: HttpRequest) -> bool:
    """Whether the settings, a token or the account allow the request."""
    access: MetricsAccess = settings.METRICS_ACCESS
    if access.is_public or _is_in_networks(request, access.networks):
        return True
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return any(constant_time_compare(given.strip(), token) for token in access.tokens)
    return bool(request.user.is_active and request.user.is_staff)


def _is_in_networks(request: HttpRequest, networks: tuple[str, ...]) -> bool:
    """Whether the client is in one of the networks; False behind a proxy that is not trusted."""
    is_forwarded = "HTTP_X_FORWARDED_FOR" in request.META
    if is_forwarded and not is_trusted_proxy(request.META.get("REMOTE_ADDR", "")):
        return False
    try:
        address = ipaddress.ip_address(client_address(request))
    except ValueError:
        return False
    return any(address in ipaddress.ip_network(network) for network in networks)


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    if not may_read(request):
        log.info("metrics refused to %s", client_address(request))
        return HttpResponse(REFUSAL, status=403, content_type="text/plain; charset=utf-8")
    registry = CollectorRegistry()
    registry.register(ArenaCollector())
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)
