"""Create and change courses, and end memberships."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from arena.accounts.models import User, audit
from arena.accounts.selectors import is_staff
from arena.common.declarations import require_integer
from arena.common.errors import Conflict, Forbidden
from arena.common.names import name_checked
from arena.common.texts import require_visible_characters
from arena.competition.course_limits import COURSE_LIMITS
from arena.competition.entries.withdrawals import entry_withdraw
from arena.competition.models import Course, CourseMember, Entry, Tournament
from arena.competition.models.courses import MAX_DESCRIPTION_CHARACTERS, MAX_NAME_CHARACTERS
from arena.features.courses.limits import MAX_COURSES, MAX_MEMBERS, MAX_OWNERS
from arena.features.courses.selectors import require_manager


def course_create(actor: User, name: str, description: str = "", **limits: int | None) -> Course:
    """Create a course, owned by ``actor``. ``limits``: as ``course_update``.

    Raises Forbidden ``organiser_role_required``, Conflict ``too_many_courses``, Invalid.
    """
    _require_organiser_role(actor)
    columns = _columns({"name": name, "description": description, **limits})
    with transaction.atomic():
        # Locked, so that concurrent requests are counted one after the other.
        User.objects.select_for_update().get(pk=actor.pk)
        owned = CourseMember.objects.filter(user=actor, is_owner=True, course__archived_at=None)
        if not is_staff(actor) and owned.count() >= MAX_COURSES:
            raise Conflict(
                f"You own {MAX_COURSES} courses, which is the limit. Archive one first.", "too_many_courses"
            )
        course = Course.objects.create(created_by=actor, **columns)
        CourseMember.objects.create(course=course, user=actor, is_owner=True)
        audit(actor, "create", course, name=course.name)
    return course


def course_update(course: Course, actor: User, **changes: Any) -> None:
    """Change name, description, ``COURSE_LIMITS`` (None: no limit), and for staff ``new_accounts_limit``.

    Raises Forbidden ``not_course_owner``, ``not_staff``; Invalid.
    """
    require_manager(actor, course)
    if "new_accounts_limit" in changes and not is_staff(actor):
        raise Forbidden("Only staff can change how many accounts a course may create.", "not_staff")
    columns = _columns(changes)
    changed = {name: value for name, value in columns.items() if getattr(course, name) != value}
    if not changed:
        return
    with transaction.atomic():
        before = {name: getattr(course, name) for name in changed}
        Course.objects.filter(pk=course.pk).update(**changed)
        audit(actor, "update", course, before, **changed)
    for name, value in changed.items():
        setattr(course, name, value)


def course_archive(course: Course, actor: User, *, is_archived: bool = True) -> None:
    """Archive or restore a course. An archived one accepts no members and no tournaments. Idempotent.

    Its members keep access. Raises Forbidden ``not_course_owner``.
    """
    require_manager(actor, course)
    now = timezone.now() if is_archived else None
    with transaction.atomic():
        if Course.objects.filter(pk=course.pk, archived_at__isnull=is_archived).update(archived_at=now):
            audit(actor, "archive" if is_archived else "restore", course)
    course.refresh_from_db(fields=["archived_at"])


def member_add(course: Course, user: User, actor: User | None) -> bool:
    """Add an account in the caller's transaction, which has locked the course; False for a member.

    Raises Conflict ``course_full``.
    """
    if course.members.filter(user=user).exists():
        return False
    if course.members.count() >= MAX_MEMBERS:
        raise Conflict(f"{course.name} has {MAX_MEMBERS} members, which is the limit.", "course_full")
    CourseMember.objects.create(course=course, user=user)
    audit(actor or user, "join", course, user=user.username)
    return True


def owner_set(member: CourseMember, actor: User, *, is_owner: bool) -> None:
    """Make a member an owner, or an owner a member. Idempotent.

    Owners organise the course's tournaments and need the organiser role. Raises Forbidden
    ``not_course_owner``, ``organiser_role_required``; Conflict ``too_many_owners``, ``last_owner``.
    """
    require_manager(actor, member.course)
    with transaction.atomic():
        course = course_lock(member.course)
        owners = course.members.filter(is_owner=True)
        if is_owner:
            _require_organiser_role(member.user)
            if owners.count() >= MAX_OWNERS:
                raise Conflict(f"A course has at most {MAX_OWNERS} owners.", "too_many_owners")
        else:
            _require_other_owner(member)
        changed = course.members.filter(pk=member.pk, is_owner=not is_owner).update(is_owner=is_owner)
        if changed:
            audit(actor, "add_owner" if is_owner else "remove_owner", course, user=member.user.username)
        if changed and not is_owner:
            _hand_over(course, member.user, actor)
    member.is_owner = is_owner


def member_remove(member: CourseMember, actor: User | None) -> None:
    """End a membership: an owner removes a member, or a member leaves. None stands for the system.

    Entries in tournaments that are open for entry are withdrawn; those being played stay. Tournaments that
    an owner organised pass to another owner. Raises Forbidden ``not_course_owner``, Conflict ``last_owner``.
    """
    if actor is not None and actor.pk != member.user_id:
        require_manager(actor, member.course)
    with transaction.atomic():
        course = course_lock(member.course)
        if actor is not None:
            _require_other_owner(member)
        if not course.members.filter(pk=member.pk).delete()[0]:
            return
        _hand_over(course, member.user, actor)
        is_own = actor is not None and actor.pk == member.user_id
        audit(actor, "leave" if is_own else "remove_member", course, user=member.user.username)
        owned = Q(player__user=member.user_id) | Q(partner_version__bot__owner__user=member.user_id)
        entries = Entry.objects.filter(
            owned,
            status__in=Entry.ACTIVE,
            tournament__course=course,
            tournament__state=Tournament.State.OPEN,
        ).select_related(
            "tournament", "player", "version__bot__owner__user", "partner_version__bot__owner__user"
        )
        for entry in entries.order_by("id"):
            entry_withdraw(entry, None, {"code": "left_course"})


def course_lock(course: Course) -> Course:
    """Return the course's row, locked until the transaction ends."""
    return Course.objects.select_for_update().get(pk=course.pk)


