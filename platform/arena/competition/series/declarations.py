"""Fields and actions of a series, declared once for API, forms and services."""

from __future__ import annotations

from datetime import time
from typing import Any

from arena.common.declarations import (
    ActionSpec,
    ChoiceSpec,
    DateTimeSpec,
    FieldSpec,
    IntegerSpec,
    TextSpec,
    TimeSpec,
    TimeZoneSpec,
    specs_by_name,
)
from arena.competition.models import Series

State = Series.State

LIVE = (State.ACTIVE, State.PAUSED)
DAILY, WEEKLY, MONTHLY = Series.Frequency.values
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
"""Names in the API and in forms; services take the number, from 0."""
LAST_DAY = 31
"""Maximum ``month_day``; shorter months use their last day."""
MAX_OPEN_HOURS = {DAILY: 24, WEEKLY: 7 * 24, MONTHLY: 28 * 24}
"""Maximum hours of entry: it ends before entry of the next edition begins."""
MAX_NAME_LENGTH = 80
"""Maximum characters; editions append their number."""

FIELDS: dict[str, FieldSpec] = specs_by_name(
    TextSpec(
        name="name",
        label="Name",
        help="Each edition's name is this name followed by its number.",
        is_required=True,
        most=MAX_NAME_LENGTH,
    ),
    FieldSpec(
        name="template",
        label="Template",
        help="A tournament's fields, except its name and times. An update replaces the whole template.",
        is_required=True,
    ),
    ChoiceSpec(
        name="frequency",
        label="Repeats",
        default=DAILY,
        is_required=True,
        choices=dict(Series.Frequency.choices),
    ),
    ChoiceSpec(
        name="weekday",
        label="Weekday",
        help="Only for weekly cups.",
        choices={day: day.title() for day in WEEKDAYS},
    ),
    IntegerSpec(
        name="month_day",
        label="Day of the month",
        help="Only for monthly cups. In shorter months, the last day is used.",
        least=1,
        most=LAST_DAY,
    ),
    TimeZoneSpec(
        name="timezone",
        label="Time zone",
        help="IANA name, such as Europe/Berlin. Local times stay the same when daylight saving time changes.",
        default="UTC",
    ),
    TimeSpec(
        name="start_time",
        label="Start of play",
        help="Local time in this time zone, such as 20:00. Entry ends at this time.",
        default=time(20),
        is_required=True,
    ),
    IntegerSpec(
        name="open_hours",
        label="Entry period (hours)",
        help="Entry opens this many hours before play: at most 24 for daily, 168 for weekly and "
        "672 for monthly cups.",
        default=12,
        least=1,
        most=max(MAX_OPEN_HOURS.values()),
    ),
    DateTimeSpec(name="until", label="No editions after", help="Empty: no end."),
)
"""The states of the action ``update`` are those in which fields may be changed."""

DEFAULTS: dict[str, Any] = {name: field.default for name, field in FIELDS.items()}

DECLARED = (
    ActionSpec(name="update", states=LIVE),
    ActionSpec(
        name="pause",
        states=(State.ACTIVE,),
        label="Pause the cup",
        summary="Pause a series. No editions are created until it is resumed.",
        takes_reason=True,
    ),
    ActionSpec(
        name="resume",
        states=(State.PAUSED,),
        label="Resume the cup",
        summary="Resume a series. It continues with the next edition that leaves time to enter; missed "
        "editions are skipped.",
    ),
    ActionSpec(
        name="end",
        states=LIVE,
        label="End the cup",
        summary="End a series. No further editions are created.",
        takes_reason=True,
        is_final=True,
    ),
)
ACTIONS = {action.name: action for action in DECLARED}

STATE_ACTIONS = {action.name: action for action in DECLARED if action.label}
"""Actions with a page and a route of their own."""
