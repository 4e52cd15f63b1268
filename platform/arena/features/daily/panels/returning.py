"""A person's earlier days: the streak, yesterday's result, and results in lists of days."""

from __future__ import annotations

import datetime
from collections.abc import Container, Iterable
from typing import NamedTuple

from django.utils import timezone

from arena.features.daily.models import DailyAttempt, DailyDeal
from arena.features.daily.panels.results import deal_title, own_result, signed_stones
from arena.features.daily.selectors import finished_days
from arena.features.play.person import Person
from arena.web.base.figures import format_duration

DAY = datetime.timedelta(days=1)


class DayRow(NamedTuple):
    day: datetime.date
    title: str
    stones: str
    """The person's result; empty without one."""
    points: int | None


class Returning(NamedTuple):
    streak: int
    """Finished days in a row, up to today, or up to yesterday while today's deal is not finished."""
    yesterday: DailyDeal | None
    yesterdays_result: str
    yesterdays_points: int | None
    next_in: str
    """Time until the next deal."""
    days: list[DayRow]


def returning_context(person: Person, deals: Iterable[DailyDeal]) -> Returning:
    """Return what a person sees of other days; ``deals`` are earlier days. At most two queries."""
    now = timezone.now()
    finished, listed = finished_days(person), list(deals)
    yesterday = next((deal for deal in listed if deal.day == now.date() - DAY), None)
    attempt = finished.get(yesterday.day) if yesterday is not None else None
    is_shown = yesterday is not None and yesterday.is_closed and attempt is not None
    midnight = datetime.datetime.combine(now.date() + DAY, datetime.time(), datetime.UTC)
    return Returning(
        streak_of(finished, now.date()),
        yesterday,
        own_result(yesterday, attempt) if is_shown and yesterday is not None and attempt is not None else "",
        attempt.points if is_shown and attempt is not None else None,
        format_duration((midnight - now).total_seconds()),
        day_rows(listed, finished),
    )


def streak_of(finished: Container[datetime.date], today: datetime.date) -> int:
    """Return the number of finished days in a row.

    >>> days = {datetime.date(2026, 11, day) for day in (1, 3, 4)}
    >>> [streak_of(days, datetime.date(2026, 11, day)) for day in (4, 5, 6)]
    [2, 2, 0]
    """
    day, streak = (today if today in finished else today - DAY), 0
    while day in finished:
        day, streak = day - DAY, streak + 1
    return streak


def day_rows(deals: Iterable[DailyDeal], finished: dict[datetime.date, DailyAttempt]) -> list[DayRow]:
    rows = []
    for deal in deals:
        own = finished.get(deal.day)
        stones = signed_stones(own.stones) if own is not None and own.stones is not None else ""
        rows.append(DayRow(deal.day, deal_title(deal), stones, own.points if own is not None else None))
    return rows
