"""Moments as people write them: a day without a time is not a moment, and some days do not exist."""

from __future__ import annotations

import re
from datetime import date, datetime, time, tzinfo

_DAY = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
END_OF_DAY = time(23, 59)
"""To the minute, as moments are shown and typed."""


def day_missing(text: str) -> bool:
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


def day_only(text: str) -> date | None:
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
