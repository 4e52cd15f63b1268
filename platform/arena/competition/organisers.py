"""Organisers of a tournament: the account that created it, co-organisers that it names, and staff."""

from __future__ import annotations

from django.db.models import Q

from arena.accounts.models import User
from arena.accounts.selectors import Viewer, is_staff
from arena.common.errors import Forbidden
from arena.competition.models import Tournament


def organiser_filter(user: User, prefix: str = "") -> Q:
    """Filter for tournaments that the account organises or co-organises. ``prefix``: path to them."""
    named = Tournament.co_organisers.through.objects.filter(user=user).values("tournament")
    return Q(**{f"{prefix}organiser": user}) | Q(**{f"{prefix}pk__in": named})


def is_lead_organiser(user: Viewer, tournament: Tournament) -> bool:
    """Return whether the account may name co-organisers and cancel: organiser or staff. No query."""
    if is_staff(user):
        return True
    if not isinstance(user, User) or not user.is_active or tournament.organiser_id != user.pk:
        return False
    if tournament.kind in Tournament.BACKGROUND:
        return False
    return user.is_organiser or tournament.kind == Tournament.Kind.CHALLENGE


def is_named_organiser(user_pk: int | None, tournament: Tournament) -> bool:
    """Return whether the account is organiser or co-organiser of the tournament. At most one query."""
    if tournament.organiser_id == user_pk:
        return True
    if tournament.kind != Tournament.Kind.TOURNAMENT:
        return False
    return any(user.pk == user_pk for user in tournament.co_organisers.all())


def require_lead_organiser(user: User | None, tournament: Tournament) -> None:
    if user is not None and not is_lead_organiser(user, tournament):
        raise Forbidden(
            f"Only {tournament.organiser}, who created this tournament, and staff can do this.",
            "lead_organiser_only",
        )
