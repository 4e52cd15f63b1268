"""What concerns one account now: where its bots are entered, what it was asked, what it organises."""

from __future__ import annotations

from django.db.models import Case, Exists, OuterRef, QuerySet, Value, When

from arena.accounts.models import User
from arena.competition.models import Entry, Invitation, Series, Tournament
from arena.competition.organisers import organiser_filter
from arena.competition.selectors import ENDED_STATES, entry_owner_filter

State = Tournament.State
STATES_BY_URGENCY = (
    (State.DRAFT, State.REGISTRATION, State.LOCKED, State.PAUSED),
    (State.RUNNING, State.PROVISIONAL),
)
"""The states of events in the order in which their organiser is shown them: what waits for something to be
done, then what goes on by itself; after both what is over."""


def active_entries(user: User, most: int) -> list[Entry]:
    """Entries with a bot of the account in tournaments that are not over, the latest change first.

    Of events alone. Tournament, organiser and bots at hand. One query.
    """
    rows = (
        Entry.objects.filter(
            entry_owner_filter(user), status__in=(Entry.Status.PENDING, Entry.Status.ENTERED)
        )
        .exclude(tournament__state__in=ENDED_STATES)
        .filter(tournament__kind=Tournament.Kind.EVENT)
        .select_related(
            "tournament__organiser", "player", "version__bot__owner", "partner_version__bot__owner"
        )
    )
    return list(rows.order_by("-tournament__state_at", "-id")[:most])


def tournaments_invited_to(user: User, most: int) -> list[Tournament]:
    """Tournaments that take entries, to which the account is invited and has not entered. One query."""
    own = Entry.objects.filter(entry_owner_filter(user), tournament=OuterRef("pk"), status__in=Entry.ACTIVE)
    invited = Invitation.objects.filter(player__user=user).values("tournament")
    rows = Tournament.objects.filter(pk__in=invited, state=State.REGISTRATION).exclude(Exists(own))
    return list(rows.order_by("-state_at", "-id")[:most])


def active_organised_tournaments(user: User, most: int) -> list[Tournament]:
    """Tournaments and challenges the account runs that are not over, the latest change first. One query."""
    rows = (
        Tournament.objects.filter(organiser_filter(user))
        .exclude(state__in=ENDED_STATES)
        .exclude(kind__in=Tournament.BACKGROUND)
    )
    return list(rows.select_related("organiser").order_by("-state_at", "-id")[:most])


def organised_events(user: User) -> QuerySet[Tournament]:
    """Events the account organises in any state, the latest change first."""
    rows = Tournament.objects.filter(organiser_filter(user), kind=Tournament.Kind.EVENT)
    return rows.select_related("organiser").order_by("-state_at", "-id")


def organised_events_by_urgency(user: User) -> QuerySet[Tournament]:
    """The same by ``STATES_BY_URGENCY``."""
    places = [
        When(state__in=states, then=Value(position)) for position, states in enumerate(STATES_BY_URGENCY)
    ]
    return organised_events(user).order_by(
        Case(*places, default=Value(len(STATES_BY_URGENCY))), "-state_at", "-id"
    )


def organised_series(user: User) -> QuerySet[Series]:
    """Cups the account organises, active ones first, then by name."""
    return Series.objects.filter(organiser=user).order_by("state", "name", "id")
