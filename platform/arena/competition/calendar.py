"""When a recurring cup meets: moments in UTC that depend on nothing but its rhythm."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta

DAY = timedelta(days=1)
DAILY, WEEKLY = "daily", "weekly"


def meetings(every: str, weekday: int | None, at: time, after: datetime) -> Iterator[datetime]:
    """All meetings strictly later than ``after``, without end. Weekday 0 is Monday.

    >>> noon = time(12)
    >>> first = meetings("weekly", 4, noon, datetime(2026, 11, 21, tzinfo=UTC))
    >>> next(first).isoformat(), next(first).isoformat()
    ('2026-11-27T12:00:00+00:00', '2026-12-04T12:00:00+00:00')
    """
    after = after.astimezone(UTC)
    day: date = after.date()
    while True:
        moment = datetime.combine(day, at, UTC)
        if moment > after and (every == DAILY or day.weekday() == weekday):
            yield moment
        day += DAY


def meeting_after(every: str, weekday: int | None, at: time, after: datetime) -> datetime:
    """The first meeting strictly later than ``after``."""
    return next(meetings(every, weekday, at, after))
