"""Date and time fields, typed in the local time of a selectable time zone."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.forms.renderers import BaseRenderer
from django.forms.utils import flatatt
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from arena.common.moments import end_of_day, has_invalid_day, local_to_utc, parse_day, time_zones


class LocalDateTimeField(forms.DateTimeField):
    """An optional date and time, read as UTC; ``localise`` applies the time zone.

    A date without a time means the end of the day, or is rejected if ``needs_time``.
    """

    def __init__(self, *, needs_time: bool = False, **options: Any) -> None:
        widget = forms.DateTimeInput(format="%Y-%m-%dT%H:%M", attrs={"type": "datetime-local"})
        super().__init__(required=False, widget=widget, **options)
        self.needs_time = needs_time

    def to_python(self, value: Any) -> datetime | None:
        if isinstance(value, str):
            if has_invalid_day(value):
                raise forms.ValidationError("This date does not exist.", "day_missing")
            day = parse_day(value)
            if day is not None and self.needs_time:
                raise forms.ValidationError(
                    f"Add the time of day, such as {day.isoformat()} 18:00.", "time_required"
                )
            if day is not None:
                return end_of_day(day, timezone.get_current_timezone())
        moment = super().to_python(value)
        try:
            if moment is not None:
                moment.astimezone(UTC)
        except OverflowError:
            raise forms.ValidationError("This date does not exist in UTC.", "day_missing") from None
        return moment


class LongSelect(forms.Select):
    """Renders hundreds of options at once; Django renders two templates for each. It has no groups."""

    def render(
        self,
        name: str,
        value: Any,
        attrs: dict[str, Any] | None = None,
        renderer: BaseRenderer | None = None,
    ) -> SafeString:
        selected = self.format_value(value)
        options = format_html_join(
            "\n",
            '<option value="{}"{}>{}</option>',
            (
                (key, mark_safe(" selected") if str(key) in selected else "", label)
                for key, label in self.choices
            ),
        )
        built = self.build_attrs(self.attrs, {"name": name, **(attrs or {})})
        return format_html("<select{}>{}</select>", flatatt(built), options)


def time_zone_field(hint: str) -> forms.ChoiceField:
    """Return a choice of time zones; the default is UTC."""
    return forms.ChoiceField(
        label="Time zone",
        required=False,
        choices=lambda: [(name, name) for name in sorted(time_zones())],
        initial="UTC",
        help_text=hint,
        widget=LongSelect,
    )


def preselect_browser_zone(field: forms.Field) -> None:
    """Let a script select the browser's time zone, in a form that is opened for the first time."""
    field.widget.attrs["data-own-zone"] = True


def localise(moment: datetime | None, zone: str) -> datetime | None:
    """Return the value of a ``LocalDateTimeField`` in the selected time zone."""
    if moment is None or not zone:
        return moment
    try:
        return local_to_utc(ZoneInfo(zone), moment.date(), moment.time())
    except OverflowError:
        return moment  # on the first or last day of the calendar
