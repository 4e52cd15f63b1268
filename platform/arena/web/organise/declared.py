"""Form controls for declared fields (``arena.common.declarations``)."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from django import forms

from arena.common.declarations import (
    ChoiceSpec,
    DateTimeSpec,
    FieldSpec,
    IntegerSpec,
    NumberSpec,
    TextSpec,
    TimeSpec,
    TimeZoneSpec,
)
from arena.web.organise.datetime_fields import LocalDateTimeField, time_zone_field


@singledispatch
def control(field: FieldSpec) -> forms.Field:
    """Return a control with the label, help, type and bounds of a declared field."""
    raise TypeError(f"{field.name} needs a control of its own")


@control.register
def _(field: TextSpec) -> forms.Field:
    widget = forms.Textarea(attrs={"rows": 3}) if field.is_long else forms.TextInput()
    return forms.CharField(**_texts(field), required=field.is_required, max_length=field.most, widget=widget)


@control.register
def _(field: IntegerSpec) -> forms.Field:
    return forms.IntegerField(
        **_texts(field), required=not field.is_optional, min_value=field.least, max_value=field.most
    )


@control.register
def _(field: NumberSpec) -> forms.Field:
    return forms.FloatField(**_texts(field), min_value=field.least, max_value=field.most)


@control.register
def _(field: ChoiceSpec) -> forms.Field:
    choices = [*([("", "–")] if field.is_optional else []), *field.choices.items()]
    return forms.ChoiceField(**_texts(field), required=not field.is_optional, choices=choices)


@control.register
def _(field: DateTimeSpec) -> forms.Field:
    return LocalDateTimeField(**_texts(field), needs_time=field.needs_time)


@control.register
def _(field: TimeSpec) -> forms.Field:
    widget = forms.TimeInput(format="%H:%M", attrs={"type": "time"})
    return forms.TimeField(**_texts(field), widget=widget)


@control.register
def _(field: TimeZoneSpec) -> forms.Field:
    return time_zone_field(field.help)


def _texts(field: FieldSpec) -> dict[str, Any]:
    return {"label": field.label, "help_text": field.help}
