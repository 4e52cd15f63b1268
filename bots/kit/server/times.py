"""Times from the command line: local unless they have a zone; a date alone means the end of the day."""

from __future__ import annotations

import datetime
import re
from typing import Any

from bots.kit.display.console import print_note
from bots.kit.errors import InvalidInput
from engine.refusals import quoted

FIELDS_WITHOUT_DAY_END = ("starts_at",)
"""Fields in which a date without a time is ambiguous."""
TIME_FIELDS = ("closes_at", "until", *FIELDS_WITHOUT_DAY_END)
EXAMPLE = "2027-05-01T18:00"
END_OF_DAY = datetime.time(23, 59)
_DAY = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")


def times_to_utc(fields: dict[str, Any]) -> None:
    """Convert the times among these fields to UTC, or raise ``InvalidInput``. Print those without a zone."""
    for name in TIME_FIELDS:
        value = fields.get(name)
        if isinstance(value, str) and value:
            fields[name] = time_to_utc(name, value)


def time_to_utc(name: str, text: str) -> str:
    """Return a time in the server's form, such as ``2027-05-01T16:00:00Z``, or raise ``InvalidInput``."""
    local = _parsed(name, text.strip())
    try:
        moment = local.astimezone(datetime.UTC)
    except (OverflowError, OSError, ValueError):
        raise InvalidInput(f"{name} is {quoted(text)}: this time is out of range") from None
    if local.tzinfo is None:
        here = local.astimezone()
        print_note(f"{name} is {here:%Y-%m-%d %H:%M} {here.tzname()}, which is {moment:%Y-%m-%d %H:%M} UTC")
    return moment.isoformat().replace("+00:00", "Z")


def _parsed(name: str, text: str) -> datetime.datetime:
    match = _DAY.match(text)
    try:
        if match is not None:
            datetime.date(*map(int, match.groups()))
    except ValueError:
        raise InvalidInput(f"{name} is {quoted(text)}: this day does not exist") from None
    try:
        day = datetime.date.fromisoformat(text)
    except ValueError:
        pass
    else:
        if name in FIELDS_WITHOUT_DAY_END:
            raise InvalidInput(f"{name} is {quoted(text)}: add a time, such as {day}T18:00")
        return datetime.datetime.combine(day, END_OF_DAY)
    try:
        return datetime.datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInput(
            f"{name} is {quoted(text)}: write a time such as {EXAMPLE} (in the zone of this computer), "
            f"{EXAMPLE}Z or {EXAMPLE}+02:00"
        ) from None
