"""The field of a moment in the forms of organisers."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import forms
from django.utils import timezone

from arena.common.moments import day_missing, day_only, end_of_day


class MomentField(forms.DateTimeField):
    """A moment in UTC, or none. A day without a time means its end, or is refused if ``needs_time``."""

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