def _require_organiser_role(user: User) -> None:
    if not (user.is_active and (user.is_organiser or user.is_staff)):
        raise Forbidden(
            f"The account {user.username} is not an organiser. Ask the operator to make it one.",
            "organiser_role_required",
        )


def _require_other_owner(member: CourseMember) -> None:
    other_owners = CourseMember.objects.filter(course=member.course_id, is_owner=True).exclude(pk=member.pk)
    if member.is_owner and not other_owners.exists():
        raise Conflict(
            f"{member.user.username} is the only owner of this course. Make another member an owner first.",
            "last_owner",
        )


def _hand_over(course: Course, user: User, actor: User | None) -> None:
    """Give a former owner's tournaments of the course to ``actor``, or else to its longest-standing owner."""
    course.tournaments.model.co_organisers.through.objects.filter(
        user=user, tournament__course=course
    ).delete()
    owners = course.members.filter(is_owner=True).select_related("user").order_by("joined_at", "id")
    heirs = [owner.user for owner in owners if owner.user_id != user.pk]
    heir = next((each for each in heirs if actor is not None and each.pk == actor.pk), None)
    heir = heir or next(iter(heirs), None)
    organised = course.tournaments.filter(organiser=user)
    if heir is None or not organised.exists():
        return
    for tournament in organised:
        audit(actor, "hand_over", tournament, {"organiser": user.username}, organiser=heir.username)
    organised.update(organiser=heir)


def _columns(given: dict[str, Any]) -> dict[str, Any]:
    columns = dict(given)
    if "name" in columns:
        columns["name"] = name_checked("name", columns["name"], MAX_NAME_CHARACTERS)
    if "description" in columns:
        text = require_visible_characters("description", columns["description"].strip())
        columns["description"] = text[:MAX_DESCRIPTION_CHARACTERS]
    for name, limit in COURSE_LIMITS.items():
        if name in columns:
            columns[name] = limit.checked(columns[name])
    if "new_accounts_limit" in columns:
        require_integer("new_accounts_limit", columns["new_accounts_limit"], 0, MAX_MEMBERS)
    return columns
