"""Accounts of a course from a CSV file: checked first, then created or invited, all or none."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple

from django.db import transaction
from django.utils import timezone

from arena.accounts.bulk import (
    AccountRow,
    Finding,
    ListInvalid,
    PlannedAccounts,
    accounts_create,
    accounts_plan,
    list_read,
    unused_accounts,
)
from arena.accounts.links import FIRST_PASSWORD_DAYS, reset_links_create, reset_path
from arena.accounts.models import User, audit
from arena.accounts.selectors import is_staff
from arena.common.csv_text import csv_bytes
from arena.common.errors import Conflict, NotFound
from arena.competition.courses import require_course_active
from arena.competition.models import Course, CourseMember
from arena.features.courses.invitations import accounts_invite
from arena.features.courses.limits import LIST_HOURS, MAX_MEMBERS
from arena.features.courses.models import CheckedList, CourseAccount, CourseInvitation
from arena.features.courses.selectors import require_manager
from arena.features.courses.services import course_lock

LINK_NOTE = "first password"
CSV_HEAD = ("name", "email", "link", "valid_until")


class CoursePlan(NamedTuple):
    """The changes that a list would make."""

    new: list[AccountRow]
    invited: list[User]
    """Existing accounts that have to accept an invitation."""
    members: list[User]
    """Accounts that are members or were invited already: nothing changes."""


class NewLink(NamedTuple):
    """A link with which an account sets its first password. It is not stored."""

    user: User
    path: str


class AppliedList(NamedTuple):
    links: list[NewLink]
    invited: int
    members: int


def list_check(course: Course, data: bytes, actor: User) -> CheckedList:
    """Store a CSV file for confirmation, after checking all of it.

    Raises Forbidden ``not_course_owner``; ListInvalid with all errors; Conflict ``course_archived``.
    """
    require_manager(actor, course)
    require_course_active(course)
    given = list_read(data)
    course_plan(course, given.rows, actor)
    return CheckedList.objects.create(
        course=course, created_by=actor, rows=[list(row) for row in given.rows], ignored=given.ignored
    )


def checked_list(course: Course, public_id: str, actor: User) -> CheckedList:
    """Return a list of the account that waits for confirmation. Raises NotFound ``list_not_found``."""
    rows = CheckedList.objects.filter(created_at__gt=timezone.now() - timedelta(hours=LIST_HOURS))
    waiting = rows.filter(course=course, public_id=public_id, created_by=actor).first()
    if waiting is None:
        raise NotFound("The list was confirmed or is too old. Upload it again.", "list_not_found")
    return waiting


def rows_of(checked: CheckedList) -> list[AccountRow]:
    return [AccountRow(*row) for row in checked.rows]


def course_plan(course: Course, rows: Sequence[AccountRow], actor: User | None) -> CoursePlan:
    """Compare rows with the accounts and members now. Six queries. Raises ListInvalid."""
    planned: PlannedAccounts = accounts_plan(rows)
    keys = [user.pk for user in planned.existing]
    present = set(CourseMember.objects.filter(course=course, user__in=keys).values_list("user_id", flat=True))
    waiting = CourseInvitation.objects.filter(
        course=course, user__in=keys, revoked_at=None, uses=0, expires_at__gt=timezone.now()
    )
    present |= set(waiting.values_list("user_id", flat=True))
    invited = [user for user in planned.existing if user.pk not in present]
    findings = []
    room = MAX_MEMBERS - course.members.count()
    if len(planned.new) > room:
        findings.append(Finding(0, "", f"the course has room for {room} more members"))
    if actor is not None and not is_staff(actor):
        left = max(0, course.new_accounts_limit - course.created_accounts.count())
        if len(planned.new) > left:
            reason = (
                f"{len(planned.new)} names have no account yet (the first is {planned.new[0].username} in "
                f"line {planned.new[0].line}), and the course may create {left} more accounts. Ask the "
                "site's staff to raise the limit"
            )
            findings.append(Finding(0, "", reason))
    if findings:
        raise ListInvalid(findings)
    return CoursePlan(planned.new, invited, [user for user in planned.existing if user.pk in present])


def list_apply(checked: CheckedList, actor: User) -> AppliedList:
    """Create the accounts that do not exist as members, and invite the others; all or none, and only once.

    Raises Forbidden, NotFound ``list_not_found``, ListInvalid, Conflict as ``accounts_create``.
    """
    require_manager(actor, checked.course)
    with transaction.atomic():
        course = course_lock(checked.course)
        if not CheckedList.objects.filter(pk=checked.pk).delete()[0]:
            raise NotFound("The list was confirmed already. Upload it again.", "list_not_found")
        return rows_apply(course, rows_of(checked), actor, actor)


def rows_apply(course: Course, rows: Sequence[AccountRow], actor: User | None, inviter: User) -> AppliedList:
    """Apply rows in the caller's transaction, which has locked the course. ``actor`` None: an operator."""
    require_course_active(course)
    plan = course_plan(course, rows, actor)
    users = accounts_create(plan.new, actor, course=course.public_id)
    CourseAccount.objects.bulk_create(CourseAccount(user=user, course=course) for user in users)
    CourseMember.objects.bulk_create(CourseMember(course=course, user=user) for user in users)
    accounts_invite(course, plan.invited, inviter)
    if users or plan.invited:
        audit(actor, "add_accounts", course, created=len(users), invited=len(plan.invited))
    return AppliedList(new_links(users, actor), len(plan.invited), len(plan.members))


def unused_of(course: Course) -> list[User]:
    """Return the created accounts that have never been used, by name. One query."""
    created = User.objects.filter(created_for_course__course=course, course_memberships__course=course)
    return list(unused_accounts(created).order_by("username"))


def links_renew(course: Course, actor: User) -> list[NewLink]:
    """Make new links for the created accounts that have not been used; earlier links stop working.

    Raises Forbidden ``not_course_owner``, Conflict ``no_unused_accounts``.
    """
    require_manager(actor, course)
    with transaction.atomic():
        course_lock(course)
        users = unused_of(course)
        if not users:
            raise Conflict("All accounts that the course created are in use.", "no_unused_accounts")
        audit(actor, "renew_links", course, accounts=len(users))
        return new_links(users, actor)


def new_links(users: Sequence[User], actor: User | None) -> list[NewLink]:
    plain = reset_links_create(users, actor, LINK_NOTE) if users else []
    return [NewLink(user, reset_path(secret)) for user, secret in zip(users, plain, strict=True)]


def links_csv(links: Sequence[NewLink], site: str) -> bytes:
    """Return the links as CSV, in which no cell is a formula."""
    until = timezone.now() + timedelta(days=FIRST_PASSWORD_DAYS)
    valid = f"{until:%Y-%m-%d %H:%M} UTC"
    rows = [(link.user.username, link.user.email, site + link.path, valid) for link in links]
    return csv_bytes(CSV_HEAD, rows)


def lists_prune() -> tuple[()]:
    """Delete lists that were not confirmed; the tick calls it."""
    CheckedList.objects.filter(created_at__lt=timezone.now() - timedelta(hours=LIST_HOURS)).delete()
    return ()
