"""Queries for courses. Only members and staff see a course; owners and staff manage it."""

from __future__ import annotations

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from arena.accounts.models import User
from arena.accounts.selectors import Viewer, is_staff
from arena.common.errors import Forbidden, NotFound
from arena.competition.courses import course_owner
from arena.competition.models import Course, CourseMember, Tournament
from arena.competition.selectors import tournaments_visible_to
from arena.features.courses.models import CourseInvitation

UNKNOWN = "There is no course {public_id}, or you are not a member. Ask an owner for an invitation."


def courses_visible_to(viewer: Viewer) -> QuerySet[Course]:
    """Return the account's courses, or all for staff: those in use first, newest first.

    With ``member_count`` and ``viewer_is_owner``.
    """
    rows = Course.objects.annotate(member_count=Count("members")).order_by(
        F("archived_at").asc(nulls_first=True), "-id"
    )
    if not isinstance(viewer, User):
        return rows.none()
    owned = CourseMember.objects.filter(course=OuterRef("pk"), user=viewer, is_owner=True)
    rows = rows.annotate(viewer_is_owner=Exists(owned))
    if is_staff(viewer):
        return rows
    return rows.filter(pk__in=CourseMember.objects.filter(user=viewer).values("course"))


def course_get(public_id: str, viewer: Viewer) -> Course:
    """Return a visible course with ``member_count``. Raises NotFound ``course_not_found``."""
    course = courses_visible_to(viewer).filter(public_id=public_id).first()
    if course is None:
        raise NotFound(UNKNOWN.format(public_id=public_id), "course_not_found")
    return course


def may_manage(viewer: Viewer, course: Course) -> bool:
    """Return whether the viewer is an owner or staff. At most one query."""
    return is_staff(viewer) or (isinstance(viewer, User) and course_owner(viewer, course))


def require_manager(viewer: Viewer, course: Course) -> None:
    if not may_manage(viewer, course):
        raise Forbidden(f"Only owners of {course.name} and staff can do this.", "not_course_owner")


def course_managed(public_id: str, viewer: Viewer) -> Course:
    """Return a course that the viewer may manage. Raises NotFound, Forbidden ``not_course_owner``."""
    course = course_get(public_id, viewer)
    require_manager(viewer, course)
    return course


def members_of(course: Course) -> QuerySet[CourseMember]:
    """Return the members with their accounts and players: owners first, then by name."""
    rows = course.members.select_related("user__player")
    return rows.order_by("-is_owner", "user__username", "id")


def member_get(course: Course, username: str) -> CourseMember:
    """Return a member by username. Raises NotFound ``member_not_found``."""
    member = course.members.select_related("user").filter(user__username=username).first()
    if member is None:
        raise NotFound(f"{course.name} has no member {username!r}.", "member_not_found")
    return member


def member_by_account(course: Course, account: str) -> CourseMember:
    """Return a member by the public id of its account. Raises NotFound ``member_not_found``."""
    member = course.members.select_related("user").filter(user__public_id=account).first()
    if member is None:
        raise NotFound(f"{course.name} has no member {account}.", "member_not_found")
    return member


def membership_of(user: User, course: Course) -> CourseMember | None:
    return course.members.filter(user=user).first()


def tournaments_of(course: Course, viewer: Viewer) -> QuerySet[Tournament]:
    """Return the course's tournaments that the viewer may see, latest change of state first."""
    rows = tournaments_visible_to(viewer).filter(course=course, kind=Tournament.Kind.TOURNAMENT)
    return rows.order_by("-state_at", "-id")


def open_links(course: Course) -> QuerySet[CourseInvitation]:
    """Return the course's valid invitation links, newest first."""
    return course.invitations.filter(_valid(), user=None).select_related("created_by")


def valid_invitations(course: Course) -> QuerySet[CourseInvitation]:
    """Return the valid links, and the invitations of accounts that have not answered, newest first."""
    return course.invitations.filter(_valid()).select_related("user")


def invited_count(course: Course) -> int:
    """Return how many accounts are invited and have not answered. One query."""
    return course.invitations.filter(_valid(), user__isnull=False).count()


def created_count(course: Course) -> int:
    """Return how many accounts the course has created. One query."""
    return course.created_accounts.count()


def owner_names(course: Course) -> list[str]:
    return list(members_of(course).filter(is_owner=True).values_list("user__username", flat=True))


def invitations_to(user: User) -> list[CourseInvitation]:
    """Return the account's valid invitations to courses in use, newest first. One query."""
    rows = CourseInvitation.objects.filter(_valid(), user=user, course__archived_at=None)
    return list(rows.select_related("course", "created_by"))


def _valid() -> Q:
    return Q(revoked_at=None, uses__lt=F("max_uses"), expires_at__gt=timezone.now())
