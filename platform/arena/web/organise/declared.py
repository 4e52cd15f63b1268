"""Form controls made of declared fields (``arena.common.declarations``)."""

from __future__ import annotations

from functools import singledispatch

from django import forms

from arena.common.declarations import Choice, Field, Moment, Number, Text, TimeOfDay, Whole, Zone
from arena.web.organise.moments import MomentField, zone_field


@singledispatch
def control(field: Field) -> forms.Field:
    """A control with the label, help, type and bounds of a declared field."""
    raise TypeError(f"{field.name} needs a control of its own")


@control.register
def _(field: Text) -> forms.Field:
    widget = forms.Textarea(attrs={"rows": 3}) if field.is_long else forms.TextInput()
    return forms.CharField(
        label=field.label,
        help_text=field.help,
        required=field.is_required,
        max_length=field.most,
        widget=widget,
    )


@control.register
def _(field: Whole) -> forms.Field:
    return forms.IntegerField(
        label=field.label,
        help_text=field.help,
        required=not field.is_optional,
        min_value=field.least,
        max_value=field.most,
    )


@control.register
def _(field: Choice) -> forms.Field:
    return forms.ChoiceField(
        label=field.label,
        help_text=field.help,
        required=not field.is_optional,
        choices=[*([("", "–")] if field.is_optional else []), *field.choices.items()],
    )


@control.register
def _(field: Moment) -> forms.Field:
    return MomentField(label=field.label, help_text=field.help, needs_time=field.needs_time)


@control.register
def _(field: Number) -> forms.Field:
    return forms.FloatField(
        label=field.label, help_text=field.help, min_value=field.least, max_value=field.most
    )


@control.register
def _(field: TimeOfDay) -> forms.Field:
    widget = forms.TimeInput(format="%H:%M", attrs={"type": "time"})
    return forms.TimeField(label=field.label, help_text=field.help, widget=widget)


@control.register
def _(field: Zone) -> forms.Field:
    return zone_field(field.help)
