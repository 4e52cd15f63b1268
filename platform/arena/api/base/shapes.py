"""Shapes of answers: TypedDicts that functions return, and from which the schema is made.

The name of the class names the component, its docstring describes it. ``Annotated`` describes a field and
names the choices of a text. A field may be null if its type says so, and is required unless it is
``NotRequired``.
"""

from __future__ import annotations

import datetime
import functools
from types import NoneType, UnionType
from typing import Annotated, Any, NotRequired, get_args, get_origin, get_type_hints, is_typeddict

from rest_framework import serializers

PLAIN: dict[Any, type[serializers.Field[Any, Any, Any, Any]]] = {
    bool: serializers.BooleanField,
    datetime.datetime: serializers.DateTimeField,
    float: serializers.FloatField,
    int: serializers.IntegerField,
    str: serializers.CharField,
}


def schema_of(shape: Any) -> Any:
    """What ``extend_schema`` takes for a shape, or for ``list[shape]``."""
    return _field(shape)


@functools.cache
def serializer_of(shape: Any) -> type[serializers.Serializer[Any]]:
    """A serializer with the fields of a shape; for the schema alone."""
    hints = get_type_hints(shape, include_extras=True)
    fields = {name: _field(hint) for name, hint in hints.items()}
    return type(shape.__name__, (serializers.Serializer,), {"__doc__": shape.__doc__, **fields})


def _field(hint: Any, **options: Any) -> Any:
    """The field of a type.

    Raises:
        TypeError: no field stands for it.
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
                choices = getattr(note, "choices", note)
                return serializers.ChoiceField(list(choices), **options)
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
    if hint in PLAIN:
        return PLAIN[hint](**options)
    raise TypeError(f"A shape cannot have a field of type {hint!r}.")
