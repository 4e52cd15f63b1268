"""Daily limits per account: number of experiments and their CPU time."""

from __future__ import annotations

import datetime
from typing import NoReturn

from django.conf import settings
from django.db.models import Q, QuerySet
from django.utils import timezone

from arena.accounts.models import User
from arena.common.errors import Conflict
from arena.competition.models import Course, CourseMember
from arena.features.experiments.models import Experiment

DAY = datetime.timedelta(days=1)


def experiments_per_day() -> int:
    most: int = settings.EXPERIMENTS_PER_DAY
    return most


def max_cpu_s() -> int:
    most: int = settings.EXPERIMENT_CPU_S_MAX
    return most


def default_cpu_s() -> int:
    usual: int = settings.EXPERIMENT_CPU_S_DEFAULT
    return min(usual, max_cpu_s())


def max_running() -> int:
    most: int = settings.EXPERIMENTS_CONCURRENT_MAX
    return most


def time_limit() -> datetime.timedelta:
    """Maximum time in the queue, and maximum time running."""
    return datetime.timedelta(days=settings.EXPERIMENT_DAYS_MAX)


def counted_experiments(user: User) -> QuerySet[Experiment]:
    """Experiments of the last day that count against the quota: all except those ended by platform faults."""
    created = Experiment.objects.filter(owner=user, created_at__gt=timezone.now() - DAY)
    return created.exclude(end_code__in=Experiment.PLATFORM_ENDS)


def experiments_left(user: User) -> int:
    """Return how many experiments the account may still create within a day. One query."""
    return max(0, experiments_per_day() - counted_experiments(user).count())


def available_cpu_s(user: User) -> int:
    """CPU-seconds left for a new experiment of the account. One query.

    Live experiments count with their whole budget.
    """
    taken_ms = 0
    for state, spent_ms, budget_s in counted_experiments(user).values_list(
        "state", "cpu_ms_spent", "budget_cpu_s"
    ):
        taken_ms += max(spent_ms, 1000 * budget_s) if state in Experiment.LIVE else spent_ms
    return max(0, settings.EXPERIMENT_CPU_S_PER_DAY - taken_ms // 1000)


def require_course_limits(user: User) -> None:
    """Raise Conflict ``course_limit_reached`` if a course of the member allows no further experiment now.

    Experiments of a course's owners do not count. Locks the courses until the transaction ends. Up to four
    queries for a course with limits.
    """
    limited = Q(experiments_limit__isnull=False) | Q(member_experiments_limit__isnull=False)
    member = CourseMember.objects.filter(user=user, is_owner=False).values("course")
    courses = Course.objects.select_for_update().filter(limited, pk__in=member, archived_at=None)
    for course in courses.order_by("pk"):
        members = CourseMember.objects.filter(course=course, is_owner=False).values("user")
        live = Experiment.objects.filter(owner__in=members, state__in=Experiment.LIVE)
        for limit, count, whose in (
            (course.member_experiments_limit, live.filter(owner=user), "You have"),
            (course.experiments_limit, live, "Its members have"),
        ):
            if limit is not None and count.count() >= limit:
                raise Conflict(
                    f"The course {course.name} allows {limit} experiments at the same time. {whose} so many "
                    "that run or wait; try again when one has ended.",
                    "course_limit_reached",
                    course=course.public_id,
                    limit=limit,
                )


def require_quota(user: User, budget_cpu_s: int) -> None:
    # Locked until the experiment exists, so that concurrent requests are counted one after the other.
    User.objects.select_for_update().get(pk=user.pk)
    if user.is_staff:
        return
    require_course_limits(user)
    most, spent = experiments_per_day(), counted_experiments(user)
    if spent.count() >= most:
        _raise_quota_conflict(
            f"You have created {most} experiments within a day, which is the limit", spent, limit=most
        )
    left_s = available_cpu_s(user)
    if budget_cpu_s > left_s:
        most_s = settings.EXPERIMENT_CPU_S_PER_DAY
        message = (
            f"Your experiments may use {most_s} CPU-seconds within a day, of which {left_s} are left, and "
            f"this one asks for {budget_cpu_s}"
        )
        if left_s:
            message += f"; lower budget_cpu_s to {left_s}, or wait for one to end"
        _raise_quota_conflict(message, spent, limit=most_s, available_cpu_s=left_s)


def _raise_quota_conflict(sentence: str, spent: QuerySet[Experiment], **extra: int) -> NoReturn:
    oldest = spent.order_by("created_at").values_list("created_at", flat=True).first() or timezone.now()
    available_at = oldest + DAY
    raise Conflict(
        f"{sentence}; try again at {available_at:%Y-%m-%d %H:%M} UTC.",
        "experiment_quota_exceeded",
        available_at=available_at.isoformat(),
        **extra,
    )
