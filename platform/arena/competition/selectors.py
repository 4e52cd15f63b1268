"""Who may see and who may run which tournament."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, QuerySet

from arena.accounts.models import User
from arena.common.errors import Forbidden, NotFound
from arena.competition.models import Stage, Tournament
from arena.competition.rules import sides_of
from league.formats import format_named

Viewer = User | AnonymousUser | None
SHOWN_TO_ALL = [s for s in Tournament.State.values if s != Tournament.State.DRAFT]
OVER = (Tournament.State.FINAL, Tournament.State.ARCHIVED, Tournament.State.CANCELLED)
"""Nothing that a spectator sees changes any more."""


def is_staff(user: Viewer) -> bool:
    """Staff see everything but unrevealed secrets."""
    return isinstance(user, User) and user.is_active and user.is_staff


def tournaments_visible_to(user: Viewer) -> QuerySet[Tournament]:
    """Public ones past draft for everybody; own ones in any state for their organiser; all for staff."""
    rows = Tournament.objects.select_related("organiser")
    if is_staff(user):
        return rows
    open_to_all = Q(visibility=Tournament.Visibility.PUBLIC, state__in=SHOWN_TO_ALL)
    if not isinstance(user, User):
        return rows.filter(open_to_all)
    own = Q(organiser=user)
    entered = Q(pk__in=Tournament.objects.filter(entries__player__user=user).values("pk"))
    return rows.filter(open_to_all | own | entered)


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
    """Its organiser, while still an organiser, and staff."""
    return is_staff(user) or (
        isinstance(user, User) and user.is_organiser and user.is_active and tournament.organiser_id == user.pk
    )


def require_organiser(user: User | None, tournament: Tournament) -> None:
    """Raises Forbidden unless ``user`` may run the tournament; None stands for the system itself."""
    if user is not None and not may_organise(user, tournament):
        raise Forbidden("Only the organiser of this tournament and staff may do this.", "not_the_organiser")


def rounds_planned(stage: Stage, entries: int) -> int | None:
    """How many rounds a stage of so many entries will have; None if too few, or if it depends on results."""
    sides = len(sides_of(stage.tournament))
    if entries < sides:
        return None
    return format_named(stage.format).round_count(entries, stage.options, sides=sides)


def format_title(stage: Stage) -> str:
    """What the stage's format is called."""
    return format_named(stage.format).title
