"""How long the oldest row of every kind has been in each state that must end, and what ends it.

The rows that the system owns: each has a deadline and a sweeper; an age that grows past the deadline
says that the sweeper does not run. ``/metrics`` and the doctor show the same figures.

Source: docs/contracts.md#states-and-deadlines.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Any, NamedTuple

from django.conf import settings
from django.db.models import Min, Q, QuerySet
from django.db.models.functions import Coalesce, Greatest
from django.utils import timezone

from arena.accounts.events import KEPT_DAYS
from arena.accounts.models import Event, IdempotencyKey, PendingEvent
from arena.common.causes import WaitingFor
from arena.competition.models import Entry, Round, Series, Tournament
from arena.experiments.limits import deadline as experiments_deadline
from arena.experiments.models import Batch, Experiment
from arena.jobs.flow import AUDIT_DAYS, IDLE_DAYS, PAUSE_DAYS
from arena.jobs.periodic import KEY_HOURS
from arena.matches.models import Fixture, Table
from arena.roster.models import BotVersion, CheckRun
from arena.webhooks.models import Delivery

HOUR, DAY = 3600.0, 86400.0
TICK_S = 60.0
"""What a deadline that the tick keeps may be late."""
RUNNING = Q(tournament__state=Tournament.State.RUNNING)
OPEN_STATES = (Tournament.State.LOCKED, Tournament.State.RUNNING, Tournament.State.PAUSED)


class OldestRow(NamedTuple):
    """The oldest row of one kind in one state."""

    what: str
    state: str
    seconds: float
    """0 if there is none."""
    at_most: float | None
    """Seconds after which the system has ended it; None: it follows from others that are bounded."""

    @property
    def is_overdue(self) -> bool:
        """Whether a sweeper missed it."""
        return self.at_most is not None and self.seconds > self.at_most + TICK_S


def oldest_rows(now: datetime.datetime | None = None) -> list[OldestRow]:
    """The oldest of each; about a dozen queries, none of which looks at what is over."""
    at = now or timezone.now()
    found = []
    for what, rows, states in _looks(at):
        oldest = rows.order_by().aggregate(
            **{state: Min(field, filter=only) for state, field, only, _ in states}
        )
        for state, _, _, at_most in states:
            since = oldest[state]
            seconds = max(0.0, (at - since).total_seconds()) if since else 0.0
            found.append(OldestRow(what, state, seconds, at_most))
    return found


State = tuple[str, str, Q, float | None]
"""Its name, the column that says since when, which rows, and the deadline in seconds."""


def _looks(now: datetime.datetime) -> Iterator[tuple[str, QuerySet[Any], list[State]]]:
    table, tournament = Table.State, Tournament.State
    waits_s = settings.TABLE_WAITING_HOURS * HOUR
    unserved = Q(state="waiting", waiting_for=WaitingFor.RUNTIME)
    live = (table.WAITING, table.LEASED, table.QUARANTINED)
    yield (
        "table",
        # A tournament that was resumed starts the day anew.
        Table.objects.filter(state__in=live).annotate(since=Greatest("state_at", "tournament__state_at")),
        [
            ("waiting", "state_at", Q(state=table.WAITING) & RUNNING, None),
            ("unclaimed", "since", Q(state=table.WAITING) & RUNNING, waits_s),
            ("runtime_unavailable", "state_at", unserved & RUNNING, None),
            ("playing", "started_at", Q(state=table.LEASED), None),
            ("heartbeat", "heartbeat_at", Q(state=table.LEASED), float(settings.TABLE_LEASE_S)),
            ("quarantined", "state_at", Q(state=table.QUARANTINED, fixture__state=Fixture.State.OPEN), None),
        ],
    )
    yield (
        "fixture",
        Fixture.objects.filter(state=Fixture.State.OPEN),
        [("open", "board_set__round__opened_at", Q(), None)],
    )
    yield (
        "round",
        Round.objects.filter(state=Round.State.OPEN),
        [("open", "opened_at", Q(), None)],
    )
    yield (
        "tournament",
        Tournament.objects.filter(
            state__in=(tournament.REGISTRATION, *OPEN_STATES, tournament.PROVISIONAL)
        ).annotate(review_end=Greatest("state_at", Coalesce("review_until", "state_at"))),
        [
            ("registration", "state_at", Q(state=tournament.REGISTRATION), None),
            ("locked", "state_at", Q(state=tournament.LOCKED), None),
            ("unplanned", "state_at", _unplanned(), IDLE_DAYS * DAY),
            ("running", "state_at", Q(state=tournament.RUNNING), None),
            ("paused", "state_at", Q(state=tournament.PAUSED), PAUSE_DAYS * DAY),
            ("provisional", "review_end", Q(state=tournament.PROVISIONAL), AUDIT_DAYS * DAY),
            ("overdue_lock", "closes_at", Q(state=tournament.REGISTRATION, closes_at__lte=now), 0.0),
            ("overdue_start", "starts_at", Q(state=tournament.LOCKED, starts_at__lte=now), 0.0),
        ],
    )
    yield (
        "entry",
        Entry.objects.filter(status=Entry.Status.PENDING, tournament__state=tournament.REGISTRATION),
        [("pending", "created_at", Q(), None)],
    )
    yield (
        "check",
        CheckRun.objects.filter(state__in=(CheckRun.State.WAITING, CheckRun.State.RUNNING)),
        [
            ("waiting", "created_at", Q(state=CheckRun.State.WAITING), None),
            ("runtime_unavailable", "created_at", unserved, None),
            ("running", "started_at", Q(state=CheckRun.State.RUNNING), float(settings.CHECK_DEADLINE_S)),
        ],
    )
    version = BotVersion.State
    yield (
        "version",
        BotVersion.objects.filter(state__in=(version.UPLOADED, version.CHECKING)),
        [
            ("uploaded", "created_at", Q(state=version.UPLOADED), None),
            ("checking", "created_at", Q(state=version.CHECKING), None),
        ],
    )
    experiment = Experiment.State
    ends_s = experiments_deadline().total_seconds()
    yield (
        "experiment",
        Experiment.objects.filter(state__in=Experiment.LIVE),
        [
            ("queued", "created_at", Q(state=experiment.QUEUED), ends_s),
            ("running", "started_at", Q(state=experiment.RUNNING), ends_s),
        ],
    )
    yield (
        "experiment_batch",
        Batch.objects.filter(state=Batch.State.PLAYING),
        [("playing", "tournament__created_at", Q(), None)],
    )
    waiting = Delivery.objects.filter(state=Delivery.State.WAITING)
    yield (
        "delivery",
        waiting,
        [
            ("waiting", "created_at", Q(), None),
            ("overdue", "expires_at", Q(expires_at__lte=now), 0.0),
        ],
    )
    # An edition is made when its registration is to open; before that nothing is late.
    yield (
        "series",
        Series.objects.filter(state=Series.State.ACTIVE, next_at__lte=now),
        [("overdue", "next_at", Q(), 0.0)],
    )
    yield (
        "idempotency_key",
        IdempotencyKey.objects.all(),
        [("kept", "created_at", Q(), KEY_HOURS * HOUR + HOUR)],
    )
    newest = Event.objects.order_by("-pk").values("pk")[:1]  # which is kept however old
    yield "event", Event.objects.exclude(pk=newest), [("kept", "at", Q(), KEPT_DAYS * DAY + HOUR)]
    # Seconds, after a transaction that may have been a long one.
    yield "pending_event", PendingEvent.objects.all(), [("committed", "at", Q(), None)]


def _unplanned() -> Q:
    """Tournaments whose next step nobody set a time for."""
    return Q(state=Tournament.State.REGISTRATION, closes_at=None) | Q(
        state=Tournament.State.LOCKED, starts_at=None
    )
