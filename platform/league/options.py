"""Options of a format: declared once, then validated and read by that declaration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from league.errors import FormatError


class OptionDescription(NamedTuple):
    name: str
    kind: str
    """``integer`` or ``boolean``; ``fixtures`` in a format that is not offered."""
    default: object
    """None: depends on the size of the field."""
    meaning: str
    """One sentence, with the bounds."""
    least: int | None = None
    """Minimum of an integer; None for a boolean."""
    most: int | None = None


class IntegerOption(NamedTuple):
    name: str
    least: int
    most: int
    default: int | None
    """None: depends on the size of the field."""
    meaning: str

    def describe(self) -> OptionDescription:
        bounds = f"{self.least} to {self.most}"
        return OptionDescription(
            self.name, "integer", self.default, f"{self.meaning} ({bounds})", self.least, self.most
        )

    def allows(self, value: object) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and self.least <= value <= self.most

    @property
    def allowed(self) -> str:
        if self.most - self.least == 1:
            return f"{self.least} or {self.most}"
        return f"{self.least} to {self.most}"


class BooleanOption(NamedTuple):
    name: str
    default: bool
    meaning: str

    def describe(self) -> OptionDescription:
        return OptionDescription(self.name, "boolean", self.default, self.meaning)

    def allows(self, value: object) -> bool:
        return isinstance(value, bool)

    @property
    def allowed(self) -> str:
        return "true or false"


class FixturesOption(NamedTuple):
    """A required list of fixtures, each the seeds of its entries."""

    name: str
    most: int
    meaning: str
    default: None = None

    def describe(self) -> OptionDescription:
        return OptionDescription(self.name, "fixtures", self.default, self.meaning)

    def allows(self, value: object) -> bool:
        """Return whether the value is a list of fixtures, each a list of two or more whole numbers from 1."""
        return (
            isinstance(value, list | tuple)
            and 1 <= len(value) <= self.most
            and all(
                isinstance(met, list | tuple)
                and len(met) >= 2
                and all(type(seed) is int and seed >= 1 for seed in met)
                for met in value
            )
        )

    @property
    def allowed(self) -> str:
        return f"a list of 1 to {self.most} fixtures, each a list of the seeds of those that meet"


class Options:
    """The options of one format."""

    def __init__(self, key: str, options: Sequence[IntegerOption | BooleanOption | FixturesOption]) -> None:
        self.key = key
        self.by_name = {option.name: option for option in options}

    def describe(self) -> list[OptionDescription]:
        return [option.describe() for option in self.by_name.values()]

    def check(self, given: Mapping[str, object]) -> None:
        """Raise ``FormatError`` for an unknown option or an invalid value, with the allowed values."""
        for name in sorted(given):
            if name not in self.by_name:
                raise FormatError(
                    f"unknown option {name!r} of {self.key}; options: {', '.join(self.by_name) or 'none'}"
                )
        for name, value in sorted(given.items()):
            option = self.by_name[name]
            if not option.allows(value):
                raise FormatError(f"{name} of {self.key} must be {option.allowed}, not {value!r}")

    def integer(self, given: Mapping[str, object], name: str) -> int | None:
        value = given.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        default = self.by_name[name].default
        return default if isinstance(default, int) else None

    def boolean(self, given: Mapping[str, object], name: str) -> bool:
        value = given.get(name)
        return value if isinstance(value, bool) else bool(self.by_name[name].default)
