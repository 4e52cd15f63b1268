"""Conversion between parameter values and coordinates from -1 to 1."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from referee.parameters import Parameter

SIGNIFICANT_DIGITS = 4
"""Significant digits of tried values."""


def point_of(values: Mapping[str, float], parameters: Sequence[Parameter]) -> list[float]:
    return [_coordinate(parameter, values[parameter.name]) for parameter in parameters]


def values_of(point: Sequence[float], parameters: Sequence[Parameter]) -> dict[str, float]:
    """Return the values of a point, rounded to ``SIGNIFICANT_DIGITS`` digits or to integers.

    >>> values_of([0.0, -1.0], [Parameter("n", 1, 1, 4, whole=True), Parameter("c", 1, 0.01, 1, log=True)])
    {'n': 2, 'c': 0.01}
    """
    pairs = zip(parameters, point, strict=True)
    return {parameter.name: _value(parameter, float(coordinate)) for parameter, coordinate in pairs}


def _coordinate(parameter: Parameter, value: float) -> float:
    least, most = parameter.least, parameter.most
    if parameter.log:
        value, least, most = math.log(value), math.log(least), math.log(most)
    return 2 * (value - least) / (most - least) - 1


def _value(parameter: Parameter, coordinate: float) -> float:
    least, most = parameter.least, parameter.most
    part = (coordinate + 1) / 2
    value = least * (most / least) ** part if parameter.log else least + (most - least) * part
    # Digits of the range count, not those of a value that happens to lie near 0.
    size = abs(value) if parameter.log else most - least
    rounded = round(value, SIGNIFICANT_DIGITS - 1 - math.floor(math.log10(size))) if size else value
    return min(max(round(value) if parameter.whole else rounded, least), most)
