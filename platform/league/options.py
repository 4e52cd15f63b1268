"""Options of a format: described once, checked and read by that description."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from league.errors import FormatError


class OptionDescription(NamedTuple):
    """One option of a format, for documents, the API and forms."""

    name: str
    kind: str
    """``integer`` or ``boolean``; ``fixtures`` in a format that is not offered."""
    default: object
    """None: chosen by the size of the field."""
    meaning: str
    """One sentence, with the bounds."""
    least: int | None = None
    """Of an integer; None for a boolean."""
    most: int | None = None


class IntegerOption(NamedTuple):
    """An option that is a whole number."""

    name: str
    least: int
    most: int
    default: int | None
    """None: chosen by the size of the field."""
    meaning: str

    def describe(self) -> OptionDescription:
        """For documents, the API and forms."""
        bounds = f"{self.least} to {self.most}"
        return OptionDescription(
            self.name, "integer", self.default, f"{self.meaning} ({bounds})", self.least, self.most
        )

    def allows(self, value: object) -> bool:
        """A whole number within the bounds."""
        return isinstance(value, int) and not isinstance(value, bool) and self.least <= value <= self.most

    @property
    def allowed(self) -> str:
        """What may be given, in words."""
        if self.most - self.least == 1:
            return f"{self.least} or {self.most}"
        return f"{self.least} to {self.most}"


class BooleanOption(NamedTuple):
    """An option that is true or false."""

    name: str
    default: bool
    meaning: str

    def describe(self) -> OptionDescription:
        """For documents, the API and forms."""
        return OptionDescription(self.name, "boolean", self.default, self.meaning)

    def allows(self, value: object) -> bool:
        """True or false, nothing that stands for them."""
        return isinstance(value, bool)

    @property
    def allowed(self) -> str:
        """What may be given, in words."""
        return "true or false"


class FixturesOption(NamedTuple):
    """An option that is a list of fixtures, each the seeds of its entries; it must be given."""

    name: str
    most: int
    meaning: str
    default: None = None

    def describe(self) -> OptionDescription:
        """For documents, the API and forms."""
        return OptionDescription(self.name, "fixtures", self.default, self.meaning)

    def allows(self, value: object) -> bool:
        """A list of one fixture or more, each a list of two whole numbers or more, from 1."""
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
        """What may be given, in words."""
        return f"a list of 1 to {self.most} fixtures, each a list of the seeds of those that meet"


class Options:
    """The options of one format."""

    def __init__(self, key: str, options: Sequence[IntegerOption | BooleanOption | FixturesOption]) -> None:
        self.key = key
        self.by_name = {option.name: option for option in options}

    def describe(self) -> list[OptionDescription]:
        """Every option, in the order given."""
        return [option.describe() for option in self.by_name.values()]

    def check(self, given: Mapping[str, object]) -> None:
        """Refuse what is unknown or out of bounds.

        Raises:
            FormatError: names the option and what is allowed.
        """
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
        """The value given, or the default; None where the size of the field decides."""
        value = given.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        default = self.by_name[name].default
        return default if isinstance(default, int) else None

    def boolean(self, given: Mapping[str, object], name: str) -> bool:
        """The value given, or the default."""
        value = given.get(name)
        return value if isinstance(value, bool) else bool(self.by_name[name].default)
