"""Moments as people write them: a day without a time is not a moment, and some days do not exist."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, tzinfo
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

_NOT_ZONES = ("Factory", "localtime")
_DAY = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
END_OF_DAY = time(23, 59)
"""To the minute, as moments are shown and typed."""


def has_invalid_day(text: str) -> bool:
    """Whether the text begins with a day that the calendar does not have.

    >>> day_missing("2027-02-29T18:00Z"), day_missing("2028-02-29"), day_missing("tomorrow")
    (True, False, False)
    """
    found = _DAY.match(text.strip())
    if found is None:
        return False
    try:
        date(*map(int, found.groups()))
    except ValueError:
        return True
    return False


def parse_day(text: str) -> date | None:
    """The day that a text names without a time; None if it is anything else.

    >>> day_only("2026-12-31"), day_only("2026-12-31T18:00")
    (datetime.date(2026, 12, 31), None)
    """
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        return None


def end_of_day(day: date, zone: tzinfo) -> datetime:
    """The last minute of a day in a zone."""
    return datetime.combine(day, END_OF_DAY, zone)


@cache
def time_zones() -> frozenset[str]:
    """The names of the IANA database of time zones, such as ``Europe/Berlin``."""
    return frozenset(name for name in available_timezones() if name not in _NOT_ZONES)


def local_to_utc(zone: ZoneInfo, day: date, at: time) -> datetime:
    """The moment, in UTC, at which clocks in a zone show this time on this day.

    A time that the clocks pass over as they go forward means the first moment after the gap; a time that
    comes twice, as they go back, the first of both.

    >>> berlin = ZoneInfo("Europe/Berlin")
    >>> wall_moment(berlin, date(2027, 3, 28), time(2, 30)).isoformat()
    '2027-03-28T01:00:00+00:00'
    >>> wall_moment(berlin, date(2027, 10, 31), time(2, 30)).isoformat()
    '2027-10-31T00:30:00+00:00'
    """
    wall = datetime.combine(day, at)
    before, after = (wall.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
    if before.astimezone(zone).replace(tzinfo=None) == wall:
        return before
    # In a gap the later reading, by the offset after it, comes first. The clocks change between the two.
    offset = before.astimezone(zone).utcoffset()
    low, high = int(after.timestamp()), int(before.timestamp())
    while low < high:
        middle = (low + high) // 2
        if datetime.fromtimestamp(middle, zone).utcoffset() == offset:
            high = middle
        else:
            low = middle + 1
    return datetime.fromtimestamp(high, UTC)
