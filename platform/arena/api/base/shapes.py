"""Shapes of responses: TypedDicts that functions return, and from which the schema is generated.

The class name becomes the component's name, its docstring the description. ``Annotated`` adds a field's
description, then the choices of a text or the serializer field. Fields are nullable if their type allows
None, and required unless ``NotRequired``.
"""

from __future__ import annotations

import datetime
import functools
from collections.abc import Callable, Mapping
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    NotRequired,
    TypeVar,
    cast,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from django.db.models import Model
from rest_framework import serializers

from arena.common import declarations

Shape = TypeVar("Shape")

PLAIN_FIELDS: dict[Any, type[serializers.Field[Any, Any, Any, Any]]] = {
    bool: serializers.BooleanField,
    datetime.datetime: serializers.DateTimeField,
    float: serializers.FloatField,
    int: serializers.IntegerField,
    str: serializers.CharField,
}
SPEC_TYPES: dict[type[declarations.FieldSpec], Any] = {
    declarations.ChoiceSpec: str,
    declarations.DateTimeSpec: datetime.datetime,
    declarations.NumberSpec: float,
    declarations.TextSpec: str,
    declarations.IntegerSpec: int,
    declarations.TimeZoneSpec: str,
}


def build_shape(shape: type[Shape], row: object, **values: Any) -> Shape:
    """Return a response with these values. Other fields are the row's attributes or items of the same name.

    Of an object, ``id`` is its public id.
    """
    remaining = [name for name in shape.__annotations__ if name not in values]
    if isinstance(row, Mapping):
        return cast(Shape, values | {name: row[name] for name in remaining})
    attributes = {name: getattr(row, "public_id" if name == "id" else name) for name in remaining}
    return cast(Shape, attributes | values)


def with_columns(
    model: type[Model], fields: Mapping[str, declarations.FieldSpec]
) -> Callable[[type[Shape]], type[Shape]]:
    """Add the specified fields that are plain columns of the model to a shape, except those it already
    has.
    """

    def add(shape: type[Shape]) -> type[Shape]:
        for name, field in fields.items():
            kind = SPEC_TYPES.get(type(field))
            if kind is None or name in shape.__annotations__:
                continue
            kind = kind | None if model._meta.get_field(name).null else kind
            if isinstance(field, declarations.ChoiceSpec):
                kind = Annotated[kind, tuple(field.choices.items())]
            shape.__annotations__[name] = kind
        return shape

    return add


def schema_of(shape: Any) -> Any:
    """Return the argument of ``extend_schema`` for a shape, or for ``list[shape]``."""
    return _field(shape)


@functools.cache
def serializer_of(shape: Any) -> type[serializers.Serializer[Any]]:
    """Return a serializer with the fields of a shape, used only for the schema."""
    hints = get_type_hints(shape, include_extras=True)
    fields = {name: _field(hint) for name, hint in hints.items()}
    return type(shape.__name__, (serializers.Serializer,), {"__doc__": shape.__doc__, **fields})


def _field(hint: Any, **options: Any) -> Any:
    """Return the serializer field of a type.

    Raises:
        TypeError: the type is not supported.
    """
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is NotRequired:
        return _field(arguments[0], **options, required=False)
    if origin is Annotated:
        inner, *notes = arguments
        for note in notes:
            if isinstance(note, str):
                options["help_text"] = note
            else:
                options |= {"allow_null": True} if NoneType in get_args(inner) else {}
                if isinstance(note, type) and issubclass(note, serializers.Field):
                    return note(**options)
                return serializers.ChoiceField(list(getattr(note, "choices", note)), **options)
        return _field(inner, **options)
    if origin is UnionType and len(arguments) == 2 and NoneType in arguments:
        (inner,) = (argument for argument in arguments if argument is not NoneType)
        return _field(inner, **options, allow_null=True)
    if origin is list and is_typeddict(arguments[0]):
        return serializer_of(arguments[0])(many=True, **options)
    if origin is list:
        return serializers.ListField(child=_field(arguments[0]), **options)
    if origin is dict:
        child = {} if arguments[1] is Any else {"child": _field(arguments[1])}
        return serializers.DictField(**child, **options)
    if is_typeddict(hint):
        return serializer_of(hint)(**options)
    if hint in PLAIN_FIELDS:
        return PLAIN_FIELDS[hint](**options)
    raise TypeError(f"A shape cannot have a field of type {hint!r}.")
