"""Specifications of fields and actions, which the API schema, forms and services share."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping
from datetime import time
from typing import Any, TypeVar

from arena.common.errors import Invalid, quoted
from arena.common.moments import time_zones


def invalid_field(field: str, message: str, code: str = "invalid", **extra: Any) -> Invalid:
    return Invalid(message, code, field=field, **extra)


@dataclasses.dataclass(frozen=True, kw_only=True)
class FieldSpec:
    name: str
    label: Any = ""
    """Label on pages, translated when rendered."""
    help: Any = ""
    default: Any = None
    is_required: bool = False
    states: Collection[str] = ()

    def checked(self, value: Any) -> Any:
        return value


@dataclasses.dataclass(frozen=True, kw_only=True)
class TextSpec(FieldSpec):
    """A text. Its service decides whether it may be empty."""

    most: int
    is_long: bool = False
    """Whether the form has a control of several lines."""

    def checked(self, value: Any) -> Any:
        if len(value) > self.most:
            raise invalid_field(self.name, f"{self.name} has at most {self.most} characters.")
        return value


@dataclasses.dataclass(frozen=True, kw_only=True)
class IntegerSpec(FieldSpec):
    """An integer within bounds. None is allowed if it is the default."""

    least: int
    most: int

    @property
    def is_optional(self) -> bool:
        return self.default is None

    def checked(self, value: Any) -> Any:
        if value is None and self.is_optional:
            return None
        return require_integer(self.name, value, self.least, self.most)


@dataclasses.dataclass(frozen=True, kw_only=True)
class NumberSpec(FieldSpec):
    least: float
    most: float

    def checked(self, value: float) -> float:
        if not self.least <= value <= self.most:
            raise invalid_field(
                self.name, f"{self.name} must be a number from {self.least:g} to {self.most:g}, not {value}."
            )
        return value


@dataclasses.dataclass(frozen=True, kw_only=True)
class TimeSpec(FieldSpec):
    def checked(self, value: time) -> time:
        if value.tzinfo is not None or value.second or value.microsecond:
            raise invalid_field(
                self.name, f"{self.name} {value.isoformat()} must be hours and minutes, such as 20:00."
            )
        return value


@dataclasses.dataclass(frozen=True, kw_only=True)
class TimeZoneSpec(FieldSpec):
    most: int = 64

    def checked(self, value: Any) -> Any:
        if value not in time_zones():
            raise invalid_field(
                self.name,
                f"{quoted(value)} is not a time zone: name one of the IANA database, such as Europe/Berlin "
                "or UTC.",
            )
        return value


@dataclasses.dataclass(frozen=True, kw_only=True)
class ChoiceSpec(FieldSpec):
    choices: Mapping[str, str]

    @property
    def is_optional(self) -> bool:
        return self.default is None

    def checked(self, value: Any) -> Any:
        return require_choice(self.name, value, self.choices)


@dataclasses.dataclass(frozen=True, kw_only=True)
class DateTimeSpec(FieldSpec):
    needs_time: bool = False
    """Whether forms reject a date without a time, instead of taking the end of the day."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class ActionSpec:
    """An action on an object. Actions with a ``label`` change its state, and have a page and an API route."""

    name: str
    states: Collection[str]
    label: Any = ""
    summary: str = ""
    """One or two sentences for the API's schema; the first is the title."""
    effect: Callable[..., list[str]] | None = None
    """Returns sentences that describe the consequences, given the object and its ``Counts``."""
    ends: tuple[str, ...] = ()
    """Actions that become impossible, for the page."""
    done: str = ""
    """Confirmation message."""
    takes_reason: bool = False
    needs_reason_with_entries: bool = False
    """Whether a reason is required once there are entries."""
    is_final: bool = False
    """Whether it cannot be undone."""
    depends_on_entries: bool = False
    """Whether a confirmation is rejected if the entries have changed since the page was opened."""
    lead_only: bool = False
    """Whether co-organisers may not do it."""
    decides_results: bool = False
    """Whether accounts that have or had an entry may not do it."""


F = TypeVar("F", bound=FieldSpec)


def require_choice(field: str, value: str, allowed: Collection[str]) -> str:
    if value not in allowed:
        raise invalid_field(field, f"{field} {quoted(value)} is not one of {', '.join(allowed)}.")
    return value


def require_integer(field: str, value: Any, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise invalid_field(
            field, f"{field} must be a whole number from {low} to {high}, not {quoted(value)}."
        )
    return value


def fields_by_state(fields: Mapping[str, FieldSpec], states: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Return the names of changeable fields by state, without states that allow none."""
    names_by_state = {
        state: tuple(name for name, field in fields.items() if state in field.states) for state in states
    }
    return {state: names for state, names in names_by_state.items() if names}


def specs_by_name(*fields: F) -> dict[str, F]:
    return {field.name: field for field in fields}
