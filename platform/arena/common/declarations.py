"""Fields of what users create, declared once for the API, the forms and the services."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from typing import Any

from arena.common.errors import Invalid, quoted


def invalid(field: str, message: str, code: str = "invalid", **extra: Any) -> Invalid:
    """The error for one wrong field; ``extra`` as ``ArenaError`` has it."""
    return Invalid(message, code, field=field, **extra)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Field:
    """A field with a structure of its own: its service checks it, and pages have controls made for it."""

    name: str
    label: str = ""
    """On pages."""
    help: str = ""
    """On pages and in the API's schema."""
    default: Any = None
    is_required: bool = False
    """Whether it must be given when the object is created."""
    states: Collection[str] = ()
    """The states in which it may be changed."""

    def checked(self, value: Any) -> Any:
        """The value to store; raises Invalid with the name of the field."""
        return value


@dataclasses.dataclass(frozen=True, kw_only=True)
class Text(Field):
    """A text; whether it may be empty is decided by its service."""

    most: int
    """Characters."""
    is_long: bool = False
    """Whether it has several lines."""

    def checked(self, value: Any) -> Any:
        """The text, if it is not too long."""
        if len(value) > self.most:
            raise invalid(self.name, f"{self.name} has at most {self.most} characters.")
        return value


@dataclasses.dataclass(frozen=True, kw_only=True)
class Whole(Field):
    """A whole number within bounds; None is allowed if it is the default."""

    least: int
    most: int

    @property
    def is_optional(self) -> bool:
        """Whether it may be None."""
        return self.default is None

    def checked(self, value: Any) -> Any:
        """The number, if it is one within the bounds, or None if that is allowed."""
        if value is None and self.is_optional:
            return None
        return whole(self.name, value, self.least, self.most)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Choice(Field):
    """One of several codes, each with a label."""

    choices: Mapping[str, str]

    def checked(self, value: Any) -> Any:
        """The code, if it is one of the choices."""
        return choice(self.name, value, self.choices)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Moment(Field):
    """A moment or None."""

    needs_time: bool = False
    """Whether a form refuses a day without a time, instead of taking its end."""


def choice(field: str, value: str, allowed: Collection[str]) -> str:
    """The value; raises Invalid naming what is allowed."""
    if value not in allowed:
        raise invalid(field, f"{field} {quoted(value)} is not one of {', '.join(allowed)}.")
    return value


def whole(field: str, value: Any, low: int, high: int) -> int:
    """The number; raises Invalid naming the bounds."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise invalid(field, f"{field} must be a whole number from {low} to {high}, not {quoted(value)}.")
    return value


def states_fields(fields: Mapping[str, Field], states: Collection[str]) -> dict[str, tuple[str, ...]]:
    """The names of the fields that may be changed in each state; states that allow none are left out."""
    found = {
        state: tuple(name for name, field in fields.items() if state in field.states) for state in states
    }
    return {state: names for state, names in found.items() if names}


def by_name(*fields: Field) -> dict[str, Field]:
    """Declared fields by their names, in order."""
    return {field.name: field for field in fields}
