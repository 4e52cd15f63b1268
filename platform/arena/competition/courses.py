"""Checks of courses for tournaments: members, owners, archived courses."""

from __future__ import annotations

from django.db.models import Exists, OuterRef

from arena.accounts.models import User
from arena.accounts.selectors import is_staff
from arena.common.errors import Conflict, Forbidden, NotFound
from arena.competition.models import Course, CourseMember, Tournament
from arena.roster.models import Player


def course_owner(user: User, course: Course) -> bool:
    """Return whether the account is an owner of the course. One query."""
    return CourseMember.objects.filter(course=course, user=user, is_owner=True).exists()


def course_left_without_owner(user: User) -> str:
    """Return the name of a course in use that the account owns alone, or "". One query."""
    other_owners = CourseMember.objects.filter(course=OuterRef("course"), is_owner=True).exclude(user=user)
    alone = CourseMember.objects.filter(
        ~Exists(other_owners), user=user, is_owner=True, course__archived_at=None
    ).values_list("course__name", flat=True)
    return alone.first() or ""


def course_to_organise(public_id: str, actor: User) -> Course | None:
    """Return the course for a new tournament, None for an empty id.

    Raises NotFound ``course_not_found`` unless the account is an owner or staff, and Conflict
    ``course_archived``.
    """
    if not public_id:
        return None
    course = Course.objects.filter(public_id=public_id).first()
    if course is None or not (is_staff(actor) or course_owner(actor, course)):
        raise NotFound(f"You own no course {public_id!r}.", "course_not_found", field="course")
    require_course_active(course)
    return course


def require_course_active(course: Course) -> None:
    if course.archived_at is not None:
        raise Conflict(f"{course.name} is archived. Restore it first.", "course_archived")


def require_course_member(tournament: Tournament, player: Player) -> None:
    """Raise Forbidden ``not_course_member`` if the tournament belongs to a course without this player."""
    if tournament.course_id is None:
        return
    if not CourseMember.objects.filter(course=tournament.course_id, user=player.user_id).exists():
        raise Forbidden(
            f"{tournament.name} is for the members of a course, and {player} is not a member.",
            "not_course_member",
        )
