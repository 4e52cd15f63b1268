"""Selectors for one account's overview: its entries, its invitations, and the events that it organises."""

from __future__ import annotations

from django.db.models import Case, Exists, OuterRef, QuerySet, Value, When

from arena.accounts.models import User
from arena.competition.entries.counts import FIELD_STATUSES
from arena.competition.models import Entry, Invitation, Series, Tournament
from arena.competition.organisers import organiser_filter
from arena.competition.selectors import ENDED_STATES, entry_owner_filter, visible_tournament_filter

State = Tournament.State
STATES_BY_URGENCY = (
    (State.DRAFT, State.OPEN, State.LOCKED, State.PAUSED),
    (State.RUNNING, State.PROVISIONAL),
)
"""Groups of states in the order in which organisers see their events: those that need an action first."""


def active_entries(user: User, most: int) -> list[Entry]:
    """Return the account's entries in events that have not ended, latest change of state first. One query."""
    rows = (
        Entry.objects.filter(
            entry_owner_filter(user),
            visible_tournament_filter(user),
            status__in=(Entry.Status.PENDING, Entry.Status.ENTERED),
        )
        .exclude(tournament__state__in=ENDED_STATES)
        .filter(tournament__kind=Tournament.Kind.TOURNAMENT)
        .select_related(
            "tournament__organiser", "player", "version__bot__owner", "partner_version__bot__owner"
        )
    )
    return list(rows.order_by("-tournament__state_at", "-id")[:most])


def entries_with_result(user: User, most: int) -> list[Entry]:
    """Return the account's entries in events with final standings, latest end of play first. One query."""
    rows = Entry.objects.filter(
        entry_owner_filter(user),
        visible_tournament_filter(user),
        status__in=FIELD_STATUSES,
        tournament__kind=Tournament.Kind.TOURNAMENT,
        tournament__state__in=(State.FINAL, State.ARCHIVED),
    ).select_related("tournament", "player", "version__bot__owner", "partner_version__bot__owner")
    return list(rows.order_by("-tournament__provisional_at", "-tournament_id", "id")[:most])


def tournaments_invited_to(user: User, most: int) -> list[Tournament]:
    """Return tournaments open for entry to which the account is invited and has no entry. One query."""
    own = Entry.objects.filter(entry_owner_filter(user), tournament=OuterRef("pk"), status__in=Entry.ACTIVE)
    invited = Invitation.objects.filter(player__user=user).values("tournament")
    rows = Tournament.objects.filter(pk__in=invited, state=State.OPEN).exclude(Exists(own))
    return list(rows.order_by("-state_at", "-id")[:most])


def active_organised_tournaments(user: User, most: int) -> list[Tournament]:
    """Return events and challenges that the account organises and that have not ended, latest first."""
    rows = (
        Tournament.objects.filter(organiser_filter(user))
        .exclude(state__in=ENDED_STATES)
        .exclude(kind__in=Tournament.BACKGROUND)
    )
    return list(rows.select_related("organiser").order_by("-state_at", "-id")[:most])


def organised_events(user: User) -> QuerySet[Tournament]:
    rows = Tournament.objects.filter(organiser_filter(user), kind=Tournament.Kind.TOURNAMENT)
    return rows.select_related("organiser").order_by("-state_at", "-id")


def organised_events_by_urgency(user: User) -> QuerySet[Tournament]:
    places = [
        When(state__in=states, then=Value(position)) for position, states in enumerate(STATES_BY_URGENCY)
    ]
    return organised_events(user).order_by(
        Case(*places, default=Value(len(STATES_BY_URGENCY))), "-state_at", "-id"
    )


def organised_series(user: User) -> QuerySet[Series]:
    return Series.objects.filter(organiser=user).order_by("state", "name", "id")
