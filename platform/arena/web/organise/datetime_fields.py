"""Fields of moments in the forms of organisers, typed by the clocks of a time zone that they choose."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.utils import timezone

from arena.common.moments import day_missing, day_only, end_of_day, time_zones, wall_moment


class LocalDateTimeField(forms.DateTimeField):
    """A moment, or none, read as UTC: see ``localise``.

    A day without a time means its end, or is refused if ``needs_time``.
    """

    def __init__(self, *, needs_time: bool = False, **options: Any) -> None:
        widget = forms.DateTimeInput(format="%Y-%m-%dT%H:%M", attrs={"type": "datetime-local"})
        super().__init__(required=False, widget=widget, **options)
        self.needs_time = needs_time

    def to_python(self, value: Any) -> datetime | None:
        """The moment; raises ValidationError."""
        if isinstance(value, str):
            if day_missing(value):
                raise forms.ValidationError("This day does not exist.", "day_missing")
            day = day_only(value)
            if day is not None and self.needs_time:
                raise forms.ValidationError(
                    f"Add the time of day, such as {day.isoformat()} 18:00.", "time_required"
                )
            if day is not None:
                return end_of_day(day, timezone.get_current_timezone())
        return super().to_python(value)


def time_zone_field(hint: str) -> forms.ChoiceField:
    """The time zone of the moments of a form; UTC unless one is chosen."""
    return forms.ChoiceField(
        label="Time zone",
        required=False,
        choices=lambda: [(name, name) for name in sorted(time_zones())],
        initial="UTC",
        help_text=hint,
    )


def preselect_browser_zone(field: forms.Field) -> None:
    """Let a script choose the time zone of the browser, in a form that is shown for the first time."""
    field.widget.attrs["data-own-zone"] = True


def localise(moment: datetime | None, zone: str) -> datetime | None:
    """The moment that a ``LocalDateTimeField`` read, by the clocks of the zone that was chosen."""
    if moment is None or not zone:
        return moment
    try:
        return wall_moment(ZoneInfo(zone), moment.date(), moment.time())
    except OverflowError:
        return moment  # on the first or last day of the calendar
