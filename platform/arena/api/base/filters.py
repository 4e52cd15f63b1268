"""Typed filters and query parameters. Unknown parameters and wrong values are rejected, never ignored."""

from __future__ import annotations

import datetime
from typing import Any

from django import forms
from django.core.validators import RegexValidator
from django_filters import rest_framework as base
from django_filters.fields import IsoDateTimeField
from drf_spectacular.utils import extend_schema_field
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from arena.accounts.selectors import username_find
from arena.common.errors import Invalid
from arena.common.ids import object_kinds
from arena.competition.games import game_keys, preset_keys
from arena.roster.selectors import bots_named, handle_find

PUBLIC_ID_PATTERN = "^[0-9a-z]{1,16}$"
"""Pattern of a public id in the API schema."""
PUBLIC_ID_VALIDATOR = RegexValidator(
    r"^[0-9a-z]{1,16}\Z", "Not an id: an id has up to 16 digits and lowercase letters."
)
"""The same pattern for Python, whose ``$`` would match before a newline."""
MAX_NUMBER = 32767
"""Maximum of a small integer column, such as numbers of stages and rounds."""
MAX_DIGITS = 9
"""Maximum digits of an integer parameter."""
MAX_TIME_CHARACTERS = 40
"""Maximum length of a time in ISO 8601."""
MULTIPLE_VALUE_FILTERS = (base.MultipleChoiceFilter,)
TRUE, FALSE = "true", "false"


def require_known_parameters(request: Request, known: tuple[str, ...]) -> None:
    """Reject unknown query parameters.

    Raises:
        Invalid: code ``unknown_filter``, with ``allowed``.
    """
    unknown = sorted(set(request.query_params) - set(known))
    if unknown:
        there_are = f"there are: {', '.join(known)}" if known else "this endpoint has none"
        raise Invalid(
            f"Unknown parameter {unknown[0][:40]!r}; {there_are}.",
            "unknown_filter",
            field=unknown[0][:40],
            allowed=list(known),
        )


def boolean_parameter(request: Request, name: str) -> bool:
    """Return the value of a true/false parameter; False if it is missing.

    Raises:
        ValidationError: another value.
    """
    text = request.query_params.get(name, FALSE)
    if text not in (TRUE, FALSE):
        raise ValidationError({name: [f"true or false, not {text[:20]!r}."]})
    return bool(text == TRUE)


def is_number(text: str) -> bool:
    """Return whether a text is a non-negative integer in ASCII digits, of at most ``MAX_DIGITS``."""
    return text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS


def integer_parameter(request: Request, name: str, least: int = 1, most: int = MAX_NUMBER) -> int | None:
    """Return the value of an integer parameter; None if it is missing.

    Raises:
        ValidationError: the value is not an integer in the range.
    """
    text = request.query_params.get(name)
    if text is None:
        return None
    if not is_number(text) or not least <= int(text) <= most:
        raise ValidationError({name: [f"A whole number from {least} to {most}, not {text[:20]!r}."]})
    return int(text)


def max_values(filter_: base.Filter) -> int:
    """Return how often a filter may be repeated: once, or as often as it has choices."""
    return len(filter_.extra["choices"]) if isinstance(filter_, MULTIPLE_VALUE_FILTERS) else 1


class ListFilters(base.FilterSet):
    """The filters of a list. Empty and wrongly repeated filters are rejected."""

    @property
    def form(self) -> forms.Form:
        """The form, whose errors name the allowed choices."""
        form: forms.Form = super().form
        for name, field in form.fields.items():
            if choices := self.filters[name].extra.get("choices"):
                there_are = ", ".join(str(choice) for choice, _ in choices)
                field.error_messages["invalid_choice"] = f"One of: {there_are}; not %(value)r."
        return form

    @property
    def qs(self) -> Any:
        """The matching rows.

        Raises:
            ValidationError: with the filter's name.
        """
        for name, values in self.data.lists():
            if name not in self.filters:
                continue
            most = max_values(self.filters[name])
            if len(values) > most:
                few = f"Given {len(values)} times; at most {most} values are allowed."
                raise ValidationError(
                    {name: [few if most > 1 else "Given more than once; one value is allowed."]}
                )
            if "" in values:
                raise ValidationError({name: ["Empty; leave it out, or give it a value."]})
        return super().qs


