"""Request bodies generated from field specifications (``arena.common.declarations``)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import time
from functools import singledispatch
from typing import Any, ClassVar

from rest_framework import serializers

from arena.api.base import serializers as base
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


class HourMinuteField(serializers.RegexField):
    """A time of day as HH:MM."""

    def __init__(self, **options: Any) -> None:
        wrong: dict[str, Any] = {"invalid": "Hours and minutes as HH:MM, from 00:00 to 23:59, such as 20:00."}
        super().__init__(r"^([01][0-9]|2[0-3]):[0-5][0-9]\Z", max_length=5, error_messages=wrong, **options)

    def run_validation(self, data: Any = serializers.empty) -> Any:
        return time.fromisoformat(super().run_validation(data))


class DeclaredBody(base.RequestBody):
    """A body with the specified fields. Structured fields are class attributes."""

    declared: ClassVar[Mapping[str, FieldSpec]]
    changes_only: ClassVar[bool] = False
    """Whether all fields are optional."""

    def get_fields(self) -> dict[str, Any]:
        own = super().get_fields()
        fields = {name: own.get(name) or serializer_field(field) for name, field in self.declared.items()}
        for name, field in fields.items():
            field.help_text = self._help(self.declared[name]) or None
            field.required = self.declared[name].is_required and not self.changes_only
        return fields

    def _help(self, field: FieldSpec) -> str:
        has_default = isinstance(field, IntegerSpec | NumberSpec) and field.default is not None
        default = f" Default: {field.default}." if has_default and not self.changes_only else ""
        return f"{field.help}{default}".lstrip()


@singledispatch
def serializer_field(field: FieldSpec) -> Any:
    """Return a serializer field with the type and bounds of a specification."""
    raise TypeError(f"{field.name} needs a serializer field of its own")


@serializer_field.register
def _(field: TextSpec) -> Any:
    return serializers.CharField(max_length=field.most, allow_blank=not field.is_required)


@serializer_field.register
def _(field: IntegerSpec) -> Any:
    return serializers.IntegerField(min_value=field.least, max_value=field.most, allow_null=field.is_optional)


@serializer_field.register
def _(field: ChoiceSpec) -> Any:
    return base.NamedChoiceField(list(field.choices.items()), allow_null=field.is_optional)


@serializer_field.register
def _(field: DateTimeSpec) -> Any:
    return base.MomentField(allow_null=True)


@serializer_field.register
def _(field: NumberSpec) -> Any:
    return serializers.FloatField(min_value=field.least, max_value=field.most)


@serializer_field.register
def _(field: TimeSpec) -> Any:
    return HourMinuteField()


@serializer_field.register
def _(field: TimeZoneSpec) -> Any:
    return serializers.CharField(max_length=field.most)
