"""Age of the oldest row in each temporary state, with the deadline that should end it.

An age beyond the deadline means that the sweeper does not run. Source:
docs/contracts.md#states-and-deadlines.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import NamedTuple

from django.conf import settings
from django.db.models import Min, Q
from django.db.models.functions import Coalesce, Greatest
from django.utils import timezone

from arena.accounts.models import Event, IdempotencyKey, PendingEvent
from arena.common.causes import WaitingFor
from arena.common.features import StaleRows, StateDeadline
from arena.competition.models import Entry, Round, Series, Tournament
from arena.jobs.flow import AUDIT_DAYS, IDLE_DAYS, PAUSE_DAYS
from arena.jobs.periodic import KEY_HOURS
from arena.matches.models import Fixture, Table
from arena.mounts import FEATURES
from arena.roster.models import BotVersion, CheckRun

HOUR, DAY = 3600.0, 86400.0
TICK_S = 60.0
"""Maximum delay of a deadline that the tick enforces, in seconds."""
RUNNING = Q(tournament__state=Tournament.State.RUNNING)
OPEN_STATES = (Tournament.State.LOCKED, Tournament.State.RUNNING, Tournament.State.PAUSED)


class OldestRow(NamedTuple):
    """The oldest row of one kind in one state."""

    what: str
    state: str
    seconds: float
    at_most: float | None
    """Seconds after which the system should have ended it; None if other bounded states determine it."""

    @property
    def is_overdue(self) -> bool:
        return self.at_most is not None and self.seconds > self.at_most + TICK_S


def oldest_rows(now: datetime.datetime | None = None) -> list[OldestRow]:
    """Return the oldest row of each state. About a dozen queries, none of which reads finished rows."""
    reference_time = now or timezone.now()
    rows = []
    for look in _looks(reference_time):
        oldest = look.rows.order_by().aggregate(
            **{state.name: Min(state.since, filter=state.rows) for state in look.states}
        )
        for state in look.states:
            since = oldest[state.name]
            seconds = max(0.0, (reference_time - since).total_seconds()) if since else 0.0
            rows.append(OldestRow(look.kind, state.name, seconds, state.max_s))
    return rows


def _looks(now: datetime.datetime) -> Iterator[StaleRows]:
    table, tournament = Table.State, Tournament.State
    waits_s = settings.TABLE_WAITING_HOURS_MAX * HOUR
    unserved = Q(state="waiting", waiting_for=WaitingFor.RUNTIME)
    # One query per state: each reads a partial index.
    yield StaleRows(
        "table",
        # A tournament that was resumed restarts the day.
        Table.objects.filter(state=table.WAITING).annotate(
            since=Greatest("state_at", "tournament__state_at")
        ),
        [
            StateDeadline("waiting", "state_at", RUNNING, None),
            StateDeadline("unclaimed", "since", RUNNING, waits_s),
            StateDeadline("runtime_unavailable", "state_at", unserved & RUNNING, None),
        ],
    )
    yield StaleRows(
        "table",
        Table.objects.filter(state=table.LEASED),
        [
            StateDeadline("playing", "started_at", Q(), None),
            StateDeadline("heartbeat", "heartbeat_at", Q(), float(settings.TABLE_LEASE_S)),
        ],
    )
    yield StaleRows(
        "table",
        Table.objects.filter(state=table.QUARANTINED),
        [StateDeadline("quarantined", "state_at", Q(fixture__state=Fixture.State.OPEN), None)],
    )
    yield StaleRows(
        "fixture",
        Fixture.objects.filter(state=Fixture.State.OPEN),
        [StateDeadline("open", "board_set__round__opened_at", Q(), None)],
    )
    yield StaleRows(
        "round",
        Round.objects.filter(state=Round.State.OPEN),
        [StateDeadline("open", "opened_at", Q(), None)],
    )
    yield StaleRows(
        "tournament",
        Tournament.objects.filter(state__in=(tournament.OPEN, *OPEN_STATES, tournament.PROVISIONAL)).annotate(
            review_end=Greatest("state_at", Coalesce("review_until", "state_at"))
        ),
        [
            StateDeadline("open", "state_at", Q(state=tournament.OPEN), None),
            StateDeadline("locked", "state_at", Q(state=tournament.LOCKED), None),
            StateDeadline("unplanned", "state_at", _unplanned(), IDLE_DAYS * DAY),
            StateDeadline("running", "state_at", Q(state=tournament.RUNNING), None),
            StateDeadline("paused", "state_at", Q(state=tournament.PAUSED), PAUSE_DAYS * DAY),
            StateDeadline("provisional", "review_end", Q(state=tournament.PROVISIONAL), AUDIT_DAYS * DAY),
            StateDeadline("overdue_lock", "closes_at", Q(state=tournament.OPEN, closes_at__lte=now), 0.0),
            StateDeadline("overdue_start", "starts_at", Q(state=tournament.LOCKED, starts_at__lte=now), 0.0),
        ],
    )
    yield StaleRows(
        "entry",
        Entry.objects.filter(status=Entry.Status.PENDING, tournament__state=tournament.OPEN),
        [StateDeadline("pending", "created_at", Q(), None)],
    )
    yield StaleRows(
        "check",
        CheckRun.objects.filter(state__in=(CheckRun.State.WAITING, CheckRun.State.RUNNING)),
        [
            StateDeadline("waiting", "created_at", Q(state=CheckRun.State.WAITING), None),
            StateDeadline("runtime_unavailable", "created_at", unserved, None),
            StateDeadline(
                "running", "started_at", Q(state=CheckRun.State.RUNNING), float(settings.CHECK_DEADLINE_S)
            ),
        ],
    )
    version = BotVersion.State
    yield StaleRows(
        "version",
        BotVersion.objects.filter(state__in=(version.UPLOADED, version.CHECKING)),
        [
            StateDeadline("uploaded", "created_at", Q(state=version.UPLOADED), None),
            StateDeadline("checking", "created_at", Q(state=version.CHECKING), None),
        ],
    )
    # An edition is made when its entry is to open; before that nothing is late.
    yield StaleRows(
        "series",
        Series.objects.filter(state=Series.State.ACTIVE, next_at__lte=now),
        [StateDeadline("overdue", "next_at", Q(), 0.0)],
    )
    yield StaleRows(
        "idempotency_key",
        IdempotencyKey.objects.all(),
        [StateDeadline("kept", "created_at", Q(), KEY_HOURS * HOUR + HOUR)],
    )
    newest = Event.objects.order_by("-pk").values("pk")[:1]  # which is kept however old
    yield StaleRows(
        "event",
        Event.objects.exclude(pk=newest),
        [StateDeadline("kept", "created_at", Q(), settings.RETENTION.events_days * DAY + HOUR)],
    )
    # Seconds, after a transaction that may have been a long one.
    yield StaleRows(
        "pending_event", PendingEvent.objects.all(), [StateDeadline("committed", "created_at", Q(), None)]
    )
    for feature in FEATURES:
        yield from feature.stale_rows(now)


def _unplanned() -> Q:
    """Return tournaments whose next step has no date."""
    return Q(state=Tournament.State.OPEN, closes_at=None) | Q(state=Tournament.State.LOCKED, starts_at=None)
