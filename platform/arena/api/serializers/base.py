"""What the serializers share: requests that refuse unknown fields, and rows known by their public id."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request


class Body(serializers.Serializer[Any]):
    """A request body. A field it does not know is an error, not a silent nothing."""

    def to_internal_value(self, data: Any) -> Any:
        """The checked values; raises ValidationError naming each unknown field and the known ones."""
        if isinstance(data, Mapping):
            writable = sorted(name for name, field in self.fields.items() if not field.read_only)
            unknown = [name for name in data if name not in writable]
            if unknown:
                message = f"Unknown field; fields: {', '.join(writable) or 'none'}."
                raise serializers.ValidationError({name: [message] for name in unknown}, code="unknown_field")
        return super().to_internal_value(data)


def checked(body: type[Body], request: Request, *, partial: bool = False) -> dict[str, Any]:
    """The validated body of a request; raises ValidationError."""
    filled = body(data=request.data, partial=partial)
    filled.is_valid(raise_exception=True)
    return dict(filled.validated_data)


class Nothing(Body):
    """An empty body."""


class PublicId(serializers.CharField):
    """The name a row goes by, taken from ``public_id``."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("source", "public_id")
        kwargs.setdefault("read_only", True)
        super().__init__(**kwargs)
