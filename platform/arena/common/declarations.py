"""Fields of what users create and actions on it, declared once for the API, the forms and the services."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping
from datetime import time
from typing import Any, TypeVar

from arena.common.errors import Invalid, quoted
from arena.common.moments import time_zones


def invalid_field(field: str, message: str, code: str = "invalid", **extra: Any) -> Invalid:
    """The error for one wrong field; ``extra`` as ``ArenaError`` has it."""
    return Invalid(message, code, field=field, **extra)


@dataclasses.dataclass(frozen=True, kw_only=True)
class FieldSpec:
    """A field with a structure of its own: its service checks it, and pages have controls made for it."""

    name: str
    label: Any = ""
    """On pages; translated where they are."""
    help: Any = ""
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
class TextSpec(FieldSpec):
    """A text; whether it may be empty is decided by its service."""

    most: int
    """Characters."""
    is_long: bool = False
    """Whether it has several lines."""

    def checked(self, value: Any) -> Any:
        """The text, if it is not too long."""
        if len(value) > self.most:
            raise invalid_field(self.name, f"{self.name} has at most {self.most} characters.")
        return value


@dataclasses.dataclass(frozen=True, kw_only=True)
class IntegerSpec(FieldSpec):
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
        return require_integer(self.name, value, self.least, self.most)


@dataclasses.dataclass(frozen=True, kw_only=True)
class NumberSpec(FieldSpec):
    """A number within bounds, not always whole."""

    least: float
    most: float

    def checked(self, value: float) -> float:
        """The number, if it is within the bounds."""
        if not self.least <= value <= self.most:
            raise invalid_field(
                self.name, f"{self.name} must be a number from {self.least:g} to {self.most:g}, not {value}."
            )
        return value


@dataclasses.dataclass(frozen=True, kw_only=True)
class TimeSpec(FieldSpec):
    """Hours and minutes, by clocks that another field names."""

    def checked(self, value: time) -> time:
        """The time, if it has no seconds."""
        if value.tzinfo is not None or value.second or value.microsecond:
            raise invalid_field(
                self.name, f"{self.name} {value.isoformat()} must be hours and minutes, such as 20:00."
            )
        return value


@dataclasses.dataclass(frozen=True, kw_only=True)
class TimeZoneSpec(FieldSpec):
    """A time zone by its name in the IANA database."""

    most: int = 64
    """Characters."""

    def checked(self, value: Any) -> Any:
        """The name, if there is such a zone."""
        if value not in time_zones():
            raise invalid_field(
                self.name,
                f"{quoted(value)} is not a time zone: name one of the IANA database, such as Europe/Berlin "
                "or UTC.",
            )
        return value


@dataclasses.dataclass(frozen=True, kw_only=True)
class ChoiceSpec(FieldSpec):
    """One of several codes, each with a label."""

    choices: Mapping[str, str]

    @property
    def is_optional(self) -> bool:
        """Whether it may be None."""
        return self.default is None

    def checked(self, value: Any) -> Any:
        """The code, if it is one of the choices."""
        return require_choice(self.name, value, self.choices)


@dataclasses.dataclass(frozen=True, kw_only=True)
class DateTimeSpec(FieldSpec):
    """A moment or None."""

    needs_time: bool = False
    """Whether a form refuses a day without a time, instead of taking its end."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class ActionSpec:
    """One action; those with a ``label`` change the state of the object and have a page and a route."""

    name: str
    states: Collection[str]
    """The states that allow it."""
    label: Any = ""
    """Of its link and button; translated."""
    summary: str = ""
    """One or two sentences for the API's schema; the first is its title."""
    effect: Callable[..., list[str]] | None = None
    """What will happen, a sentence each; called with the object and ``Counts`` of it."""
    ends: tuple[str, ...] = ()
    """What becomes impossible."""
    done: str = ""
    """The message after it."""
    takes_reason: bool = False
    needs_reason_with_entries: bool = False
    """Whether the reason must be given once there are entries."""
    is_final: bool = False
    """Whether it cannot be undone."""
    depends_on_entries: bool = False
    """Whether a confirmation is void if the entries have changed since the page was opened."""
    lead_only: bool = False
    """Whether co-organisers are refused."""
    decides_results: bool = False
    """Whether accounts that have or had an entry are refused."""


F = TypeVar("F", bound=FieldSpec)


def require_choice(field: str, value: str, allowed: Collection[str]) -> str:
    """The value; raises Invalid naming what is allowed."""
    if value not in allowed:
        raise invalid_field(field, f"{field} {quoted(value)} is not one of {', '.join(allowed)}.")
    return value


def require_integer(field: str, value: Any, low: int, high: int) -> int:
    """The number; raises Invalid naming the bounds."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise invalid_field(
            field, f"{field} must be a whole number from {low} to {high}, not {quoted(value)}."
        )
    return value


def fields_by_state(fields: Mapping[str, FieldSpec], states: Collection[str]) -> dict[str, tuple[str, ...]]:
    """The names of the fields that may be changed in each state; states that allow none are left out."""
    found = {
        state: tuple(name for name, field in fields.items() if state in field.states) for state in states
    }
    return {state: names for state, names in found.items() if names}


def specs_by_name(*fields: F) -> dict[str, F]:
    """Declared fields by their names, in order."""
    return {field.name: field for field in fields}
