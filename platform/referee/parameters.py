"""Parameters of a bot: numbers below ``[parameters]`` in ``rensho.toml`` that its author tunes at home.

A table plays every bundle with its default values, so another value makes another bundle.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from engine.refusals import quoted

MAX_PARAMETERS = 32
MAX_VALUE = 1e12
"""Maximum absolute value; whole numbers up to it are exact in every language."""
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_FIELDS = ("default", "least", "most", "whole", "log")
EXAMPLE = "risk = { default = 0.5, least = 0, most = 1 }"


class ParameterError(ValueError):
    """An unusable table of parameters, or an unusable value; the message has the remedy."""


class Parameter(NamedTuple):
    name: str
    default: float
    least: float
    most: float
    whole: bool = False
    """Whether only whole numbers are allowed."""
    log: bool = False
    """Whether the search uses a logarithmic scale; ``least`` is then above 0."""

    def value_text(self, value: float) -> str:
        """Return a value as TOML.

        >>> Parameter("risk", 0, 0, 1).value_text(0.25), Parameter("risk", 0, 0, 1).value_text(1.0)
        ('0.25', '1')
        """
        return str(int(value)) if self.whole else repr(float(value)).removesuffix(".0")

    def toml_line(self, value: float | None = None) -> str:
        default = self.default if value is None else value
        texts = [f"{n} = {self.value_text(v)}" for n, v in zip(_FIELDS, (default, *self[2:4]), strict=False)]
        flags = [f"{name} = true" for name in _FIELDS[3:] if getattr(self, name)]
        return f"{self.name} = {{ {', '.join(texts + flags)} }}"


def parse_parameters(table: object) -> tuple[Parameter, ...]:
    """Return the parameters of the table ``[parameters]``, in its order, or raise ``ParameterError``."""
    if not isinstance(table, Mapping):
        raise ParameterError(f"parameters must be a table with lines like {EXAMPLE}")
    if len(table) > MAX_PARAMETERS:
        raise ParameterError(f"there are {len(table)} parameters, at most {MAX_PARAMETERS} are possible")
    return tuple(_parameter(str(name), fields) for name, fields in table.items())


def parse_values(assignments: Sequence[str], parameters: Sequence[Parameter]) -> dict[str, float]:
    """Return values given as ``NAME=VALUE`` by name, each once, or raise ``ParameterError``."""
    by_name = {parameter.name: parameter for parameter in parameters}
    values: dict[str, float] = {}
    for word in assignments:
        name, equals, text = word.partition("=")
        if not (name and equals and text):
            raise ParameterError(f"{quoted(word)} is not NAME=VALUE: write it like risk=0.5")
        if name not in by_name:
            known = f"its parameters: {', '.join(by_name)}" if by_name else "it has none: list them"
            where = "below [parameters] of rensho.toml, docs/kit.md says how"
            raise ParameterError(
                f"there is no parameter {quoted(name)}; {known}{'' if by_name else ' ' + where}"
            )
        if name in values:
            raise ParameterError(f"{name} is given twice: leave one out")
        try:
            value = float(text)
        except ValueError:
            raise ParameterError(f"{name} must be a number, not {quoted(text)}") from None
        values[name] = checked_value(by_name[name], value)
    return values


def checked_value(parameter: Parameter, value: float) -> float:
    """Return the value if the parameter allows it, or raise ``ParameterError``."""
    if not parameter.least <= value <= parameter.most:
        ends = " to ".join(parameter.value_text(end) for end in (parameter.least, parameter.most))
        raise ParameterError(f"{parameter.name} may be {ends}, not {value:g}")
    if parameter.whole and value != int(value):
        raise ParameterError(f"{parameter.name} must be a whole number, not {value:g}")
    return value


def _parameter(name: str, fields: object) -> Parameter:
    if not _NAME.fullmatch(name):
        raise ParameterError(
            f"{quoted(name)} cannot name a parameter: take small letters, digits and underscores, a letter "
            "first, at most 40"
        )
    if not isinstance(fields, Mapping):
        raise ParameterError(f"parameter {name} needs a table: write it like {EXAMPLE}")
    unknown = sorted(fields.keys() - set(_FIELDS))
    if unknown:
        raise ParameterError(
            f"parameter {name} has an unknown field {quoted(unknown[0])}: it may have {', '.join(_FIELDS)}"
        )
    flags = {flag: fields.get(flag, False) for flag in _FIELDS[3:]}
    for flag, value in flags.items():
        if not isinstance(value, bool):
            raise ParameterError(f"{flag} of parameter {name} must be true or false")
    numbers = {}
    for field in _FIELDS[:3]:
        number = fields.get(field)
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise ParameterError(f"parameter {name} needs {field} as a number: write it like {EXAMPLE}")
        # This form also refuses NaN, infinity and whole numbers beyond the range of floats.
        if not abs(number) <= MAX_VALUE:
            raise ParameterError(f"{field} of parameter {name} must lie between -1e12 and 1e12")
        if flags["whole"] and number != int(number):
            raise ParameterError(f"{field} of parameter {name} must be a whole number, as whole = true says")
        numbers[field] = float(number)
    parameter = Parameter(name, **numbers, whole=flags["whole"], log=flags["log"])
    if not parameter.least < parameter.most:
        raise ParameterError(f"least of parameter {name} must be below most")
    if parameter.log and parameter.least <= 0:
        raise ParameterError(f"least of parameter {name} must be above 0, as log = true says")
    checked_value(parameter, parameter.default)
    return parameter
