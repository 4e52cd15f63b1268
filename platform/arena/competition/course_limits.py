"""Limits that owners of a course set for its members: declarations of the fields, and checks."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from arena.accounts.models import User
from arena.common.declarations import IntegerSpec, specs_by_name
from arena.common.errors import Conflict
from arena.competition.models import Course, CourseMember

DAY = datetime.timedelta(days=1)
MAX_LIMIT = 1000
_NO_LIMIT = "Owners do not count. Without a number, the course sets no limit."


def _limit(name: str, label: str, explanation: str) -> IntegerSpec:
    return IntegerSpec(name=name, label=label, help=f"{explanation} {_NO_LIMIT}", least=0, most=MAX_LIMIT)


EXPERIMENTS = _limit(
    "experiments_limit",
    "Experiments of all members at the same time",
    "Maximum experiments of all members together that run or wait.",
)
MEMBER_EXPERIMENTS = _limit(
    "member_experiments_limit",
    "Experiments of a member at the same time",
    "Maximum experiments of each member that run or wait.",
)
MEMBER_CHALLENGES = _limit(
    "member_challenges_limit",
    "Challenges of a member within 24 hours",
    "Maximum challenges that each member starts within 24 hours.",
)
MEMBER_VERSIONS = _limit(
    "member_versions_limit",
    "Versions of a member within 24 hours",
    "Maximum versions that each member uploads within 24 hours, as each is checked at a table.",
)
COURSE_LIMITS: Mapping[str, IntegerSpec] = specs_by_name(
    EXPERIMENTS, MEMBER_EXPERIMENTS, MEMBER_CHALLENGES, MEMBER_VERSIONS
)
"""By name, which is also the column of ``Course``; null: no limit."""


def require_daily_limit(user: User, limit: IntegerSpec, rows: QuerySet[Any]) -> None:
    """Raise Conflict ``course_limit_reached`` if a course of the member allows no further row now.

    ``rows`` have ``created_at`` and belong to the account, which the caller has locked. One query without a
    limit, else two. Staff have no limits.
    """
    member = CourseMember.objects.filter(user=user, is_owner=False).values("course")
    limited = Course.objects.filter(**{f"{limit.name}__isnull": False}, pk__in=member, archived_at=None)
    course = None if user.is_staff else limited.order_by(limit.name, "pk").first()
    if course is None:
        return
    most = getattr(course, limit.name)
    recent = rows.filter(created_at__gt=timezone.now() - DAY).order_by("-created_at")
    times = list(recent.values_list("created_at", flat=True)[:most])
    if len(times) < most:
        return
    available_at = times[-1] + DAY if times else None
    message = f"The course {course.name} sets a limit of {most}: {limit.label}."
    if available_at is not None:
        message += f" Try again at {available_at:%Y-%m-%d %H:%M} UTC."
    raise Conflict(
        message,
        "course_limit_reached",
        course=course.public_id,
        limit=most,
        available_at=available_at and available_at.isoformat(),
    )
