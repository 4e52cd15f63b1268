"""Request bodies made of declared fields (``arena.common.declarations``)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import singledispatch
from typing import Any, ClassVar

from rest_framework import serializers

from arena.api.serializers import base
from arena.common.declarations import Choice, Field, Moment, Text, Whole


class DeclaredBody(base.Body):
    """A body with the declared fields; those with a structure of their own are class attributes."""

    declared: ClassVar[Mapping[str, Field]]
    changes_only: ClassVar[bool] = False
    """Whether no field is required."""

    def get_fields(self) -> dict[str, Any]:
        """The fields in the order of the declaration."""
        own = super().get_fields()
        fields = {name: own.get(name) or serializer_field(field) for name, field in self.declared.items()}
        for name, field in fields.items():
            field.help_text = self.declared[name].help or None
            field.required = self.declared[name].is_required and not self.changes_only
        return fields


@singledispatch
def serializer_field(field: Field) -> Any:
    """A serializer's field with the type and bounds of a declared one."""
    raise TypeError(f"{field.name} needs a serializer field of its own")


@serializer_field.register
def _(field: Text) -> Any:
    return serializers.CharField(max_length=field.most, allow_blank=not field.is_required)


@serializer_field.register
def _(field: Whole) -> Any:
    return serializers.IntegerField(min_value=field.least, max_value=field.most, allow_null=field.is_optional)


@serializer_field.register
def _(field: Choice) -> Any:
    return base.Choice(list(field.choices.items()))


@serializer_field.register
def _(field: Moment) -> Any:
    return base.Moment(allow_null=True)
