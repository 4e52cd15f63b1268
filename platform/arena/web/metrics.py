"""/metrics: what the rows say of the work at hand, in Prometheus' text format.

Read from the database at every scrape, so that any web process gives the same figures. An age is
that of the oldest row in a state the system itself must end; 0 if there is none.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Any

from django.db.models import Case, Count, F, Min, Model, Q, Value, When
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from arena.competition.models import Round, Tournament
from arena.matches.feed import hub
from arena.matches.models import BoardSet, Fixture, Table, Worker
from arena.matches.workers import UNAVAILABLE
from arena.roster.models import BotVersion, CheckRun
from arena.web.rounds import DONE

RUNNING = Q(fixture__board_set__round__stage__tournament__state=Tournament.State.RUNNING)


class ArenaCollector(Collector):
    """All figures of one scrape; a fixed number of queries."""

    def collect(self) -> Iterator[Metric]:
        """Counts by state, oldest ages, workers, spectators of this process."""
        now = timezone.now()
        yield _counts("rensho_tournaments", "Tournaments by state.", Tournament, Tournament.State.values)
        yield _fixtures()
        yield _counts("rensho_tables", "Tables by state.", Table, Table.State.values)
        yield _counts("rensho_versions", "Bot versions by state.", BotVersion, BotVersion.State.values)
        yield _counts("rensho_checks", "Check runs by state.", CheckRun, CheckRun.State.values)
        yield from _ages(now)
        yield from _workers(now)
        spectators = GaugeMetricFamily("rensho_live_streams", "Event streams open in this web process.")
        spectators.add_metric([], len(hub.listeners))
        yield spectators


def _counts(name: str, text: str, model: type[Model], states: list[str]) -> Metric:
    """Rows by state, zeros included: a series that vanishes cannot be told from a broken scrape."""
    rows = model._default_manager.order_by().values_list("state").annotate(count=Count("pk"))
    counts = dict(rows)
    family = GaugeMetricFamily(name, text, labels=["state"])
    for state in states:
        family.add_metric([state], counts.get(state, 0))
    return family


def _fixtures() -> Metric:
    """Fixtures by state; how those of open board sets ended is sealed here as everywhere."""
    ended = Q(state__in=Fixture.DONE, board_set__state=BoardSet.State.OPEN)
    rows = Fixture.objects.order_by().annotate(shown=Case(When(ended, Value(DONE)), default=F("state")))
    counts = dict(rows.values_list("shown").annotate(count=Count("pk")))
    family = GaugeMetricFamily(
        "rensho_fixtures", "Fixtures by state; done = ended, sealed.", labels=["state"]
    )
    for state in (*Fixture.State.values, DONE):
        family.add_metric([state], counts.get(state, 0))
    return family


def _ages(now: datetime.datetime) -> Iterator[Metric]:
    """Seconds since the oldest row entered each state that has a deadline and a sweeper.

    And how many tables and checks no living worker can run: they are of the same queries.
    """
    unserved = Q(state="waiting", reason__startswith=UNAVAILABLE)
    tables = Table.objects.order_by().aggregate(
        unserved=Count("pk", filter=unserved & RUNNING),
        runtime_unavailable=Min("state_at", filter=unserved & RUNNING),
        waiting=Min("state_at", filter=Q(state=Table.State.WAITING) & RUNNING),
        playing=Min("started_at", filter=Q(state=Table.State.LEASED)),
        heartbeat=Min("heartbeat_at", filter=Q(state=Table.State.LEASED)),
        quarantined=Min(
            "state_at", filter=Q(state=Table.State.QUARANTINED, fixture__state=Fixture.State.OPEN)
        ),
    )
    checks = CheckRun.objects.order_by().aggregate(
        unserved=Count("pk", filter=unserved),
        runtime_unavailable=Min("created_at", filter=unserved),
        waiting=Min("created_at", filter=Q(state=CheckRun.State.WAITING)),
        running=Min("started_at", filter=Q(state=CheckRun.State.RUNNING)),
    )
    versions = BotVersion.objects.order_by().aggregate(
        uploaded=Min("created_at", filter=Q(state=BotVersion.State.UPLOADED)),
        checking=Min("created_at", filter=Q(state=BotVersion.State.CHECKING)),
    )
    rounds = Round.objects.order_by().aggregate(open=Min("opened_at", filter=Q(state=Round.State.OPEN)))
    tournaments = Tournament.objects.order_by().aggregate(
        provisional=Min("state_at", filter=Q(state=Tournament.State.PROVISIONAL)),
        paused=Min("state_at", filter=Q(state=Tournament.State.PAUSED)),
        overdue_lock=Min("closes_at", filter=Q(state=Tournament.State.REGISTRATION, closes_at__lte=now)),
        overdue_start=Min("starts_at", filter=Q(state=Tournament.State.LOCKED, starts_at__lte=now)),
    )
    waiting = GaugeMetricFamily(
        "rensho_runtime_unavailable", "Tables and checks that no living worker can run.", labels=["what"]
    )
    waiting.add_metric(["table"], tables.pop("unserved"))
    waiting.add_metric(["check"], checks.pop("unserved"))
    yield waiting
    family = GaugeMetricFamily(
        "rensho_oldest_age_seconds",
        "Age of the oldest row in a state that the system must end; 0 = none is in it.",
        labels=["what", "state"],
    )
    groups: list[tuple[str, dict[str, Any]]] = [
        ("table", tables),
        ("check", checks),
        ("version", versions),
        ("round", rounds),
        ("tournament", tournaments),
    ]
    for what, oldest in groups:
        for state, since in oldest.items():
            family.add_metric([what, state], (now - since).total_seconds() if since else 0)
    yield family


def _workers(now: datetime.datetime) -> Iterator[Metric]:
    ages = GaugeMetricFamily(
        "rensho_worker_heartbeat_age_seconds",
        "Seconds since a worker last gave a sign of life.",
        labels=["worker", "level"],
    )
    capacity = GaugeMetricFamily(
        "rensho_worker_capacity", "Tables a worker plays at once.", labels=["worker", "level"]
    )
    for worker in Worker.objects.all():
        labels = [worker.name, worker.sandbox_level]
        ages.add_metric(labels, (now - worker.heartbeat_at).total_seconds())
        capacity.add_metric(labels, worker.capacity)
    yield ages
    yield capacity


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """The figures as text."""
    registry = CollectorRegistry()
    registry.register(ArenaCollector())
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)
