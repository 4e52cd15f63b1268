"""Who may see and who may run which tournament."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, QuerySet

from arena.accounts.models import User
from arena.common.errors import Forbidden, NotFound
from arena.competition.models import Entry, Invitation, Stage, Tournament
from arena.competition.rules import sides_of
from league.errors import FormatError
from league.formats import format_named

Viewer = User | AnonymousUser | None
SHOWN_TO_ALL = [s for s in Tournament.State.values if s != Tournament.State.DRAFT]
OVER = (Tournament.State.FINAL, Tournament.State.ARCHIVED, Tournament.State.CANCELLED)
"""Nothing that a spectator sees changes any more."""


def is_staff(user: Viewer) -> bool:
    """Staff see everything but unrevealed secrets."""
    return isinstance(user, User) and user.is_active and user.is_staff


def tournaments_visible_to(user: Viewer) -> QuerySet[Tournament]:
    """Public ones past draft for everybody; all for staff; own ones in any state for their organiser.

    Private ones also for owners of entries, partners included, and, past draft, for invited players.
    """
    rows = Tournament.objects.select_related("organiser")
    if is_staff(user):
        return rows
    open_to_all = Q(visibility=Tournament.Visibility.PUBLIC, state__in=SHOWN_TO_ALL)
    if not isinstance(user, User):
        return rows.filter(open_to_all)
    own = Q(organiser=user)
    mine = Q(player__user=user) | Q(partner_version__bot__owner__user=user)
    entered = Q(pk__in=Entry.objects.filter(mine).values("tournament"))
    invited = Q(pk__in=Invitation.objects.filter(player__user=user).values("tournament"))
    return rows.filter(open_to_all | own | entered | (invited & Q(state__in=SHOWN_TO_ALL)))


def tournaments_listed(user: Viewer, kinds: Sequence[str] = (Tournament.Kind.EVENT,)) -> QuerySet[Tournament]:
    """What a list of tournaments shows: those visible, challenges only if asked for."""
    return tournaments_visible_to(user).filter(kind__in=list(kinds))


def tournament_get(public_id: str, user: Viewer) -> Tournament:
    """One visible tournament.

    Raises:
        NotFound: none of this id, or not for this viewer.
    """
    try:
        return tournaments_visible_to(user).get(public_id=public_id)
    except Tournament.DoesNotExist:
        raise NotFound(f"There is no tournament {public_id!r}.", "tournament_missing") from None


def may_organise(user: Viewer, tournament: Tournament) -> bool:
    """Its organiser, while still an organiser, and staff; a challenge is run by whoever made it."""
    if is_staff(user):
        return True
    if not isinstance(user, User) or not user.is_active or tournament.organiser_id != user.pk:
        return False
    return user.is_organiser or tournament.kind == Tournament.Kind.CHALLENGE


def require_organiser(user: User | None, tournament: Tournament) -> None:
    """Raises Forbidden unless ``user`` may run the tournament; None stands for the system itself."""
    if user is not None and not may_organise(user, tournament):
        raise Forbidden("Only the organiser of this tournament and staff may do this.", "not_the_organiser")


def rounds_planned(stage: Stage, entries: int) -> int | None:
    """How many rounds a stage of so many entries will have.

    None if its format cannot be played by so many, or if that depends on results.
    """
    try:
        return format_named(stage.format).round_count(
            entries, stage.options, sides=len(sides_of(stage.tournament))
        )
    except FormatError:
        return None


def format_title(stage: Stage) -> str:
    """What the stage's format is called."""
    return format_named(stage.format).title


def partners_change(tournament: Tournament) -> bool:
    """Whether in one of its stages every entry holds a single seat and partners change. One query."""
    formats = tournament.stages.values_list("format", flat=True)
    return any(format_named(name).mixes_partners for name in formats)


def entry_get(tournament: Tournament, public_id: str) -> Entry:
    """One entry of a tournament, owners at hand.

    Raises:
        NotFound: none of this id in it.
    """
    entry = (
        tournament.entries.select_related(
            "player__user", "version__bot__owner__user", "partner_version__bot__owner__user"
        )
        .filter(public_id=public_id)
        .first()
    )
    if entry is None:
        raise NotFound(f"{tournament.name} has no entry {public_id!r}.", "entry_missing")
    entry.tournament = tournament
    return entry
