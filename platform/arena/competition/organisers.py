"""Organisers of a tournament: its creator, co-organisers that it names, its course's owners, and staff."""

from __future__ import annotations

from django.db.models import Q

from arena.accounts.models import User
from arena.accounts.selectors import Viewer, is_staff
from arena.common.errors import Forbidden
from arena.competition.models import CourseMember, Tournament


def organiser_filter(user: User, prefix: str = "") -> Q:
    """Filter for tournaments that the account organises or co-organises. ``prefix``: path to them.

    Owners of a course co-organise its tournaments.
    """
    named = Tournament.co_organisers.through.objects.filter(user=user).values("tournament")
    owned = CourseMember.objects.filter(user=user, is_owner=True).values("course")
    own = Q(**{f"{prefix}organiser": user}) | Q(**{f"{prefix}pk__in": named})
    return own | Q(**{f"{prefix}course__in": owned})


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
    """Return whether the account is organiser or co-organiser of the tournament. At most one query, or two
    for a course's tournament.
    """
    if tournament.organiser_id == user_pk:
        return True
    if tournament.kind != Tournament.Kind.TOURNAMENT:
        return False
    if any(user.pk == user_pk for user in tournament.co_organisers.all()):
        return True
    if tournament.course_id is None or user_pk is None:
        return False
    return CourseMember.objects.filter(course=tournament.course_id, user=user_pk, is_owner=True).exists()


def require_lead_organiser(user: User | None, tournament: Tournament) -> None:
    if user is not None and not is_lead_organiser(user, tournament):
        raise Forbidden(
            f"Only {tournament.organiser}, who created this tournament, and staff can do this.",
            "lead_organiser_only",
        )
