"""Parsing of dates and times as people write them, and time zones."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, tzinfo
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

_NOT_ZONES = ("Factory", "localtime")
_DAY = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
END_OF_DAY = time(23, 59)
"""Last minute of a day; times are displayed and entered in minutes."""


def has_invalid_day(text: str) -> bool:
    """Return whether the text begins with a date that does not exist.

    >>> has_invalid_day("2027-02-29T18:00Z"), has_invalid_day("2028-02-29"), has_invalid_day("tomorrow")
    (True, False, False)
    """
    match = _DAY.match(text.strip())
    if match is None:
        return False
    try:
        date(*map(int, match.groups()))
    except ValueError:
        return True
    return False


def parse_day(text: str) -> date | None:
    """Return the date of a text that contains only a date, otherwise None."""
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        return None


def end_of_day(day: date, zone: tzinfo) -> datetime:
    return datetime.combine(day, END_OF_DAY, zone)


@cache
def time_zones() -> frozenset[str]:
    """Return the names of time zones in the IANA database, such as ``Europe/Berlin``."""
    return frozenset(name for name in available_timezones() if name not in _NOT_ZONES)


def local_to_utc(zone: ZoneInfo, day: date, local_time: time) -> datetime:
    """Return the UTC time at which clocks in a zone display this time on this day.

    A time in a gap, when clocks go forward, becomes the end of the gap. Of a time that occurs twice, the
    first counts.

    >>> berlin = ZoneInfo("Europe/Berlin")
    >>> local_to_utc(berlin, date(2027, 3, 28), time(2, 30)).isoformat()
    '2027-03-28T01:00:00+00:00'
    """
    wall = datetime.combine(day, local_time)
    before, after = (wall.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
    if before.astimezone(zone).replace(tzinfo=None) == wall:
        return before
    # In a gap, the reading with the later offset is earlier. The clocks change between the two.
    offset = before.astimezone(zone).utcoffset()
    low, high = int(after.timestamp()), int(before.timestamp())
    while low < high:
        middle = (low + high) // 2
        if datetime.fromtimestamp(middle, zone).utcoffset() == offset:
            high = middle
        else:
            low = middle + 1
    return datetime.fromtimestamp(high, UTC)
