"""Weekly table: the best five of an ISO week's seven days."""

from __future__ import annotations

import datetime
import heapq
import re
from collections import defaultdict

from django.db.models import F, QuerySet, Window
from django.db.models.functions import Rank

from arena.accounts.models import User
from arena.features.daily.models import DailyAttempt, WeekPlace

DAYS_COUNTED = 5
BATCH_SIZE = 1000
WEEK = re.compile(r"(?P<year>2[0-9]{3})-W(?P<week>[0-9]{2})")


def monday_of(day: datetime.date) -> datetime.date:
    return day - datetime.timedelta(days=day.weekday())


def week_name(monday: datetime.date) -> str:
    """Return an ISO week, such as ``2026-W48``."""
    year, number, _weekday = monday.isocalendar()
    return f"{year}-W{number:02}"


def parse_week(text: str, today: datetime.date) -> datetime.date | None:
    """Return the Monday of an ISO week up to now; None for other text."""
    match = WEEK.fullmatch(text)
    try:
        monday = datetime.date.fromisocalendar(int(match["year"]), int(match["week"]), 1) if match else None
    except ValueError:
        return None
    return monday if monday is not None and monday <= today else None


def week_rebuild(day: datetime.date) -> None:
    """Compute the table of a day's week from the points of its closed days, within a transaction."""
    monday = monday_of(day)
    rows = DailyAttempt.objects.filter(
        deal__day__gte=monday,
        deal__day__lt=monday + datetime.timedelta(days=7),
        owner__isnull=False,
        points__isnull=False,
    )
    points: dict[int, list[int]] = defaultdict(list)
    for owner, counted in rows.values_list("owner", "points").iterator():
        if counted is not None:
            points[owner].append(counted)
    WeekPlace.objects.filter(week=monday).delete()
    WeekPlace.objects.bulk_create(
        (
            WeekPlace(
                week=monday,
                owner_id=owner,
                points=sum(heapq.nlargest(DAYS_COUNTED, days)),
                days=len(days),
            )
            for owner, days in points.items()
        ),
        batch_size=BATCH_SIZE,
    )


def week_places(monday: datetime.date) -> QuerySet[WeekPlace]:
    """Return the places of a week, best first, with ``handle``, and ``rank`` shared by equal points."""
    rank = Window(Rank(), order_by=F("points").desc())
    rows = WeekPlace.objects.filter(week=monday).annotate(handle=F("owner__player__handle"), rank=rank)
    return rows.order_by("-points", "handle")


def own_place(monday: datetime.date, user: User) -> WeekPlace | None:
    """Return the account's place with ``rank``. Two queries."""
    row = WeekPlace.objects.filter(week=monday, owner=user).first()
    if row is not None:
        better = WeekPlace.objects.filter(week=monday, points__gt=row.points).count()
        row.rank = better + 1  # type: ignore[attr-defined]
    return row
