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
DAILY, WEEKLY, MONTHLY = Series.Every.values
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
"""Names in the API and in forms; services take the number, from 0."""
LAST_DAY = 31
"""Maximum ``month_day``; shorter months use their last day."""
MAX_OPEN_HOURS = {DAILY: 24, WEEKLY: 7 * 24, MONTHLY: 28 * 24}
"""Maximum hours of registration: it ends before the registration of the next edition begins."""
MAX_NAME_LENGTH = 80
"""Maximum characters; editions append their number."""

FIELDS: dict[str, FieldSpec] = specs_by_name(
    TextSpec(
        name="name", label="Name", help="Editions add their number.", is_required=True, most=MAX_NAME_LENGTH
    ),
    FieldSpec(
        name="template",
        label="Editions are like",
        help="A tournament without its name and times; replaced as a whole.",
        is_required=True,
    ),
    ChoiceSpec(
        name="every", label="It recurs", default=DAILY, is_required=True, choices=dict(Series.Every.choices)
    ),
    ChoiceSpec(
        name="weekday", label="On", help="Of weekly ones.", choices={day: day.title() for day in WEEKDAYS}
    ),
    IntegerSpec(
        name="month_day",
        label="On day",
        help="Of monthly ones, 1 to 31; the last day of a month that is shorter.",
        least=1,
        most=LAST_DAY,
    ),
    TimeZoneSpec(
        name="timezone",
        label="Time zone",
        help="IANA name, such as Europe/Berlin. Times stay the same when its clocks change.",
        default="UTC",
    ),
    TimeSpec(
        name="at",
        label="Play begins at",
        help="Hours and minutes by the clocks of the time zone, such as 20:00; registration ends then.",
        default=time(20),
        is_required=True,
    ),
    IntegerSpec(
        name="open_hours",
        label="Hours to enter",
        help="Registration opens so long before: at most 24 for daily ones, 168 for weekly and 672 for "
        "monthly ones.",
        default=12,
        least=1,
        most=max(MAX_OPEN_HOURS.values()),
    ),
    DateTimeSpec(name="until", label="No edition after", help="Empty: it goes on until it is ended."),
)
"""The states of the action ``update`` are those in which fields may be changed."""

DEFAULTS: dict[str, Any] = {name: field.default for name, field in FIELDS.items()}

DECLARED = (
    ActionSpec(name="update", states=LIVE),
    ActionSpec(
        name="pause",
        states=(State.ACTIVE,),
        label="Pause the cup",
        summary="Pause a series. No further edition is made until it is resumed.",
        takes_reason=True,
    ),
    ActionSpec(
        name="resume",
        states=(State.PAUSED,),
        label="Resume the cup",
        summary="Resume a series. It goes on with the next edition that leaves time to enter; those missed "
        "are skipped.",
    ),
    ActionSpec(
        name="end",
        states=LIVE,
        label="End the cup",
        summary="End a series. No further edition is ever made.",
        takes_reason=True,
        is_final=True,
    ),
)
ACTIONS = {action.name: action for action in DECLARED}

STATE_ACTIONS = {action.name: action for action in DECLARED if action.label}
"""Actions with a page and a route of their own."""
