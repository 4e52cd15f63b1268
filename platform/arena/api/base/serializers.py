"""Base classes of request bodies: fields with helpful errors, and rejection of unknown fields."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request

from arena.api.base.filters import MAX_TIME_CHARACTERS
from arena.common.errors import Invalid, quoted, shortened
from arena.common.moments import end_of_day, has_invalid_day, parse_day

MAX_UNKNOWN_FIELDS = 10
"""Maximum unknown fields that an error names."""


class BoundedListField(serializers.ListField):
    """A list of at most ``max_length`` items, counted before any item is validated."""

    def __init__(self, *, max_length: int, **kwargs: Any) -> None:
        super().__init__(max_length=max_length, **kwargs)

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, list) and self.max_length is not None and len(data) > self.max_length:
            self.fail("max_length", max_length=self.max_length)
        return super().to_internal_value(data)


class NamedChoiceField(serializers.ChoiceField):
    """A choice whose errors name the allowed values."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, str) and data in self.choice_strings_to_values:
            return self.choice_strings_to_values[data]
        if data == "" and self.allow_blank:
            return ""
        there_are = ", ".join(self.choice_strings_to_values)
        raise serializers.ValidationError(f"{quoted(data)} is not one of: {there_are}.", "invalid_choice")


@extend_schema_field({"type": "string", "format": "date-time", "maxLength": MAX_TIME_CHARACTERS})
class MomentField(serializers.DateTimeField):
    """A time in ISO 8601, UTC without a time zone. A date without a time is rejected."""

    def to_internal_value(self, value: Any) -> Any:
        if isinstance(value, str) and len(value) > MAX_TIME_CHARACTERS:
            raise serializers.ValidationError(
                f"A moment such as 2026-11-21T13:00:00Z has at most {MAX_TIME_CHARACTERS} characters, not "
                f"{len(value)}.",
                "max_length",
            )
        if isinstance(value, str):
            self._require_time(value)
        return super().to_internal_value(value)

    def _require_time(self, text: str) -> None:
        if has_invalid_day(text):
            raise serializers.ValidationError(f"{quoted(text)}: this day does not exist.", "day_missing")
        day = parse_day(text)
        if day is None:
            return
        name = self.field_name or "moment"
        raise Invalid(
            f"{name} is {quoted(text)}, a day without a time. Its start is {day}T00:00:00Z, its end "
            f"{end_of_day(day, UTC):%Y-%m-%dT%H:%M:%SZ}: send the one you mean.",
            "time_required",
            field=name,
        )


MAX_OPTIONS = 64
MAX_OPTION_VALUE = 1_000_000_000
MAX_WORD_CHARACTERS = 40
OPTION_VALUE_SCHEMA = {
    "oneOf": [
        {"type": "boolean"},
        {"type": "integer", "minimum": -MAX_OPTION_VALUE, "maximum": MAX_OPTION_VALUE},
        {"type": "string", "maxLength": MAX_WORD_CHARACTERS},
        {"type": "null"},
    ]
}


class OptionValueField(serializers.Field):  # type: ignore[type-arg]
    """The value of an option: true, false, null, an integer or a short text."""

    def to_internal_value(self, data: Any) -> Any:
        if data is None or isinstance(data, bool):
            return data
        if isinstance(data, int) and abs(data) <= MAX_OPTION_VALUE:
            return data
        if isinstance(data, str) and len(data) <= MAX_WORD_CHARACTERS:
            return data
        raise serializers.ValidationError(
            f"{quoted(data)} is not an option value: send true, false, null, an integer up to "
            f"{MAX_OPTION_VALUE} or a text of at most {MAX_WORD_CHARACTERS} characters.",
            "invalid",
        )


@extend_schema_field(
    {"type": "object", "additionalProperties": OPTION_VALUE_SCHEMA, "maxProperties": MAX_OPTIONS}
)
class OptionsField(serializers.DictField):
    """Options by name, at most ``MAX_OPTIONS``, counted before any is validated."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(child=OptionValueField(allow_null=True), **kwargs)

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, dict):
            if len(data) > MAX_OPTIONS:
                raise serializers.ValidationError(
                    f"{len(data)} options; there are at most {MAX_OPTIONS}.", "max_length"
                )
            for name in data:
                if len(name) > MAX_WORD_CHARACTERS:
                    raise serializers.ValidationError(
                        f"No option has the name {quoted(name)}; names have at most {MAX_WORD_CHARACTERS} "
                        "characters.",
                        "invalid",
                    )
        return super().to_internal_value(data)


class RequestBody(serializers.Serializer[Any]):
    """A request body. Unknown fields are errors."""

    def to_internal_value(self, data: Any) -> Any:
        """Return the validated values; raise ValidationError with each unknown field and the known ones."""
        if isinstance(data, Mapping):
            writable = sorted(name for name, field in self.fields.items() if not field.read_only)
            unknown = [name for name in data if name not in self.fields or self.fields[name].read_only]
            if unknown:
                message = f"Unknown field; fields: {', '.join(writable) or 'none'}."
                raise serializers.ValidationError(
                    {shortened(str(name), 80): [message] for name in unknown[:MAX_UNKNOWN_FIELDS]},
                    code="unknown_field",
                )
            numbers = [name for name, value in data.items() if self._is_number_for_text(name, value)]
            if numbers:
                message = "A number; send a text, in quotation marks."
                raise serializers.ValidationError({name: [message] for name in numbers}, code="invalid")
        return super().to_internal_value(data)

    def _is_number_for_text(self, name: str, value: Any) -> bool:
        """Return whether a number was sent for a text field, which DRF would convert to its digits."""
        field = self.fields[name]
        if isinstance(field, serializers.ListField) and isinstance(value, list):
            return isinstance(field.child, serializers.CharField) and any(map(_is_number, value))
        return isinstance(field, serializers.CharField) and _is_number(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def validated_body(body: type[RequestBody], request: Request, *, partial: bool = False) -> dict[str, Any]:
    """Return the validated body of a request; raise ValidationError."""
    filled = body(data=request.data, partial=partial)
    filled.is_valid(raise_exception=True)
    return dict(filled.validated_data)


class EmptyBody(RequestBody):
    """An empty body."""
