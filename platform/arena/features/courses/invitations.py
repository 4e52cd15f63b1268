"""Invitations to courses: links for several accounts, and invitations of one account."""

from __future__ import annotations

import secrets
from datetime import timedelta

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from arena.accounts.links import link_hash
from arena.accounts.models import Notice, User, audit
from arena.accounts.services import notice_create
from arena.common.declarations import require_integer
from arena.common.errors import Conflict, NotFound
from arena.common.texts import require_visible_characters
from arena.competition.courses import require_course_active
from arena.competition.models import Course
from arena.features.courses.limits import (
    INVITATION_DAYS,
    INVITATION_USES,
    MAX_INVITATION_DAYS,
    MAX_MEMBERS,
    MAX_OPEN_INVITATIONS,
    NOTE_CHARACTERS,
    PERSONAL_DAYS,
)
from arena.features.courses.models import CourseInvitation
from arena.features.courses.selectors import open_links, require_manager
from arena.features.courses.services import course_lock, member_add

UNKNOWN_LINK = "This invitation does not work: it was used up, revoked, or has expired. Ask for a new one."


def invitation_create(
    course: Course, actor: User, *, note: str = "", days: int = INVITATION_DAYS, uses: int = INVITATION_USES
) -> tuple[CourseInvitation, str]:
    """Create a link with which ``uses`` accounts may join; return it with its secret, which is not stored.

    Raises Forbidden ``not_course_owner``; Conflict ``course_archived``, ``too_many_invitations``; Invalid.
    """
    require_manager(actor, course)
    require_integer("days", days, 1, MAX_INVITATION_DAYS)
    require_integer("uses", uses, 1, MAX_MEMBERS)
    note = require_visible_characters("note", note.strip())[:NOTE_CHARACTERS]
    plain = secrets.token_urlsafe(32)
    with transaction.atomic():
        course = course_lock(course)
        require_course_active(course)
        if open_links(course).count() >= MAX_OPEN_INVITATIONS:
            raise Conflict(
                f"{course.name} has {MAX_OPEN_INVITATIONS} valid invitation links, which is the limit. "
                "Revoke one first.",
                "too_many_invitations",
            )
        invitation = CourseInvitation.objects.create(
            course=course,
            token_hash=link_hash(plain),
            note=note,
            max_uses=uses,
            created_by=actor,
            expires_at=timezone.now() + timedelta(days=days),
        )
        audit(actor, "create", invitation, course=course.public_id, uses=uses, days=days)
    return invitation, plain


def invitation_path(plain: str) -> str:
    return f"/courses/join/{plain}"


def accounts_invite(course: Course, users: list[User], actor: User) -> None:
    """Invite accounts in the caller's transaction, which has checked the actor, and notify them.

    An earlier invitation becomes valid again. Members must be left out.
    """
    expires_at = timezone.now() + timedelta(days=PERSONAL_DAYS)
    for user in users:
        CourseInvitation.objects.update_or_create(
            course=course,
            user=user,
            defaults={
                "created_by": actor,
                "created_at": timezone.now(),
                "expires_at": expires_at,
                "revoked_at": None,
                "uses": 0,
            },
        )
        note = {"code": "course_invited", "user": actor.username, "course": course.name}
        notice_create(user, Notice.Kind.INVITED, note, "/courses")


def link_find(plain: str) -> CourseInvitation:
    """Return the valid invitation with this secret. Raises NotFound ``link_not_found``."""
    rows = CourseInvitation.objects.select_related("course", "created_by")
    invitation = rows.filter(token_hash=link_hash(plain)).first()
    if invitation is None or not _is_valid(invitation):
        raise NotFound(UNKNOWN_LINK, "link_not_found")
    return invitation


def invitation_find(public_id: str, user: User) -> CourseInvitation:
    """Return a valid invitation of this account. Raises NotFound ``link_not_found``."""
    rows = CourseInvitation.objects.select_related("course")
    invitation = rows.filter(public_id=public_id, user=user).first()
    if invitation is None or not _is_valid(invitation):
        raise NotFound(UNKNOWN_LINK, "link_not_found")
    return invitation


def course_join(invitation: CourseInvitation, user: User) -> bool:
    """Join with an invitation; False for a member, who uses up nothing.

    Raises NotFound ``link_not_found``; Conflict ``course_archived``, ``course_full``.
    """
    with transaction.atomic():
        course = course_lock(invitation.course)
        require_course_active(course)
        if not member_add(course, user, None):
            return False
        valid = CourseInvitation.objects.filter(
            pk=invitation.pk, revoked_at=None, uses__lt=F("max_uses"), expires_at__gt=timezone.now()
        )
        if not valid.update(uses=F("uses") + 1):
            raise NotFound(UNKNOWN_LINK, "link_not_found")
    return True


def invitation_revoke(course: Course, public_id: str, actor: User) -> None:
    """Revoke an invitation of the course. Idempotent. Raises Forbidden, NotFound ``invitation_not_found``."""
    require_manager(actor, course)
    invitation = course.invitations.filter(public_id=public_id).first()
    if invitation is None:
        raise NotFound(f"{course.name} has no invitation {public_id}.", "invitation_not_found")
    _revoke(invitation, actor, "revoke")


def invitation_decline(invitation: CourseInvitation, user: User) -> None:
    _revoke(invitation, user, "decline")


def _revoke(invitation: CourseInvitation, actor: User, action: str) -> None:
    with transaction.atomic():
        rows = CourseInvitation.objects.filter(pk=invitation.pk, revoked_at=None)
        if rows.update(revoked_at=timezone.now()):
            audit(actor, action, invitation)


def _is_valid(invitation: CourseInvitation) -> bool:
    return (
        invitation.revoked_at is None
        and invitation.uses < invitation.max_uses
        and invitation.expires_at > timezone.now()
    )