@extend_schema_field({"type": "string", "pattern": PUBLIC_ID_PATTERN, "maxLength": 16})
class IdFilter(base.CharFilter):
    """The public id of an object."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, validators=[PUBLIC_ID_VALIDATOR], strip=False, **kwargs)


# The API schema names neither games nor models, because it is the same for every installation.
NAME_SCHEMA = {"type": "string", "minLength": 1, "maxLength": 150}


@extend_schema_field(NAME_SCHEMA)
class GameFilter(base.ChoiceFilter):
    """An installed game."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, choices=[(game, game) for game in game_keys()], **kwargs)


@extend_schema_field(NAME_SCHEMA)
class PresetFilter(base.ChoiceFilter):
    """A preset of any game."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, choices=[(preset, preset) for preset in preset_keys()], **kwargs)


@extend_schema_field(NAME_SCHEMA)
class ObjectKindFilter(base.ChoiceFilter):
    """A kind of object with a public id, as in the audit trail."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, choices=[(kind, kind) for kind in object_kinds()], **kwargs)


@extend_schema_field(NAME_SCHEMA)
class TextFilter(base.CharFilter):
    """An exact text."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, max_length=150, strip=False, **kwargs)


class _HandleField(forms.CharField):
    def clean(self, value: Any) -> str:
        text: str = super().clean(value)
        return handle_find(text) or text if text else text


class _UsernameField(forms.CharField):
    def clean(self, value: Any) -> str:
        text: str = super().clean(value)
        return username_find(text) or text if text else text


class HandleFilter(TextFilter):
    """A player's handle. The case is ignored if that is unambiguous."""

    field_class = _HandleField


class BotNameFilter(TextFilter):
    """A bot's whole name, compared like names of one owner's bots: ignoring case, width and spaces."""

    def filter(self, qs: Any, value: Any) -> Any:
        return bots_named(qs, value) if value else qs


class UsernameFilter(TextFilter):
    """A username. The case is ignored if that is unambiguous."""

    field_class = _UsernameField


class _DigitsField(forms.IntegerField):
    def to_python(self, value: Any) -> int | None:
        """Accept ASCII digits only: no sign, no spaces, no digits of other scripts."""
        if value not in self.empty_values and not (str(value).isascii() and str(value).isdigit()):
            raise forms.ValidationError(self.error_messages["invalid"], "invalid")
        return super().to_python(value)


@extend_schema_field({"type": "integer", "minimum": 1, "maximum": MAX_NUMBER})
class NumberFilter(base.Filter):
    """A number from 1, such as a round's."""

    field_class = _DigitsField

    def __init__(self, *args: Any, most: int = MAX_NUMBER, **kwargs: Any) -> None:
        super().__init__(*args, min_value=1, max_value=most, **kwargs)


class _FlagField(forms.ChoiceField):
    def clean(self, value: Any) -> Any:
        text = super().clean(value)
        return {TRUE: True, FALSE: False}.get(text)


@extend_schema_field({"type": "boolean"})
class FlagFilter(base.Filter):
    """``true`` or ``false``."""

    field_class = _FlagField

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, choices=[(TRUE, TRUE), (FALSE, FALSE)], **kwargs)


class _DateTimeField(IsoDateTimeField):
    def to_python(self, value: Any) -> Any:
        """Return the time in UTC, which must be in range after the conversion too."""
        try:
            if isinstance(value, str) and len(value) > MAX_TIME_CHARACTERS:
                raise ValueError
            time = super().to_python(value)
            return time if time is None else time.astimezone(datetime.UTC)
        except (ValueError, OverflowError, forms.ValidationError):
            text = "A moment such as 2026-11-21T13:00:00Z, not %(value)r."
            # django-filter formats every message: a percent sign in the value must not be interpreted.
            given = {"value": str(value)[:MAX_TIME_CHARACTERS]}
            raise forms.ValidationError(text, "invalid", given) from None


class TimeFilter(base.IsoDateTimeFilter):
    """A time in RFC 3339; UTC without a time zone."""

    field_class = _DateTimeField
