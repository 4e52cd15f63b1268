"""Typed filters: a parameter nobody knows and a value of the wrong sort are refused, never passed over."""

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
"""As the description of the API spells it."""
PUBLIC_ID_VALIDATOR = RegexValidator(
    r"^[0-9a-z]{1,16}\Z", "Not an id: those have up to 16 digits and small letters."
)
"""The same for Python, whose ``$`` also matches before a newline."""
MAX_NUMBER = 32767
"""What a column of stages and rounds can hold."""
MAX_DIGITS = 9
MAX_TIME_CHARACTERS = 40
"""A moment in ISO 8601 has no more."""
MULTIPLE_VALUE_FILTERS = (base.MultipleChoiceFilter,)
TRUE, FALSE = "true", "false"


def require_known_parameters(request: Request, known: tuple[str, ...]) -> None:
    """Refuse query parameters that mean nothing here.

    Raises:
        Invalid: code ``unknown_filter``, with ``allowed``.
    """
    unknown = sorted(set(request.query_params) - set(known))
    if unknown:
        there_are = f"there are: {', '.join(known)}" if known else "there are none here"
        raise Invalid(
            f"Unknown parameter {unknown[0][:40]!r}; {there_are}.",
            "unknown_filter",
            field=unknown[0][:40],
            allowed=list(known),
        )


def boolean_parameter(request: Request, name: str) -> bool:
    """The value of a true/false parameter; false if it is left out.

    Raises:
        ValidationError: another value.
    """
    text = request.query_params.get(name, FALSE)
    if text not in (TRUE, FALSE):
        raise ValidationError({name: [f"true or false, not {text[:20]!r}."]})
    return bool(text == TRUE)


def is_number(text: str) -> bool:
    """Whether a text is a whole number in plain digits, of a length that anything here can hold."""
    return text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS


def integer_parameter(request: Request, name: str, least: int = 1, most: int = MAX_NUMBER) -> int | None:
    """The value of a parameter that is a whole number; None if it is left out.

    Raises:
        ValidationError: another value.
    """
    text = request.query_params.get(name)
    if text is None:
        return None
    if not is_number(text) or not least <= int(text) <= most:
        raise ValidationError({name: [f"A whole number from {least} to {most}, not {text[:20]!r}."]})
    return int(text)


def max_values(filter_: base.Filter) -> int:
    """How often a filter may be given: once, or as often as there are choices."""
    return len(filter_.extra["choices"]) if isinstance(filter_, MULTIPLE_VALUE_FILTERS) else 1


class ListFilters(base.FilterSet):
    """The filters of a list. A filter given empty, or twice where one value is meant, is refused."""

    @property
    def form(self) -> forms.Form:
        """The values; what is none of a filter's choices is refused with those there are."""
        form: forms.Form = super().form
        for name, field in form.fields.items():
            if choices := self.filters[name].extra.get("choices"):
                there_are = ", ".join(str(choice) for choice, _ in choices)
                field.error_messages["invalid_choice"] = f"One of: {there_are}; not %(value)r."
        return form

    @property
    def qs(self) -> Any:
        """The rows that match.

        Raises:
            ValidationError: naming the filter.
        """
        for name, values in self.data.lists():
            if name not in self.filters:
                continue
            most = max_values(self.filters[name])
            if len(values) > most:
                few = f"Given {len(values)} times; at most {most} values are meant."
                raise ValidationError(
                    {name: [few if most > 1 else "Given more than once; one value is meant."]}
                )
            if "" in values:
                raise ValidationError({name: ["Empty; leave it out, or give it a value."]})
        return super().qs


@extend_schema_field({"type": "string", "pattern": PUBLIC_ID_PATTERN, "maxLength": 16})
class IdFilter(base.CharFilter):
    """Something known by its public id."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, validators=[PUBLIC_ID_VALIDATOR], strip=False, **kwargs)


# The description of the API names neither games nor tables: it is the same for every installation.
NAME_SCHEMA = {"type": "string", "minLength": 1, "maxLength": 150}


@extend_schema_field(NAME_SCHEMA)
class GameFilter(base.ChoiceFilter):
    """One of the games installed."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, choices=[(game, game) for game in game_keys()], **kwargs)


@extend_schema_field(NAME_SCHEMA)
class PresetFilter(base.ChoiceFilter):
    """One of the presets of all games."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, choices=[(preset, preset) for preset in preset_keys()], **kwargs)


@extend_schema_field(NAME_SCHEMA)
class ObjectKindFilter(base.ChoiceFilter):
    """What sort of thing has a public id, as the audit trail calls it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, choices=[(kind, kind) for kind in object_kinds()], **kwargs)


@extend_schema_field(NAME_SCHEMA)
class TextFilter(base.CharFilter):
    """A whole text, as it is spelled."""

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
    """A player's handle, in any case if no other player has it."""

    field_class = _HandleField


class BotNameFilter(TextFilter):
    """A bot's whole name; one that an owner could not give to another bot is the same."""

    def filter(self, qs: Any, value: Any) -> Any:
        """The rows of this name."""
        return bots_named(qs, value) if value else qs


class UsernameFilter(TextFilter):
    """A username, in any case if no other account has it."""

    field_class = _UsernameField


class _DigitsField(forms.IntegerField):
    def to_python(self, value: Any) -> int | None:
        """Plain digits alone: no sign, no spaces, no digits of other scripts."""
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
        """True, False, or None if it was left out."""
        text = super().clean(value)
        return {TRUE: True, FALSE: False}.get(text)


@extend_schema_field({"type": "boolean"})
class FlagFilter(base.Filter):
    """``true`` or ``false``, nothing else."""

    field_class = _FlagField

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, choices=[(TRUE, TRUE), (FALSE, FALSE)], **kwargs)


class _DateTimeField(IsoDateTimeField):
    def to_python(self, value: Any) -> Any:
        """Short enough, and a moment also once converted to UTC."""
        try:
            if isinstance(value, str) and len(value) > MAX_TIME_CHARACTERS:
                raise ValueError
            found = super().to_python(value)
            return found if found is None else found.astimezone(datetime.UTC)
        except (ValueError, OverflowError, forms.ValidationError):
            text = "A moment such as 2026-11-21T13:00:00Z, not %(value)r."
            # django-filter formats every message: in one with their text, a percent sign would count.
            given = {"value": str(value)[:MAX_TIME_CHARACTERS]}
            raise forms.ValidationError(text, "invalid", given) from None


class TimeFilter(base.IsoDateTimeFilter):
    """A moment as RFC 3339 writes it; without a zone it is UTC."""

    field_class = _DateTimeField
